"""What nugget banks of other projects say of an item: its id and its importance.

Their ids are mostly the MD5 of the text, which may stand under two queries; ours begin
with the query's id, so that one id means one item.
"""

from __future__ import annotations

from typing import Any

from curator.bank.marks import IMPORTANCES, Importance, Votes
from curator.bank.questions import Question, new_question_id
from curator.formats.text.records import Place, identifier


def our_id(place: Place, query_id: str, value: object, text: str, what: str) -> str:
    """``<query_id>/<their id>``, or theirs where it begins so; the MD5 for null."""
    if value is None:
        return new_question_id(query_id, None, text)
    own = identifier(place, value, what)
    return own if own.startswith(f"{query_id}/") else f"{query_id}/{own}"


def their_id(question: Question) -> str:
    """The id that goes out: the MD5 where ours says no more, else ours."""
    plain = new_question_id(question.query_id, None, question.text or "")
    if question.question_id == plain:
        return plain.removeprefix(f"{question.query_id}/")
    return question.question_id


def changes_id(question: Question) -> bool:
    """Whether the item has another id once it was written and read again."""
    return not question.question_id.startswith(f"{question.query_id}/")


def importance_in(value: Any) -> Importance | None:
    """The vote that a field ``importance`` is; None for every other value."""
    return next((one for one in IMPORTANCES if one == value), None)


def importance_of(votes: Votes) -> Importance | None:
    """Vital where more than half of the votes say so, okay otherwise; None without."""
    if not votes:
        return None
    vital = sum(vote == "vital" for _, vote in votes)
    return "vital" if 2 * vital > len(votes) else "okay"
