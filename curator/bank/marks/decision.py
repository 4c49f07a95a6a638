"""Decide: the valid result where judges differ.

It holds as long as its state, the judges' marks, is unchanged. It changes no judge's
mark: for votes, checks, grades and verdicts it counts instead of the majority; if it
changes a question, that is a separate edit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from curator.bank.changes import (
    AffectedBoards,
    Change,
    EventKind,
    Mark,
)
from curator.bank.marks import Decision, Importance
from curator.bank.questions import Bank, Question
from curator.bank.wording import clean_reason
from curator.errors import EditError

KINDS_OF_PLACES = ("question", "wording", "vote", "check", "grade", "verdict")
AFFECTED_BY_KIND: Mapping[str, AffectedBoards] = {
    "vote": "votes",
    **dict.fromkeys(("check", "grade", "verdict"), "answers"),
}
"""Boards that a decision of a kind changes; other kinds need a separate edit."""


@dataclass(frozen=True, slots=True)
class Decide:
    """A decision at a place of a query; the value None removes it.

    ``key`` names the place, its kind first: ``vote q1/a``. ``state`` identifies the
    marks of all judges there.
    """

    query_id: str
    key: str
    value: str | None
    state: str = ""
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        after = None
        if self.value is not None:
            kind, _, subject = self.key.partition(" ")
            if kind not in KINDS_OF_PLACES or not subject or not self.value:
                raise EditError(
                    f"'{self.key}' is not the key of a decision; expected one of "
                    f"{', '.join(KINDS_OF_PLACES)}, a blank, and ids."
                )
            reason = clean_reason(self.reason or "") or ""
            after = Decision(self.key, self.value, self.state, reason, judge)
        mark = Decided(self.key, None, after)
        return mark.to_change("decide", bank, self.query_id, judge)


@dataclass(frozen=True, slots=True)
class Decided(Mark):
    """The decision at a place before and after, None if there is none."""

    key: str
    before: Decision | None
    after: Decision | None

    noun, verb = "decision", "decided"
    reported_field = "value"
    kind = "decision"
    current = content = Decision
    audience = "organizers"  # its existence reveals marks of others
    is_shared = True
    hides_with_question = False
    stored: ClassVar = ("key", "decision")

    @property
    def affects(self) -> AffectedBoards:
        return AFFECTED_BY_KIND.get(self.key.partition(" ")[0], "nothing")

    def subject(self, bank: Bank) -> str:
        question_id = self.key.split(" ")[1]
        for question in bank:
            if question.question_id == question_id:
                return question.title
        return self.key

    def described(self, shortened: Callable[[str], str] = str) -> str:
        kind = self.key.partition(" ")[0]
        if self.after is None:
            return f"removed the decision ({kind})"
        reason = f": {shortened(self.after.reason)}" if self.after.reason else ""
        return f"decided “{shortened(self.after.value)}” ({kind}){reason}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after.value if self.after else 'not decided'}: {self.key}"


def decision(bank: Bank, query_id: str, key: str) -> Decision | None:
    """Return the query's decision with this key, or None."""
    return _find(bank.decisions_of(query_id), key)


def place_key(kind: str, *ids: str | None) -> str:
    """Return the key of a place within its query: ``check q1/a p1``."""
    return " ".join(part for part in (kind, *ids) if part is not None)


def state_of(text: str | None, values_by_judge: Mapping[str, str]) -> str:
    """Return a hash of the marks by judge and, for marks on a text, of the text."""
    content = json.dumps([text, sorted(values_by_judge.items())], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:16]


Decisions = Sequence[Decision]


def decided_vote(question: Question, decisions: Decisions) -> Importance | None:
    """Return the valid decision on the importance of a question, or None."""
    key = place_key("vote", question.question_id)
    value = valid_value(decisions, key, question.text, dict(question.votes))
    return cast("Importance | None", value)


def valid_value(
    decisions: Decisions, key: str, text: str | None, values_by_judge: Mapping[str, str]
) -> str | None:
    """Return the decision's value at a place if its state is unchanged, or None."""
    decision = _find(decisions, key)
    if decision and decision.state == state_of(text, values_by_judge):
        return decision.value
    return None


def _find(decisions: Decisions, key: str) -> Decision | None:
    return next((decision for decision in decisions if decision.key == key), None)


KINDS = (EventKind("decide", "decided", Decided),)
