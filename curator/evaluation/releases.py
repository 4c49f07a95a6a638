"""A release: a bank, its settings and its grades as they stood, as one value.

What is written down is enough to say every label again, whatever the workspace has
become since: the kept questions and, under the grader of the settings, their ratings of
every passage. The SHA-256 is of the canonical form, which holds these and nothing of
who froze them, when and why: equal banks with equal grades have one hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from curator.bank.questions import Kind, Question
from curator.evaluation.impact import SAME_SCORE, LabelChange, Move
from curator.evaluation.settings import ReadingKind, Settings

FORMAT = "curator release 1"
NOT_ASKED, UNREADABLE = "-", "?"
RATINGS = "012345" + NOT_ASKED + UNREADABLE
"""A rating's character: the digit, or why it is unknown."""

Labels = dict[tuple[str, str], int]
"""Label by (query id, passage id); the query's id may be ``query/subtopic``."""


@dataclass(frozen=True, slots=True)
class FrozenItem:
    """A kept question and its ratings by passage, a character of RATINGS each.

    ``ratings`` is None where the grader grades another kind of item. An item of kind
    "query" is the query itself, under a direct relevance grader.
    """

    item_id: str
    kind: Kind | str
    text: str | None
    subtopic_id: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    ratings: str | None = None

    @property
    def words(self) -> tuple[object, ...]:
        """What the item asks, without what was graded."""
        return (self.kind, self.text, self.subtopic_id, self.choices, self.answers)


@dataclass(frozen=True, slots=True)
class FrozenQuery:
    """A query's passages, in the order of its pool, and its items."""

    query_id: str
    passage_ids: tuple[str, ...]
    items: tuple[FrozenItem, ...]

    def rated(self, subtopic_id: str | None = None) -> Iterator[FrozenItem]:
        """The items that the grader graded, of one subtopic or all."""
        for item in self.items:
            if item.ratings is not None and (
                subtopic_id is None or item.subtopic_id == subtopic_id
            ):
                yield item

    def labels(self, subtopic_id: str | None = None) -> dict[str, int]:
        """The highest known rating of each passage that has one, by passage id.

        Source: Farzi & Dietz 2024, equation 3.
        """
        codes = [item.ratings.encode() for item in self.rated(subtopic_id)]  # type: ignore[union-attr]
        if not codes:
            return {}
        matrix = np.frombuffer(b"".join(codes), dtype=np.uint8)
        ratings = matrix.reshape(len(codes), -1).astype(np.int8) - ord("0")
        ratings[(ratings < 0) | (ratings > 5)] = -1  # unknown, for either reason
        best = ratings.max(axis=0).tolist()
        pairs = zip(self.passage_ids, best, strict=True)
        return {passage_id: label for passage_id, label in pairs if label >= 0}


@dataclass(frozen=True, slots=True)
class FrozenScore:
    """A system's place on the board of a release."""

    system: str
    rank: int
    score: float
    stderr: float | None = None


@dataclass(frozen=True)
class Release:
    """The kept bank and its grades under these settings, and the board they gave.

    ``reading`` is the kind of the settings' grader. ``board`` follows from the rest and
    from the runs, and is no part of the canonical form; it is () where the collection
    has no runs.
    """

    settings: Settings
    reading: ReadingKind
    threshold: int
    queries: tuple[FrozenQuery, ...]
    board: tuple[FrozenScore, ...] = ()

    @cached_property
    def canonical(self) -> str:
        """The canonical form: JSON, keys sorted, without blanks, queries by id."""
        return canonical_json(
            {
                "format": FORMAT,
                "settings": {
                    "grader": self.settings.grader,
                    "k": self.settings.k,
                    "measure": self.settings.measure,
                    "min_rating": self.settings.min_rating,
                    "reading": self.reading,
                    "threshold": self.threshold,
                },
                "queries": [
                    _query_json(query)
                    for query in sorted(self.queries, key=lambda q: q.query_id)
                ],
            }
        )

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the canonical form in UTF-8, as hexadecimal digits."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def questions(self) -> int:
        """How many kept questions and nuggets there are."""
        return sum(i.kind != "query" for q in self.queries for i in q.items)

    @property
    def needed(self) -> int:
        """How many grades the labels rest on."""
        return sum(len(i.ratings or "") for q in self.queries for i in q.rated())

    @property
    def known(self) -> int:
        """How many of these have a rating."""
        return self.needed - sum(
            (i.ratings or "").count(unknown)
            for q in self.queries
            for i in q.rated()
            for unknown in (NOT_ASKED, UNREADABLE)
        )

    def labels(self, *, binary: bool = False, by_subtopic: bool = False) -> Labels:
        """Every passage's label; ``binary`` makes it 1 from the threshold on, else 0.

        ``by_subtopic`` gives a label per ``query/subtopic`` instead, from the items of
        that subtopic; items of none are left out.
        """
        found: Labels = {}
        for query in self.queries:
            names: dict[str | None, str] = {None: query.query_id}
            if by_subtopic:
                subtopics = dict.fromkeys(item.subtopic_id for item in query.rated())
                names = {s: f"{query.query_id}/{s}" for s in subtopics if s is not None}
            for subtopic_id, name in names.items():
                for passage_id, label in query.labels(subtopic_id).items():
                    found[name, passage_id] = (
                        int(label >= self.threshold) if binary else label
                    )
        return found

    @classmethod
    def from_json(cls, text: str, board: Iterable[FrozenScore] = ()) -> Release:
        """The release of this canonical form.

        Raises ValueError, KeyError or TypeError for anything else.
        """
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise ValueError(f"format is {value['format']!r}; expected {FORMAT!r}")
        said = value["settings"]
        release = cls(
            Settings(said["grader"], said["measure"], said["min_rating"], said["k"]),
            said["reading"],
            said["threshold"],
            tuple(_query_from(query) for query in value["queries"]),
            tuple(board),
        )
        if release.canonical != text:
            raise ValueError("is not in canonical form")
        return release


