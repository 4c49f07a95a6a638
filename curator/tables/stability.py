"""Tables of the stability of a board under other questions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import to_json
from curator.tables.settings import settings_words
from curator.tables.table import Table, columns

if TYPE_CHECKING:
    from curator.evaluation.stability import Figures
    from curator.verbs.stability.stability import Stability

INTERVAL = "expected.tau expected.low expected.high"
QUERY = (
    f"query_id questions {INTERVAL} change.order change.members "
    "covered.relevant? covered.covered?"
)


def stability_tables(stability: Stability) -> list[Table]:
    """The queries, the board's own figures, and how they grow with more questions.

    A sentence alone where nothing can be said.
    """
    words, value = settings_words(stability.settings), to_json(stability)
    if stability.figures is None:
        return [Table(columns(QUERY), (), words, (stability.sentence,), value)]
    notes = (stability.sentence, *stability.notes)
    tables = [
        Table(columns(QUERY), stability.queries, words, notes, value),
        _figures(stability.figures),
        Table(
            columns(f"questions {INTERVAL}"),
            stability.grown,
            "two banks of this number of questions",
        ),
    ]
    if stability.fewer:
        caption = f"boards of fewer questions per query, against {stability.against}"
        spec = f"per_query questions {INTERVAL}"
        tables.append(Table(columns(spec), stability.fewer, caption))
    return tables


def _figures(figures: Figures) -> Table:
    halves = {"tau": figures.halves, "low": None, "high": None}
    rows = [
        {"against": "another bank of this size", **asdict(figures.expected)},
        {"against": "two halves of this bank", **halves},
        {"against": "resampled questions of this bank", **asdict(figures.again)},
    ]
    if figures.over_queries is not None:
        others = asdict(figures.over_queries)
        rows.append({"against": "as many other queries", **others})
    counts = f"{counted(figures.questions, 'question')}, {figures.draws:,} draws"
    return Table(columns("against tau low high"), rows, counts)
