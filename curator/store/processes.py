"""Whether a process that is named in the file is still there."""

from __future__ import annotations

import os
import platform


def has_ended(host: str, pid: int) -> bool:
    """Whether this was a process of this machine that is no more.

    Of other machines' processes nothing is known, so they have not.
    """
    if host != platform.node():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is someone else's, and there
        return False
    return False
