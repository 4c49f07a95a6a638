"""Checks that an edit was made from what the bank has now."""

from __future__ import annotations

from curator.bank.questions import Question
from curator.bank.wording import shortened
from curator.edit_words import STATES
from curator.errors import EditError, StaleEditError


def require_revision(
    question: Question, based_on: int | None, *, mine: str | None = None
) -> None:
    """Raise StaleEditError for an edit of an older revision than the current one."""
    if based_on is not None and based_on != question.revision:
        raise StaleEditError(
            f"'{shortened(question.title)}' has changed since you opened it: it is at "
            f"revision {question.revision}, your edit began from {based_on}. "
            + (f"Yours: '{mine}'. " if mine is not None else "")
            + f"Now in the bank ({STATES[question.state]}): '{question.title}'.",
            question_id=question.question_id,
            mine=mine,
            theirs=question.text,
            theirs_revision=question.revision,
        )


def text_to_judge(question: Question, based_on: int | None) -> str:
    """Return the text that a judge's mark on an answer refers to.

    Raises EditError if no mark is possible: the text has changed, was never published,
    or is only proposed.
    """
    require_revision(question, based_on)
    if question.text is None:
        raise EditError(
            f"The text of question '{question.question_id}' is not in the file, so "
            "its answers cannot be judged."
        )
    if question.state == "proposed":
        raise EditError(
            f"'{question.title}' is proposed; keep it before you judge its answers."
        )
    return question.text
