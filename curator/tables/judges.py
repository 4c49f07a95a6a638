"""Votes, the agreement of judges, and pyramids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.evaluation.measures.pyramid import NOBODY_HAS_VOTED, queries_words
from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.bank.questions import Question
    from curator.evaluation.votes import PairAgreement
    from curator.verbs.judges.agreement import Judges
    from curator.verbs.judges.boards import JudgeBoard, JudgeBoards, PyramidCurves


def tables(found: Judges) -> list[Shown]:
    """Progress, agreement two by two, and the questions on which votes differ."""
    value = judges_json(found)
    shown = [progress(found, value)]
    if found.agreement.pairs:
        shown.append(agreement(found, value))
    if found.disagreements:
        shown.append(disagreements(found, value))
    return shown


def progress(found: Judges, value: object) -> Shown:
    """A line for each judge: votes of each kind, and what is left to vote on."""
    rows: list[list[Cell]] = [
        [
            one.judge,
            one.vital,
            one.okay,
            one.questions - one.voted,
            sum(query.voted == query.questions for query in one.queries),
        ]
        for one in found.judges
    ]
    kept = counted(found.questions, "kept question")
    caption = (
        f"{found.voted:,} of {kept} {'has' if found.voted == 1 else 'have'} a vote"
    )
    if found.judges:
        caption += f" · {queries_words(len(found.judges[0].queries))}"
    headings = ["judge", "vital", "okay", "left", "queries done"]
    return Shown(value, headings, rows, caption, found.notes)


def agreement(found: Judges, value: object) -> Shown:
    """Cohen's kappa of every two judges, under that of all."""
    all_of_them = found.agreement
    rows: list[list[Cell]] = [
        [one.first, one.second, one.questions, one.same, one.kappa]
        for one in all_of_them.pairs
    ]
    coefficient = "undefined"
    if all_of_them.value is not None:
        coefficient = f"{all_of_them.value:.4f}"
    caption = (
        f"{all_of_them.coefficient} {coefficient} over "
        f"{counted(all_of_them.questions, 'question')} with two votes or more, "
        f"{all_of_them.same:,} of them unanimous"
    )
    said_of_all = [all_of_them.note] if all_of_them.note else []
    said_of_pairs = [one.note for one in all_of_them.pairs if one.note]
    notes = said_of_all or said_of_pairs
    headings = ["judge", "and", "questions", "same vote", "Cohen's kappa"]
    return Shown(value, headings, rows, caption, notes)


def disagreements(found: Judges, value: object) -> Shown:
    """The questions on which votes differ, the most even split first."""
    rows: list[list[Cell]] = [
        [
            one.question.question_id,
            one.question.title,
            ", ".join(one.vital),
            ", ".join(one.okay),
        ]
        for one in found.disagreements
    ]
    caption = f"{counted(len(rows), 'question')} on which votes differ"
    return Shown(value, ["id", "question", "vital", "okay"], rows, caption)


def votes(bank: Iterable[Question]) -> Shown:
    """A line for each vote on a kept question; by query, question and judge."""
    cast = [
        (one, judge, vote)
        for one in bank
        if one.state == "kept"
        for judge, vote in one.votes
    ]
    rows: list[list[Cell]] = [
        [one.query_id, one.question_id, one.title, judge, vote]
        for one, judge, vote in cast
    ]
    value = [
        {
            "query_id": one.query_id,
            "question_id": one.question_id,
            "text": one.text,
            "judge": judge,
            "vote": vote,
        }
        for one, judge, vote in cast
    ]
    notes = [] if rows else [NOBODY_HAS_VOTED]
    headings = ["query", "id", "question", "judge", "vote"]
    return Shown(value, headings, rows, counted(len(rows), "vote"), notes)


def judges_json(found: Judges) -> dict[str, object]:
    """Everything of ``tables``, and each judge's progress by query."""
    together = found.agreement
    return {
        "questions": found.questions,
        "voted": found.voted,
        "judges": [
            {
                "judge": one.judge,
                "vital": one.vital,
                "okay": one.okay,
                "queries": [asdict(query) for query in one.queries],
            }
            for one in found.judges
        ],
        "agreement": {
            "coefficient": together.coefficient,
            "value": together.value,
            "questions": together.questions,
            "same": together.same,
            "note": together.note,
            "pairs": [_pair_json(one) for one in together.pairs],
        },
        "disagreements": [
            {
                "question_id": one.question.question_id,
                "query_id": one.question.query_id,
                "text": one.question.text,
                "vital": list(one.vital),
                "okay": list(one.okay),
            }
            for one in found.disagreements
        ],
        "notes": list(found.notes),
    }


def pyramid_tables(boards: JudgeBoards, curves: PyramidCurves) -> list[Shown]:
    """Each judge's board in figures, then the curves as a row a size."""
    value = pyramid_json(boards, curves)
    rows: list[list[Cell]] = [_judge_row(one) for one in boards.judges]
    if rows:
        rows.append(
            [
                "all, as a pyramid",
                boards.queries,
                boards.pyramid.queries,
                boards.mean_tau,
                None,
                boards.zero_medians,
            ]
        )
    headings = [
        "judge",
        "queries voted on",
        "with vital",
        "tau with pyramid",
        "mean tau with others",
        "zero medians",
    ]
    by_judge = Shown(value, headings, rows, said(boards.settings), boards.notes)
    points: list[list[Cell]] = [
        [one.judges, one.subsets, one.tau, one.zero_medians] for one in curves.sizes
    ]
    caption = (
        f"pyramids of {_one_to(len(curves.judges))} · "
        f"{queries_words(curves.queries)} voted on"
    )
    headings = ["judges", "pyramids", "mean tau with judges", "share of zero medians"]
    by_size = Shown(value, headings, points, caption, curves.notes)
    return [by_judge, by_size] if points else [by_judge]


def pyramid_json(boards: JudgeBoards, curves: PyramidCurves) -> dict[str, object]:
    """Everything of ``pyramid_tables``, and each judge's board."""
    return {
        "settings": settings_json(boards.settings),
        "queries": boards.queries,
        "zero_medians": boards.zero_medians,
        "mean_tau": boards.mean_tau,
        "judges": [
            {
                "judge": one.judge,
                "queries": one.queries,
                "queries_with_vital": one.queries_with_vital,
                "tau": one.tau,
                "with_others": dict(one.with_others),
                "mean_with_others": one.mean_with_others,
                "zero_medians": one.zero_medians,
                "systems": [asdict(standing) for standing in one.board.standings],
            }
            for one in boards.judges
        ],
        "curves": [asdict(one) for one in curves.sizes],
        "notes": list(dict.fromkeys([*boards.notes, *curves.notes])),
    }


def _one_to(judges: int) -> str:
    return "1 judge" if judges == 1 else f"1 to {judges} judges"


def _judge_row(one: JudgeBoard) -> list[Cell]:
    return [
        one.judge,
        one.queries,
        one.queries_with_vital,
        one.tau,
        one.mean_with_others,
        one.zero_medians,
    ]


def _pair_json(one: PairAgreement) -> dict[str, object]:
    return {
        "first": one.first,
        "second": one.second,
        "questions": one.questions,
        "same": one.same,
        "table": [list(row) for row in one.table],
        "kappa": one.kappa,
        "note": one.note,
    }
