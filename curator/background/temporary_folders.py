"""Temporary folders that say whose they are, so that none outlives its server unseen.

A server that is ended clears up after itself; one that is killed cannot. The next one
clears up after it: a folder's name says which process of which machine made it.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from shutil import rmtree
from stat import S_ISDIR
from tempfile import TemporaryDirectory, gettempdir

from curator.store.claims import has_ended

NAMED = re.compile(r"curator-(?P<pid>[0-9]{1,9})@(?P<host>.+)-[^-]+")


def own_folder() -> TemporaryDirectory[str]:
    """A folder of this process, gone with the object."""
    named = f"curator-{os.getpid()}@{platform.node()}-"
    return TemporaryDirectory(prefix=named, ignore_cleanup_errors=True)


def sweep() -> None:
    """Remove the folders of this user's processes of this machine that are no more."""
    for folder in Path(gettempdir()).glob("curator-*"):
        named = NAMED.fullmatch(folder.name)
        if (
            named
            and has_ended(named["host"], int(named["pid"]))
            and _is_our_folder(folder)
        ):
            rmtree(folder, ignore_errors=True)


def _is_our_folder(path: Path) -> bool:
    """Whether it is a folder, no link to one, that this user made."""
    try:
        found = path.lstat()
    except OSError:  # another server has swept it by now
        return False
    return S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
