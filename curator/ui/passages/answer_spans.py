"""Where the answers of a grader that answers stand in a passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from curator.ui.curate.page_state import Desk
from curator.ui.passages.highlights import Spans
from curator.verbs.answers.extracted import ANSWERING
from grading.spans import locate


def answers_under(desk: Desk, grader: str) -> bool:
    """Whether this grader answers in words, so that they can be shown."""
    return any(one.name == grader and one.kind in ANSWERING for one in desk.graders)


def answer_spans(
    text: str, answers: Mapping[str, str], question_ids: Iterable[str]
) -> Spans:
    """Span of each of these questions' answer in the text, where it is found."""
    found = {
        question_id: locate(answers[question_id], text)
        for question_id in question_ids
        if question_id in answers
    }
    return {name: span for name, span in found.items() if span is not None}
