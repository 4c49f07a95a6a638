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
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_
from sqlite3 import Connection
from typing import Any, TypeVar

from curator.bank.changes import JSON
from curator.bank.edits import Change, Mark
from curator.bank.edits.kinds import KINDS, MARKS, base_kind
from curator.bank.marks.vote import Voted, vote_of
from curator.bank.questions import Bank, Question
from curator.collection.pools import Collection
from curator.errors import EvaluationError
from curator.evaluation.measures import Measure, measure_type
from curator.snapshot.caches import Caches
from curator.snapshot.restricted import holds_text, withheld_questions
from curator.store.connection import grouped
from curator.store.history import Event, EventSummary, proposed_ids
from curator.store.question_history import read_decisions, read_written_questions

T = TypeVar("T")


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


HIDEABLE_KINDS = frozenset(
    name
    for name, kind in KINDS.items()
    if kind.mark and kind.mark.audience != "everyone"
)
"""Kinds of events by others that may be hidden from a judge."""


class Filtered(tuple[T, ...]):
    """Questions or marks of a query as a viewer may see them.

    ``source`` has the same questions with all texts and votes, or all marks; boards are
    computed from it (``Snapshot.counted``).
    """

    source: tuple[T, ...]

    def __new__(cls, visible: Iterable[T], source: tuple[T, ...] = ()) -> Filtered[T]:
        created = super().__new__(cls, visible)
        created.source = source
        return created


def counted(visible: tuple[T, ...]) -> tuple[T, ...]:
    """Return the questions or marks that count, of those that are visible."""
    return visible.source if isinstance(visible, Filtered) else visible


def without_questions(
    questions: tuple[Question, ...], question_ids: Container[str]
) -> tuple[Question, ...]:
    """Return the questions without these, visible and counted."""

    def remaining(all_questions: Iterable[Question]) -> tuple[Question, ...]:
        return tuple(q for q in all_questions if q.question_id not in question_ids)

    if isinstance(questions, Filtered):
        return Filtered(remaining(questions), remaining(questions.source))
    return remaining(questions)


