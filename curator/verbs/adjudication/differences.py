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

from curator.bank.edits.check import UNSURE
from curator.bank.marks import Votes
from curator.bank.questions import Question
from curator.engine.state import State
from curator.errors import SettingError
from curator.evaluation.votes import vote_agreement
from curator.results import Result
from curator.store import history as store_history
from curator.store.history import Event
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


@dataclass(frozen=True, slots=True)
class Side:
    """One value, who says so by name, and (judge, words) of their reasons and notes."""

    says: str
    judges: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A place on which judges differ, two sides or more in an order of values."""

    place: Place
    sides: tuple[Side, ...]


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


@dataclass(frozen=True)
class Adjudication(Result[Difference], table="adjudication.adjudication_tables"):
    """Where judges differ, by kind, then by query; and their agreement by kind."""

    differences: tuple[Difference, ...]
    agreement: tuple[KindAgreement, ...]


Said = dict[Place, dict[str, str]]  # by place, judge: what they say


def adjudication(
    state: State, *, query_id: str | None = None, kind: str | None = None
) -> Adjudication:
    """Where judges differ, and how far they agree.

    In one query, or of one kind. As far as the viewer may see what others say. Raises
    UnknownNameError for an unknown query, SettingError for an unknown kind.
    """
    wanted = state.query_ids(query_id)
    if kind is not None and kind not in KINDS:
        raise SettingError(f"Judges differ in {', '.join(KINDS)}, not in '{kind}'.")
    state = state.seen
    said, reasons = state.cached(("adjudication",), lambda: _said(state))
    order = {one: number for number, one in enumerate(wanted)}
    chosen = {
        place: values
        for place, values in said.items()
        if place.query_id in order and kind in (None, place.kind) and len(values) > 1
    }
    found = [
        Difference(place, _sides(place, values, reasons))
        for place, values in chosen.items()
        if len(set(values.values())) > 1
    ]
    found.sort(key=lambda o: (KINDS.index(o.place.kind), order[o.place.query_id]))
    agreement = tuple(
        _agreement(one, [said for place, said in chosen.items() if place.kind == one])
        for one in KINDS
        if kind in (None, one)
    )
    return Adjudication(tuple(found), agreement)


Reasons = Mapping[Place, Mapping[str, Sequence[str]]]


def _said(state: State) -> tuple[Said, Reasons]:
    """What every judge says of every place, and why, in the order of the bank."""
    said: defaultdict[Place, dict[str, str]] = defaultdict(dict)
    why: defaultdict[Place, defaultdict[str, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    imported = vote_sources(state)
    events = _standing(state)
    for query_id, questions in state.bank.by_query.items():
        noted = state.bank.notes_of(query_id)
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
        for check in state.bank.checks_of(query_id):
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
        for verdict in state.bank.verdicts_of(query_id):
            if asked := by_text.get(verdict.question):
                about = (query_id, asked.question_id, asked.text)
                place = Place("verdict", *about, answer=verdict.answer)
                said[place][verdict.judge] = verdict.value
    return dict(said), why


def _standing(state: State) -> Mapping[str, Sequence[Event]]:
    """People's edits of questions that stand, the first first, by question's id."""
    every = store_history.read_events(state.connection, imports=False)[::-1]
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
        if one.batch_kind == "edit" and stands[one.batch_id] and one.change.question_id:
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
