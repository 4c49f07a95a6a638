"""Opinions: what each judge says about a target, for every kind of mark with values.

The target of a vote is a question, that of a check or a verdict a question's text and a
passage or an answer; without a text it is the passage as a whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curator.bank.edits.kinds import MARKS
from curator.bank.marks import Decision
from curator.bank.marks.decision import place_key, valid_value
from curator.bank.questions import Question

Target = tuple[str | None, str]
"""(text of the question or None, id of the question or passage, or the answer)."""
Opinions = dict[Target, dict[str, str]]
"""Values by judge, of each target."""


def opinions(kind: str, marks: Sequence[Any]) -> Opinions:
    """Return who says what about each target: in the marks of a kind of one query.

    Votes are in the ``marks`` of kind "vote" with their questions.
    """
    values: defaultdict[Target, dict[str, str]] = defaultdict(dict)
    for target, judge, value in MARKS[kind].opinions(marks):
        values[target][judge] = value
    return dict(values)


def majority(values: Iterable[str]) -> str | None:
    """Return the value of most judges, None for a tie; the lower median of grades."""
    values = sorted(values)
    if not values:
        return None
    if all(value.isdecimal() for value in values):
        return sorted(values, key=int)[(len(values) - 1) // 2]
    ((value, count), *others) = Counter(values).most_common(2)
    return None if others and others[0][1] == count else value


def majorities(stated: Opinions) -> dict[Target, str]:
    """Return the judges' result for each target that has one."""
    by_target = ((target, majority(by.values())) for target, by in stated.items())
    return {target: value for target, value in by_target if value is not None}


def valid_decisions(
    kind: str,
    stated: Opinions,
    decisions: Sequence[Decision],
    questions: Iterable[Question],
) -> dict[Target, str]:
    """Return the valid decisions on these targets of a query."""
    if not decisions:
        return {}
    kept = [question for question in questions if question.state == "kept"]
    # The first of questions with equal texts.
    ids = {question.text: question.question_id for question in reversed(kept)}
    values = {}
    for target, values_by_judge in stated.items():
        text, subject = target
        if text is None:
            key = place_key("grade", subject)
        else:
            key = place_key(kind, ids.get(text, ""), subject)
        if value := valid_value(decisions, key, text, values_by_judge):
            values[target] = value
    return values


def final_values(
    kind: str,
    marks: Sequence[Any],
    decisions: Sequence[Decision],
    questions: Iterable[Question],
) -> Mapping[Target, str]:
    """Return what counts for each target: the decision, else the judges' result."""
    stated = opinions(kind, marks)
    return majorities(stated) | valid_decisions(kind, stated, decisions, questions)
