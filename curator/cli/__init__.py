"""The command line: one command per verb, each a thin shell around the workspace.

Results go to stdout, progress and warnings to stderr. A user's error is one line and
exit status 1, a misuse of the command line is 2. Nothing heavy is imported until a
command needs it.
"""

from importlib import import_module
from pkgutil import iter_modules

from curator.cli.program import main

__all__ = ["main"]

# Importing a module of commands is what adds them to ``main``.
for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
