"""Results of verbs: dataclasses whose fields are their table's columns and their JSON.

``column`` in a field's metadata says how its column differs from the field: heading,
decimals, outputs. A result whose table is more than rows of one class names a function
of ``curator.tables`` instead. Results belong to lower layers than tables, which are
therefore imported on use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, get_args

if TYPE_CHECKING:
    from pandas import DataFrame

Row = TypeVar("Row")
Getter = TypeVar("Getter", bound=Callable[[Any], Any])
Cells = list[Any]
"""A row of cells: text and numbers."""

Output = Literal["file", "page", "report"]
FILE: tuple[Output, ...] = ("file",)
PAGE: tuple[Output, ...] = ("page",)
NOWHERE: tuple[Output, ...] = ()
IF_ANY: dict[str, Any] = {"column": {"json_if": bool}}
"""Metadata of a field that is in JSON only if it has a value other than 0."""
FLAT: dict[str, Any] = {"column": {"only": NOWHERE, "flat": True}}
"""Metadata of a field whose own fields are in JSON in its place."""
HIDDEN: dict[str, Any] = {"column": {"only": NOWHERE, "json": False}}
"""Metadata of a field that is neither a column nor in JSON."""

FIELDS_TABLE = "table.fields_table"
"""The default table: the columns of the row's class."""


def column(heading: str = "", **words: Any) -> dict[str, Any]:
    """Return a field's metadata: the words of ``tables.table.Column``, and for JSON.

    ``show``, ``page`` and ``optional`` are functions of the value, ``row`` makes the
    cell of the row. ``json="name"`` is another name in JSON, False leaves the
    field out there, ``json_if`` keeps it only if it returns True for the value, and
    ``to_json`` writes it; ``flat`` puts its fields among those of the row.
    """
    return {"column": {"heading": heading, **words}}


def computed(heading: str = "", **words: Any) -> Callable[[Getter], Getter]:
    """Make a property a column as well; goes below ``@property``."""

    def mark(getter: Getter) -> Getter:
        getter.column = {"heading": heading, **words}  # type: ignore[attr-defined]
        return getter

    return mark


def columns_in(row_type: Any) -> dict[str, dict[str, Any]]:
    """Return the words of each column by name: fields first, then properties."""
    described = {
        field.name: field.metadata.get("column", {}) for field in fields(row_type)
    }
    for name, member in vars(row_type).items():
        if isinstance(member, property) and hasattr(member.fget, "column"):
            described[name] = member.fget.column  # type: ignore[union-attr]
    return described


def minute(at: str | None) -> str | None:
    """Return a time without seconds, as people read it; None for none."""
    return at[:16].replace("T", " ") if at else None


def to_json(value: Any) -> Any:
    """Return the value as JSON: of a dataclass its fields and columns by name."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        values: dict[str, Any] = {}
        for name, words in columns_in(type(value)).items():
            key, cell = words.get("json", name), getattr(value, name)
            if key is False or not words.get("json_if", lambda _: True)(cell):
                continue
            part = words.get("to_json", to_json)(cell)
            values |= part if words.get("flat") else {key: part}
        return values
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    return str(value) if isinstance(value, Path) else value


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
    row_type: Any = None

    def to_tables(self) -> list[Any]:
        """Return the tables that ``print`` shows."""
        tables: list[Any] = _tables_package().tables_of(self)
        return tables

    def frame(self) -> DataFrame:
        """Return the rows as a pandas DataFrame; unknown values are missing, not 0.

        Its columns are those of the table, or of the first if ``print`` shows several,
        with their names in JSON.
        """
        frame: DataFrame = self.to_tables()[0].frame()
        return frame

    def __str__(self) -> str:
        text: str = _tables_package().printed(self.to_tables())
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"  # in a notebook


class Result(Tabular, Generic[Row]):
    """A frozen result that iterates over its table's rows. It is true even if empty.

    Subclasses name the field with the rows, or else a layout function by ``table``; a
    result without either is its own row. ``caption`` and ``notes`` stand at the table.
    """

    __slots__ = ()
    rows_in: str = ""

    def __init_subclass__(
        cls, *, table: str = "", rows: str = "", **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if table:  # a dataclass with slots is made twice, at last without these words
            cls.laid_out_by = table
        if rows:
            cls.rows_in = rows
            (cls.row_type,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.to_tables()[0].rows)

    def __len__(self) -> int:
        return len(self.to_tables()[0].rows)

    def __bool__(self) -> bool:
        return True


class Rows(Tabular, tuple[Row, ...]):
    """A tuple of results in one table, with ``notes``, a line each.

    ``table`` is the rows' class, or names a layout function.
    """

    notes: tuple[str, ...]
    caption: str

    def __new__(
        cls,
        rows: Iterable[Row] = (),
        table: str | type[Row] = FIELDS_TABLE,
        notes: Iterable[str] = (),
        caption: str = "",
    ) -> Self:
        result = super().__new__(cls, rows)
        if isinstance(table, str):
            result.laid_out_by = table
        else:
            result.row_type = table
        result.notes, result.caption = tuple(notes), caption
        return result
