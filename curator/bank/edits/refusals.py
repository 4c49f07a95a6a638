"""What an edit is refused for: words that the query has, a revision that has passed."""

from __future__ import annotations

from collections.abc import Iterable

from curator.bank.questions import Bank, Question
from curator.bank.wording import shortened
from curator.errors import AlreadyAskedError, EditError, StaleEditError


def refuse_text_of_sibling(
    bank: Bank, query_id: str, text: str, *, besides: str | None = None
) -> None:
    """Refuse a text that another question of the query has already.

    Raises AlreadyAskedError where that question is kept, EditError where it is not.
    """
    refuse_text_asked(bank, query_id, text, besides=besides)
    for sibling in bank.of_query(query_id):
        if sibling.question_id == besides or sibling.text is None:
            continue
        if sibling.state != "kept" and sibling.text.strip() == text:
            way_out = "keep" if sibling.state == "proposed" else "restore"
            raise EditError(
                f"'{shortened(text)}' is already in query '{query_id}' and "
                f"{sibling.state}; {way_out} it instead: {sibling.question_id}"
            )


def refuse_text_asked(
    bank: Bank,
    query_id: str,
    text: str | None,
    *,
    besides: str | None = None,
    among: Iterable[Question] | None = None,
) -> None:
    """Raise AlreadyAskedError where a kept question of the query has this text.

    ``among`` are the questions looked at, None for all of the query. One that waits or
    is retired can come to have it too: by an undo of a rewording, or as it came in, for
    a published bank may ask the same under two subtopics.
    """
    for sibling in bank.of_query(query_id) if among is None else among:
        if (
            sibling.state == "kept"
            and sibling.question_id != besides
            and sibling.text is not None
            and sibling.text.strip() == text
        ):
            raise AlreadyAskedError(
                f"Query '{query_id}' already asks '{shortened(sibling.text)}'."
            )


def require_revision(
    question: Question, based_on: int | None, *, mine: str | None = None
) -> None:
    """Refuse an edit made on an older revision than the bank now holds."""
    if based_on is not None and based_on != question.revision:
        raise StaleEditError(
            f"'{shortened(question.title)}' has changed since you opened it: it is at "
            f"revision {question.revision}, your edit began from {based_on}. "
            + (f"Yours: '{mine}'. " if mine is not None else "")
            + f"Now in the bank ({question.state}): '{question.title}'.",
            question_id=question.question_id,
            mine=mine,
            theirs=question.text,
            theirs_revision=question.revision,
        )
