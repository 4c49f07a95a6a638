"""What next: the few things to do first in the open query, as its list shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.bank.edits import Keep, Retire
from curator.bank.question_words import split_compound
from curator.bank.questions import Question
from curator.verbs.next.next_steps import NextStep
from curator.web.pages.judge.page_state import PageState
from curator.workspace import Workspace

LISTED = 20  # that `.` goes through; the page shows three of them
DIFFERENCES = "Check?queue=disagreements"
PAGES = {"judges": DIFFERENCES, "checks": "Check", "answers": DIFFERENCES}
PRESSED = {
    "uncovered-passage": "n",
    "empty-subtopic": "n",
    "empty-query": "n",
    "compound": "e",
    "flagged": "m",
    "done": "D",
}
"""The key that a remedy without an edit of a question is on."""


def next_data(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """The first steps of the open query, under what the page shows."""
    found = workspace.next_steps(
        page.shown_settings, query_id=page.query.query_id, limit=LISTED
    )
    question = {line.question.question_id: line.question for line in page.lines}
    return [
        _step(one, page.numbers, [question[q] for q in one.question_ids])
        for one in found
    ]


def _step(
    step: NextStep, numbers: Mapping[str, int], about: list[Question]
) -> dict[str, Any]:
    question, other = (*step.question_ids, None, None)[:2]
    key, reason = PRESSED.get(step.kind, "l"), None
    if step.edits and isinstance(step.edits[0], Keep):
        key = "a"
    elif step.edits and isinstance(step.edits[0], Retire):
        key, reason = "x", step.edits[0].reason
    return {
        "key": step.key,
        "state": step.state,
        "question": question,
        "other": other,
        "number": str(numbers.get(question, "")) if question else "",
        "passage": step.passage_id if not question else None,
        "subtopic": step.subtopic_id,
        "why": step.why,
        "remedy": step.remedy,
        "press": key,
        "reason": reason,
        "page": PAGES.get(step.place),
        "halves": split_compound(about[0]) if step.kind == "compound" else None,
    }
