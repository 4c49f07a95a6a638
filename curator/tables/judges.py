"""Votes, the agreement of judges, and pyramids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from curator.evaluation.measures.pyramid import NO_VOTES, queries_words
from curator.formats.text.notices import counted
from curator.results import to_json
from curator.tables.settings import settings_words
from curator.tables.table import Column, Table, columns, opened, record

if TYPE_CHECKING:
    from markupsafe import Markup

    from curator.bank.questions import Question
    from curator.verbs.judges import (
        Disagreement,
        JudgeProgress,
        Judges,
        Pyramid,
        PyramidTests,
    )


PAIR = "judge=first and=second questions=items same_vote=same Cohen's_kappa=kappa"
BOARD = (
    "judge queries_voted_on=queries with_vital=queries_with_vital with_one=one_vital "
    "with_two=two_vital tau_with_pyramid=tau mean_tau_with_others=mean_with_others "
    "zero_medians"
)
CURVE = (
    "judges pyramids=subsets mean_tau_with_judges=tau "
    "share_of_zero_medians=zero_medians"
)


def judge_tables(judges: Judges) -> list[Table]:
    """Progress, agreement two by two, and the questions on which votes differ.

    The first one's value is all of it, and each judge's progress by query.
    """
    tables = [_progress(judges)]
    if judges.agreement.pairs:
        tables.append(_agreement(judges))
    if judges.sources:
        tables += _sources(judges)
    if judges.disagreements:
        layout = [
            Column("id", "question.question_id", only=("file", "report")),
            Column("question", "question.title", page=_link_to_judge),
            *columns("vital okay"),
        ]
        questions = counted(len(judges.disagreements), "question")
        caption = f"{questions} on which votes differ"
        tables.append(Table(layout, judges.disagreements, caption))
    return tables


def _link_to_judge(split: Disagreement) -> Markup:
    question = split.question
    place = {"query": question.query_id, "question": question.question_id}
    return opened("on-curate", urlencode(place), question.title)


def _progress(judges: Judges) -> Table:
    """A line for each judge: votes of each kind, and what is left to vote on."""
    kept = counted(judges.questions, "kept question")
    have = "has" if judges.voted == 1 else "have"
    caption = f"{judges.voted:,} of {kept} {have} a vote"
    if judges.judges:
        caption += f" · {queries_words(len(judges.judges[0].queries))}"
    layout, value = _progress_columns("judge"), _judges_json(judges)
    return Table(layout, judges.judges, caption, judges.notes, value)


def _progress_columns(who: str) -> list[Column]:
    def unvoted(progress: JudgeProgress) -> int:
        return progress.questions - progress.voted

    def queries_done(progress: JudgeProgress) -> int:
        return sum(query.voted == query.questions for query in progress.queries)

    return [
        *columns(f"{who}=judge vital okay"),
        Column("left", unvoted),
        Column("queries done", queries_done),
    ]


def _agreement(judges: Judges) -> Table:
    """Cohen's kappa of every two judges, under that of all."""
    of_all = judges.agreement
    coefficient = "undefined" if of_all.value is None else f"{of_all.value:.4f}"
    caption = (
        f"{of_all.coefficient} {coefficient} over "
        f"{counted(of_all.items, 'question')} with two votes or more, "
        f"{of_all.same:,} of them unanimous"
    )
    of_pairs = [row.note for row in of_all.pairs if row.note]
    notes = [of_all.note] if of_all.note else of_pairs
    return Table(columns(PAIR), of_all.pairs, caption, notes)


def _sources(judges: Judges) -> list[Table]:
    come = "importances imported with a bank, not judges' votes"
    progress = Table(_progress_columns("source"), judges.sources, come)
    if not judges.with_sources:
        return [progress]
    notes = [row.note for row in judges.with_sources if row.note]
    heading = "judges' votes compared with these importances"
    return [progress, Table(columns(PAIR), judges.with_sources, heading, notes)]


def vote_table(bank: Iterable[Question]) -> Table:
    """A line for each vote on a kept question; by query, question and judge."""
    votes = [
        {"question": question, "judge": judge, "vote": vote}
        for question in bank
        if question.state == "kept"
        for judge, vote in question.votes
    ]
    layout = [
        Column("query", "question.query_id", key="query_id"),
        Column("id", "question.question_id", key="question_id"),
        Column("question", "question.title"),
        Column("text", "question.text", key="text", only=()),
        *(Column("judge", key="judge"), Column("vote", key="vote")),
    ]
    notes = [] if votes else [NO_VOTES]
    table = Table(layout, votes, counted(len(votes), "vote"), notes)
    return replace(table, value=table.records())


def _judges_json(judges: Judges) -> dict[str, object]:
    of_all = judges.agreement
    return {
        **record(judges, "questions", "voted"),
        "judges": to_json(judges.judges),
        "agreement": record(of_all, "coefficient", "value", "same", "note")
        | {"questions": of_all.items, "pairs": to_json(of_all.pairs)},
        "disagreements": [
            record(pair.question, "question_id", "query_id", "text")
            | record(pair, "vital", "okay")
            for pair in judges.disagreements
        ],
        **to_json(record(judges, "sources", "with_sources", "notes")),
    }


def pyramid_tables(pyramid: Pyramid) -> list[Table]:
    """Each judge's board in figures, then the curves as a row a size, then tests.

    The first one's value is all of it, and each judge's board.
    """
    of_all = {
        "judge": "all, as a pyramid",
        "queries": pyramid.queries,
        "queries_with_vital": pyramid.pyramid.queries,
        "one_vital": None,
        "two_vital": None,
        "tau": pyramid.mean_tau,
        "mean_with_others": None,
        "zero_medians": pyramid.zero_medians,
    }
    imported = [
        replace(row, judge=f"{row.judge} (imported)") for row in pyramid.sources
    ]
    rows = [*pyramid.judges, *imported]
    words, sums = settings_words(pyramid.settings), [of_all] if rows else []
    value = to_json(pyramid)
    tables = [Table(columns(BOARD), rows, words, pyramid.notes, value, sums=sums)]
    if most := len(pyramid.curves):
        caption = (
            f"pyramids of {'1 judge' if most == 1 else f'1 to {most} judges'} · "
            f"{queries_words(pyramid.judged_queries)} voted on"
        )
        tables.append(Table(columns(CURVE), pyramid.curves, caption))
    return tables + (_test_tables(pyramid.tests) if pyramid.tests else [])


def _test_tables(tests: PyramidTests) -> list[Table]:
    """Make tables of one more judge's effect, by number and by judge left out."""
    effects = columns(
        " ".join(
            f"{of}_gained={name}.difference {of}_from={name}.lower "
            f"{of}_to={name}.upper {of}_p={name}.p"
            for of, name in (("tau", "tau"), ("zeros", "zero_medians"))
        )
    )
    drawn = (
        f"95 % intervals and p of {counted(tests.samples, 'bootstrap sample')} of "
        f"{queries_words(tests.queries)}, seed {tests.seed}"
    )
    judges = Column("judges", lambda row: f"{row.judges} for {row.judges - 1}")
    caption = f"effect of one more judge · {drawn}"
    tables = [Table([judges, *effects], tests.sizes, caption, tests.notes)]
    if tests.left_out:
        who = Column("who", "left_out")
        caption = (
            "all judges instead of all but one, compared with each judge's own board"
        )
        tables.append(Table([who, *effects], tests.left_out, caption))
    return tables
