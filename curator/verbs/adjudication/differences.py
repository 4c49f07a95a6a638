"""``adjudication``: where judges differ, with both sides, and how far they agree.

What each judge said last counts, and nothing that was taken back. Of questions it is
read from the history, of votes, verdicts and checks from the bank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from curator.bank.edits import Decide, Edit, Restore, Retire, Reword
from curator.bank.edits.adjudicate import Decided, decision, place_key, state_of
from curator.bank.edits.check import UNSURE
from curator.bank.edits.kinds import KINDS as KINDS_OF_EVENTS
from curator.bank.marks import Decision, Votes
from curator.bank.questions import Bank, Question
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import EditError, SettingError, UnknownNameError
from curator.evaluation.agreement import cohens_kappa, confusion
from curator.evaluation.votes import vote_agreement
from curator.results import Result
from curator.store import history as store_history
from curator.store.history import Batch, Event
from curator.verbs.curate.edits import apply
from curator.verbs.judges.agreement import vote_sources

Kind = Literal["question", "wording", "vote", "check", "grade", "verdict"]

KINDS: tuple[Kind, ...] = ("question", "wording", "vote", "check", "grade", "verdict")
"""What judges can differ in: whether a question is kept, its words, its importance,
whether a passage answers it, how relevant a passage is, whether an answer is right."""

_SIDES: Mapping[Kind, tuple[str, str]] = {
    "question": ("kept", "retired"),
    "vote": ("vital", "okay"),
    "check": ("yes", "no"),
    "verdict": ("right", "wrong"),
}
"""The two values of each kind that has two, as sides are shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is judged: a question, or with it a passage or an answer.

    ``question_id`` and ``text`` are None for a passage as a whole.
    """

    kind: Kind
    query_id: str
    question_id: str | None
    text: str | None
    passage_id: str | None = None
    answer: str | None = None

    @property
    def key(self) -> str:
        """What it is called within its query: ``check q1/a p1``."""
        return place_key(self.kind, self.question_id, self.passage_id, self.answer)

    @property
    def title(self) -> str:
        """The question's text, or its id where the text is not shown; the passage."""
        return self.text or self.question_id or f"passage {self.passage_id}"


