"""``backup`` and ``restore``: copy a workspace to one file, and back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from curator.errors import WorkspaceError
from curator.results import Result
from curator.snapshot.opened import OpenWorkspace
from curator.store.backup import copy_to, restore_to


@dataclass(frozen=True)
class BackedUp(Result["BackedUp"], table="files.backup_table"):
    """A copy, its ``size`` in bytes, and the duration.

    ``replaced`` is the copy of the workspace that a restore replaced.
    """

    file: Path
    size: int
    seconds: float
    replaced: Path | None = None


def backup(
    workspace: OpenWorkspace, file: str | Path, *, force: bool = False
) -> BackedUp:
    """Copy a snapshot of the workspace to ``file``, also while it is in use.

    The copy is a workspace, and ``verify`` checks it. Raises WorkspaceError for an
    existing file, without ``force``, and for one that cannot be written.
    """
    target, began = Path(file), time.monotonic()
    if target.exists():
        if target.samefile(workspace.path):
            raise WorkspaceError(f"'{target}' is the workspace itself.")
        if not force:
            raise WorkspaceError(f"'{target}' exists already; --force replaces it.")
    copy_to(workspace.connection, target)
    return BackedUp(target, target.stat().st_size, time.monotonic() - began)


def restore(file: str | Path, path: str | Path, *, force: bool = False) -> BackedUp:
    """Replace the workspace at ``path`` with the copy ``file``.

    An existing workspace is kept in another file, and replaced only with ``force``.
    Raises WorkspaceError while it is open anywhere, and for a damaged copy.
    """
    target, began = Path(path), time.monotonic()
    if target.exists() and not force:
        raise WorkspaceError(
            f"'{target}' exists already; --force replaces it and keeps it under "
            "another name."
        )
    replaced = restore_to(Path(file), target)
    size = target.stat().st_size
    return BackedUp(target, size, time.monotonic() - began, replaced)
