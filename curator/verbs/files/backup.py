"""``backup`` and ``restore``: the whole workspace as one file, and back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from curator.engine.opened import OpenWorkspace
from curator.errors import WorkspaceError
from curator.results import Result
from curator.store.backup import copy_to, restore_to


@dataclass(frozen=True)
class BackedUp(Result["BackedUp"], table="files.backup_table"):
    """A copy, its ``size`` in bytes, how long it took, and what was there before it.

    ``replaced`` is where a workspace that was restored over is kept.
    """

    file: Path
    size: int
    seconds: float
    replaced: Path | None = None


def backup(
    workspace: OpenWorkspace, file: str | Path, *, force: bool = False
) -> BackedUp:
    """Copy the workspace to ``file`` as it is at one moment, while others work in it.

    The copy is a workspace: it opens, and ``verify`` checks it. Raises WorkspaceError
    for a file that is there, without ``force``, and for one that cannot be written.
    """
    target, began = Path(file), time.monotonic()
    if target.exists():
        if target.samefile(workspace.path):
            raise WorkspaceError(f"'{target}' is the workspace itself.")
        if not force:
            raise WorkspaceError(f"'{target}' is there already; --force replaces it.")
    copy_to(workspace.connection, target)
    return BackedUp(target, target.stat().st_size, time.monotonic() - began)


def restore(file: str | Path, path: str | Path, *, force: bool = False) -> BackedUp:
    """Make the workspace at ``path`` what the copy ``file`` is.

    One that is there is kept beside it, and replaced with ``force`` alone. Raises
    WorkspaceError while anybody has it open, and for what is no sound copy.
    """
    target, began = Path(path), time.monotonic()
    if target.exists() and not force:
        raise WorkspaceError(
            f"'{target}' is there already; --force restores over it and keeps it under "
            "another name."
        )
    replaced = restore_to(Path(file), target)
    size = target.stat().st_size
    return BackedUp(target, size, time.monotonic() - began, replaced)
