"""Columns and tables, with their output as text, files, HTML and JSON.

A ``Column`` says where its number is found in a row and how it looks; a ``Table`` is
columns over rows. Files are what is printed or saved (the terminal's table, TSV, LaTeX,
Markdown, JSON); pages and the published report show the same columns as HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curator.results import Output, Result, Tabular, columns_in, to_json
from curator.tables import forms, terminal
from curator.tables.forms import Cell

if TYPE_CHECKING:
    from pandas import DataFrame

EVERYWHERE: tuple[Output, ...] = ("file", "page", "report")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, for all outputs.

    ``value`` is where the cell is found in a row: a path of attributes, keys or
    positions (None at a part that is None), or a function of the row; left out, what
    has the heading's name. ``key`` is its name in JSON, where JSON has it from here.

    On pages and in the report ``title`` is the heading, else the heading with a
    capital. A number has ``digits`` decimals there, None reads as ``missing``, and
    ``page`` makes the cell of the row. ``link`` makes a page's name a button that opens
    it: the family of the click. ``help`` is what the heading means. ``only``: where the
    column stands; an ``optional`` one only if its function returns True for a row.
    """

    heading: str
    value: str | Sequence[str | int] | Callable[[Any], Cell] = ""
    key: str = ""
    title: str = ""
    digits: int = 3
    missing: str = "–"
    page: Callable[[Any], object] | None = None
    link: str = ""
    help: str = ""
    only: tuple[Output, ...] = EVERYWHERE
    optional: Callable[[Any], object] | None = None

    def cell(self, row: Any) -> Cell:
        """The bare value, as files have it; several names as a list of them."""
        value: Cell | tuple[object, ...] = self.value_in(row)
        return ", ".join(map(str, value)) if isinstance(value, tuple) else value

    def value_in(self, row: Any) -> Any:
        """Return the value at the column's path."""
        if callable(self.value):
            return self.value(row)
        value = row
        path = self.value or [self.heading]
        for name in path.split(".") if isinstance(path, str) else path:
            if value is None:
                return None
            if isinstance(value, Mapping) or isinstance(name, int):
                value = value[name]
            else:
                value = getattr(value, name)
        return value

    @property
    def name(self) -> str:
        """Return the column's name in JSON and in DataFrames: ``rank_before``."""
        path = self.value.split(".") if isinstance(self.value, str) else self.value
        last = self.heading if callable(path) or not path else path[-1]
        name = self.key or (last if isinstance(last, str) and last else self.heading)
        return name.replace(" ", "_")

    @property
    def page_title(self) -> str:
        """Return the heading on pages and in the report."""
        return self.title or self.heading[:1].upper() + self.heading[1:]

    def shown(self, row: Any, output: Output) -> object:
        """The cell on pages or in the report: text, or HTML that is safe as it is."""
        if self.page is not None:
            return self.page(row)
        value = self.cell(row)
        if self.link and output == "page":
            return opened(self.link, str(value), str(value))
        if value is None:
            return self.missing
        if isinstance(value, float):
            short = forms.score if output == "page" else forms.decimals
            return short(value, self.digits)
        return f"{value:,}" if isinstance(value, int) else value


@dataclass(frozen=True)
class Table(Tabular):
    """Columns over rows. ``caption`` and ``notes`` are for people only.

    ``sums`` stand beneath the rows wherever people read them. ``value`` is all of the
    result as JSON, or a function that returns it. On pages ``current`` marks a row, and
    a rule stands between rows of which ``part`` says different things.
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    caption: str = ""
    notes: Sequence[str] = ()
    value: object = None
    current: Callable[[Any], bool] | None = None
    part: Callable[[Any], object] | None = None
    sums: Sequence[Any] = ()

    @classmethod
    def of(
        cls,
        headings: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        caption: str = "",
        notes: Sequence[str] = (),
        value: object = None,
        *,
        sums: Sequence[Sequence[Cell]] = (),
    ) -> Table:
        """A table of rows that are cells; on pages its headings are as given."""
        columns = [
            Column(name, [i], title=name, missing="") for i, name in enumerate(headings)
        ]
        return cls(columns, rows, caption, notes, value, sums=sums)

    def columns_in(self, output: Output) -> list[Column]:
        """Return the columns of this output."""
        return [
            column
            for column in self.columns
            if output in column.only
            and (column.optional is None or any(map(column.optional, self.rows)))
        ]

    def to_tables(self) -> list[Table]:
        """Return itself."""
        return [self]

    @property
    def json(self) -> object:
        """All of the result as JSON."""
        return self.value() if callable(self.value) else self.value

    def is_numeric(self, column: Column) -> bool:
        """Return True if the column holds numbers, which are aligned right."""
        return any(isinstance(column.cell(row), int | float) for row in self.rows)

    def naming(self, output: Output) -> Column:
        """The column whose cells are the rows' headings: the systems, or the first."""
        columns = self.columns_in(output)
        return next((c for c in columns if c.heading == "system"), columns[0])

    @property
    def headings(self) -> list[str]:
        """The headings in files."""
        return [column.heading for column in self.columns_in("file")]

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows in files, sums last."""
        columns, rows = self.columns_in("file"), [*self.rows, *self.sums]
        return [[column.cell(row) for column in columns] for row in rows]

    def frame(self) -> DataFrame:
        """The rows in files as a pandas DataFrame."""
        import pandas

        columns = self.columns_in("file")
        return pandas.DataFrame(
            {column.name: [column.cell(row) for row in self.rows] for column in columns}
        )

    def records(self) -> list[dict[str, Any]]:
        """Each row as JSON, by the columns' keys."""
        keyed = [column for column in self.columns if column.key]
        return [{column.key: column.cell(row) for column in keyed} for row in self.rows]

    def parted_rows(self) -> Iterator[tuple[Any, bool]]:
        """Return each row, and whether a rule is drawn above it."""
        rows = [*self.rows, *self.sums]
        parts = [self.part(row) if self.part else None for row in rows]
        for row, part, above in zip(rows, parts, [*parts[:1], *parts], strict=False):
            yield row, part != above


