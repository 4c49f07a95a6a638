"""Who looks at a workspace, and what they may see: decided once, when it is opened.

An organizer's own command sees everything. A judge in the app sees no proposals where
too little was written first, and neither votes, verdicts nor checks on what they have
not judged themselves. Boards are made of everybody's votes: a leaderboard says nothing
about a single question.

Human-first mode: what a machine wrote first is easily taken over. Where the organizer
asks for it, a query's proposals are hidden from a judge who has not written that many
questions there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sqlite3 import Connection
from typing import Any, TypeVar

from curator.bank.edits import Change, Dismiss, Edit, Mark, apply_edits
from curator.bank.edits.adjudicate import Decided
from curator.bank.edits.check import Checked
from curator.bank.edits.dismiss import TELLING, Dismissed
from curator.bank.edits.kinds import KINDS, base_kind
from curator.bank.edits.verdict import Judged
from curator.bank.edits.vote import Voted, vote_of
from curator.bank.marks import Check, Dismissal, Verdict
from curator.bank.questions import Bank, Question
from curator.collection.pools import Collection
from curator.errors import EvaluationError
from curator.evaluation.measures import Measure, measure_type
from curator.store.connection import grouped
from curator.store.history import Event, Trace, proposed_ids
from curator.store.question_history import read_decisions, written_by

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Gate:
    """How many questions a judge has written in a query, of those wanted first."""

    wanted: int
    written: int

    @property
    def closed(self) -> bool:
        """Whether proposals are hidden from the judge."""
        return self.written < self.wanted

    @property
    def left(self) -> int:
        """How many are still to be written."""
        return max(self.wanted - self.written, 0)


def gates(
    connection: Connection, collection: Collection, judge: str
) -> dict[str, Gate]:
    """What stands between this judge and a query's proposals; {} outside the mode."""
    wanted = collection.human_first
    if not wanted:
        return {}
    written = Counter(
        query_id for by, query_id in written_by(connection).values() if by == judge
    )
    return {q: Gate(wanted, written[q]) for q in collection.pools}


def hidden_questions(
    connection: Connection, bank: Bank, gates: Mapping[str, Gate]
) -> dict[str, frozenset[str]]:
    """By query, the ids of the proposals that are hidden behind a closed gate.

    Those that were dropped or taken back too: a model's words lead a judge no less for
    that.
    """
    waiting = [
        question
        for query_id, gate in gates.items()
        if gate.closed
        for question in bank.of_query(query_id)
        if question.state != "kept"
    ]
    dropped: set[str] = set()
    if any(question.state == "retired" for question in waiting):
        decisions = read_decisions(connection)
        dropped = {one.question_id for one in decisions if one.dropped}
    taken_back = (
        (query_id, question_id)
        for query_id, question_id in proposed_ids(connection)
        if query_id in gates
        and gates[query_id].closed
        and bank.find(query_id, question_id) is None
    )
    hidden = grouped(
        [
            *taken_back,
            *(
                (question.query_id, question.question_id)
                for question in waiting
                if question.state == "proposed" or question.question_id in dropped
            ),
        ]
    )
    return {query_id: frozenset(ids) for query_id, ids in hidden.items()}


def without_marks_on(bank: Bank, hidden: Mapping[str, frozenset[str]]) -> Bank:
    """Return the bank without marks on hidden questions, given as ids by query.

    Every field of marks is filtered unless the registered kind of its marks follows
    another rule. A mark without a ``question_id`` could be on any question of its query
    and is hidden as well.
    """
    others = {
        kind.mark.bank_field
        for kind in KINDS.values()
        if kind.mark and not kind.mark.hides_with_question
    }
    left: dict[str, Any] = {}
    for name in bank.mark_fields():
        marks = getattr(bank, name)
        if name not in others and not hidden.keys().isdisjoint(marks):
            shown = {
                query_id: tuple(
                    mark
                    for mark in marks[query_id]
                    if hasattr(mark, "question_id")
                    and mark.question_id not in hidden[query_id]
                )
                for query_id in hidden.keys() & marks.keys()
            }
            left[name] = {**marks, **shown}
    return replace(bank, **left) if left else bank


