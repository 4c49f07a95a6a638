"""What verbs return: rows to go through, counted, printed or made into a DataFrame.

A result names the function of ``curator.tables`` that lays it out, and that alone says
what its rows and columns are. Results are values of the lowest floors, tables stand
above them, so a table is looked up when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from pandas import DataFrame

Row = TypeVar("Row")
Cells = list[Any]
"""A row that is cells: text and numbers."""

OWN_FIELDS = "table.of_fields"
"""The table of what no other lays out: the fields of each row."""


def _tables_package() -> Any:
    """Import ``curator.tables``, hidden from mypy, which fails on the import cycle."""
    tables: Any = None
    if not TYPE_CHECKING:
        from curator import tables
    return tables


class Tabular:
    """Something that a table lays out: ``print`` shows it, ``frame`` has its cells."""

    __slots__ = ()
    laid_out_by: str = OWN_FIELDS

    def _tables(self) -> list[Any]:
        tables: list[Any] = _tables_package().tables_of(self)
        return tables

    def frame(self) -> DataFrame:
        """The rows as a pandas DataFrame; what nobody knows is missing in it, not 0.

        Its columns are those of the table, the first where ``print`` shows several, by
        their names in JSON. Raises MissingPandasError.
        """
        frame: DataFrame = self._tables()[0].frame()
        return frame

    def __str__(self) -> str:
        text: str = _tables_package().printed(self._tables())
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"  # in a notebook


class Result(Tabular, Generic[Row]):
    """A frozen result that goes through its table's rows. It is true without any too.

    A class of results says by ``table`` which function lays it out.
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
    """A tuple of results that are one table together, and ``notes``, a line each."""

    notes: tuple[str, ...]

    def __new__(
        cls,
        rows: Iterable[Row] = (),
        table: str = OWN_FIELDS,
        notes: Iterable[str] = (),
    ) -> Self:
        found = super().__new__(cls, rows)
        found.laid_out_by = table
        found.notes = tuple(notes)
        return found