def columns_of(row_type: Any, spec: str = "", **words: object) -> list[Column]:
    """Return the columns of a row's class: those of ``spec``, or those of the class.

    The class has a spec in ``columns``, or else a column for each field. A spec is a
    word for each column: ``score``, ``query=question.query_id`` with another heading
    and a path to the cell, or ``weight?``, which is left out if no row has it.
    Underscores are blanks in headings, where ``{name}`` becomes one of ``words``.
    """
    described = columns_in(row_type) if row_type else {}
    spec = spec or getattr(row_type, "columns", "")
    names = spec.split() or [
        name for name, options in described.items() if options.get("only") != ()
    ]
    return [_column(name, described, words) for name in names]


def columns(spec: str) -> list[Column]:
    """Return the columns of ``spec`` for rows of any kind."""
    return columns_of(None, spec)


def _column(
    word: str, described: Mapping[str, Mapping[str, Any]], words: Mapping[str, object]
) -> Column:
    heading, _, path = word.rstrip("?").rpartition("=")
    options = {**described.get(path, {})}
    json_name = options.pop("json", None)
    for name in ("json_if", "to_json", "flat"):
        options.pop(name, None)
    value_at = Column(path, path).value_in
    for name in ("show", "page", "optional"):
        if name in options:
            options[name] = _after(value_at, options[name])
    if word.endswith("?"):
        options["optional"] = value_at
    value = options.pop("show", options.pop("row", path))
    if callable(value) or isinstance(json_name, str):
        options.setdefault("key", json_name or path)
    default = options.pop("heading", "").format(**words)
    if not default or heading:
        last = path.rpartition(".")[2].removesuffix("_id")
        default = (heading or last).replace("_", " ")
    return Column(default, value, **options)


def _after(
    value_at: Callable[[Any], Any], show: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    return lambda row: show(value_at(row))


def fields_table(result: Tabular) -> Table:
    """The columns of the row's class, of a result that no other table lays out."""
    rows: Sequence[Any] = [result]
    if isinstance(result, tuple):
        rows = result
    elif isinstance(result, Result) and result.rows_in:
        rows = getattr(result, result.rows_in)
    row_type = getattr(result, "row_type", None) or (type(rows[0]) if rows else None)
    return Table(
        columns_of(row_type) if row_type else [],
        rows,
        getattr(result, "caption", ""),
        getattr(result, "notes", ()),
        lambda: to_json(result),
    )


def record(result: object, *names: str) -> dict[str, Any]:
    """These attributes of a result, as JSON, in this order."""
    return {name: getattr(result, name) for name in names}


def named_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return ``name: note`` for each name with a note."""
    return [f"{name}: {note}" for name, note in notes if note]


def tables_in(results: Any) -> list[Table]:
    """Return the tables of a result, or of several."""
    if isinstance(results, Tabular):
        return results.to_tables()
    return [table for result in results for table in tables_in(result)]


def show(form: str, *results: Any, value: object = None) -> None:
    """Print the results one after the other; as JSON ``value``, or the first one's.

    On stdout; notes go to stderr, where no script trips over them.
    """
    tables = tables_in(results)
    if form == "json":
        value = tables[0].json if value is None else value
        terminal.echo(terminal.json_text(value))
    else:
        terminal.echo("\n".join(text_of(table, form) for table in tables), nl=False)
    for note in _notes(tables):
        terminal.echo(note, err=True)


def printed(tables: Sequence[Table]) -> str:
    """Return what ``show`` prints of these tables, notes last."""
    text = "\n".join(text_of(table, "table") for table in tables)
    text += "\n".join(_notes(tables))
    return terminal.without_controls(text.rstrip("\n"))


def _notes(tables: Sequence[Table]) -> list[str]:
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return [f"note: {note}" for note in notes]


def html_of(
    result: Tabular, css: str, caption: str = "", *, head: bool = True
) -> Markup:
    """The table on a page, with or without its headings; its caption may be HTML."""
    from curator.formats.templates import macro  # which no command needs

    table, *_ = result.to_tables()
    return macro("tables/table.html", "page_table")(table, css, caption, head)


def opened(family: str, name: str, text: str) -> Markup:
    """A name on a page that opens what it names; a click sends the family and it."""
    return Markup(
        '<button type="button" class="c-open-name" data-pick="{}:{}">{}</button>'
    ).format(family, name, text)


def toned(value: float, digits: int = 3) -> Markup:
    """A difference on a page: ``+.167`` in the colour of a rise."""
    value = round(value, 9)
    tone = "up" if value > 0 else "down" if value < 0 else ""
    words = forms.change(value, digits)
    return Markup('<span class="c-{}">{}</span>').format(tone, words)


def text_of(result: Tabular, form: str) -> str:
    """The first table in one of the forms that are text, without the notes."""
    lines: Iterable[str]
    table, *_ = result.to_tables()
    headings, cells = table.headings, table.cells
    if form == "latex":
        lines = forms.latex(headings, cells, table.caption)
    elif form == "markdown":
        lines = forms.markdown(headings, cells, table.caption)
    elif form == "tsv":
        lines = forms.tsv(headings, cells)
    elif form == "spreadsheet":
        lines = forms.tsv(headings, cells, formulas=False)
    else:
        lines = forms.aligned(headings, cells, table.caption)
    return "".join(line + "\n" for line in lines)
