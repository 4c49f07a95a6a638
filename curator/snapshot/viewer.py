"""Viewers: the parts of a workspace that its user may see, decided at opening.

An organizer's own command sees everything. A judge in the app sees no proposals before
writing enough questions, and no votes, verdicts or checks on things they have not
judged themselves. Boards use all votes, because a leaderboard reveals nothing about a
single question.

Human-first mode: judges easily adopt the words of a model. If the organizer sets it, a
query's proposals are hidden from a judge who has not written enough questions there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from sqlite3 import Connection
from typing import Any

from curator.bank.changes import JSON
from curator.bank.edits import Change, Dismiss, Edit, Mark, apply_edits
from curator.bank.edits.kinds import KINDS, MARKS, base_kind
from curator.bank.marks import Check, Dismissal, Verdict
from curator.bank.marks.dismissal import Dismissed
from curator.bank.marks.vote import Voted, vote_of
from curator.bank.questions import Bank, Question
from curator.collection.pools import Collection
from curator.errors import EvaluationError
from curator.evaluation.measures import Measure, measure_type
from curator.store.connection import grouped
from curator.store.history import Event, EventSummary, proposed_ids
from curator.store.question_history import read_decisions, read_written_questions


@dataclass(frozen=True, slots=True)
class Gate:
    """Numbers of questions that a judge has written, and must write, in a query."""

    required: int
    written: int

    @property
    def closed(self) -> bool:
        return self.written < self.required

    @property
    def remaining(self) -> int:
        """Number of questions still to be written."""
        return max(self.required - self.written, 0)


def gates(
    connection: Connection, collection: Collection, judge: str
) -> dict[str, Gate]:
    """Return the gates of this judge by query; {} outside the human-first mode."""
    required = collection.human_first
    if not required:
        return {}
    written = Counter(
        query_id
        for author, query_id in read_written_questions(connection).values()
        if author == judge
    )
    return {q: Gate(required, written[q]) for q in collection.pools}


def hidden_questions(
    connection: Connection, bank: Bank, gates: Mapping[str, Gate]
) -> dict[str, frozenset[str]]:
    """Map queries to the ids of their proposals behind a closed gate.

    Includes dropped and withdrawn proposals, because a model's words influence a judge
    all the same.
    """
    unkept = [
        question
        for query_id, gate in gates.items()
        if gate.closed
        for question in bank.questions_of(query_id)
        if question.state != "kept"
    ]
    dropped: set[str] = set()
    if any(question.state == "retired" for question in unkept):
        decisions = read_decisions(connection)
        dropped = {decision.question_id for decision in decisions if decision.dropped}
    withdrawn = (
        (query_id, question_id)
        for query_id, question_id in proposed_ids(connection)
        if query_id in gates
        and gates[query_id].closed
        and bank.find(query_id, question_id) is None
    )
    hidden = grouped(
        [
            *withdrawn,
            *(
                (question.query_id, question.question_id)
                for question in unkept
                if question.state == "proposed" or question.question_id in dropped
            ),
        ]
    )
    return {query_id: frozenset(ids) for query_id, ids in hidden.items()}


def without_marks_on(bank: Bank, hidden: Mapping[str, frozenset[str]]) -> Bank:
    """Return the bank without marks on hidden questions, given as ids by query."""

    def shows(mark: type[Mark], query_id: str, target: JSON, owner: str) -> bool:
        return not hides_mark(mark, target, hidden.get(query_id, frozenset()))

    for mark in MARKS.values() if hidden else ():
        bank = mark.filtered(bank, partial(shows, mark))
    return bank


def hides_mark(mark: type[Mark], target: JSON, hidden: frozenset[str]) -> bool:
    """Return True for a mark on one of the hidden questions of its query.

    A mark that names no question could be on any.
    """
    question_ids = mark.questions_of(target)
    return bool(hidden) and (
        question_ids is None or not hidden.isdisjoint(question_ids)
    )


HIDEABLE_MARKS = tuple(mark for mark in MARKS.values() if mark.audience != "everyone")
"""Marks that may be hidden from others."""
HIDEABLE_KINDS = frozenset(
    name for name, kind in KINDS.items() if kind.mark in HIDEABLE_MARKS
)
"""Kinds of their events."""


@dataclass(frozen=True)
class Viewer:
    """The user who views one snapshot of a workspace.

    Of a judge: ``gates`` by query in human-first mode; ``hidden`` has the ids of
    proposals behind closed gates, by query; ``own_places``, by class of mark, the
    places with a mark of their own. ``restricted`` are the queries without texts,
    ``revealed`` the norming rounds with answers that everyone may see.
    """

    judge: str
    is_judge: bool = False
    gates: Mapping[str, Gate] = field(default_factory=dict)
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    own_places: Mapping[type[Mark], frozenset[Any]] = field(default_factory=dict)
    restricted: frozenset[str] = frozenset()
    revealed: frozenset[int] = frozenset()

    @classmethod
    def judge_viewer(
        cls,
        connection: Connection,
        judge: str,
        collection: Collection,
        bank: Bank,
    ) -> Viewer:
        """Build the view of a judge from the full bank and collection."""
        closed = gates(connection, collection, judge)
        hidden = hidden_questions(connection, bank, closed)
        own_marks = {
            mark: mark.places(bank, judge)
            for mark in MARKS.values()
            if mark.audience == "own first"
        }
        return cls(judge, True, closed, hidden, own_marks, revealed=bank.revealed)

    @property
    def closed(self) -> frozenset[str]:
        """The queries with hidden proposals."""
        return frozenset(
            query_id for query_id, gate in self.gates.items() if gate.closed
        )

    def visible_question(self, question: Question) -> Question:
        """Return the question as it may be shown; the same object if unchanged."""
        return visible_question(question, self.judge) if self.is_judge else question

    def visible_bank(self, bank: Bank) -> Bank:
        """Return the bank with the marks that may be shown; itself if that is all."""
        own_places = {mark: mark.places(bank, self.judge) for mark in self.own_places}
        return replace(self, own_places=own_places)._with_visible_marks(bank)

    def _with_visible_marks(self, bank: Bank) -> Bank:
        for mark in HIDEABLE_MARKS:
            if self.is_judge or mark.audience == "nobody":
                bank = mark.filtered(bank, partial(self.shows_mark, mark))
        return bank

    def shows_mark(
        self, mark: type[Mark], query_id: str, target: JSON, owner: str
    ) -> bool:
        """Return True if a mark of this class may be shown; hidden ones count."""
        hidden = self.hidden.get(query_id, frozenset())
        if hides_mark(mark, target, hidden):
            return False
        audience = mark.audience_of(target, owner, self.revealed)
        if owner == self.judge or audience == "everyone":
            return True
        if audience == "nobody" or not self.is_judge:
            return audience != "nobody"
        place = (query_id, *target.values())
        return audience == "own first" and place in self.own_places[mark]

    def shows_dismissal(self, query_id: str, dismissal: Dismissal) -> bool:
        """Return True if a dismissal may be shown; it has its effect anyway."""
        target = {"key": dismissal.key}
        return self.shows_mark(Dismissed, query_id, target, dismissal.judge)

    def refuse(self, bank: Bank, edits: Sequence[Edit]) -> None:
        """Raise the EditError that these edits cause in the visible bank."""
        if self.is_judge:
            dismissals = [edit for edit in edits if isinstance(edit, Dismiss)]
            apply_edits(self.visible_bank(bank), dismissals, judge=self.judge)

    def visible_verdicts(self, bank: Bank, query_id: str) -> tuple[Verdict, ...]:
        """Return the query's visible verdicts; the same tuple if all are visible."""
        return self._visible_of("verdict", bank, query_id)

    def visible_checks(self, bank: Bank, query_id: str) -> tuple[Check, ...]:
        """Return the query's visible checks; the same tuple if all are visible."""
        return self._visible_of("check", bank, query_id)

    def _visible_of(self, kind: str, bank: Bank, query_id: str) -> tuple[Any, ...]:
        marks, mark_class = bank.marks_of(kind, query_id), MARKS[kind]
        visible = tuple(
            mark
            for mark in marks
            if self.shows_mark(mark_class, query_id, *mark_class.row(mark)[:2])
        )
        return marks if len(visible) == len(marks) else visible

    def without_hidden_proposals(self, past: Bank, now: Bank) -> Bank:
        """Return a past bank without hidden proposals; ``now`` is the visible bank.

        Past proposals of models are visible if they are visible now.
        """
        by_query = dict(past.by_query)
        for query_id in self.closed:
            visible_ids = {
                question.question_id for question in now.questions_of(query_id)
            }
            by_query[query_id] = tuple(
                question
                for question in past.questions_of(query_id)
                if question.question_id not in self.hidden.get(query_id, ())
                and (question.question_id in visible_ids or not question.by_model)
            )
        past = without_marks_on(past, self.hidden)
        return replace(past, by_query=by_query)

    def visible_past(self, past: Bank, now: Bank) -> Bank:
        """Return a past bank as it may be shown, without marks that are hidden now.

        Past marks of others are shown at places where the judge has made a mark.
        """
        return self._with_visible_marks(self.without_hidden_proposals(past, now))

    def visible_change(self, change: Change) -> Change:
        """Return a judge's change without a hidden mark of another that it replaced."""
        mark = change.mark
        if mark is None or not mark.is_shared:
            return change
        before, after = (
            side
            if side
            and self.shows_mark(type(mark), change.query_id, mark.target(), side.judge)
            else None
            for side in (mark.before, mark.after)
        )
        return replace(change, mark=replace(mark, before=before, after=after))  # type: ignore[type-var]

    def visible_events(self, events: Iterable[Event]) -> list[Event]:
        """List the visible events, without their hidden parts."""
        visible = [event for event in events if self.shows_event(event)]
        if not self.is_judge:
            return visible
        return [
            replace(event, change=self.visible_change(event.change))
            for event in visible
        ]

    def shows_event(self, event: Event) -> bool:
        """Return True if an event reveals nothing hidden; own votes never do."""
        if event.change.query_id in self.restricted:
            return False
        change, mark = event.change, event.change.mark
        shows_mark = mark is None or self.shows_mark(
            type(mark), change.query_id, mark.target(), event.by
        )
        if change.query_id in self.closed:
            hidden = self.hidden.get(change.query_id, frozenset())
            if change.subject_id in hidden:
                return False
            states = {
                question.state for question in (change.before, change.after) if question
            }
            # A kept question, and its later changes, belong to the bank.
            if "proposed" in states and "kept" not in states:
                return False
        return shows_mark

    def surely_shows_event(self, trace: EventSummary) -> bool:
        """Return True if an event with this trace is visible for any change."""
        if trace.query_id in self.restricted:
            return False
        gate = self.gates.get(trace.query_id)
        if gate and gate.closed:
            return False
        return trace.by == self.judge or base_kind(trace.kind) not in HIDEABLE_KINDS

    def shows_effect(self, question_id: str, measure: str) -> bool:
        """Return True if the question's effect under this measure may be shown.

        Under a measure of votes the effect reveals others' votes on it.
        """
        uses_votes = measure_type(measure).needs == "votes"
        return not (self.is_judge and uses_votes) or any(
            question_id == own for _, own in self.own_places[Voted]
        )

    def refuse_hidden_effects(self, question_ids: Iterable[str], measure: str) -> None:
        """Raise EvaluationError if the effect of these questions may not be shown."""
        if not all(
            self.shows_effect(question_id, measure) for question_id in question_ids
        ):
            raise EvaluationError(
                f"Under {measure} this would reveal the votes of others on a question: "
                "vote on it first."
            )

    def refuse_measure(self, bank: Bank, measure: Measure) -> None:
        """Raise EvaluationError for a measure that isolates hidden votes of a judge.

        Boards with and without some judges isolate these judges' votes.
        """
        if not self.is_judge:
            return
        if measure.without and any(
            self.visible_question(question) is not question for question in bank
        ):
            raise EvaluationError(
                f"{measure.name} would reveal the votes of single judges: vote on "
                "every question that has votes to see it."
            )
        other = measure.judge
        if other is None or other == self.judge:
            return
        if any(
            vote_of(question, other) and not vote_of(question, self.judge)
            for question in bank
        ):
            raise EvaluationError(
                f"{measure.name} would reveal the votes of {other}: vote on every "
                f"question that {other} has voted on to see it."
            )


def visible_question(question: Question, judge: str) -> Question:
    """Return the question as the judge may see it; the same object if unchanged."""
    hides = question.votes and vote_of(question, judge) is None
    return replace(question, votes=()) if hides else question
