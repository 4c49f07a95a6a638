"""The command line: one command per verb, each a thin shell around the workspace.

Results go to stdout, progress and warnings to stderr. A user's error is one line and
exit status 1, a misuse of the command line is 2. Nothing heavy is imported until a
command needs it.
"""

# Importing a module of commands is what adds them to ``main``.
from curator.cli import (
    answers,
    compare,
    curate,
    files,
    grading,
    history,
    judges,
    leaderboard,
    passages,
    proposals,
    releases,
    serve,
    setup,
)
from curator.cli.program import main

__all__ = [
    "answers",
    "compare",
    "curate",
    "files",
    "grading",
    "history",
    "judges",
    "leaderboard",
    "main",
    "passages",
    "proposals",
    "releases",
    "serve",
    "setup",
]