@dataclass(frozen=True, slots=True)
class Side:
    """One value, who says so by name, and (judge, words) of their reasons and notes."""

    says: str
    judges: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A place on which judges differ, two sides or more in an order of values.

    ``state`` names who says what about which words. ``decision`` is the latest there;
    it holds while the state is the one that it was made in.
    """

    place: Place
    sides: tuple[Side, ...]
    state: str
    decision: Decision | None = None

    @property
    def decided(self) -> bool:
        """Whether its decision holds."""
        return self.decision is not None and self.decision.state == self.state

    @property
    def status(self) -> str:
        """How it stands: open, decided as what, or that judges differ since."""
        if self.decision is None:
            return "open"
        how = "decided" if self.decided else "differs since it was decided"
        return f"{how}: {self.decision.value}"


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """How far judges agree in one kind, over ``items`` that two or more have judged.

    ``same`` of them alike. ``value`` is at most 1: Cohen's kappa of two judges,
    Krippendorff's alpha of more (Krippendorff 2004, chapter 11); of grades always
    alpha, ordinal. None where it is undefined, and of wordings; ``note`` says why.
    """

    kind: Kind
    judges: int
    items: int
    same: int
    coefficient: str
    value: float | None
    note: str

    @property
    def differ(self) -> int:
        """How many are judged differently."""
        return self.items - self.same


@dataclass(frozen=True, slots=True)
class WithDecisions:
    """One judge beside the decisions that hold, over ``items`` that the judge judged.

    ``same`` of them are decided as the judge said. ``kappa`` is Cohen's, None where it
    is undefined and for kinds of more than two values.
    """

    kind: Kind
    judge: str
    items: int
    same: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class AgreementThen:
    """How far judges agreed in one kind before the first decision in it was made.

    Or after the last, everybody having said what was decided. Both are of the history
    right before and after an event ``at`` that time, so nothing later moves them.
    """

    when: Literal["before", "after"]
    at: str
    agreement: KindAgreement


@dataclass(frozen=True)
class Adjudication(Result[Difference], table="adjudication.adjudication_tables"):
    """Where judges differ, by kind, then by query; and their agreement by kind.

    ``agreement`` is of the judges alone, ``with_decisions`` of each judge with the
    decisions that hold, ``then`` of the kinds in which anything was ever decided.
    """

    differences: tuple[Difference, ...]
    agreement: tuple[KindAgreement, ...]
    with_decisions: tuple[WithDecisions, ...] = ()
    then: tuple[AgreementThen, ...] = ()


Said = dict[Place, dict[str, str]]  # by place, judge: what they say


def adjudication(
    state: State,
    *,
    query_id: str | None = None,
    kind: str | None = None,
    decided: bool = False,
) -> Adjudication:
    """Where judges differ, and how far they agree.

    What has a decision that holds is left out without ``decided``. In one query, or
    of one kind. As far as the viewer may see what others say. Raises UnknownNameError
    for an unknown query, SettingError for an unknown kind.
    """
    wanted = state.query_ids(query_id)
    if kind is not None and kind not in KINDS:
        raise SettingError(f"Judges differ in {', '.join(KINDS)}, not in '{kind}'.")
    state = state.seen
    said, reasons = state.cached(("adjudication",), lambda: _said(state, state.bank))
    order = {one: number for number, one in enumerate(wanted)}
    chosen = {
        place: values
        for place, values in said.items()
        if place.query_id in order and kind in (None, place.kind) and len(values) > 1
    }
    found = [
        Difference(
            place,
            _sides(place, values, reasons),
            _state(state.bank, place, values),
            decision(state.bank, place.query_id, place.key),
        )
        for place, values in chosen.items()
        if len(set(values.values())) > 1
    ]
    found.sort(key=lambda o: (KINDS.index(o.place.kind), order[o.place.query_id]))
    agreement = tuple(
        _agreement(one, [said for place, said in chosen.items() if place.kind == one])
        for one in KINDS
        if kind in (None, one)
    )
    shown = (one for one in found if decided or not one.decided)
    then = [one for one in _then(state) if kind in (None, one.agreement.kind)]
    return Adjudication(tuple(shown), agreement, _with_decisions(found), tuple(then))


def decide(
    workspace: OpenWorkspace,
    key: str,
    value: str | None,
    reason: str | None = None,
    *,
    query_id: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Decide what holds at a place where judges differ; None takes that back.

    ``key`` is the place's, in this query where two have it, and ``value`` what one of
    its sides says. That a question is kept or retired, and its words, become so in the
    same batch. ``nonce`` as in ``apply``. Raises UnknownNameError where judges do not
    differ, EditError for another value.
    """
    with workspace.snapshot() as state:
        every = adjudication(state, query_id=query_id, decided=True).differences
        bank = state.bank
    one = next((one for one in every if one.place.key == key), None)
    if one is None:
        raise UnknownNameError(
            f"Judges do not differ at '{key}'. `curator adjudicate WORKSPACE` lists "
            "the keys."
        )
    place, said = one.place, [side.says for side in one.sides]
    if value is not None and value not in said:
        raise EditError(f"At '{key}' judges say {' or '.join(said)}, not '{value}'.")
    edits: list[Edit] = [Decide(place.query_id, key, value, one.state, reason)]
    if place.question_id is not None and value is not None:
        there = bank.question(place.question_id)
        if place.kind == "question" and value != there.state:
            edits.append(
                Restore(there.question_id, based_on=there.revision)
                if value == "kept"
                else Retire(there.question_id, reason, based_on=there.revision)
            )
        if place.kind == "wording" and value != there.text:
            edits.append(Reword(there.question_id, value, based_on=there.revision))
    return apply(workspace, edits, nonce=nonce)


def _then(state: State) -> tuple[AgreementThen, ...]:
    """By kind, before the first decision and after the last, of every query.

    None for a judge, who is told of no decision.
    """
    made: defaultdict[str, list[Event]] = defaultdict(list)
    others = KINDS_OF_EVENTS.keys() - {"decide"}
    every = store_history.read_events(state.connection, besides=others)[::-1]
    for one in every if not state.viewer.is_judge else ():
        if isinstance(one.change.mark, Decided):
            made[one.change.mark.key.partition(" ")[0]].append(one)

    def at(event: Event, kind: Kind, *, after: bool) -> AgreementThen:
        number = event.event_id if after else event.event_id - 1
        agreement = state.kept.agreement_then.get(
            (kind, number, after),
            (),
            lambda: _agreement_at(state, kind, number, counted=after),
        )
        return AgreementThen("after" if after else "before", event.at, agreement)

    return tuple(
        at(events[place], kind, after=after)
        for kind in KINDS
        if (events := made[kind])
        for place, after in ((0, False), (-1, True))
    )


