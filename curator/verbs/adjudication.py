"""``adjudication``: the places where judges differ, and the judges' agreement.

The latest value of each judge counts, and nothing that was undone. Values about
questions are read from the history; votes, verdicts and checks from the bank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from curator.bank.edits import Decide, Edit, Restore, Retire, Reword
from curator.bank.edits.kinds import KINDS as KINDS_OF_EVENTS
from curator.bank.marks import Decision
from curator.bank.marks.decision import Decided, decision, place_key, state_of
from curator.bank.opinions import opinions
from curator.bank.questions import Bank, Question
from curator.errors import EditError, SettingError, UnknownNameError
from curator.evaluation.agreement import JudgeAgreement, judge_agreement
from curator.results import FLAT, HIDDEN, IF_ANY, Result, column, computed
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import history as store_history
from curator.store.history import Batch, Event
from curator.verbs.curate.edits import apply
from curator.verbs.history import undone_batches
from curator.verbs.judges import vote_sources

Kind = Literal["question", "wording", "vote", "check", "grade", "verdict"]

KINDS: tuple[Kind, ...] = ("question", "wording", "vote", "check", "grade", "verdict")
"""Kinds of difference: whether a question is kept, its words, its importance, whether a
passage answers it, how relevant a passage is, whether an answer is right."""

_SIDES: Mapping[Kind, tuple[str, str]] = {
    "question": ("kept", "retired"),
    "vote": ("vital", "okay"),
    "check": ("yes", "no"),
    "verdict": ("right", "wrong"),
}
"""The two values of each binary kind, in the order in which sides are listed."""


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """The object of a judgment: a question, or with it a passage or an answer.

    ``question_id`` and ``text`` are None for a passage as a whole.
    """

    kind: Kind
    query_id: str
    question_id: str | None
    text: str | None
    passage_id: str | None = None
    answer: str | None = None

    @property
    @computed()
    def key(self) -> str:
        """Key within the query, such as ``check q1/a p1``."""
        return place_key(self.kind, self.question_id, self.passage_id, self.answer)

    @property
    def title(self) -> str:
        """The question's text, or its id where the text is not shown; the passage."""
        return self.text or self.question_id or f"passage {self.passage_id}"


@dataclass(frozen=True, slots=True)
class Reason:
    """A judge's reason or note; ``judge`` is empty where names are left out."""

    judge: str = field(metadata=IF_ANY)
    words: str


@dataclass(frozen=True, slots=True)
class Side:
    """A value, the judges who gave it, () where names are left out, and reasons."""

    value: str = field(metadata=column(json="says"))
    how_many: int
    judges: tuple[str, ...] = field(metadata=IF_ANY)
    reasons: tuple[Reason, ...] = ()

    def without_names(self) -> Side:
        reasons = (Reason("", reason.words) for reason in self.reasons)
        return replace(self, judges=(), reasons=tuple(reasons))


@dataclass(frozen=True, slots=True)
class Difference:
    """A place on which judges differ, with two or more sides ordered by value.

    ``state`` identifies the judges' values and the question's text. ``decision`` is the
    latest one at the place; it holds while the state is that in which it was made.
    """

    place: JudgedPlace = field(metadata=FLAT)
    sides: tuple[Side, ...]
    state: str = field(metadata=HIDDEN)
    decision: Decision | None = field(default=None, metadata=HIDDEN)

    @property
    def decided(self) -> bool:
        return self.decision is not None and self.decision.state == self.state

    @property
    @computed()
    def status(self) -> str:
        """Status: open, decided, or differing again since the decision."""
        if self.decision is None:
            return "open"
        prefix = "decided" if self.decided else "differs since it was decided"
        return f"{prefix}: {self.decision.value}"


@dataclass(frozen=True, slots=True)
class DecisionAgreement:
    """Agreement of a judge with the decisions that hold, over ``items`` both judged.

    ``same`` counts the items decided as the judge said. ``kappa`` is Cohen's, None
    where it is undefined and for kinds of more than two values.
    """

    kind: Kind
    judge: str
    items: int
    same: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """Agreement of the judges in one kind."""

    kind: Kind
    agreement: JudgeAgreement = field(metadata=FLAT)


