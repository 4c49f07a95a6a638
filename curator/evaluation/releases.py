"""Releases: a bank, its settings and its grades, frozen as one value.

A release holds everything that its labels depend on, so they do not change with the
workspace: the kept questions and, under the grader of the settings, their ratings of
every passage. The SHA-256 is of the canonical form, which has no author, time or
reason: equal banks with equal grades have the same hash.

The form is JSON with sorted keys and without blanks. It does not depend on the order of
imports: passages and items are sorted by their ids.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Aggregator, Kind, Question
from curator.errors import EvaluationError
from curator.evaluation.grades import labels_of
from curator.evaluation.impact import SAME_SCORE, LabelChange, SystemMove, moves_between
from curator.evaluation.settings import (
    BEST_RATING,
    HIGHEST_LABEL,
    SAME_LABEL,
    LabelRule,
    ReadingKind,
    Settings,
    settings_fields,
)
from curator.results import Result

FORMAT = "curator release 1"

FIELDS = ("kind", "text", "subtopic", "choices", "answers")
"""The fields of ``FrozenItem.content``, in their order."""

Labels = dict[tuple[str, str], float]
"""Label by (query id, passage id); the query's id may be ``query/subtopic``."""

Levels = dict[tuple[str, str], int]
"""The same in whole numbers, as files of qrels have them."""

QuestionLevel = tuple[str, str, str, int]
"""(query id, question id, passage id, level)."""

HIGHEST_LEVEL = 30_000
"""The highest level of qrels, a 16-bit number here and in an import."""

NOT_ASKED, UNREADABLE = "-", "?"
SHARE = np.dtype(">f4")  # format of probabilities before they become hexadecimal digits
RATINGS = "012345" + NOT_ASKED + UNREADABLE
"""Characters of ratings: a digit, or one for each reason why it is unknown."""


@dataclass(frozen=True, slots=True)
class FrozenItem:
    """A kept question and its ratings by passage, a character of RATINGS each.

    ``ratings`` is None if the grader grades another kind of item. An item of kind
    "query" is the query itself, under a direct relevance grader. ``probabilities``, 8
    hexadecimal digits each, are those of a grader that gives them, for means.
    """

    item_id: str
    kind: Kind | str
    text: str | None
    subtopic_id: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    ratings: str | None = None
    probabilities: str | None = None
    aggregator: Aggregator = "OR"

    @property
    def content(self) -> tuple[object, ...]:
        answers = self.answers, self.aggregator
        return (self.kind, self.text, self.subtopic_id, self.choices, answers)


@dataclass(frozen=True, slots=True)
class FrozenQuery:
    """A query's passages, in the order of their ids, and its items."""

    query_id: str
    passage_ids: tuple[str, ...]
    items: tuple[FrozenItem, ...]

    def questions(self) -> Iterator[FrozenItem]:
        return (item for item in self.items if item.kind != "query")

    def rated(self, subtopic_id: str | None = None) -> Iterator[FrozenItem]:
        """Yield the items that the grader graded, of one subtopic or all."""
        for item in self.items:
            if item.ratings is not None and (
                subtopic_id is None or item.subtopic_id == subtopic_id
            ):
                yield item

    def labels(
        self,
        subtopic_id: str | None = None,
        *,
        rule: LabelRule = BEST_RATING,
        reading: ReadingKind = "rated",
    ) -> dict[str, float]:
        """Compute the label of each passage with a known rating, by passage id.

        Equal to ``evaluation/grades.py: graded_labels``, from the frozen ratings.

        Source: Farzi & Dietz 2024, equation 3.
        """
        codes = [(item.ratings or "").encode() for item in self.rated(subtopic_id)]
        if not codes:
            return {}
        matrix = np.frombuffer(b"".join(codes), dtype=np.uint8)
        ratings = matrix.reshape(len(codes), -1).astype(np.int8) - ord("0")
        ratings[(ratings < 0) | (ratings > 5)] = -1  # unknown, for either reason
        best = labels_of(ratings, rule, reading, self._shares(subtopic_id)).tolist()
        pairs = zip(self.passage_ids, best, strict=True)
        return {passage_id: label for passage_id, label in pairs if label >= 0}

    def _shares(self, subtopic_id: str | None) -> NDArray[np.float32] | None:
        """(items, passages) of the probabilities, None if they were not frozen."""
        rows = [item.probabilities for item in self.rated(subtopic_id)]
        if None in rows:
            return None
        shares = np.frombuffer(bytes.fromhex("".join(filter(None, rows))), SHARE)
        return shares.reshape(len(rows), -1).astype(np.float32)


