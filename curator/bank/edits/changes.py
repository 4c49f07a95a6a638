"""What an edit changes, and the bank after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from curator.bank.marks import Judged, Mark, Marked, Voted, with_vote
from curator.bank.questions import Bank, Question


@dataclass(frozen=True, slots=True)
class Change:
    """What one edit did: a question before and after, or a mark.

    ``before`` is None for a question that did not exist, ``after`` is None for one
    that exists no longer (only the inverse of an addition has that). Where both are
    None the change is the judge's done mark, and ``done`` says to what, or another
    ``mark`` of theirs, which says itself.
    """

    kind: str
    query_id: str
    before: Question | None = None
    after: Question | None = None
    reason: str | None = None
    done: bool | None = None
    mark: Mark | None = None

    @property
    def question_id(self) -> str | None:
        """The id of the question changed, None for a mark."""
        question = self.after or self.before
        return question.question_id if question else None


class Edit(Protocol):
    """What a person wants changed; a frozen value that says what it does to a bank."""

    def change(self, bank: Bank, judge: str) -> Change:
        """The change to this bank. Raises EditError where it cannot be made."""
        ...


def apply_edits(
    bank: Bank, edits: Iterable[Edit], *, judge: str
) -> tuple[Bank, tuple[Change, ...]]:
    """The bank after the edits, in order, and what each changed.

    All or nothing: the first edit that cannot be made raises its EditError.
    """
    changes = []
    for edit in edits:
        change = edit.change(bank, judge)
        bank = apply_change(bank, change, judge=judge)
        changes.append(change)
    return bank, tuple(changes)


def apply_change(bank: Bank, change: Change, *, judge: str) -> Bank:
    """The bank with one change carried out, whatever it holds now."""
    if change.done is not None:
        mark = {(change.query_id, judge)}
        done = bank.done | mark if change.done else bank.done - mark
        return replace(bank, done=done)
    if isinstance(change.mark, Marked):
        ideal, marked = change.mark.ideal, change.mark.after
        return bank.with_ideal(change.query_id, ideal, marked=marked)
    if isinstance(change.mark, Judged):
        return bank.with_verdict(change.query_id, change.mark, judge)
    if isinstance(change.mark, Voted):
        return with_mark(bank, change.query_id, change.mark, judge)
    if change.after is not None:
        return bank.with_question(with_votes_of(bank, change.after))
    assert change.before is not None  # a change without a mark names a question
    return bank.without_question(change.query_id, change.before.question_id)


def with_mark(bank: Bank, query_id: str, mark: Voted, judge: str) -> Bank:
    """The bank with this judge's vote; itself where the question is gone."""
    for question in bank.of_query(query_id):
        if question.question_id == mark.question_id:
            votes = with_vote(question.votes, judge, mark.after)
            return bank.with_question(replace(question, votes=votes))
    return bank


def with_votes_of(bank: Bank, question: Question) -> Question:
    """The question with the votes it has in the bank: no edit changes them."""
    for one in bank.of_query(question.query_id):
        if one.question_id == question.question_id:
            return replace(question, votes=one.votes)
    return question
