"""The parts of a release as values, and their place in its canonical form.

The form is JSON with sorted keys and without blanks. What does not depend on what was
frozen, such as the order in which a workspace came by its files, is not in it: passages
and items stand in the order of their ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from curator.bank.questions import Kind, Question

NOT_ASKED, UNREADABLE = "-", "?"
RATINGS = "012345" + NOT_ASKED + UNREADABLE
"""A rating's character: the digit, or why it is unknown."""

KINDS = ("question", "nugget", "query")


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
    """A query's passages and its items."""

    query_id: str
    passage_ids: tuple[str, ...]
    items: tuple[FrozenItem, ...]

    def questions(self) -> Iterator[FrozenItem]:
        """The items that people wrote or kept: all but the query itself."""
        return (item for item in self.items if item.kind != "query")

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
        codes = [(item.ratings or "").encode() for item in self.rated(subtopic_id)]
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


def query_json(query: FrozenQuery) -> dict[str, Any]:
    """A query's place in the canonical form."""
    order = sorted(range(len(query.passage_ids)), key=query.passage_ids.__getitem__)
    moved = order if order != list(range(len(order))) else None
    items = sorted(query.items, key=lambda item: (item.item_id, item.kind))
    return {
        "query_id": query.query_id,
        "passages": [query.passage_ids[i] for i in order],
        "items": [_item_json(item, moved) for item in items],
    }


def _item_json(item: FrozenItem, moved: list[int] | None) -> dict[str, Any]:
    value: dict[str, Any] = {"id": item.item_id, "kind": item.kind, "text": item.text}
    if item.subtopic_id is not None:
        value["subtopic_id"] = item.subtopic_id
    if item.choices:
        value["choices"] = [list(pair) for pair in item.choices]
    if item.answers:
        value["answers"] = list(item.answers)
    if item.ratings is not None:
        said = item.ratings
        value["ratings"] = said if moved is None else "".join(said[i] for i in moved)
    return value


def query_from(value: Any) -> FrozenQuery:
    """The query of this place in the form. Raises ValueError for anything else."""
    query = _object(value, "a query")
    query_id = words(query, "query_id")
    passages = _strings(query.get("passages"), f"the passages of '{query_id}'")
    if len(set(passages)) < len(passages):
        raise ValueError(f"a passage of '{query_id}' stands twice")
    items = query.get("items")
    if not isinstance(items, list):
        raise ValueError(f"the items of '{query_id}' are no list")
    return FrozenQuery(
        query_id, passages, tuple(_item_from(one, len(passages)) for one in items)
    )


def _item_from(value: Any, passages: int) -> FrozenItem:
    item = _object(value, "an item")
    item_id, kind, said = words(item, "id"), words(item, "kind"), item.get("ratings")
    if kind not in KINDS:
        raise ValueError(f"'{item_id}' is of kind '{kind}'")
    if said is not None and (
        not isinstance(said, str) or len(said) != passages or {*said} - {*RATINGS}
    ):
        raise ValueError(f"the ratings of '{item_id}' do not fit its passages")
    choices = item.get("choices", [])
    if not isinstance(choices, list):
        raise ValueError(f"the choices of '{item_id}' are no list")
    pairs = tuple(_strings(pair, f"a choice of '{item_id}'") for pair in choices)
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"a choice of '{item_id}' is not a letter and a text")
    return FrozenItem(
        item_id,
        kind,
        None if item.get("text") is None else words(item, "text", empty=True),
        words(item, "subtopic_id") if "subtopic_id" in item else None,
        tuple((letter, text) for letter, text in pairs),
        _strings(item.get("answers", []), f"the answers of '{item_id}'"),
        said,
    )


def words(value: Mapping[str, Any], key: str, *, empty: bool = False) -> str:
    """The text under this key. Raises ValueError where there is none."""
    found = value.get(key)
    if not isinstance(found, str) or not (found or empty):
        raise ValueError(f"'{key}' is {found!r:.60}; expected a text")
    return found


def whole_number(value: Mapping[str, Any], key: str, least: int) -> int:
    """The number under this key. Raises ValueError where it is none, or too small."""
    found = value.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or found < least:
        raise ValueError(f"'{key}' is {found!r:.60}; expected a number from {least} on")
    return found


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {value!r:.60}; expected an object")
    return value


def _strings(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{what} are no list of texts")
    return tuple(value)
