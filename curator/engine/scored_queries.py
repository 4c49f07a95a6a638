"""The row of every query that counts: what all boards and scores are summed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from curator.bank.questions import Bank
from curator.engine.matrices import QueryMatrix
from curator.engine.state import State
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.n_exam import (
    ExamRow,
    NExam,
    NExamUndefinedError,
    over_gold,
)
from curator.evaluation.measures.registry import Measure
from curator.evaluation.measures.rouge.measure import Rouge
from curator.evaluation.rows import Row
from curator.evaluation.settings import Settings


@dataclass(frozen=True)
class ScoredQueries:
    """The row of every query that counts, and what the rows rest on.

    ``needed`` and ``known`` count grades; ``questions`` the active items (0 where the
    grader asks none), ``questions_graded`` those of which every grade is known;
    ``notes`` are sentences about what was left out.
    """

    rows: dict[str, Row]
    needed: int = 0
    known: int = 0
    questions: int = 0
    questions_graded: int = 0
    overall: float | None = None
    notes: tuple[str, ...] = ()


def scored_queries(
    state: State, settings: Settings, bank: Bank, query_id: str | None = None
) -> ScoredQueries:
    """Every query's row under these settings: what all boards are summed from."""
    measure = state.measure(settings)
    if isinstance(measure, Rouge):
        from curator.engine.rouge_rows import rouge_rows

        found, sentences = rouge_rows(state, measure, bank, query_id)
        return ScoredQueries(found, notes=sentences)
    sheets = state.matrices(settings.grader, bank, state.query_ids(query_id))
    if isinstance(measure, NExam):
        return against_gold(settings, measure, sheets)
    no_board, note = left_out(measure, [one.graded for one in sheets.values()])
    if no_board:
        return ScoredQueries({}, notes=(note,))
    sheets = {q: one for q, one in sheets.items() if not leaves(measure, one.graded)}
    rows = {q: sheet.row(settings, measure) for q, sheet in sheets.items()}
    overall = None
    if isinstance(measure, Cover) and sheets:
        overall = float(np.mean([sheet.overall(measure) for sheet in sheets.values()]))
    asks = state.grader(settings.grader).spec.reading.item_kind != "query"
    return ScoredQueries(
        rows,
        needed=sum(sheet.needed for sheet in sheets.values()),
        known=sum(sheet.known for sheet in sheets.values()),
        questions=asks * sum(len(one.graded.item_ids) for one in sheets.values()),
        questions_graded=asks * sum(sheet.whole_items for sheet in sheets.values()),
        overall=overall,
        notes=(note,) if note else (),
    )


def leaves(measure: Measure, graded: GradedQuery) -> bool:
    """Whether the measure leaves this query out of its mean."""
    asked = getattr(measure, "leaves", None)
    return asked is not None and bool(asked(graded))


def left_out(measure: Measure, queries: Iterable[GradedQuery]) -> tuple[bool, str]:
    """Whether the measure has no board at all, and a sentence on what it leaves out."""
    asked = getattr(measure, "left_out", None)
    found: tuple[bool, str] = (False, "") if asked is None else asked(queries)
    return found


def against_gold(
    settings: Settings, measure: NExam, sheets: Mapping[str, QueryMatrix]
) -> ScoredQueries:
    """n-EXAM's rows: of the queries with a gold article, as multiples of it.

    None, with a note that says why, where n-EXAM is undefined.
    """
    exams = {q: one.row(settings, measure) for q, one in sheets.items()}
    with_gold = [row for row in exams.values() if isinstance(row, ExamRow)]
    without = len(sheets) - len(with_gold)
    have = "has" if without == 1 else "have"
    note = f"{without} of {len(sheets)} queries {have} no gold article: "
    note += "not in the mean."
    rows: dict[str, Row] = {}
    try:
        rows = over_gold(exams)
    except NExamUndefinedError as error:
        note = str(error)
    return ScoredQueries(
        rows,
        needed=sum(row.needed for row in with_gold),
        known=sum(row.known for row in with_gold),
        questions=sum(row.denominator for row in with_gold),
        questions_graded=sum(row.whole for row in with_gold),
        notes=(note,) if without or not rows else (),
    )
