"""A disk whose file locks do not work is recognized before anything is saved on it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from curator.store import connection
from curator.store.connection import open_workspace
from tests.samples.hand_made import hand_made_workspace

# Grants every lock without asking the disk.
NO_LOCKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
static int granted(const char *name, int file, int command, void *value) {
  if (command == F_SETLK || command == F_SETLKW) return 0;
  if (command == F_GETLK) { ((struct flock *)value)->l_type = F_UNLCK; return 0; }
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
  return real(file, command, value);
}
#define GRANT(name) int name(int file, int command, ...) { va_list given; \\
  va_start(given, command); void *value = va_arg(given, void *); va_end(given); \\
  return granted(#name, file, command, value); }
GRANT(fcntl)
GRANT(fcntl64)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path / "work")


@pytest.mark.skipif(not shutil.which("gcc") or sys.platform != "linux", reason="no gcc")
def test_a_disk_that_grants_every_lock_is_refused(path: Path, tmp_path: Path) -> None:
    library = tmp_path / "no_locks.so"
    build = ["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-", "-ldl"]
    subprocess.run(build, input=NO_LOCKS, text=True, check=True)
    before = sorted(path.parent.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "curator", "overview", path],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: '{path}' is on a disk where file locks do")
    assert done.stderr.count("\n") == 1
    assert sorted(path.parent.iterdir()) == before


def test_the_test_drops_no_lock_of_a_save_in_this_process(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saving = open_workspace(path)
    saving.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(connection, "_locks_work", {})
    open_workspace(path).close()
    other = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1], 0, isolation_level=None)"
        ".execute('BEGIN IMMEDIATE')"
    )
    refused = subprocess.run(
        [sys.executable, "-c", other, path], capture_output=True, text=True
    )
    assert sqlite3.OperationalError.__name__ in refused.stderr
    assert "locked" in refused.stderr
    saving.close()
