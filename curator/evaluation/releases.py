"""A release: a bank, its settings and its grades as they stood, as one value.

What is written down is enough to say every label again, whatever the workspace has
become since: the kept questions and, under the grader of the settings, their ratings of
every passage. The SHA-256 is of the canonical form, which holds these and nothing of
who froze them, when and why: equal banks with equal grades have one hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from curator.evaluation.frozen import (
    NOT_ASKED,
    RATINGS,
    UNREADABLE,
    FrozenItem,
    FrozenQuery,
    FrozenScore,
    canonical_json,
    frozen_item,
    query_from,
    query_json,
    whole_number,
    words,
)
from curator.evaluation.impact import SAME_SCORE, LabelChange, Move
from curator.evaluation.settings import ReadingKind, Settings, correct_from

__all__ = [
    "FORMAT",
    "NOT_ASKED",
    "RATINGS",
    "UNREADABLE",
    "Difference",
    "FrozenItem",
    "FrozenQuery",
    "FrozenScore",
    "Labels",
    "Release",
    "canonical_json",
    "difference",
    "frozen_item",
    "item_changes",
    "label_changes",
]

FORMAT = "curator release 1"

FIELDS = ("kind", "text", "subtopic", "choices", "answers")
"""What ``FrozenItem.words`` are, in their order."""

Labels = dict[tuple[str, str], int]
"""Label by (query id, passage id); the query's id may be ``query/subtopic``."""


@dataclass(frozen=True)
class Release:
    """The kept bank and its grades under these settings, and the board they gave.

    ``reading`` is the kind of the settings' grader. ``board`` follows from the rest,
    from the runs and the votes, and is no part of the canonical form; it is () where
    the collection has no runs.
    """

    settings: Settings
    reading: ReadingKind
    threshold: int
    queries: tuple[FrozenQuery, ...]
    board: tuple[FrozenScore, ...] = ()

    @cached_property
    def canonical(self) -> str:
        """The canonical form: queries, passages and items by id (see ``frozen``)."""
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
                    query_json(query)
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
        return sum(1 for query in self.queries for _ in query.questions())

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
        """The release of this canonical form. Raises ValueError for anything else."""
        try:
            value = json.loads(text)
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise ValueError(f"is not of the format '{FORMAT}'")
        said, queries = value.get("settings"), value.get("queries")
        if not isinstance(said, dict) or not isinstance(queries, list):
            raise ValueError("has no settings, or no queries")
        reading: ReadingKind | None = next(
            (kind for kind in get_args(ReadingKind) if kind == said.get("reading")),
            None,
        )
        settings = Settings(
            words(said, "grader"),
            words(said, "measure"),
            whole_number(said, "min_rating", 0),
            whole_number(said, "k", 1),
        )
        if reading is None or settings.min_rating > 5:
            raise ValueError("has settings that no grader has")
        if said.get("threshold") != correct_from(reading, settings.min_rating):
            raise ValueError(f"has the threshold {said.get('threshold')!r:.60}")
        frozen = tuple(query_from(query) for query in queries)
        release = cls(settings, reading, said["threshold"], frozen, tuple(board))
        _refuse_twice((query.query_id for query in frozen), "query")
        _refuse_twice((i.item_id for q in frozen for i in q.questions()), "question")
        if release.canonical != text:
            raise ValueError("is not in canonical form")
        return release


def _refuse_twice(ids: Iterable[str], noun: str) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"has the {noun} '{one}' twice")
        seen.add(one)


@dataclass(frozen=True)
class Difference:
    """What differs from one release to another, or to the workspace as it is.

    ``added`` and ``removed`` are (query id, item), ``reworded`` (query id, item before,
    item after), of which ``item_changes`` says what is other. ``systems`` are all
    systems of both boards, those that moved or not. Under different ``settings``, which
    then stand here, neither labels nor boards are compared. ``notes`` are sentences on
    what could not be compared. ``grades`` are (known, needed) of either side.
    """

    settings: tuple[Settings, Settings]
    added: tuple[tuple[str, FrozenItem], ...]
    removed: tuple[tuple[str, FrozenItem], ...]
    reworded: tuple[tuple[str, FrozenItem, FrozenItem], ...]
    labels: tuple[LabelChange, ...]
    systems: tuple[Move, ...]
    notes: tuple[str, ...] = ()
    grades: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))

    @property
    def same_settings(self) -> bool:
        """Whether labels and boards can be compared at all."""
        return self.settings[0] == self.settings[1]

    @property
    def questions(self) -> int:
        """How many questions were added, removed or reworded."""
        return len(self.added) + len(self.removed) + len(self.reworded)

    @property
    def moved(self) -> tuple[Move, ...]:
        """The systems whose score or rank differs."""
        return tuple(one for one in self.systems if not _stays(one))

    @property
    def is_empty(self) -> bool:
        """Whether all was compared, and nothing differs."""
        compared = self.same_settings and not self.notes
        return compared and not (self.questions or self.labels or self.moved)


def difference(before: Release, after: Release) -> Difference:
    """What differs between two releases; labels and scores for equal settings."""
    old, new = _items(before), _items(after)
    same = before.settings == after.settings
    return Difference(
        (before.settings, after.settings),
        tuple(new[i] for i in new if i not in old),
        tuple(old[i] for i in old if i not in new),
        tuple(
            (*old[i], new[i][1])
            for i in old
            if i in new and old[i][1].words != new[i][1].words
        ),
        label_changes(before.labels(), after.labels()) if same else (),
        _moves(before.board, after.board) if same else (),
        grades=((before.known, before.needed), (after.known, after.needed)),
    )


def item_changes(
    before: FrozenItem, after: FrozenItem
) -> tuple[tuple[str, str | None, str | None], ...]:
    """What is other about an item, of FIELDS, each with its words before and after."""
    said = zip(
        FIELDS, before.words, after.words, _said(before), _said(after), strict=True
    )
    return tuple(
        (field, old_words, new_words)
        for field, old, new, old_words, new_words in said
        if old != new
    )


def _said(item: FrozenItem) -> tuple[str | None, ...]:
    """The item's words, each in a line: of choices and answers one after the other."""
    choices = "; ".join(f"{letter}) {text}" for letter, text in item.choices)
    answers = "; ".join(item.answers)
    return item.kind, item.text, item.subtopic_id, choices or None, answers or None


def label_changes(before: Labels, after: Labels) -> tuple[LabelChange, ...]:
    """The labels that differ, sorted by query and passage."""
    changed = {*before.items()} ^ {*after.items()}
    return tuple(
        LabelChange(*pair, before.get(pair), after.get(pair))
        for pair in sorted({pair for pair, _ in changed})
    )


def _items(release: Release) -> dict[str, tuple[str, FrozenItem]]:
    return {
        item.item_id: (query.query_id, item)
        for query in release.queries
        for item in query.questions()
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