def _agreement_at(
    state: State, kind: Kind, event: int, *, counted: bool
) -> KindAgreement:
    """The agreement right after this event; ``counted`` as was decided by then."""
    state = state.with_texts  # numbers are told
    bank = store_history.bank_at(state.connection, state.bank, event)
    items = []
    for place, values in _said(state, bank, until=event)[0].items():
        if place.kind != kind or len(values) < 2:
            continue
        made = decision(bank, place.query_id, place.key)
        if counted and made and made.state == _state(bank, place, values):
            values = dict.fromkeys(values, made.value)
        items.append(values)
    return _agreement(kind, items)


def _state(bank: Bank, place: Place, values: Mapping[str, str]) -> str:
    """Names what a decision rests on; of votes also importances that are no judge's."""
    if place.kind == "vote" and place.question_id:
        question = bank.find(place.query_id, place.question_id)
        values = dict(question.votes) if question else values
    return state_of(
        None if place.kind in ("question", "wording") else place.text, values
    )


def _with_decisions(found: Iterable[Difference]) -> tuple[WithDecisions, ...]:
    """Each judge beside the decisions, by kind, then by name."""
    beside: defaultdict[tuple[Kind, str], list[tuple[str, str]]] = defaultdict(list)
    for one in found:
        if one.decided and one.decision is not None:
            for side in one.sides:
                for judge in side.judges:
                    pair = side.says, one.decision.value
                    beside[one.place.kind, judge].append(pair)
    rows = []
    for kind, judge in sorted(beside, key=lambda o: (KINDS.index(o[0]), o[1])):
        pairs = beside[kind, judge]
        kappa = None
        if kind in _SIDES:
            first = _SIDES[kind][0]
            is_first = np.array(pairs) == first
            kappa = cohens_kappa(confusion(is_first[:, 0], is_first[:, 1]))
        same = sum(said == decided for said, decided in pairs)
        rows.append(WithDecisions(kind, judge, len(pairs), same, kappa))
    return tuple(rows)


Reasons = Mapping[Place, Mapping[str, Sequence[str]]]