@dataclass(frozen=True)
class Difference:
    """What differs from one release to another, or to the workspace as it is.

    ``added`` and ``removed`` are (query id, item), ``reworded`` (query id, item before,
    item after). ``systems`` are all systems of both boards, those that moved or not.
    Under different ``settings``, which then stand here, neither labels nor boards are
    compared.
    """

    settings: tuple[Settings, Settings]
    added: tuple[tuple[str, FrozenItem], ...]
    removed: tuple[tuple[str, FrozenItem], ...]
    reworded: tuple[tuple[str, FrozenItem, FrozenItem], ...]
    labels: tuple[LabelChange, ...]
    systems: tuple[Move, ...]

    @property
    def same_settings(self) -> bool:
        """Whether labels and boards can be compared at all."""
        return self.settings[0] == self.settings[1]

    @property
    def moved(self) -> tuple[Move, ...]:
        """The systems whose score or rank differs."""
        return tuple(one for one in self.systems if not _stays(one))

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        questions = self.added or self.removed or self.reworded
        return self.same_settings and not (questions or self.labels or self.moved)


def difference(before: Release, after: Release) -> Difference:
    """What differs between two releases; labels and scores for equal settings."""
    old, new = _items(before), _items(after)
    same = before.settings == after.settings
    return Difference(
        (before.settings, after.settings),
        tuple((new[i][0], new[i][1]) for i in new if i not in old),
        tuple((old[i][0], old[i][1]) for i in old if i not in new),
        tuple(
            (old[i][0], old[i][1], new[i][1])
            for i in old
            if i in new and old[i][1].words != new[i][1].words
        ),
        label_changes(before.labels(), after.labels()) if same else (),
        _moves(before.board, after.board) if same else (),
    )


def label_changes(before: Labels, after: Labels) -> tuple[LabelChange, ...]:
    """The labels that differ, sorted by query and passage."""
    return tuple(
        LabelChange(*pair, before.get(pair), after.get(pair))
        for pair in sorted({*before, *after})
        if before.get(pair) != after.get(pair)
    )


def frozen_item(question: Question, ratings: str | None) -> FrozenItem:
    """A kept question with its ratings."""
    return FrozenItem(
        question.question_id,
        question.kind,
        question.text,
        question.subtopic_id,
        question.choices,
        question.answers,
        ratings,
    )


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no blanks, and characters as they are."""
    return json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def _items(release: Release) -> dict[str, tuple[str, FrozenItem]]:
    return {
        item.item_id: (query.query_id, item)
        for query in release.queries
        for item in query.items
        if item.kind != "query"
    }


def _moves(
    before: Iterable[FrozenScore], after: Iterable[FrozenScore]
) -> tuple[Move, ...]:
    old = {one.system: one for one in before}
    new = {one.system: one for one in after}
    moves = []
    for system in dict.fromkeys([*new, *old]):
        was, now = old.get(system), new.get(system)
        moves.append(
            Move(
                system,
                was.score if was else None,
                now.score if now else None,
                was.rank if was else None,
                now.rank if now else None,
            )
        )
    return tuple(moves)


def _stays(move: Move) -> bool:
    if move.rank_before != move.rank_after or move.rank_after is None:
        return False
    return abs(move.change) <= SAME_SCORE


def _query_json(query: FrozenQuery) -> dict[str, Any]:
    return {
        "query_id": query.query_id,
        "passages": list(query.passage_ids),
        "items": [
            _item_json(item) for item in sorted(query.items, key=lambda i: i.item_id)
        ],
    }


def _item_json(item: FrozenItem) -> dict[str, Any]:
    value: dict[str, Any] = {"id": item.item_id, "kind": item.kind, "text": item.text}
    if item.subtopic_id is not None:
        value["subtopic_id"] = item.subtopic_id
    if item.choices:
        value["choices"] = [list(pair) for pair in item.choices]
    if item.answers:
        value["answers"] = list(item.answers)
    if item.ratings is not None:
        value["ratings"] = item.ratings
    return value


def _query_from(value: Mapping[str, Any]) -> FrozenQuery:
    passages = tuple(value["passages"])
    items = tuple(
        FrozenItem(
            one["id"],
            one["kind"],
            one["text"],
            one.get("subtopic_id"),
            tuple((letter, text) for letter, text in one.get("choices", ())),
            tuple(one.get("answers", ())),
            one.get("ratings"),
        )
        for one in value["items"]
    )
    for item in items:
        said = item.ratings
        if said is not None and (len(said) != len(passages) or set(said) - {*RATINGS}):
            raise ValueError(f"the ratings of '{item.item_id}' do not fit its passages")
    return FrozenQuery(value["query_id"], passages, items)
