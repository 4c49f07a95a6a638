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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sqlite3 import Connection
from typing import Any, TypeVar

from curator.bank.edits import Change, Dismiss, Edit, Mark, apply_edits
from curator.bank.edits.kinds import KINDS, MARKS, base_kind
from curator.bank.marks import Check, Dismissal, Verdict, is_gold
from curator.bank.marks.check import Checked
from curator.bank.marks.decision import Decided
from curator.bank.marks.dismissal import REVEALING_STEPS, Dismissed
from curator.bank.marks.verdict import Judged
from curator.bank.marks.vote import Voted, vote_of
from curator.bank.questions import Bank, Question
from curator.collection.pools import Collection
from curator.errors import EvaluationError
from curator.evaluation.measures import Measure, measure_type
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


def without_marks_on(bank: Bank, hidden: Mapping[str, frozenset[str]]) -> Bank:
    """Return the bank without marks on hidden questions, given as ids by query.

    Marks are filtered unless their registered kind follows another rule. A mark without
    a ``question_id`` could be on any question of its query and is hidden as well.
    """
    for kind, marks in bank.marks.items():
        if kind in MARKS and not MARKS[kind].hides_with_question:
            continue
        visible = {
            query_id: tuple(
                mark
                for mark in marks[query_id]
                if hasattr(mark, "question_id")
                and mark.question_id not in hidden[query_id]
            )
            for query_id in hidden.keys() & marks.keys()
        }
        if visible:
            bank = bank.with_marks(kind, visible)
    return bank


def without_known_answers(bank: Bank) -> Bank:
    """Return the bank without the known answers of gold items."""
    visible = {
        query_id: [check for check in checks if not is_gold(check.judge)]
        for query_id, checks in bank.checks.items()
        if any(is_gold(check.judge) for check in checks)
    }
    return bank.with_marks("check", visible) if visible else bank


OWN_FIRST: tuple[type[Mark], ...] = tuple(
    kind.mark for kind in KINDS.values() if kind.mark and kind.mark.requires_own_mark
)
"""Marks of others that a judge sees only after making their own."""
HIDEABLE_KINDS = frozenset(
    name
    for name, kind in KINDS.items()
    if kind.mark in (*OWN_FIRST, Dismissed, Decided)
)
"""Kinds of events by others that may be hidden from a judge."""


