"""Tables as LaTeX and Markdown, in which no text does anything but show itself."""

from __future__ import annotations

import pytest

from curator.tables.forms import latex_text
from curator.tables.table import Table, text_of

HEADINGS = ["system", "P@10", "rank"]
ROWS = [["a_b|c", 0.5, 1], ["[x]\n% \\\\", None, 2]]


def test_a_latex_table_is_a_booktabs_tabular_with_numbers_to_the_right() -> None:
    assert text_of(Table.of(HEADINGS, ROWS, "P@10 \n 100%"), "latex") == (
        "% P@10\n"
        "% 100%\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "system & P@10 & rank \\\\\n"
        "\\midrule\n"
        "a\\_b\\textbar{}c & 0.5000 & 1 \\\\\n"
        "{[}x] \\% \\textbackslash{}\\textbackslash{} & - & 2 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_a_markdown_table_has_pipes_escaped_and_numbers_to_the_right() -> None:
    assert text_of(Table.of(HEADINGS, ROWS, "said"), "markdown") == (
        "said\n"
        "\n"
        "| system | P@10 | rank |\n"
        "| --- | ---: | ---: |\n"
        "| a\\_b\\|c | 0.5000 | 1 |\n"
        "| \\[x\\] % \\\\\\\\ | - | 2 |\n"
    )


@pytest.mark.parametrize(
    ("text", "typeset"),
    [
        ("100% & more", r"100\% \& more"),
        ("$x^2$ #1 ~", r"\$x\textasciicircum{}2\$ \#1 \textasciitilde{}"),
        ("*a", "{*}a"),
        ("label ≥ 4", r"label $\geq$ 4"),
        ("a\x07b\u202ec", "abc"),
    ],
)
def test_no_text_is_a_latex_command(text: str, typeset: str) -> None:
    assert latex_text(text) == typeset