@dataclass(frozen=True, slots=True)
class PastAgreement:
    """Agreement of judges in one kind before its first decision, or after its last.

    After the last decision every judge counts as saying what was decided. Both are
    computed from the history right before or after an event, ``at`` that time, so later
    events do not change them.
    """

    kind: Kind
    when: Literal["before", "after"]
    at: str
    agreement: JudgeAgreement


@dataclass(frozen=True)
class Adjudication(Result[Difference], table="checks.adjudication_tables"):
    """Differences by kind and query, and the judges' agreement by kind.

    ``agreement`` is of the judges alone, ``with_decisions`` of each judge with the
    decisions that hold, ``past`` of the kinds in which a decision was ever made.
    """

    differences: tuple[Difference, ...]
    agreement: tuple[KindAgreement, ...]
    with_decisions: tuple[DecisionAgreement, ...] | None = field(
        default=(), metadata=column(json_if=lambda rows: rows is not None)
    )
    past: tuple[PastAgreement, ...] = field(
        default=(), metadata=column(json="then", json_if=bool)
    )

    def without_names(self) -> Adjudication:
        """Return the same without who gave which value, for judges."""
        differences = (
            replace(row, sides=tuple(side.without_names() for side in row.sides))
            for row in self.differences
        )
        return replace(self, differences=tuple(differences), with_decisions=None)


_Values = dict[JudgedPlace, dict[str, str]]  # by place and judge


def adjudication(
    snapshot: Snapshot,
    *,
    query_id: str | None = None,
    kind: str | None = None,
    decided: bool = False,
) -> Adjudication:
    """List where judges differ, and compute their agreement.

    Uses what the viewer may see of other judges. Raises UnknownNameError for an unknown
    query, SettingError for an unknown kind.

    Args:
        kind (KIND): Only this kind: question, wording, vote, check, grade or verdict.
        decided: Also list what is already decided.
    """
    query_ids = snapshot.query_ids(query_id)
    if kind is not None and kind not in KINDS:
        raise SettingError(
            f"No kind of difference '{kind}'. There are: {', '.join(KINDS)}."
        )
    values_at, reasons = snapshot.cached(
        ("adjudication",), lambda: _read_values(snapshot, snapshot.bank)
    )
    order = {id_: number for number, id_ in enumerate(query_ids)}
    chosen = {
        place: values
        for place, values in values_at.items()
        if place.query_id in order and kind in (None, place.kind) and len(values) > 1
    }
    differences = [
        Difference(
            place,
            _sides(place, values, reasons),
            _decision_state(snapshot.bank, place, values),
            decision(snapshot.bank, place.query_id, place.key),
        )
        for place, values in chosen.items()
        if len(set(values.values())) > 1
    ]
    differences.sort(
        key=lambda entry: (KINDS.index(entry.place.kind), order[entry.place.query_id])
    )
    agreement = []
    for listed_kind in KINDS:
        if kind in (None, listed_kind):
            items = [values for at, values in chosen.items() if at.kind == listed_kind]
            agreement.append(KindAgreement(listed_kind, _agreement(listed_kind, items)))
    return Adjudication(
        tuple(entry for entry in differences if decided or not entry.decided),
        tuple(agreement),
        _with_decisions(differences),
        tuple(row for row in _past_agreement(snapshot) if kind in (None, row.kind)),
    )


