"""The passages whose label an edit changed, and which question it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.collection.pools import UNJUDGED, Collection
from curator.evaluation.impact import LabelChange
from curator.store.history import Event
from curator.ui.shared.words import Tone, tone_of


def edited_question(edits: Sequence[Event], query_id: str) -> str | None:
    """The text of the question last edited in this query; the old one of a rewording.

    Passages fall because they answered that one. None where it has no text.
    """
    for event in sorted(edits, key=lambda one: one.event_id, reverse=True):
        question = event.change.before or event.change.after
        if question is not None and event.change.query_id == query_id:
            return question.text
    return None


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage whose label changed: ``4 → 0``, its beginning, its judgment."""

    passage_id: str
    before: str
    after: str
    tone: Tone
    judgment: str
    selected: bool


def changed_passages(
    labels: Sequence[LabelChange],
    collection: Collection,
    query_id: str,
    selected: str | None,
) -> tuple[PassageRow, ...]:
    """This query's changed passages, the largest fall first, best judged on top."""
    own = [label for label in labels if label.query_id == query_id]
    judgments = _judgments(collection, query_id)
    return tuple(
        PassageRow(
            passage_id=label.passage_id,
            before=_label(label.before),
            after=_label(label.after),
            tone=tone_of(gain(label)),
            judgment=judgments.get(label.passage_id, ""),
            selected=label.passage_id == selected,
        )
        for label in sorted(
            own, key=lambda one: (gain(one), -int(judgments.get(one.passage_id, -1)))
        )
    )


def changed_summary(
    labels: Sequence[LabelChange],
    collection: Collection,
    query_id: str,
    min_rating: int,
) -> str:
    """``56 of 62 fall below 4: 33 judged non-relevant``."""
    own = [label for label in labels if label.query_id == query_id]
    fell = [
        label
        for label in own
        if (label.before or 0) >= min_rating > (label.after or 0)
        and label.before is not None
    ]
    elsewhere = len(labels) - len(own)
    said = [f"{len(fell)} of {len(own)} fall below {min_rating}"] if own else []
    if fell and collection.min_relevance is not None:
        pool = collection.pools[query_id]
        grade = dict(zip(pool.passage_ids, pool.judgments.tolist(), strict=True))
        wrong = sum(
            UNJUDGED != grade[label.passage_id] < collection.min_relevance
            for label in fell
        )
        said[0] += f": {wrong} judged non-relevant"
    if elsewhere:
        said.append(f"{elsewhere} in other queries")
    return " · ".join(said)


def gain(label: LabelChange) -> int:
    """How far a label rose; one that is gone fell below 0."""
    return (-1 if label.after is None else label.after) - (
        -1 if label.before is None else label.before
    )


def _label(label: int | None) -> str:
    return "–" if label is None else str(label)


def _judgments(collection: Collection, query_id: str) -> dict[str, str]:
    pool = collection.pools[query_id]
    return {
        passage_id: str(grade)
        for passage_id, grade in zip(
            pool.passage_ids, pool.judgments.tolist(), strict=True
        )
        if grade != UNJUDGED
    }
