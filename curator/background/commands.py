"""Curator commands in separate processes, for work that a server does not do.

``python -m curator.background.commands export …`` runs ``curator export …`` until the
other end of its standard input is closed. The system closes that end when the parent
process ends for any reason.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from curator.workspace import AS_JUDGE_VARIABLE


def run_command(
    arguments: Sequence[str],
    *,
    judge: str,
    ends_with_parent: bool = False,
    as_judge: bool = False,
    variables: Mapping[str, str] | None = None,
    failure_has_output: bool = False,
) -> tuple[str | None, str]:
    """Return the command's output, or None and the user error in one line.

    The error is "" if it is no user error; then the server's log has details.
    With ``ends_with_parent`` the command ends with this process; ``as_judge`` gives it
    the judge's permissions. With ``failure_has_output`` its output counts at exit
    status 1, too.
    """
    module = "curator.background.commands" if ends_with_parent else "curator"
    with ExitStack() as open_ends:
        standard_input = subprocess.DEVNULL
        if ends_with_parent:
            standard_input, our_end = os.pipe()
            for end in (our_end, standard_input):
                open_ends.callback(os.close, end)
        try:
            process = subprocess.run(
                [sys.executable, "-m", module, *arguments],
                stdin=standard_input,
                capture_output=True,
                check=False,
                encoding="utf-8",
                errors="replace",
                env={
                    **os.environ,
                    "CURATOR_USER": judge,
                    AS_JUDGE_VARIABLE: "yes" if as_judge else "",
                    **(variables or {}),
                },
            )
        except (OSError, ValueError) as error:
            return None, f"The command could not be started: {error}."
    has_output = (
        failure_has_output and process.returncode == 1 and process.stdout.strip()
    )
    if not process.returncode or has_output:
        return process.stdout, ""
    *_, last_line = ["", *process.stderr.strip().splitlines()]
    if last_line.startswith("Error: "):
        return None, last_line.removeprefix("Error: ")
    sys.stderr.write(process.stderr)
    return None, ""


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    runpy.run_module("curator", run_name="__main__", alter_sys=True)
