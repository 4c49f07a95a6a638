"""Curator judges search and RAG systems by exam questions that people curate.

>>> from curator import Workspace

A workspace is one SQLite file: queries, passages, rankings, a question bank with
its whole history, and grades. Every verb of the command line is a method of
:class:`~curator.workspace.Workspace` of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.version import VERSION

if TYPE_CHECKING:
    from curator.workspace import Workspace

__all__ = ["Workspace", "__version__"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    # Imported on use, so that `curator --help` does not pay for numpy.
    if name == "Workspace":
        from curator.workspace import Workspace

        return Workspace
    raise AttributeError(f"module 'curator' has no attribute {name!r}")