def _said(state: State, bank: Bank, until: int | None = None) -> tuple[Said, Reasons]:
    """What every judge says of every place, and why, in the order of the bank.

    Of the edits up to ``until``, right after which the bank was this one.
    """
    said: defaultdict[Place, dict[str, str]] = defaultdict(dict)
    why: defaultdict[Place, defaultdict[str, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    imported = vote_sources(state)
    events = _standing(state, until)
    for query_id, questions in bank.by_query.items():
        noted = bank.notes_of(query_id)
        by_text: dict[str, Question] = {}
        for question in questions:
            about = (query_id, question.question_id, question.text)
            for event in events.get(question.question_id, ()):
                for place, value in _words(event, question):
                    said[place][event.by] = value
                    # A later word of the same judge has its own reason, or none.
                    reason = event.change.reason
                    why[place][event.by] = [reason] if reason else []
            if question.state == "kept":
                if question.text is not None:
                    by_text.setdefault(question.text, question)
                for judge, vote in question.votes:
                    if judge not in imported:
                        said[Place("vote", *about)][judge] = vote
            for note in noted:
                if note.question_id == question.question_id and note.text:
                    for kind in ("question", "wording", "vote"):
                        why[Place(kind, *about)][note.judge].append(note.text)
        for check in bank.checks_of(query_id):
            if check.answer == UNSURE:
                continue
            if check.item is None:
                place = Place("grade", query_id, None, None, check.passage_id)
            elif asked := by_text.get(check.item):
                about = (query_id, asked.question_id, asked.text)
                place = Place("check", *about, check.passage_id)
            else:
                continue  # retired or reworded since
            said[place][check.judge] = check.answer
        for verdict in bank.verdicts_of(query_id):
            if asked := by_text.get(verdict.question):
                about = (query_id, asked.question_id, asked.text)
                place = Place("verdict", *about, answer=verdict.answer)
                said[place][verdict.judge] = verdict.value
    return dict(said), why


def _standing(state: State, until: int | None) -> Mapping[str, Sequence[Event]]:
    """People's edits of questions that stand, the first first, by question's id."""
    read = store_history.read_events(state.connection, until=until, imports=False)
    every = read[::-1]
    # An adjudicator's edit beside a decision is no judge's word.
    deciding = {o.batch_id for o in every if isinstance(o.change.mark, Decided)}
    edit_of: dict[int, int] = {}  # the edit that an undo took back, or a redo remade
    stands: dict[int, bool] = {}
    for one in every:
        if one.inverse_of is None:
            stands[one.batch_id] = True
        else:
            edit = edit_of.get(one.inverse_of, one.inverse_of)
            edit_of[one.batch_id] = edit
            stands[edit] = one.batch_kind == "redo"
    found: defaultdict[str, list[Event]] = defaultdict(list)
    for one in state.viewer.events(every):
        stood = one.batch_kind == "edit" and stands[one.batch_id]
        if stood and one.batch_id not in deciding and one.change.question_id:
            found[one.change.question_id].append(one)
    return found


def _words(event: Event, question: Question) -> Iterable[tuple[Place, str]]:
    """What an edit of the question says of it: that it is kept or not, its words."""
    before, after = event.change.before, event.change.after
    if after is None or after.state == "proposed":
        return
    about = (question.query_id, question.question_id, question.text)
    reworded = before is None or before.text != after.text
    if reworded or before is None or before.state != after.state:
        yield Place("question", *about), after.state
    if reworded and after.text is not None and question.state == "kept":
        yield Place("wording", *about), after.text


def _sides(
    place: Place, values: Mapping[str, str], reasons: Reasons
) -> tuple[Side, ...]:
    """Who says what, in an order that does not tell how many say so."""
    order = list(_SIDES.get(place.kind, ()))
    if place.kind == "grade":
        order = sorted(set(values.values()), key=int)
    elif place.kind == "wording":
        order = sorted(set(values.values()))
    why = reasons.get(place, {})
    sides = []
    for says in order:
        judges = tuple(sorted(judge for judge, one in values.items() if one == says))
        if judges:
            words = ((judge, word) for judge in judges for word in why.get(judge, ()))
            sides.append(Side(says, judges, tuple(words)))
    return tuple(sides)


def _agreement(kind: Kind, items: Sequence[Mapping[str, str]]) -> KindAgreement:
    """Of items that two judges or more have judged each."""
    judges = sorted({judge for values in items for judge in values})
    same = sum(len(set(values.values())) == 1 for values in items)
    coefficient, value = "", None
    if kind == "grade":
        coefficient, value = "Krippendorff's alpha, ordinal", _ordinal(judges, items)
    elif kind in _SIDES:
        first = _SIDES[kind][0]
        of = vote_agreement(_as_votes(values, first) for values in items)
        coefficient, value = of.coefficient, of.value
    note = ""
    if not items:
        note = "Nothing has been judged by two judges."
    elif kind == "wording":
        note = "Words are no scale, so there is no coefficient."
    elif value is None:
        note = "Undefined (0/0): there is no disagreement to expect by chance."
    return KindAgreement(kind, len(judges), len(items), same, coefficient, value, note)


def _as_votes(values: Mapping[str, str], first: str) -> Votes:
    """Values of two sides as votes: agreement is the same by any two names."""
    return tuple(
        (judge, "vital" if says == first else "okay") for judge, says in values.items()
    )


def _ordinal(judges: Sequence[str], items: Sequence[Mapping[str, str]]) -> float | None:
    """Krippendorff's ordinal alpha of grades, None where all are the same."""
    if len({grade for values in items for grade in values.values()}) < 2:
        return None
    import krippendorff

    grades = [[float(of.get(judge, np.nan)) for of in items] for judge in judges]
    return float(
        krippendorff.alpha(
            reliability_data=np.array(grades), level_of_measurement="ordinal"
        )
    )
