"""Results of verbs: iterable rows that can be printed or made into a DataFrame.

A result names the function of ``curator.tables`` that lays it out and defines its rows
and columns. Results belong to lower layers than tables, so the table is imported on
use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from pandas import DataFrame

Row = TypeVar("Row")
Cells = list[Any]
"""A row of cells: text and numbers."""

FIELDS_TABLE = "table.of_fields"
"""The default table: the fields of each row."""


def _tables_package() -> Any:
    """Import ``curator.tables``, hidden from mypy, which fails on the import cycle."""
    tables: Any = None
    if not TYPE_CHECKING:
        from curator import tables
    return tables


class Tabular:
    """A value with a table: ``print`` shows it, ``frame`` has its cells."""

    __slots__ = ()
    laid_out_by: str = FIELDS_TABLE

    def _tables(self) -> list[Any]:
        tables: list[Any] = _tables_package().tables_of(self)
        return tables

    def frame(self) -> DataFrame:
        """Return the rows as a pandas DataFrame; unknown values are missing, not 0.

        Its columns are those of the table, or of the first if ``print`` shows several,
        with their names in JSON. Raises MissingPandasError.
        """
        frame: DataFrame = self._tables()[0].frame()
        return frame

    def __str__(self) -> str:
        text: str = _tables_package().printed(self._tables())
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"  # in a notebook


class Result(Tabular, Generic[Row]):
    """A frozen result that iterates over its table's rows. It is true even if empty.

    Subclasses name their layout function by ``table``.
    """

    __slots__ = ()

    def __init_subclass__(cls, *, table: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if table:
            cls.laid_out_by = table

    def __iter__(self) -> Iterator[Row]:
        return iter(self._tables()[0].rows)

    def __len__(self) -> int:
        return len(self._tables()[0].rows)

    def __bool__(self) -> bool:
        return True


class Rows(Tabular, tuple[Row, ...]):
    """A tuple of results in one table, with ``notes``, a line each."""

    notes: tuple[str, ...]

    def __new__(
        cls,
        rows: Iterable[Row] = (),
        table: str = FIELDS_TABLE,
        notes: Iterable[str] = (),
    ) -> Self:
        result = super().__new__(cls, rows)
        result.laid_out_by = table
        result.notes = tuple(notes)
        return result