@dataclass(frozen=True, eq=False)
class Viewer:
    """The user who views one snapshot of a workspace.

    Of a judge: ``gates`` by query in human-first mode; ``hidden`` has the ids of
    proposals behind closed gates, by query; ``now`` is the whole current bank, in which
    marks of their own open those of others. ``restricted`` are the queries without
    texts, ``revealed`` the norming rounds with answers that everyone may see.
    """

    judge: str
    is_judge: bool = False
    gates: Mapping[str, Gate] = field(default_factory=dict)
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    now: Bank = field(default_factory=Bank, repr=False)
    restricted: frozenset[str] = frozenset()
    revealed: frozenset[int] = frozenset()
    _own: dict[tuple[type[Mark], str], frozenset[Any]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def judge_viewer(
        cls,
        connection: Connection,
        judge: str,
        collection: Collection,
        bank: Bank,
        restricted: frozenset[str] = frozenset(),
    ) -> Viewer:
        """Build the view of a judge from the full bank and collection."""
        closed = gates(connection, collection, judge)
        hidden = hidden_questions(connection, bank, closed)
        return cls(judge, True, closed, hidden, bank, restricted, bank.revealed)

    @cached_property
    def closed(self) -> frozenset[str]:
        """The queries with hidden proposals."""
        return frozenset(
            query_id for query_id, gate in self.gates.items() if gate.closed
        )

    def visible(self, bank: Bank, caches: Caches) -> Bank:
        """Return what may be shown of a bank, current or past; itself if that is all.

        The one place where questions and marks are hidden. Tuples are cached, so that
        unchanged ones are the same objects in each bank.
        """
        hides_all = self.is_judge or self.restricted
        if not hides_all and not any(
            MARKS[kind].audience == "nobody" for kind in bank.marks
        ):
            return bank
        who = self.judge, self.is_judge, self.revealed

        def filtered(kind: str, query_id: str, items: tuple[T, ...]) -> tuple[T, ...]:
            if not self._may_hide(kind, query_id, items):
                return items
            is_closed, hidden = query_id in self.closed, self.hidden.get(query_id)
            opening = self.now.questions_of(query_id), self.now.marks_of(kind, query_id)
            return caches.visible.get(
                (kind, query_id, *who, is_closed, hidden, query_id in self.restricted),
                (items, *opening),
                lambda: self._filtered(kind, query_id, items),
            )

        by_query = {
            query_id: filtered("", query_id, questions)
            for query_id, questions in bank.by_query.items()
        }
        marks = {
            kind: {
                query_id: filtered(kind, query_id, items)
                for query_id, items in by_query.items()
            }
            for kind, by_query in bank.marks.items()
        }
        titles = {q: bank.titles[q] for q in bank.titles if q not in self.restricted}
        visible = replace(bank, by_query=by_query, marks=marks, titles=titles)
        return bank if visible == bank else visible

    def _may_hide(self, kind: str, query_id: str, items: Sequence[Any]) -> bool:
        """Return False if all questions (kind "") or marks are surely visible."""
        if not items:
            return False
        if query_id in self.restricted and (not kind or holds_text(kind)):
            return True
        if kind and MARKS[kind].audience == "nobody":
            return True
        if not self.is_judge:
            return False
        if query_id in self.closed:
            return True
        if not kind:
            return any(question.votes for question in items)
        return MARKS[kind].audience != "everyone"

    def _filtered(
        self, kind: str, query_id: str, items: tuple[T, ...]
    ) -> tuple[T, ...]:
        source: tuple[Any, ...] = items
        visible: tuple[Any, ...]
        restricted = query_id in self.restricted
        if not kind:
            if query_id in self.closed:
                source = tuple(q for q in source if not self._hides_question(q))
                source = items if len(source) == len(items) else source
            visible = tuple(map(self.visible_question, source))
            visible = withheld_questions(visible) if restricted else visible
        elif restricted and holds_text(kind):
            visible = ()
        else:
            mark_class = MARKS[kind]
            visible = tuple(
                mark
                for mark in items
                if self.shows_mark(mark_class, query_id, *mark_class.row(mark)[:2])
            )
        if len(visible) == len(items) and all(map(is_, visible, items)):
            return items
        return Filtered(visible, source)

    def _hides_question(self, question: Question) -> bool:
        """Return True for a proposal that is hidden now, also in a past bank."""
        query_id, question_id = question.query_id, question.question_id
        return question_id in self.hidden.get(query_id, ()) or (
            question.by_model and self.now.find(query_id, question_id) is None
        )

    def visible_question(self, question: Question) -> Question:
        """Return the question as it may be shown; the same object if unchanged."""
        if not (self.is_judge and question.votes):
            return question
        target, query_id = {"question_id": question.question_id}, question.query_id
        votes = tuple(
            vote
            for vote in question.votes
            if self.shows_mark(Voted, query_id, target, vote[0])
        )
        all_visible = len(votes) == len(question.votes)
        return question if all_visible else replace(question, votes=votes)

    def shows_mark(
        self, mark: type[Mark], query_id: str, target: JSON, owner: str
    ) -> bool:
        """Return True if a mark of this class may be shown; hidden ones count.

        A mark that names no question could be on any, so it is hidden with each.
        """
        hidden = self.hidden.get(query_id)
        if hidden:
            question_ids = mark.questions_of(target)
            if question_ids is None or not hidden.isdisjoint(question_ids):
                return False
        audience = mark.audience_of(target, owner, self.revealed)
        if owner == self.judge or audience == "everyone":
            return True
        if audience == "nobody" or not self.is_judge:
            return audience != "nobody"
        place = tuple(target.values())
        return audience == "own first" and place in self._own_targets(mark, query_id)

    def _own_targets(self, mark: type[Mark], query_id: str) -> frozenset[Any]:
        """Return on what the judge has such a mark now: others' are visible there."""
        if (mark, query_id) not in self._own:
            questions = self.now.questions_of(query_id)
            targets = {(q.question_id,) for q in questions if vote_of(q, self.judge)}
            if not mark.is_on_question:
                rows = map(mark.row, self.now.marks_of(mark.kind, query_id))
                targets = {
                    (*target.values(),)
                    for target, owner, _ in rows
                    if owner == self.judge
                }
            self._own[mark, query_id] = frozenset(targets)
        return self._own[mark, query_id]

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
        if not (self.is_judge and uses_votes):
            return True
        return any(
            (question_id,) in self._own_targets(Voted, query_id)
            for query_id in self.now.by_query
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

    def refuse_measure(self, measure: Measure) -> None:
        """Raise EvaluationError for a measure that isolates hidden votes of a judge.

        Boards with and without some judges isolate these judges' votes.
        """
        if not self.is_judge:
            return
        if measure.without and any(
            self.visible_question(question) is not question for question in self.now
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
            for question in self.now
        ):
            raise EvaluationError(
                f"{measure.name} would reveal the votes of {other}: vote on every "
                f"question that {other} has voted on to see it."
            )
