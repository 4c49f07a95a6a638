"""Curator judges search and RAG systems by exam questions that people curate.

>>> from curator import Workspace

A workspace is one SQLite file: queries, passages, rankings, a question bank with
its whole history, and grades. What the command line and the pages do is a method of
:class:`~curator.workspace.Workspace`; docs/library.md is a tour of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.version import VERSION

if TYPE_CHECKING:
    from curator.bank.edits import (
        Add,
        AddSubtopic,
        Done,
        JudgeAnswer,
        Keep,
        MarkIdeal,
        Move,
        Restore,
        Retire,
        Reword,
        SetKey,
        SetTitle,
        Vote,
        WriteNote,
    )
    from curator.demo import build_demo
    from curator.errors import CuratorError
    from curator.evaluation.settings import Settings
    from curator.workspace import Workspace

__all__ = [
    "Add",
    "AddSubtopic",
    "CuratorError",
    "Done",
    "JudgeAnswer",
    "Keep",
    "MarkIdeal",
    "Move",
    "Restore",
    "Retire",
    "Reword",
    "SetKey",
    "SetTitle",
    "Settings",
    "Vote",
    "Workspace",
    "WriteNote",
    "__version__",
    "build_demo",
]
__version__ = VERSION

_HOMES = {
    "CuratorError": "curator.errors",
    "Settings": "curator.evaluation.settings",
    "Workspace": "curator.workspace",
    "build_demo": "curator.demo",
}


def __getattr__(name: str) -> Any:
    # Imported on use, so that `curator --help` does not pay for numpy.
    if name in __all__:
        return getattr(import_module(_HOMES.get(name, "curator.bank.edits")), name)
    raise AttributeError(f"module 'curator' has no attribute {name!r}")
