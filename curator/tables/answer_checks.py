"""Checks on the same answers: each, two by two, by system, and where they differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.verbs.answers.compared_checks import (
        AnswerChecks,
        Check,
        CheckedAnswer,
        ListedAnswers,
        PairOfChecks,
    )

AGAINST_PEOPLE = ["precision", "recall", "F1", "kappa"]


def answer_checks(found: AnswerChecks, listed: ListedAnswers) -> list[Shown]:
    """A table of the checks, of pairs, of systems, of their error, of answers."""
    value = answer_checks_json(found, listed)
    shown = [checks(found, value)]
    if found.pairs:
        shown.append(pairs(found, value))
    if found.systems:
        shown.append(systems(found, value))
    if found.agreements:
        shown.append(agreements(found, value))
    if listed.total:
        shown.append(disagreements(found, listed, value))
    return shown


def checks(found: AnswerChecks, value: object) -> Shown:
    """A line for each check; against people where these have judged answers."""
    people = AGAINST_PEOPLE if found.judged else []
    rows: list[list[Cell]] = [
        [one.label, one.threshold, one.checked, one.right, one.share]
        + ([one.people.answers, *against_people(one)] if found.judged else [])
        for one in found.checks
    ]
    headings = ["check", "threshold", "answers", "right", "share"]
    headings += ["with a majority", *people] if found.judged else []
    caption = (
        f"{counted(found.answers, 'distinct answer')} of {found.source} to "
        f"{counted(found.questions, 'question')} with a key, of {found.kept:,} kept"
    )
    return Shown(value, headings, rows, caption, found.notes)


def against_people(one: Check) -> list[float | None]:
    """Precision, recall, F1 and Cohen's kappa, people's verdicts being the truth."""
    found = one.people.found
    return [found.precision, found.recall, found.f1, one.people.kappa]


def pairs(found: AnswerChecks, value: object) -> Shown:
    """What every two checks say of the answers that both have checked."""
    labels = {one.name: one.label for one in found.checks}
    rows: list[list[Cell]] = [
        [labels[one.first], labels[one.second], *counts_of(one)] for one in found.pairs
    ]
    headings = [
        *("check", "and", "answers", "both right", "only the first"),
        *("only the second", "neither", "same", "Cohen's kappa"),
    ]
    return Shown(value, headings, rows, "What two checks say of the same answers")


def counts_of(one: PairOfChecks) -> list[int | float | None]:
    """Answers, both, first alone, second alone, neither, share alike, kappa."""
    counts = one.counts
    return [
        *(counts.answers, counts.both, counts.only_first, counts.only_second),
        *(counts.neither, counts.agreement, counts.kappa),
    ]


def systems(found: AnswerChecks, value: object) -> Shown:
    """Each system's accuracy by every check, and by people where they have judged."""
    rows: list[list[Cell]] = [
        [one.system, one.questions, *one.by_check]
        + ([one.by_people] if found.judged else [])
        for one in found.systems
    ]
    headings = ["system", "questions", *(one.label for one in found.checks)]
    headings += ["people"] if found.judged else []
    caption = (
        "accuracy: share of the questions that the first passage answers right; none "
        "where an answer is not decided on"
    )
    return Shown(value, headings, rows, caption)


def agreements(found: AnswerChecks, value: object) -> Shown:
    """How far each check's accuracies are from people's (Table 9's form)."""
    labels = {one.name: one.label for one in found.checks}
    rows: list[list[Cell]] = [
        [labels[one.measure], one.systems, one.kendall, one.p, one.rmse, one.sigma]
        for one in found.agreements
    ]
    headings = ["check", "systems", "tau_b", "p", "RMSE", "sigma"]
    notes = [one.note for one in found.agreements if one.note]
    return Shown(value, headings, rows, "Accuracy of systems against people's", notes)


def disagreements(found: AnswerChecks, listed: ListedAnswers, value: object) -> Shown:
    """The answers on which not all say the same, those of most passages first."""
    rows: list[list[Cell]] = [
        [
            one.question.query_id,
            one.question.title,
            " | ".join(one.question.answers),
            one.answer,
            one.passages,
            *map(said, one.right, one.scores),
            *([said(one.people)] if found.judged else []),
        ]
        for one in listed.answers
    ]
    headings = ["query", "question", "key", "answer", "passages"]
    headings += [one.label for one in found.checks]
    headings += ["people"] if found.judged else []
    caption = f"{counted(listed.total, 'answer')} on which not all say the same"
    if len(rows) < listed.total:
        caption += f", the first {len(rows):,}"
    return Shown(value, headings, rows, caption)


def said(right: bool | None, score: float | None = None) -> str:
    """``right .83``, ``wrong``, ``-``."""
    if right is None:
        return "-"
    word = "right" if right else "wrong"
    return word if score is None else f"{word} {score:.2f}"


def answer_checks_json(found: AnswerChecks, listed: ListedAnswers) -> dict[str, object]:
    """Everything of the tables, by name."""
    names = [one.name for one in found.checks]
    return {
        "source": found.source,
        "questions": found.questions,
        "kept_questions": found.kept,
        "answers": found.answers,
        "judged": found.judged,
        "checks": [
            {
                "check": one.name,
                "threshold": one.threshold,
                "checked": one.checked,
                "right": one.right,
                "share": one.share,
                "people": {
                    "answers": one.people.answers,
                    **dict(
                        zip(
                            ("precision", "recall", "f1", "kappa"),
                            against_people(one),
                            strict=True,
                        )
                    ),
                },
            }
            for one in found.checks
        ],
        "pairs": [
            {
                "first": one.first,
                "second": one.second,
                **dict(
                    zip(
                        (
                            *("answers", "both", "only_first", "only_second"),
                            *("neither", "agreement", "kappa"),
                        ),
                        counts_of(one),
                        strict=True,
                    )
                ),
            }
            for one in found.pairs
        ],
        "systems": [
            {
                "system": one.system,
                "questions": one.questions,
                "accuracy": dict(zip(names, one.by_check, strict=True)),
                "people": one.by_people,
            }
            for one in found.systems
        ],
        "agreements": [asdict(one) for one in found.agreements],
        "disagreements": [_answer_json(one, names) for one in listed.answers],
        "all_disagreements": listed.total,
        "notes": list(found.notes),
    }


def _answer_json(one: CheckedAnswer, names: list[str]) -> dict[str, object]:
    return {
        "query_id": one.question.query_id,
        "question_id": one.question.question_id,
        "question": one.question.text,
        "key": list(one.question.answers),
        "answer": one.answer,
        "passages": one.passages,
        "passage_id": one.passage_id,
        "checks": {
            name: {"right": right, "score": score}
            for name, right, score in zip(names, one.right, one.scores, strict=True)
        },
        "people": one.people,
    }
