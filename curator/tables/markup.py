"""A table for a paper or a README: LaTeX and Markdown, with every text escaped.

Texts in a workspace are untrusted: none of them may end a cell or a row, begin a
comment, or be taken for a command or a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from curator.tables.cells import Cell, are_numbers, table_cell

LATEX = {
    "\\": r"\textbackslash{}",
    **{one: f"\\{one}" for one in "{}#$%&_"},
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


def latex(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = ""
) -> str:
    """A ``tabular`` in the style of the booktabs package; the caption as a comment."""
    columns = "".join("r" if right else "l" for right in are_numbers(headings, rows))
    lines = [f"% {' '.join(line.split())}" for line in caption.splitlines()]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [_latex_row(headings), r"\midrule"]
    lines += [_latex_row([table_cell(cell) for cell in row]) for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "".join(line + "\n" for line in lines)


def latex_text(text: str) -> str:
    """The text on one line, as LaTeX that typesets it and does nothing else."""
    flat = " ".join(text.split())
    typeset = "".join(LATEX.get(one, one) for one in flat if one.isprintable())
    return JOINED.sub("-{}", typeset)


def markdown(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = ""
) -> str:
    """A table with pipes, as GitHub and Pandoc read it, under its caption."""
    marks = ["---:" if right else "---" for right in are_numbers(headings, rows)]
    lines = [markdown_text(line) + "\n" for line in caption.splitlines()]
    lines += [_markdown_row(map(markdown_text, headings)), _markdown_row(marks)]
    lines += [_markdown_row(_markdown_cell(cell) for cell in row) for row in rows]
    return "".join(line + "\n" for line in lines)


def markdown_text(text: str) -> str:
    """The text on one line, as Markdown that shows it and does nothing else."""
    flat = "".join(one for one in " ".join(text.split()) if one.isprintable())
    return MARKDOWN.sub(r"\\\1", flat)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell) -> str:
    """A number as it is; text escaped."""
    return markdown_text(cell) if isinstance(cell, str) else table_cell(cell)
