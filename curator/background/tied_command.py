"""A command of Curator that ends when whoever started it is gone.

``python -m curator.background.tied_command export …`` is ``curator export …`` as long
as the other end of its standard input is open. The system closes that end when the
process that holds it ends, in whatever way.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading


def _end_when_alone() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_when_alone, daemon=True).start()
    runpy.run_module("curator", run_name="__main__", alter_sys=True)