OWN_FIRST: tuple[type[Mark], ...] = tuple(
    kind.mark for kind in KINDS.values() if kind.mark and kind.mark.own_first
)
"""The marks of which a judge sees others' only beside their own."""
LOOKED_AT = frozenset(
    name
    for name, kind in KINDS.items()
    if kind.mark in (*OWN_FIRST, Dismissed, Decided)
)
"""The kinds of events by others of which a judge is not to see some."""


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at one state of a workspace.

    Of a judge: ``gates`` by query, where questions are to be written first; ``hidden``
    the ids of the proposals behind closed ones, by query; ``own``, by class of mark,
    the places where they have said something themselves. ``restricted`` are the queries
    whose texts are not shown.
    """

    judge: str
    is_judge: bool = False
    gates: Mapping[str, Gate] = field(default_factory=dict)
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    own: Mapping[type[Mark], frozenset[Any]] = field(default_factory=dict)
    restricted: frozenset[str] = frozenset()

    @classmethod
    def of_judge(
        cls,
        connection: Connection,
        judge: str,
        collection: Collection,
        bank: Bank,
    ) -> Viewer:
        """The judge, over the bank and collection with everything in them."""
        closed = gates(connection, collection, judge)
        hidden = hidden_questions(connection, bank, closed)
        own = {mark: mark.places(bank, judge) for mark in OWN_FIRST}
        return cls(judge, True, closed, hidden, own)

    @property
    def closed(self) -> frozenset[str]:
        """The queries whose proposals are not to be seen yet."""
        return frozenset(query_id for query_id, one in self.gates.items() if one.closed)

    def question(self, question: Question) -> Question:
        """The question as it may be shown; the very same where nothing is hidden."""
        return seen_question(question, self.judge) if self.is_judge else question

    def bank(self, bank: Bank) -> Bank:
        """The bank as it may be shown; the very same where nothing is hidden."""
        if self.is_judge:
            for mark in OWN_FIRST:
                bank = mark.hidden(bank, mark.places(bank, self.judge))
        return self._without_dismissals(bank)

    def dismissal(self, query_id: str, found: Dismissal) -> bool:
        """Whether a dismissal may be shown; it takes effect all the same."""
        if not self.is_judge:
            return True
        if any(f" {one} " in f"{found.key} " for one in self.hidden.get(query_id, ())):
            return False
        # That others were offered it can tell of judgments, votes and checks.
        return found.judge == self.judge or found.key.split(" ")[0] not in TELLING

    def _without_dismissals(self, bank: Bank) -> Bank:
        """The bank without dismissals that are hidden; itself without any."""
        left = {
            query_id: tuple(one for one in found if self.dismissal(query_id, one))
            for query_id, found in bank.dismissals.items()
        }
        bank = bank if left == bank.dismissals else replace(bank, dismissals=left)
        if not (self.is_judge and bank.decisions):
            return bank
        # That there was something to decide tells what others said.
        own = {
            query_id: tuple(one for one in found if one.judge == self.judge)
            for query_id, found in bank.decisions.items()
        }
        return bank if own == bank.decisions else replace(bank, decisions=own)

    def refuse(self, bank: Bank, edits: Sequence[Edit]) -> None:
        """Raise the EditError that edits would without what is hidden here."""
        if self.is_judge:
            dismissals = [one for one in edits if isinstance(one, Dismiss)]
            apply_edits(self._without_dismissals(bank), dismissals, judge=self.judge)

    def verdicts(self, bank: Bank, query_id: str) -> tuple[Verdict, ...]:
        """The query's verdicts as they may be shown; the same tuple where all may."""
        found = bank.verdicts_of(query_id)
        if not self.is_judge:
            return found
        return self._beside_own(
            Judged, found, lambda one: (query_id, one.question, one.answer)
        )

    def checks(self, bank: Bank, query_id: str) -> tuple[Check, ...]:
        """The query's checks as they may be shown; the same tuple where all may."""
        found = bank.checks_of(query_id)
        if not self.is_judge:
            return found
        return self._beside_own(
            Checked, found, lambda one: (query_id, one.item, one.passage_id)
        )

    def _beside_own(
        self, mark: type[Mark], found: tuple[T, ...], place: Callable[[T], Any]
    ) -> tuple[T, ...]:
        """Those where the judge has a mark of their own; the same tuple for all."""
        own = self.own.get(mark, frozenset())
        seen = tuple(one for one in found if place(one) in own)
        return found if len(seen) == len(found) else seen

    def hides_judgments(self, bank: Bank) -> bool:
        """Whether some of the bank's verdicts or checks may not be shown."""
        return any(
            len(self.verdicts(bank, query_id)) < len(found)
            for query_id, found in bank.verdicts.items()
        ) or any(
            len(self.checks(bank, query_id)) < len(found)
            for query_id, found in bank.checks.items()
        )

    def past(self, past: Bank, now: Bank) -> Bank:
        """A past bank without hidden proposals; ``now`` is the bank as seen.

        What a model proposed is seen in the past where it is seen now.
        """
        by_query = dict(past.by_query)
        for query_id in self.closed:
            seen = {question.question_id for question in now.of_query(query_id)}
            by_query[query_id] = tuple(
                one
                for one in past.of_query(query_id)
                if one.question_id not in self.hidden.get(query_id, ())
                and (one.question_id in seen or not one.by_model)
            )
        past = without_marks_on(past, self.hidden)
        return replace(past, by_query=by_query)

    def shown_past(self, past: Bank, now: Bank) -> Bank:
        """A past bank as it may be shown: also without marks on what is not seen now.

        Where one has said something by now, what others said then is shown.
        """
        found = self.past(past, now)
        for mark, places in self.own.items():
            found = mark.hidden(found, places)
        return self._without_dismissals(found)

    def change(self, change: Change) -> Change:
        """A change of one's own without the hidden dismissal that it replaced."""
        mark = change.mark
        if not isinstance(mark, Dismissed):
            return change
        before, after = (
            one if one and self.dismissal(change.query_id, one) else None
            for one in (mark.before, mark.after)
        )
        return replace(change, mark=replace(mark, before=before, after=after))

    def events(self, events: Iterable[Event]) -> list[Event]:
        """The events that may be shown, each as it may be."""
        found = [one for one in events if self.event(one)]
        if not self.is_judge:
            return found
        return [replace(one, change=self.change(one.change)) for one in found]

    def event(self, event: Event) -> bool:
        """Whether an event tells nothing that is hidden; my own votes never are."""
        if event.change.query_id in self.restricted:
            return False
        if not self.is_judge:
            return True
        change, mark = event.change, event.change.mark
        if change.query_id in self.closed:
            hidden = self.hidden.get(change.query_id, frozenset())
            if change.about_id in hidden:
                return False
            states = {one.state for one in (change.before, change.after) if one}
            # One that somebody kept is part of the bank, and what became of it since.
            if "proposed" in states and "kept" not in states:
                return False
        if isinstance(mark, Dismissed):
            return self.dismissal(
                change.query_id, Dismissal(mark.key, "", "", event.by)
            )
        if event.by == self.judge or mark is None:
            return True
        if isinstance(mark, Decided):
            return False
        if not mark.own_first:
            return True
        return mark.place(change.query_id) in self.own[type(mark)]

    def surely_shows(self, trace: Trace) -> bool:
        """Whether an event with this trace is shown, whatever it changed."""
        if trace.query_id in self.restricted:
            return False
        if not self.is_judge:
            return True
        gate = self.gates.get(trace.query_id)
        if gate and gate.closed:
            return False
        return trace.by == self.judge or base_kind(trace.kind) not in LOOKED_AT

    def may_weigh(self, question_id: str, measure: str) -> bool:
        """Whether what the question moves under this measure may be shown.

        Under a measure of votes it tells how others voted on it.
        """
        weighs_votes = measure_type(measure).needs == "votes"
        return not (self.is_judge and weighs_votes) or question_id in self.own[Voted]

    def refuse_weighing(self, question_ids: Iterable[str], measure: str) -> None:
        """Raise EvaluationError where what these questions move may not be shown."""
        if not all(self.may_weigh(one, measure) for one in question_ids):
            raise EvaluationError(
                f"Under {measure} this would tell how others voted on a question: vote "
                "on it first."
            )

    def refuse_measure(self, bank: Bank, measure: Measure) -> None:
        """Raise EvaluationError for another judge's votes alone that are hidden.

        Boards with and without some judges tell their votes apart from the others'.
        """
        if not self.is_judge:
            return
        if measure.without and any(self.question(one) is not one for one in bank):
            raise EvaluationError(
                f"{measure.name} tells some judges' votes from the others': vote "
                "yourself on every question that has votes, then it is shown."
            )
        other = measure.judge
        if other is None or other == self.judge:
            return
        if any(vote_of(one, other) and not vote_of(one, self.judge) for one in bank):
            raise EvaluationError(
                f"{measure.name} shows the votes of {other} alone: vote yourself on "
                f"every question that {other} has voted on, then it is shown."
            )


def seen_question(question: Question, judge: str) -> Question:
    """The question as the judge may see it; the very same where nothing is hidden."""
    hides = question.votes and vote_of(question, judge) is None
    return replace(question, votes=()) if hides else question
