"""Tables of the stability of a board under other questions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.tables.settings import settings_json, settings_words
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.evaluation.stability import Figures
    from curator.verbs.stability.stability import Stability

TAU = "\N{GREEK SMALL LETTER TAU}"
INTERVAL = (
    Column("tau", "expected.tau", title=TAU),
    *(Column("low", "expected.low"), Column("high", "expected.high")),
)
QUERY = (
    *(Column("query", "query_id"), Column("questions"), *INTERVAL),
    Column("order", "change.order", title="Top ten changes"),
    Column("members", "change.members", title="Another system in it"),
    *(Column("relevant", "covered.relevant"), Column("covered", "covered.covered")),
)


def stability_tables(found: Stability) -> list[Table]:
    """The queries, the board's own figures, and how they grow with more questions.

    The first one's value is all of it; a sentence alone where nothing can be said.
    """
    value = {
        "settings": settings_json(found.settings),
        **record(found, "query_id", "sentence"),
        "stability": found.figures and asdict(found.figures),
        "grown": [asdict(one) for one in found.grown],
        "queries": [asdict(one) for one in found.queries],
    }
    if found.against:
        value["against"] = found.against
        value["fewer"] = [asdict(size) for size in found.fewer]
    columns = [*QUERY]
    if not any(one.covered for one in found.queries):
        columns = columns[:-2]
    words = settings_words(found.settings)
    if found.figures is None:
        return [Table(columns, (), words, (found.sentence,), value)]
    what = Table(columns, found.queries, words, (found.sentence, *found.notes), value)
    tables = [what, figures_table(found.figures), grown_table(found)]
    return tables + ([fewer_table(found)] if found.fewer else [])


def figures_table(figures: Figures) -> Table:
    """A line for each thing that a board of this kind can be held against."""
    halves = {"tau": figures.halves, "low": None, "high": None}
    rows = [
        {"against": "another bank of this size", **asdict(figures.expected)},
        {"against": "two halves of this bank", **halves},
        {"against": "resampled questions of this bank", **asdict(figures.again)},
    ]
    if figures.over_queries is not None:
        others = asdict(figures.over_queries)
        rows.append({"against": "as many other queries", **others})
    columns = [Column("against"), Column("tau"), Column("low"), Column("high")]
    counts = f"{counted(figures.questions, 'question')}, {figures.draws:,} draws"
    return Table(columns, rows, counts)


def fewer_table(stable: Stability) -> Table:
    """A line for each number of questions a query: the tau with the reference."""
    columns = [Column("per query", "per_query"), Column("questions"), *INTERVAL]
    caption = f"boards of fewer questions per query, against {stable.against}"
    return Table(columns, stable.fewer, caption)


def grown_table(found: Stability) -> Table:
    """A line for each size: the tau of two banks of so many questions."""
    columns = [Column("questions"), *INTERVAL]
    return Table(columns, found.grown, "two banks of this number of questions")
