"""Decide: what is to hold where judges differ.

It holds as long as what it rests on, its state, is as it was. It changes no judge's
mark: of votes, checks, grades and verdicts it is what counts in place of what most
judges say, and what one on a question changes is an edit of its own beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, cast

from curator.bank.edits.changes import JSON, Change, EventKind, Mark, Moves
from curator.bank.edits.check import UNSURE, Pair, decided
from curator.bank.edits.verdict import majority
from curator.bank.marks import Check, Correctness, Decision, Importance, Verdict
from curator.bank.questions import Bank, Question
from curator.bank.wording import clean_reason
from curator.errors import EditError, NothingToChangeError

KINDS_OF_PLACES = ("question", "wording", "vote", "check", "grade", "verdict")
MOVES: Mapping[str, Moves] = {
    "vote": "votes",
    **dict.fromkeys(("check", "grade", "verdict"), "answers"),
}
"""Which boards a decision moves by itself, by kind; others rest on the edit beside."""


@dataclass(frozen=True, slots=True)
class Decide:
    """What holds at a place of a query; the value None takes the decision back.

    ``key`` names the place, its kind first: ``vote q1/a``. ``state`` names what
    everybody said there.
    """

    query_id: str
    key: str
    value: str | None
    state: str = ""
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        before, after = decision(bank, self.query_id, self.key), None
        if self.value is not None:
            kind, _, on = self.key.partition(" ")
            if kind not in KINDS_OF_PLACES or not on or not self.value:
                raise EditError(
                    f"'{self.key}' is no place to decide '{self.value}' at: it begins "
                    f"with {', '.join(KINDS_OF_PLACES)}, then what it is about."
                )
            reason = clean_reason(self.reason or "") or ""
            after = Decision(self.key, self.value, self.state, reason, judge)
        if before == after:
            has = f"'{before.value}' already" if before else "not decided"
            raise NothingToChangeError(f"'{self.key}' is {has}.")
        mark = Decided(self.key, before, after)
        return Change("decide", self.query_id, mark=mark)


def _is_decision(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == {one.name for one in fields(Decision)}
        and all(isinstance(one, str) for one in value.values())
    )


@dataclass(frozen=True, slots=True)
class Decided(Mark):
    """The decision at a place before and after, None where there is none."""

    key: str
    before: Decision | None
    after: Decision | None

    noun, verb = "decision", "decided"
    bank_field = "decisions"
    hides_with_question = False
    stored: ClassVar = {
        "key": lambda v: isinstance(v, str) and bool(v),
        "decision": _is_decision,
    }

    @property
    def moves(self) -> Moves:
        return MOVES.get(self.key.partition(" ")[0], "nothing")

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        return decision(bank, query_id, self.key) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        others = [o for o in bank.decisions_of(query_id) if o.key != self.key]
        now = sorted(
            [*others, self.after] if self.after else others, key=lambda one: one.key
        )
        return replace(bank, decisions={**bank.decisions, query_id: tuple(now)})

    def about(self, bank: Bank) -> str:
        on = self.key.split(" ")[1]
        return next((q.title for q in bank if q.question_id == on), self.key)

    def described(self, shortened: Callable[[str], str] = str) -> str:
        kind = self.key.partition(" ")[0]
        if self.after is None:
            return f"took back what was decided ({kind})"
        reason = f": {shortened(self.after.reason)}" if self.after.reason else ""
        return f"decided “{shortened(self.after.value)}” ({kind}){reason}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after.value if self.after else 'not decided'}: {self.key}"

    def difference(self) -> JSON:
        before, after = (one and one.value for one in (self.before, self.after))
        return {"key": self.key, "before": before, "after": after}

    @classmethod
    def of_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        old, new = (None if o is None else Decision(**o) for o in (before, after))
        if any(one and one.key != fields["key"] for one in (old, new)):
            raise ValueError("a decision on something else")
        return cls(fields["key"], old, new)


def decision(bank: Bank, query_id: str, key: str) -> Decision | None:
    """The decision at the query's place of this key, None without one."""
    return next((o for o in bank.decisions_of(query_id) if o.key == key), None)


def place_key(kind: str, *on: str | None) -> str:
    """What a place is called within its query: ``check q1/a p1``."""
    return " ".join(one for one in (kind, *on) if one is not None)


def state_of(text: str | None, said: Mapping[str, str]) -> str:
    """Names who says what, by judge; of marks on words also these."""
    stated = json.dumps([text, sorted(said.items())], ensure_ascii=False)
    return hashlib.sha256(stated.encode("utf-8")).hexdigest()[:16]


Decisions = Sequence[Decision]


def decided_vote(question: Question, decisions: Decisions) -> Importance | None:
    """What holds of the importance of a question, None without a decision that does."""
    key = place_key("vote", question.question_id)
    found = _held(decisions, key, question.text, dict(question.votes))
    return cast("Importance | None", found)


def decided_pairs(
    checks: Iterable[Check], decisions: Decisions, questions: Iterable[Question]
) -> dict[Pair, str]:
    """Of a query's pairs, and passages as a whole, those with a decision that holds."""
    if not _any(decisions, "check", "grade"):
        return {}
    said: defaultdict[Pair, dict[str, str]] = defaultdict(dict)
    for one in checks:
        if one.answer != UNSURE:
            said[one.item, one.passage_id][one.judge] = one.answer
    ids, found = _ids(questions), {}
    for (item, passage_id), answers in said.items():
        if item is None:
            key = place_key("grade", passage_id)
        else:
            key = place_key("check", ids.get(item, ""), passage_id)
        if value := _held(decisions, key, item, answers):
            found[item, passage_id] = value
    return found


def decided_answers(
    verdicts: Iterable[Verdict], decisions: Decisions, questions: Iterable[Question]
) -> dict[tuple[str, str], Correctness]:
    """Of answers to a query's questions those with a decision that holds, by words."""
    if not _any(decisions, "verdict"):
        return {}
    said: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in verdicts:
        said[one.question, one.answer][one.judge] = one.value
    ids, found = _ids(questions), {}
    for (text, answer), values in said.items():
        key = place_key("verdict", ids.get(text, ""), answer)
        if value := _held(decisions, key, text, values):
            found[text, answer] = cast("Correctness", value)
    return found


def counted_pairs(
    checks: Sequence[Check], decisions: Decisions, questions: Iterable[Question]
) -> dict[Pair, str]:
    """What counts of each pair: what was decided, else what most people say."""
    return decided(checks) | decided_pairs(checks, decisions, questions)


def counted_answers(
    verdicts: Sequence[Verdict], decisions: Decisions, questions: Iterable[Question]
) -> dict[tuple[str, str], Correctness]:
    """What counts of each answer: what was decided, else what most people say."""
    return majority(verdicts) | decided_answers(verdicts, decisions, questions)


def _any(decisions: Decisions, *kinds: str) -> bool:
    return any(one.key.partition(" ")[0] in kinds for one in decisions)


def _ids(questions: Iterable[Question]) -> dict[str | None, str]:
    """By their words the ids of kept questions; the first of several has the place."""
    kept = [one for one in questions if one.state == "kept"]
    return {one.text: one.question_id for one in reversed(kept)}


def _held(
    decisions: Decisions, key: str, text: str | None, said: Mapping[str, str]
) -> str | None:
    """What the decision at a place says, None where none was made in this state."""
    one = next((one for one in decisions if one.key == key), None)
    return one.value if one and one.state == state_of(text, said) else None


KINDS = (EventKind("decide", "decided", Decided),)
