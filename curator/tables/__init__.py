"""Results as tables: each column is declared once for all outputs.

``table.py`` is the mechanism, a module a noun has the columns, ``figures.py`` charts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def tables_of(result: Any) -> list[Any]:
    """Return the tables of a result, laid out by the function that it names."""
    module, _, name = result.laid_out_by.partition(".")
    tables = getattr(import_module(f"{__name__}.{module}"), name)(result)
    return tables if isinstance(tables, list) else [tables]


def printed(tables: list[Any]) -> str:
    """Return the tables as text for a terminal."""
    text: str = import_module(f"{__name__}.table").printed(tables)
    return text
