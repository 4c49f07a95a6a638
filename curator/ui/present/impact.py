"""What an edit did, in one sentence, and the passages whose label changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from curator.collection.pools import UNJUDGED, Collection
from curator.errors import EvaluationError
from curator.evaluation.correlation import correlate
from curator.evaluation.impact import Impact, LabelChange
from curator.store.history import Event
from curator.ui.present import words
from curator.ui.present.board import comparable
from curator.ui.present.history import quoted
from curator.ui.present.parts import Part, Sentence, Tone, move, tone_of, trend

VERBS = {
    "add": "Added",
    "reword": "Reworded",
    "retire": "Retired",
    "restore": "Restored",
    "keep": "Kept",
    "done": "Marked done",
    "reopen": "Reopened",
}


def impact_sentence(
    impact: Impact,
    edits: Sequence[Event],
    official: Mapping[str, float],
    *,
    against: str,
    all_queries: bool = True,
    zone: tzinfo | None = None,
) -> Sentence:
    """``Retired “…”: 62 labels fall, 6 systems move; largest … τ to official …``.

    ``edits`` are the events since the baseline, ``against`` says it in words.
    """
    parts = [Part(_lead(edits, against, zone))]
    if not comparable(impact):
        missing = max(impact.missing, impact.missing_before)
        parts.append(Part(words.missing_grades(missing), "strong"))
        parts.append(Part(", so ranks are known only as far as the bounds say."))
        return tuple(parts)
    parts += [*_labels(impact.labels), *_moves(impact)]
    if impact.queries_after < impact.queries_before:
        left = impact.queries_before - impact.queries_after
        parts.append(
            Part(
                f" {words.count(left, 'query', 'queries')} without a kept question "
                f"left every measure; the board rests on {impact.queries_after} of "
                f"{impact.queries_before}."
            )
        )
    return tuple(parts + (_tau(impact, official) if all_queries else []))


def nothing_compared(against: str) -> Sentence:
    """The sentence where there is no earlier board."""
    return (Part(against),)


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
            tone=tone_of(_gain(label)),
            judgment=judgments.get(label.passage_id, ""),
            selected=label.passage_id == selected,
        )
        for label in sorted(
            own, key=lambda one: (_gain(one), -int(judgments.get(one.passage_id, -1)))
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


def _lead(edits: Sequence[Event], against: str, zone: tzinfo | None) -> str:
    batches = {event.batch_id for event in edits}
    if not batches:
        return f"Nothing changed since {against}. "
    if len(batches) > 1:
        return f"{len(batches)} edits since {against}: "
    event = edits[-1]
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    kind, undone = event.change.kind, ""
    for prefix, verb in (("undo ", "Undone: "), ("redo ", "Redone: ")):
        if kind.startswith(prefix):
            kind, undone = kind.removeprefix(prefix), verb
    verb = VERBS.get(kind, kind)
    verb = verb.lower() if undone else verb
    return f"{undone}{verb}{quoted(event.change)}{more}: "


def _labels(labels: Sequence[LabelChange]) -> list[Part]:
    gains = [_gain(label) for label in labels]
    counted = [
        (sum(gain < 0 for gain in gains), "falls", "fall"),
        (sum(gain > 0 for gain in gains), "rises", "rise"),
    ]
    said = [(number, one, many) for number, one, many in counted if number]
    if not said:
        return [Part("no label changes, ")]
    parts: list[Part] = []
    for place, (number, one, many) in enumerate(said):
        noun = "" if place else " label" if number == 1 else " labels"
        parts += [
            Part(" and " if place else ""),
            Part(f"{number:,}", "strong"),
            Part(f"{noun} {one if number == 1 else many}"),
        ]
    return [*parts, Part(", ")]


def _moves(impact: Impact) -> list[Part]:
    movers = impact.movers
    if not movers:
        changed = sum(m.change != 0 for m in impact.moves)
        scores = words.count(changed, "score changes", "scores change")
        return [Part(f"no rank moves. {scores if changed else 'No score changes'}.")]
    largest = movers[0]
    return [
        Part(f"{len(movers)}", "strong"),
        Part(" system moves; " if len(movers) == 1 else " systems move; largest "),
        Part(largest.system, "strong"),
        Part(" "),
        move(largest.places),
        Part(f" ({largest.rank_before} → {largest.rank_after})."),
    ]


def _tau(impact: Impact, official: Mapping[str, float]) -> list[Part]:
    if not official:
        return []
    try:
        before, after = (
            correlate(scores, official, reference_is="ranks").kendall
            for scores in (
                {
                    m.system: m.score_before
                    for m in impact.moves
                    if m.score_before is not None
                },
                {
                    m.system: m.score_after
                    for m in impact.moves
                    if m.score_after is not None
                },
            )
        )
    except EvaluationError:
        return []
    if before is None or after is None:
        return []
    if words.score(before) == words.score(after):
        return [Part(f" τ to official stays {words.score(after)}.")]
    said = f" τ to official {words.score(before)} → {words.score(after)} "
    return [Part(said), trend(before, after)]


def _gain(label: LabelChange) -> int:
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