@dataclass(frozen=True)
class Viewer:
    """The user who views one snapshot of a workspace.

    Of a judge: ``gates`` by query in human-first mode; ``hidden`` has the ids of
    proposals behind closed gates, by query; ``own_places``, by class of mark, the
    places with a mark of their own. ``restricted`` are the queries without texts.
    """

    judge: str
    is_judge: bool = False
    gates: Mapping[str, Gate] = field(default_factory=dict)
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    own_places: Mapping[type[Mark], frozenset[Any]] = field(default_factory=dict)
    restricted: frozenset[str] = frozenset()

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
        own_marks = {mark: mark.places(bank, judge) for mark in OWN_FIRST}
        return cls(judge, True, closed, hidden, own_marks)

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
        """Return the bank as it may be shown; the same object if unchanged."""
        if self.is_judge:
            for mark in OWN_FIRST:
                bank = mark.hidden(bank, mark.places(bank, self.judge))
            bank = without_known_answers(bank)
        return self._without_dismissals(bank)

    def shows_dismissal(self, query_id: str, dismissal: Dismissal) -> bool:
        """Return True if a dismissal may be shown; it has its effect anyway."""
        if not self.is_judge:
            return True
        if any(
            f" {question_id} " in f"{dismissal.key} "
            for question_id in self.hidden.get(query_id, ())
        ):
            return False
        # Its existence can reveal judgments, votes and checks of others.
        return (
            dismissal.judge == self.judge
            or dismissal.key.split(" ")[0] not in REVEALING_STEPS
        )

    def _without_dismissals(self, bank: Bank) -> Bank:
        """Return the bank without hidden dismissals; itself if there are none."""
        visible = {
            query_id: tuple(
                dismissal
                for dismissal in dismissals
                if self.shows_dismissal(query_id, dismissal)
            )
            for query_id, dismissals in bank.marks.get("dismissal", {}).items()
        }
        if visible != bank.marks.get("dismissal", {}):
            bank = bank.with_marks("dismissal", visible)
        if not (self.is_judge and bank.decisions):
            return bank
        # The existence of a decision reveals marks of others.
        own_decisions = {
            query_id: tuple(
                decision for decision in decisions if decision.judge == self.judge
            )
            for query_id, decisions in bank.decisions.items()
        }
        if own_decisions == bank.decisions:
            return bank
        return bank.with_marks("decision", own_decisions)

    def refuse(self, bank: Bank, edits: Sequence[Edit]) -> None:
        """Raise the EditError that these edits cause in the visible bank."""
        if self.is_judge:
            dismissals = [edit for edit in edits if isinstance(edit, Dismiss)]
            apply_edits(self._without_dismissals(bank), dismissals, judge=self.judge)

    def visible_verdicts(self, bank: Bank, query_id: str) -> tuple[Verdict, ...]:
        """Return the query's visible verdicts; the same tuple if all are visible."""
        verdicts = bank.verdicts_of(query_id)
        if not self.is_judge:
            return verdicts
        return self._with_own_mark(
            Judged,
            verdicts,
            lambda verdict: (query_id, verdict.question, verdict.answer),
        )

    def visible_checks(self, bank: Bank, query_id: str) -> tuple[Check, ...]:
        """Return the query's visible checks; the same tuple if all are visible."""
        checks = bank.checks_of(query_id)
        if not self.is_judge:
            return checks
        return self._with_own_mark(
            Checked, checks, lambda check: (query_id, check.item, check.passage_id)
        )

    def _with_own_mark(
        self, mark: type[Mark], marks: tuple[T, ...], place: Callable[[T], Any]
    ) -> tuple[T, ...]:
        """Select marks at the judge's own places; the same tuple if that is all."""
        own_places = self.own_places.get(mark, frozenset())
        visible = tuple(item for item in marks if place(item) in own_places)
        return marks if len(visible) == len(marks) else visible

    def hides_judgments(self, bank: Bank) -> bool:
        """Return True if some of the bank's verdicts or checks are hidden."""
        return any(
            len(self.visible_verdicts(bank, query_id)) < len(verdicts)
            for query_id, verdicts in bank.verdicts.items()
        ) or any(
            len(self.visible_checks(bank, query_id)) < len(checks)
            for query_id, checks in bank.checks.items()
        )

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
        bank = self.without_hidden_proposals(past, now)
        for mark, places in self.own_places.items():
            bank = mark.hidden(bank, places)
        return self._without_dismissals(bank)

    def visible_change(self, change: Change) -> Change:
        """Return a judge's change without the hidden dismissal that it replaced."""
        mark = change.mark
        if not isinstance(mark, Dismissed):
            return change
        before, after = mark.before, mark.after
        if before and not self.shows_dismissal(change.query_id, before):
            before = None
        if after and not self.shows_dismissal(change.query_id, after):
            after = None
        return replace(change, mark=replace(mark, before=before, after=after))

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
        if not self.is_judge:
            return True
        change, mark = event.change, event.change.mark
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
        if isinstance(mark, Dismissed):
            return self.shows_dismissal(
                change.query_id, Dismissal(mark.key, "", "", event.by)
            )
        if event.by == self.judge or mark is None:
            return True
        if isinstance(mark, Decided) or is_gold(event.by):
            return False
        if not mark.requires_own_mark:
            return True
        return mark.place(change.query_id) in self.own_places[type(mark)]

    def surely_shows_event(self, trace: EventSummary) -> bool:
        """Return True if an event with this trace is visible for any change."""
        if trace.query_id in self.restricted:
            return False
        if not self.is_judge:
            return True
        gate = self.gates.get(trace.query_id)
        if gate and gate.closed:
            return False
        return trace.by == self.judge or base_kind(trace.kind) not in HIDEABLE_KINDS

    def shows_effect(self, question_id: str, measure: str) -> bool:
        """Return True if the question's effect under this measure may be shown.

        Under a measure of votes the effect reveals others' votes on it.
        """
        uses_votes = measure_type(measure).needs == "votes"
        return (
            not (self.is_judge and uses_votes) or question_id in self.own_places[Voted]
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
