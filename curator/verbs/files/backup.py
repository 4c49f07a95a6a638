"""``backup`` and ``restore``: copy a workspace to one file, and back."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from curator.errors import CuratorError, WorkspaceError
from curator.formats.text.output_files import file_sha256
from curator.results import Result, column
from curator.snapshot.opened import OpenWorkspace
from curator.store.bundles.copies import backup_path, copy_to, restore_to
from curator.store.bundles.integrity import repair_indexes, repair_rows, verify_file
from curator.store.connection import write_transaction
from curator.store.damage import MALFORMED_ROW_ERRORS
from grading.errors import GradingError


@dataclass(frozen=True)
class BackedUp(Result["BackedUp"]):
    """A copy, its ``size`` in bytes, and the duration.

    ``replaced`` is the copy of the workspace that a restore replaced.
    """

    columns: ClassVar = "file MB=size seconds"

    file: Path = field(metadata=column(show=str))
    size: int = field(metadata=column(show=lambda size: round(size / 1e6, 1)))
    seconds: float = field(metadata=column(show=lambda seconds: round(seconds, 2)))
    replaced: Path | None = None

    @property
    def notes(self) -> list[str]:
        kept = f"The replaced workspace is kept as '{self.replaced}'."
        return [kept] if self.replaced else []


def backup(
    workspace: OpenWorkspace, file: Path | str, *, force: bool = False
) -> BackedUp:
    """Copy a snapshot of the workspace to ``file``, also while it is in use.

    The copy is a workspace, and ``verify`` checks it. ``FILE.sha256`` beside it has its
    SHA-256, which ``restore`` compares. Raises WorkspaceError for an
    existing file, without ``force``, and for one that cannot be written.

    Args:
        force: Replace FILE if it exists.
    """
    target, began = Path(file), time.monotonic()
    if target.exists():
        if target.samefile(workspace.path):
            raise WorkspaceError(f"'{target}' is the workspace itself.")
        if not force:
            raise WorkspaceError(f"'{target}' exists already; --force replaces it.")
    copy_to(workspace.connection, target)
    digest = f"{file_sha256(target)}  {target.name}\n"  # as sha256sum writes it
    sha256_path(target).write_text(digest, encoding="utf-8")
    return BackedUp(target, target.stat().st_size, time.monotonic() - began)


def restore(file: Path | str, path: str | Path, *, force: bool = False) -> BackedUp:
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
    source = Path(file)
    if sha256_path(source).is_file() and source.is_file():
        (stored,) = sha256_path(source).read_text(encoding="utf-8").split()[:1] or [""]
        if stored != file_sha256(source):
            raise WorkspaceError(
                f"'{source}' has changed since it was made: its SHA-256 is not that of "
                f"'{sha256_path(source).name}'. Delete that file to restore it anyway."
            )
    replaced = restore_to(source, target)
    size = target.stat().st_size
    return BackedUp(target, size, time.monotonic() - began, replaced)


def sha256_path(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


@dataclass(frozen=True)
class Repaired(Result[str], table="files.repair_table"):
    """The problems mended, and a sentence for each that remains.

    ``copy`` is the workspace before the repair, None where nothing was mended.
    """

    mended: tuple[str, ...]
    remaining: tuple[str, ...] = field(metadata=column(json="left"))
    copy: Path | None = None


def repair(workspace: OpenWorkspace) -> Repaired:
    """Rebuild damaged data where they follow from undamaged data.

    A copy of the file is made first. What cannot be repaired, such as responses of
    models, stays as it is and is listed: replace the workspace by a backup. Raises
    WorkspaceError where the file cannot be written or copied.
    """
    connection = workspace.connection
    if not verify_file(connection).problems:
        return Repaired((), ())
    copy = backup_path(workspace.path)
    copy_to(connection, copy, check=False)
    mended = repair_indexes(connection)
    if not verify_file(connection).torn:
        # Rows that cannot be read cannot be repaired, and all of it is taken back.
        with suppress(*MALFORMED_ROW_ERRORS, CuratorError, GradingError):
            with write_transaction(connection):
                repaired = list(repair_rows(connection))
            mended += repaired
    remaining = verify_file(connection).problems
    if not mended:
        copy.unlink()
    return Repaired(tuple(mended), remaining, copy if mended else None)
