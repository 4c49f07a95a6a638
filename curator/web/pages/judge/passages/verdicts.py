"""Verdicts on answers: the answers in a passage, quoted beneath it with controls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from curator.bank.marks import CORRECTNESSES, Correctness
from curator.bank.marks.verdict import verdicts_on
from curator.bank.questions import Bank
from curator.web.components import html, words

KEYS: dict[Correctness, str] = {"right": "y", "wrong": "w"}
NOT_COUNTED = "not counted as correct"


def quoted_answers(
    bank: Bank,
    query_id: str,
    answers: Mapping[str, str],
    rated: Mapping[str, bool | None],
    numbers: Mapping[str, int],
    *,
    judge: str,
    selected: str | None,
    keys: bool = True,
) -> list[dict[str, Any]]:
    """Return the answers to the query's kept questions in a passage, by number.

    ``answers`` are the passage's by question id; ``rated`` says which the grader counts
    as correct, None for not rated. With ``keys`` they are for the ``selected``
    question's answer, else the first. Others' verdicts follow the judge's own only.
    """
    questions = sorted(
        (
            question
            for question in bank.questions_of(query_id)
            if question.state == "kept"
            and question.text is not None
            and answers.get(question.question_id, "").strip()
        ),
        key=lambda question: numbers.get(question.question_id, 0),
    )
    ids = [question.question_id for question in questions]
    with_keys = selected if selected in ids else next(iter(ids), None)
    quoted = []
    for question in questions:
        question_id = question.question_id
        answer, number = answers[question_id].strip(), numbers.get(question_id, 0)
        verdicts = {
            verdict.judge: verdict.value
            for verdict in verdicts_on(bank, question)
            if verdict.answer == answer
        }
        mine = verdicts.pop(judge, None)
        notes = [NOT_COUNTED] if rated.get(question_id, False) is False else []
        if mine and verdicts:
            notes.append(others_words(verdicts.values()))
        has_keys = keys and question_id == with_keys
        quoted.append(
            {
                "question": question,
                "number": number,
                "answer": answer,
                "encoded": html.encoded(answer),
                "notes": " · ".join(notes),
                "mine": mine or "",
                "meant": has_keys,
                "controls": [
                    (
                        value,
                        key if has_keys else "",
                        f"Call the answer to {number} {value}; again to take that back"
                        + (f" ({key})" if has_keys else ""),
                        mine == value,
                    )
                    for value, key in KEYS.items()
                ],
            }
        )
    return quoted


def others_words(verdicts: Collection[Correctness]) -> str:
    """Return ``2 others say right, 1 other says wrong``."""
    counts = Counter(verdicts)
    return ", ".join(
        f"{words.count(number, 'other')} {'says' if number == 1 else 'say'} {value}"
        for value in CORRECTNESSES
        if (number := counts[value])
    )
