"""``repair``: restore derived data of a damaged workspace."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import CuratorError
from curator.results import Result, column
from curator.snapshot.opened import OpenWorkspace
from curator.store.bundles.copies import backup_path, copy_to
from curator.store.bundles.integrity import repair_indexes, repair_rows, verify_file
from curator.store.connection import write_transaction
from curator.store.damage import MALFORMED_ROW_ERRORS
from grading.errors import GradingError


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
