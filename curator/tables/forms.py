"""Cells and tables in each form that is text: aligned, TSV, LaTeX, Markdown.

Texts in a workspace are untrusted: none of them may end a cell or a row, begin a
comment, or be taken for a command, a tag or a formula.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from curator.formats.text.spreadsheets import plain_line

Cell = str | int | float | None
Rows = Sequence[Sequence[Cell]]

MINUS = "−"
UNKNOWN = "–"
LATEX = {
    "\\": r"\textbackslash{}",
    **{row: f"\\{row}" for row in "{}#$%&_"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
    # After the \\ that ends a row these two would belong to it.
    "[": "{[}",
    "*": "{*}",
    # What pdfLaTeX has only in mathematics.
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "→": r"$\rightarrow$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "≈": r"$\approx$",
    "⋆": r"$\star$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "−": "$-$",
}
JOINED = re.compile("-(?=-)")  # hyphens that LaTeX would make one dash
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&]|^[-+=])")


def on_one_line(text: str) -> str:
    """The text without line breaks, tabs and doubled spaces."""
    return " ".join(text.split())


def label(value: float | None, digits: int = 2) -> str:
    """A passage's label: ``4``, of a mean ``3.43``; a dash for None."""
    if value is None:
        return UNKNOWN
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def label_change(
    before: float | None, after: float | None, nothing: str = UNKNOWN
) -> str:
    """``4 → 0``; of means ``3.43 → 3.50``, ``1.952 → 1.955``, so that both differ."""
    digits = digits_apart(before, after)
    sides = (nothing if n is None else label(n, digits) for n in (before, after))
    return " → ".join(sides)


def digits_apart(row: float | None, other: float | None) -> int:
    """Return the number of decimals that tells two labels apart, at least two."""
    lengths = (n for n in range(2, 10) if label(row, n) != label(other, n))
    return next(lengths, 2)


def score(value: float | None, digits: int = 3) -> str:
    """A number on a page: ``.626``, ``1.000``, ``12.500``; a dash for None."""
    if value is None:
        return UNKNOWN
    text = f"{abs(value):.{digits}f}"
    if text.startswith("0."):
        text = text[1:]
    negative = value < 0 and any(digit in text for digit in "123456789")
    return f"{MINUS}{text}" if negative else text


def change(value: float, digits: int = 4) -> str:
    """``+.0023``, ``−.0047``; ``0`` for nothing."""
    if value == 0:
        return "0"
    text = score(abs(value), digits)
    if not any(digit in text for digit in "123456789"):
        text = f"<{score(10**-digits, digits)}"
    return f"{MINUS}{text}" if value < 0 else f"+{text}"


def bounds(lower: float | None, upper: float | None, value: float | None) -> str:
    """``.705–.712``; one number where they are equal, ``≈ .705`` without bounds."""
    if lower is None or upper is None:
        return f"≈ {score(value)}"
    low, high = score(lower), score(upper)
    return low if low == high else f"{low}–{high}"


def percent(share: float) -> str:
    """``9 %``."""
    return f"{100 * share:.0f} %"


def decimals(value: float | None, places: int = 3) -> str:
    """A number in the report, never NaN: a dash where there is none."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:z.{places}f}"


def table_cell(cell: Cell) -> str:
    """A number to four decimals, nothing as a dash, text on one line."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:z.4f}"  # never -0.0000
    return on_one_line(str(cell))


def tsv_cell(cell: Cell) -> str:
    """A number in full, nothing as nothing, text on one line without tabs."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else on_one_line(str(cell))


def are_numbers(headings: Sequence[str], rows: Rows) -> list[bool]:
    """Return for each column whether it holds only numbers and is aligned right."""
    return [
        all(not isinstance(row[i], str) for row in rows) and bool(rows)
        for i in range(len(headings))
    ]


def aligned(headings: Sequence[str], rows: Rows, caption: str = "") -> Iterator[str]:
    """Columns of equal width, numbers to the right, four decimals."""
    if caption:
        yield caption
    if not headings:
        return
    cells = [list(headings), *([table_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    numeric = are_numbers(headings, rows)
    for row in cells:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        yield "  ".join(parts).rstrip()


def tsv(headings: Sequence[str], rows: Rows, *, formulas: bool = True) -> Iterator[str]:
    """Headings and rows; without ``formulas`` a spreadsheet takes no text for one."""
    yield "\t".join(headings)
    for row in rows:
        cells = (
            plain_line(cell) if isinstance(cell, str) and not formulas else cell
            for cell in row
        )
        yield "\t".join(map(tsv_cell, cells))


def latex(
    headings: Sequence[str], rows: Rows, caption: str = "", *, long: str = ""
) -> Iterator[str]:
    """A ``tabular`` in the style of the booktabs package; the caption as a comment.

    With ``long``, LaTeX's own description of the columns, a ``longtable``, which goes
    on over pages under its headings.
    """

    def line(cells: Iterable[str]) -> str:
        return " & ".join(map(latex_text, cells)) + r" \\"

    columns = "".join("r" if right else "l" for right in are_numbers(headings, rows))
    kind = "longtable" if long else "tabular"
    yield from (f"% {on_one_line(text)}" for text in caption.splitlines())
    if not headings:
        return
    yield rf"\begin{{{kind}}}{{{long or columns}}}"
    yield r"\toprule"
    yield line(headings)
    yield r"\midrule"
    if long:
        yield r"\endhead"
    yield from (line(map(table_cell, row)) for row in rows)
    yield r"\bottomrule"
    yield rf"\end{{{kind}}}"


def latex_text(text: str) -> str:
    """The text on one line, as LaTeX that typesets it and does nothing else."""
    # LaTeX has letters with their accents, and no accents to combine.
    flat = unicodedata.normalize("NFC", on_one_line(text))
    typeset = "".join(LATEX.get(row, row) for row in flat if row.isprintable())
    return JOINED.sub("-{}", typeset)


def markdown(headings: Sequence[str], rows: Rows, caption: str = "") -> Iterator[str]:
    """A table with pipes, as GitHub and Pandoc read it, under its caption."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    yield from (markdown_text(text) + "\n" for text in caption.splitlines())
    if not headings:
        return
    yield line(map(markdown_text, headings))
    yield line("---:" if right else "---" for right in are_numbers(headings, rows))
    for row in rows:
        yield line(
            markdown_text(cell) if isinstance(cell, str) else table_cell(cell)
            for cell in row
        )


def markdown_text(text: str) -> str:
    """The text on one line, as Markdown that shows it and does nothing else."""
    flat = "".join(row for row in on_one_line(text) if row.isprintable())
    return MARKDOWN.sub(r"\\\1", flat)
