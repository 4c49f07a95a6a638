"""Commands of Curator in processes of their own, for what a server does not do itself.

``python -m curator.background.commands export …`` is ``curator export …`` as long as
the other end of its standard input is open. The system closes that end when the process
that holds it ends, in whatever way.
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


def output_of(
    arguments: Sequence[str],
    *,
    judge: str,
    tied: bool = False,
    as_judge: bool = False,
    variables: Mapping[str, str] | None = None,
    failure_has_output: bool = False,
) -> tuple[str | None, str]:
    """What the command prints, or None and the error of the user's in one line.

    Where it is no error of the user's, that is "", and the server's log says more.

    One that is ``tied`` ends with this process, however that ends; one run ``as_judge``
    does and shows what the judge may do and see. With ``failure_has_output`` what it
    prints counts at exit status 1, too.
    """
    module = "curator.background.commands" if tied else "curator"
    with ExitStack() as open_ends:
        standard_input = subprocess.DEVNULL
        if tied:
            standard_input, ours = os.pipe()
            for end in (ours, standard_input):
                open_ends.callback(os.close, end)
        try:
            done = subprocess.run(
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
            return None, f"Its process could not be started: {error}."
    prints = failure_has_output and done.returncode == 1 and done.stdout.strip()
    if not done.returncode or prints:
        return done.stdout, ""
    *_, last = ["", *done.stderr.strip().splitlines()]
    if last.startswith("Error: "):
        return None, last.removeprefix("Error: ")
    sys.stderr.write(done.stderr)
    return None, ""


def _end_when_alone() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_when_alone, daemon=True).start()
    runpy.run_module("curator", run_name="__main__", alter_sys=True)