@dataclass(frozen=True, slots=True)
class FrozenScore:
    """A system's place on the board of a release."""

    system: str
    rank: int
    score: float
    stderr: float | None = None


def frozen_item(
    question: Question, ratings: str | None, probabilities: str | None = None
) -> FrozenItem:
    """Build the item of a question with its ratings and their probabilities."""
    return FrozenItem(
        question.question_id,
        question.kind,
        question.text,
        question.subtopic_id,
        question.choices,
        question.answers,
        ratings,
        probabilities,
        question.aggregator,
    )


@dataclass(frozen=True)
class Release:
    """A bank of kept questions, its grades under these settings, and the board.

    ``reading`` is the kind of the settings' grader. ``board`` follows from the others,
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
        """The canonical form: queries, passages and items by id."""
        return _canonical_json(
            {
                "format": FORMAT,
                "settings": {
                    "reading": self.reading,
                    "threshold": self.threshold,
                }
                | settings_fields(self.settings),
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
        return sum(1 for query in self.queries for _ in query.questions())

    @property
    def needed(self) -> int:
        """Number of grades that the labels depend on."""
        return len(self._ratings)

    @property
    def known(self) -> int:
        """Number of these grades with a rating."""
        unknown = self._ratings.count(NOT_ASKED) + self._ratings.count(UNREADABLE)
        return self.needed - unknown

    @cached_property
    def _ratings(self) -> str:
        return "".join(
            item.ratings or "" for query in self.queries for item in query.items
        )

    def labels(self, *, binary: bool = False, by_subtopic: bool = False) -> Labels:
        """Compute the label of each passage; ``binary`` cuts at the threshold.

        ``by_subtopic`` gives a label per ``query/subtopic`` instead, from the items of
        that subtopic; items of none are left out. Raises EvaluationError for binary
        labels that are all 0 because a mean of ratings reaches no threshold.
        """
        result: Labels = {}
        for query, subtopic_id, name in self._topics(by_subtopic):
            rule, reading = self.settings.rule, self.reading
            labels = query.labels(subtopic_id, rule=rule, reading=reading)
            for passage_id, label in labels.items():
                relevant = int(label >= self.relevant_from)
                result[name, passage_id] = relevant if binary else label
        if binary and self.settings.rule.fractional and not any(result.values()):
            raise EvaluationError(
                f"No passage's '{self.settings.label}' of ratings reaches "
                f"{self.relevant_from}, so all binary labels would be 0: leave "
                "--binary out, or use --label max."
            )
        return result

    def _topics(
        self, by_subtopic: bool
    ) -> Iterator[tuple[FrozenQuery, str | None, str]]:
        """Yield each query, or pair of query and subtopic, with its name."""
        for query in self.queries:
            if by_subtopic:
                for subtopic_id in dict.fromkeys(i.subtopic_id for i in query.rated()):
                    if subtopic_id is not None:
                        yield query, subtopic_id, f"{query.query_id}/{subtopic_id}"
            else:
                yield query, None, query.query_id

    @property
    def relevant_from(self) -> int:
        """The lowest label of a relevant passage."""
        if self.settings.label == "answered":
            return self.settings.min_answered
        return self.threshold

    def levels(self, *, binary: bool = False, by_subtopic: bool = False) -> Levels:
        """The labels times ``level_scale`` as in qrels, rounded down.

        So a passage is relevant in both or in neither.
        """
        labels = self.labels(binary=binary, by_subtopic=by_subtopic)
        scale = 1 if binary else self.level_scale(by_subtopic=by_subtopic)
        # Sums of whole numbers must stay whole in spite of rounding.
        return {
            topic: math.floor(label * scale + SAME_LABEL)
            for topic, label in labels.items()
        }

    def level_scale(self, *, by_subtopic: bool = False) -> int:
        """Levels of qrels per point of a label; 1 where labels are whole numbers.

        Means of ratings have the smallest scale on which all are whole numbers, other
        fractions and means without such a scale the largest within HIGHEST_LEVEL. All
        topics share the scale, so that the threshold is one level.
        """
        highest = HIGHEST_LABEL["rated" if self.reading == "direct" else self.reading]
        largest = HIGHEST_LEVEL // highest
        if any(item.probabilities for query in self.queries for item in query.items):
            return largest
        if not self.settings.rule.fractional:
            return 1
        sizes = {
            len([*query.rated(subtopic_id)])
            for query, subtopic_id, _ in self._topics(by_subtopic)
        }
        if self.settings.label == "top3":
            sizes = {min(size, 3) for size in sizes}
        return min(largest, math.lcm(*sizes - {0}))

    def question_levels(self, *, graded: bool = False) -> Iterator[QuestionLevel]:
        """Yield levels of pairs: 1 for an answer, else 0; ``graded``: the rating.

        In the order of their ids, without unknown grades. Raises EvaluationError under
        a grader of whole passages.
        """
        if self.reading == "direct":
            raise EvaluationError(
                "Qrels of questions are undefined for a direct relevance grader: it "
                "grades the query, not questions. Export --qrels instead."
            )
        for query in sorted(self.queries, key=lambda entry: entry.query_id):
            for item in sorted(query.rated(), key=lambda entry: entry.item_id):
                ratings = zip(query.passage_ids, item.ratings or "", strict=True)
                for passage_id, code in sorted(ratings):
                    if code not in (NOT_ASKED, UNREADABLE):
                        rating = int(code)
                        level = rating if graded else int(rating >= self.threshold)
                        yield query.query_id, item.item_id, passage_id, level

    @classmethod
    def from_json(cls, text: str, board: Iterable[FrozenScore] = ()) -> Release:
        """Parse a release from its canonical form. Raises ValueError for other text."""
        value = json.loads(text)
        try:
            fields = value["settings"]
            release = cls(
                parse_settings(fields),
                fields["reading"],
                fields["threshold"],
                tuple(map(_parse_query, value["queries"])),
                tuple(board),
            )
            is_canonical = release.canonical == text
        except (KeyError, TypeError, AttributeError):
            is_canonical = False
        if not is_canonical:
            raise ValueError("is not in canonical form")
        return release


def parse_settings(fields: Any) -> Settings:
    """Parse settings as ``settings_fields`` writes them. Raises ValueError."""
    match fields:
        case {
            "grader": str(grader),
            "measure": str(measure),
            "min_rating": int(min_rating),
            "k": int(k),
        }:
            least, label = fields.get("min_answered", 1), fields.get("label", "max")
            if isinstance(least, int):
                return Settings(grader, measure, min_rating, k, least, label=label)
    raise ValueError(f"has the settings {fields!r:.200}")


@dataclass(frozen=True)
class ReleaseDifference(Result[dict[str, Any]], table="files.difference_tables"):
    """Differences from one release to another, or to the current workspace.

    ``added`` and ``removed`` are (query id, item), ``reworded`` (query id, item before,
    item after); ``item_changes`` lists their differences. ``systems`` are all systems
    of both boards, moved or not. If the ``settings`` differ, neither labels nor boards
    are compared. ``notes`` are sentences on what could not be compared. ``grades`` are
    (known, needed) of either side.
    """

    settings: tuple[Settings, Settings]
    added: tuple[tuple[str, FrozenItem], ...]
    removed: tuple[tuple[str, FrozenItem], ...]
    reworded: tuple[tuple[str, FrozenItem, FrozenItem], ...]
    labels: tuple[LabelChange, ...]
    systems: tuple[SystemMove, ...]
    notes: tuple[str, ...] = ()
    grades: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))

    @property
    def same_settings(self) -> bool:
        return self.settings[0] == self.settings[1]

    @property
    def questions(self) -> int:
        return len(self.added) + len(self.removed) + len(self.reworded)

    @property
    def moved(self) -> tuple[SystemMove, ...]:
        """The systems whose score or rank differs."""
        return tuple(
            move
            for move in self.systems
            if move.rank_after is None
            or move.rank_before != move.rank_after
            or abs(move.change) > SAME_SCORE
        )

    @property
    def is_empty(self) -> bool:
        """True if everything was compared, and nothing differs."""
        compared = self.same_settings and not self.notes
        return compared and not (self.questions or self.labels or self.moved)


def difference(before: Release, after: Release) -> ReleaseDifference:
    """Compare two releases; labels and scores only for equal settings."""
    old, new = _items(before), _items(after)
    same = before.settings == after.settings
    return ReleaseDifference(
        (before.settings, after.settings),
        tuple(new[item_id] for item_id in new if item_id not in old),
        tuple(old[item_id] for item_id in old if item_id not in new),
        tuple(
            (*old[item_id], new[item_id][1])
            for item_id in old
            if item_id in new and old[item_id][1].content != new[item_id][1].content
        ),
        label_changes(before.labels(), after.labels()) if same else (),
        moves_between(before.board, after.board) if same else (),
        grades=((before.known, before.needed), (after.known, after.needed)),
    )


def item_changes(
    before: FrozenItem, after: FrozenItem
) -> tuple[tuple[str, str | None, str | None], ...]:
    """List the fields of an item that differ, each with both texts."""
    contents, texts = (before.content, after.content), (_texts(before), _texts(after))
    return tuple(
        (field, was, now)
        for field, old, new, was, now in zip(FIELDS, *contents, *texts, strict=True)
        if old != new
    )


def _texts(item: FrozenItem) -> tuple[str | None, ...]:
    choices = "; ".join(f"{letter}) {text}" for letter, text in item.choices)
    answers = (" and " if item.aggregator == "AND" else "; ").join(item.answers)
    return item.kind, item.text, item.subtopic_id, choices or None, answers or None


def label_changes(before: Labels, after: Labels) -> tuple[LabelChange, ...]:
    """The labels that differ, sorted by query and passage."""
    changed = {*before.items()} ^ {*after.items()}
    pairs = sorted({pair for pair, _ in changed})
    changes = [LabelChange(*pair, before.get(pair), after.get(pair)) for pair in pairs]
    return tuple(change for change in changes if not _same(change.before, change.after))


def _same(before: float | None, after: float | None) -> bool:
    both = before is not None and after is not None
    return both and abs(cast(float, after) - cast(float, before)) <= SAME_LABEL


def _items(release: Release) -> dict[str, tuple[str, FrozenItem]]:
    return {
        item.item_id: (query.query_id, item)
        for query in release.queries
        for item in query.questions()
    }


def _canonical_json(value: object) -> str:
    return json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def _query_json(query: FrozenQuery) -> dict[str, Any]:
    items = sorted(query.items, key=lambda item: (item.item_id, item.kind))
    return {
        "query_id": query.query_id,
        "passages": query.passage_ids,
        "items": [_item_json(item) for item in items],
    }


def _item_json(item: FrozenItem) -> dict[str, Any]:
    optional = {
        "subtopic_id": item.subtopic_id,
        "choices": item.choices or None,
        "answers": item.answers or None,
        "aggregator": None if item.aggregator == "OR" else item.aggregator,
        "ratings": item.ratings,
        "probabilities": item.probabilities,
    }
    value = {"id": item.item_id, "kind": item.kind, "text": item.text}
    return value | {name: part for name, part in optional.items() if part is not None}


def _parse_query(value: dict[str, Any]) -> FrozenQuery:
    items = tuple(map(_parse_item, value["items"]))
    return FrozenQuery(value["query_id"], tuple(value["passages"]), items)


def _parse_item(value: dict[str, Any]) -> FrozenItem:
    return FrozenItem(
        value["id"],
        value["kind"],
        value["text"],
        value.get("subtopic_id"),
        tuple((letter, choice) for letter, choice in value.get("choices", ())),
        tuple(value.get("answers", ())),
        value.get("ratings"),
        value.get("probabilities"),
        value.get("aggregator", "OR"),
    )
