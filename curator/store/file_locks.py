"""Detection of disks on which file locks do nothing.

SQLite keeps writers apart by POSIX locks. Some network and shared folders grant a lock
to everybody: two processes then save at the same time, and edits of one are lost.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

from curator.errors import WorkspaceError

# A lock belongs to a process, so only another process can test it.
_TRY_LOCK = "import fcntl; fcntl.lockf(0, fcntl.LOCK_EX | fcntl.LOCK_NB)"
_locks_work: dict[int, bool] = {}  # by device


def require_file_locks(path: Path) -> None:
    """Raise WorkspaceError if file locks do nothing in the folder of ``path``.

    Tested once for each disk and process, in about 10 ms. Where it cannot be tested, as
    in a read-only folder, nothing is refused. A disk whose locks hold on this machine,
    but not between machines that mount it, passes the test.
    """
    device = os.stat(path if path.exists() else path.parent).st_dev
    if device not in _locks_work:
        _locks_work[device] = _test_locks(path.resolve().parent)
    if not _locks_work[device]:
        raise WorkspaceError(
            f"'{path}' is on a disk where file locks do not work: edits of two people "
            "at the same time would be lost. Move it to a local disk, while no program "
            "has it open."
        )


def _test_locks(folder: Path) -> bool:
    """Return False if another process can lock a file that is locked here.

    Returns True if this cannot be tested.
    """
    try:
        # Not the workspace: closing any handle of it would drop SQLite's own locks.
        with TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            command = [sys.executable, "-I", "-S", "-c", _TRY_LOCK]
            quiet = subprocess.DEVNULL
            child = subprocess.run(
                command, stdin=file, stdout=quiet, stderr=quiet, check=False
            )
    except OSError:
        return True
    return child.returncode != 0