def decide(
    workspace: OpenWorkspace,
    key: str,
    value: str | None,
    reason: str | None = None,
    *,
    query_id: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Decide what holds at a place where judges differ; None removes the decision.

    ``key`` is the place's, in this query where two have it, and ``value`` what one of
    its sides says. That a question is kept or retired, and its words, become so in the
    same batch. ``nonce`` as in ``apply``. Raises UnknownNameError where judges do not
    differ, EditError for another value.
    """
    with workspace.snapshot() as snapshot:
        listed = adjudication(snapshot, query_id=query_id, decided=True).differences
        bank = snapshot.bank
    difference = next((entry for entry in listed if entry.place.key == key), None)
    if difference is None:
        raise UnknownNameError(
            f"Judges do not differ at '{key}'. `curator adjudicate WORKSPACE` lists "
            "the keys."
        )
    place, values = difference.place, [side.value for side in difference.sides]
    if value is not None and value not in values:
        raise EditError(
            f"No judge says '{value}' at '{key}'. Choose {' or '.join(values)}."
        )
    edits: list[Edit] = [Decide(place.query_id, key, value, difference.state, reason)]
    if place.question_id is not None and value is not None:
        question = bank.question(place.question_id)
        question_id, revision = question.question_id, question.revision
        if place.kind == "question" and value != question.state:
            if value == "kept":
                edits.append(Restore(question_id, based_on=revision))
            else:
                edits.append(Retire(question_id, reason, based_on=revision))
        if place.kind == "wording" and value != question.text:
            edits.append(Reword(question_id, value, based_on=revision))
    return apply(workspace, edits, nonce=nonce)


def _past_agreement(snapshot: Snapshot) -> tuple[PastAgreement, ...]:
    """Agreement by kind, before the first decision and after the last, in all queries.

    Empty for a judge, who may not see decisions.
    """
    if snapshot.viewer.is_judge:
        return ()
    decisions: defaultdict[str, list[Event]] = defaultdict(list)
    others = KINDS_OF_EVENTS.keys() - {"decide"}
    events = store_history.read_events(snapshot.connection, excluded_kinds=others)
    for event in reversed(events):
        if isinstance(event.change.mark, Decided):
            decisions[event.change.mark.key.partition(" ")[0]].append(event)

    def at(kind: Kind, when: Literal["before", "after"], event: Event) -> PastAgreement:
        after = when == "after"
        number = event.event_id if after else event.event_id - 1
        agreement = snapshot.caches.past_agreement.get(
            (kind, number, after),
            (),
            lambda: _agreement_at(snapshot, kind, number, counted=after),
        )
        return PastAgreement(kind, when, event.at, agreement)

    return tuple(
        agreement
        for kind in KINDS
        if (entries := decisions[kind])
        for agreement in (
            at(kind, "before", entries[0]),
            at(kind, "after", entries[-1]),
        )
    )


def _agreement_at(
    snapshot: Snapshot, kind: Kind, event: int, *, counted: bool
) -> JudgeAgreement:
    # ``counted`` applies the decisions made until then.
    snapshot = snapshot.full  # aggregates include restricted queries
    bank = store_history.bank_at(snapshot.connection, snapshot.bank, event)
    items = []
    for place, values in _read_values(snapshot, bank, until=event)[0].items():
        if place.kind != kind or len(values) < 2:
            continue
        made_decision = decision(bank, place.query_id, place.key)
        state = _decision_state(bank, place, values)
        if counted and made_decision and made_decision.state == state:
            values = dict.fromkeys(values, made_decision.value)
        items.append(values)
    return _agreement(kind, items)


def _decision_state(bank: Bank, place: JudgedPlace, values: Mapping[str, str]) -> str:
    """Identify what a decision depends on; for votes also those that were imported."""
    if place.kind == "vote" and place.question_id:
        question = bank.find(place.query_id, place.question_id)
        values = dict(question.votes) if question else values
    return state_of(
        None if place.kind in ("question", "wording") else place.text, values
    )


def _with_decisions(differences: Iterable[Difference]) -> tuple[DecisionAgreement, ...]:
    items: defaultdict[tuple[Kind, str], list[dict[str, str]]] = defaultdict(list)
    for difference in differences:
        if difference.decided and difference.decision is not None:
            for side in difference.sides:
                pair = {"judge": side.value, "decision": difference.decision.value}
                for judge in side.judges:
                    items[difference.place.kind, judge].append(pair)
    rows = []
    for kind, judge in sorted(items, key=lambda key: (KINDS.index(key[0]), key[1])):
        decided = items[kind, judge]
        agreement = judge_agreement(decided)
        kappa = agreement.value if kind in _SIDES else None
        rows.append(DecisionAgreement(kind, judge, len(decided), agreement.same, kappa))
    return tuple(rows)


Reasons = Mapping[JudgedPlace, Mapping[str, Sequence[str]]]


def _read_values(
    snapshot: Snapshot, bank: Bank, until: int | None = None
) -> tuple[_Values, Reasons]:
    """Read each judge's value and reasons at every place, in the order of the bank.

    ``bank`` is the bank right after the event ``until``; later events are ignored.
    """
    values_at: defaultdict[JudgedPlace, dict[str, str]] = defaultdict(dict)
    reasons: defaultdict[JudgedPlace, defaultdict[str, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    imported = vote_sources(snapshot)
    events = _events_in_force(snapshot, until)
    for query_id, questions in bank.by_query.items():
        noted = bank.notes_of(query_id)
        by_text: dict[str | None, Question] = {}
        for question in questions:
            about = (query_id, question.question_id, question.text)
            for event in events.get(question.question_id, ()):
                for place, value in _values_in(event, question):
                    values_at[place][event.by] = value
                    # A judge's later edit replaces the reason of the earlier one.
                    reason = event.change.reason
                    reasons[place][event.by] = [reason] if reason else []
            if question.state == "kept":
                if question.text is not None:
                    by_text.setdefault(question.text, question)
                for judge, vote in question.votes:
                    if judge not in imported:
                        values_at[JudgedPlace("vote", *about)][judge] = vote
            for note in noted:
                if note.question_id == question.question_id and note.text:
                    for kind in ("question", "wording", "vote"):
                        reasons[JudgedPlace(kind, *about)][note.judge].append(note.text)
        checks = opinions("check", bank.checks_of(query_id))
        for (text, passage_id), values in checks.items():
            if text is None:
                place = JudgedPlace("grade", query_id, None, None, passage_id)
                values_at[place] |= values
            elif current := by_text.get(text):  # neither retired nor reworded later
                about = (query_id, current.question_id, text)
                values_at[JudgedPlace("check", *about, passage_id)] |= values
        verdicts = opinions("verdict", bank.verdicts_of(query_id))
        for (text, answer), values in verdicts.items():
            if current := by_text.get(text):
                about = (query_id, current.question_id, text)
                values_at[JudgedPlace("verdict", *about, answer=answer)] |= values
    return dict(values_at), reasons


def _events_in_force(
    snapshot: Snapshot, until: int | None
) -> Mapping[str, Sequence[Event]]:
    """List the edits of questions that were not undone, oldest first, by id."""
    read = store_history.read_events(snapshot.connection, until=until, imports=False)
    oldest_first = read[::-1]
    # A question's edit in the batch of a decision is not a judge's opinion.
    deciding = {e.batch_id for e in oldest_first if isinstance(e.change.mark, Decided)}
    left_out = deciding | undone_batches(oldest_first)
    by_question: defaultdict[str, list[Event]] = defaultdict(list)
    for event in snapshot.viewer.visible_events(oldest_first):
        counts = event.batch_kind == "edit" and event.batch_id not in left_out
        if counts and event.change.question_id:
            by_question[event.change.question_id].append(event)
    return by_question


def _values_in(event: Event, question: Question) -> Iterable[tuple[JudgedPlace, str]]:
    """List the values that an edit gives its question, by place."""
    before, after = event.change.before, event.change.after
    if after is None or after.state == "proposed":
        return
    about = (question.query_id, question.question_id, question.text)
    reworded = before is None or before.text != after.text
    if reworded or before is None or before.state != after.state:
        yield JudgedPlace("question", *about), after.state
    if reworded and after.text is not None and question.state == "kept":
        yield JudgedPlace("wording", *about), after.text


def _sides(
    place: JudgedPlace, values: Mapping[str, str], reasons: Reasons
) -> tuple[Side, ...]:
    """List the sides in an order that does not depend on the judges' numbers."""
    key = int if place.kind == "grade" else None
    order = _SIDES.get(place.kind) or sorted({*values.values()}, key=key)
    sides = []
    for value in order:
        judges = tuple(sorted(judge for judge in values if values[judge] == value))
        reasons_of_side = (
            Reason(judge, words)
            for judge in judges
            for words in reasons.get(place, {}).get(judge, ())
        )
        if judges:
            sides.append(Side(value, len(judges), judges, tuple(reasons_of_side)))
    return tuple(sides)


def _agreement(kind: Kind, items: Sequence[Mapping[str, str]]) -> JudgeAgreement:
    if kind == "grade":
        return judge_agreement(items, "ordinal")
    return judge_agreement(items, "none" if kind == "wording" else "nominal")
