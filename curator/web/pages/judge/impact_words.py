"""What an edit did, or would do, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from curator.bank.edits import kinds
from curator.bank.questions import Question
from curator.edit_words import RETIRE
from curator.errors import EvaluationError
from curator.evaluation.correlation import correlate
from curator.evaluation.impact import (
    Impact,
    LabelChange,
    Overtake,
    SystemMove,
    overtake_of,
)
from curator.evaluation.influence import Influence, Preview
from curator.evaluation.leaderboard import Leaderboard
from curator.store.history import Event, EventSummary
from curator.verbs.curate.impact import IfReworded
from curator.web.components import words
from curator.web.components.words import Part, Sentence, move, trend


def impact_sentence(
    impact: Impact,
    edits: Sequence[Event] | Sequence[EventSummary],
    official: Mapping[str, float],
    *,
    against: str,
    all_queries: bool = True,
    moved_here: int = 0,
    by: str = "",
) -> Sentence:
    """``Retired “…”: 62 labels fall, 6 systems move; largest … τ to official …``.

    ``edits`` are the events since the baseline, of several batches their traces will
    do; ``against`` says it in words; ``moved_here`` systems have another rank in this
    query alone; ``by`` is whose τ it is where that is not the selected grader's.
    """
    movers, scores = impact.movers, impact.scores_changed
    before, after = impact.queries_before, impact.queries_after
    changed = bool(impact.labels or scores)
    nothing = not changed and not movers
    if after and not before:
        lead = _lead(edits, against, nothing=False)
        rests = words.count(after, "query", "queries")
        return (Part(f"{lead}there was no board; now it rests on {rests}."),)
    lead = _lead(edits, against, nothing=nothing)
    if not impact.complete:
        return (Part(lead), *_open_ranks(impact.missing, impact.missing_before))
    if not edits and nothing:
        return (Part(lead.rstrip()),)
    nearest = overtake_of(impact.moves) if changed and not movers else None
    parts = [
        Part(lead),
        *_changes(impact),
        *_moves(movers, scores, nearest),
    ]
    if moved_here and not movers:
        here = words.count(moved_here, "system moves", "systems move")
        parts.append(Part(f" In this query {here}."))
    parts += _left(before, after)
    if all_queries:
        parts += _taus(*_taus_of(impact, official), by=by)
    return tuple(parts)


def later_words(later: Sequence[Event], edits: Sequence[Event] = ()) -> str:
    """``Since then in this query: 2 changes by ben, this edit's own among them.``

    What others have changed since the edit whose events are ``edits``; "" for nothing.
    """
    if not later:
        return ""
    counts = Counter(event.by for event in sorted(later, key=lambda e: e.event_id))
    parts = [
        f"{words.count(number, 'change')} by {by}" for by, number in counts.items()
    ]
    own = {event.change.question_id for event in edits} - {None}
    same = not own.isdisjoint(event.change.question_id for event in later)
    among = ", this edit's own among them" if same else ""
    return f"Since then in this query: {', '.join(parts)}{among}."


def solo_sentence(impact: Impact, question: Question) -> Sentence:
    """Say which systems move in a query under one question alone."""
    lead = f"Under “{words.shortened(question.title)}” alone, "
    if not impact.complete:
        return (Part(lead), *_open_ranks(impact.missing, impact.missing_before))
    return (Part(lead), *_moves(impact.movers, impact.scores_changed, None))


def nothing_compared(
    board: Leaderboard, *, queries: int, kept_here: bool, left_out: bool = False
) -> Sentence:
    """The sentence where there is no earlier board: what this one rests on.

    ``left_out``: the query has kept questions, and this measure leaves it out.
    """
    lead = "You have no edits in this query."
    if not kept_here:
        lead = "This query has no kept question, so no measure counts it."
    elif left_out:
        lead = f"{board.settings.measure} leaves this query out."
    rests = f"{board.queries} of {queries}" if board.queries < queries else f"{queries}"
    return (
        Part(f"{lead} The board rests on "),
        Part(rests, "strong"),
        Part(" query." if queries == 1 else " queries."),
    )


def preview_sentence(
    preview: Preview, by: str = "", *, kept: bool = False, ungraded: int = 0
) -> Sentence:
    """``If retired: 14 labels fall, 5 systems move; largest … τ to official …``.

    With ``kept`` what keeping a proposal would do. ``by`` names the grader where it is
    not the one selected, ``ungraded`` counts the questions of other queries that the
    moves are without.
    """
    whose = f", by {by}" if by else ""
    if ungraded and not by:
        whose = f", without {words.count(ungraded, 'ungraded question')}"
    lead = Part(f"If {'kept' if kept else RETIRE.past}{whose}: ")
    if kept and preview.missing:
        missing = Part(words.missing_grades(preview.missing), "strong")
        return (lead, missing, Part(", so nothing is known yet."))
    parts = [lead, *_labels(preview.labels_fall, preview.labels_rise)]
    if preview.movers is None and preview.missing:
        return (*parts, *_open_ranks(preview.missing))
    return (*parts[:-1], *_board_change(preview))


def reworded_sentences(found: IfReworded, by: str) -> tuple[Sentence, Sentence]:
    """What the words that a question has reach, and what others would do.

    ``Reaches 4 passages · 3 systems, by instant.`` and ``Would reach 5 passages · 3
    systems, by instant: 1 label rises, 2 systems move; largest …``.
    """

    def reach(one: Influence) -> str:
        passages = words.count(one.passages, "passage")
        return f"{passages} · {words.count(one.systems, 'system')}, by {by}"

    if found.current is None or found.reworded is None:
        nothing = (Part("Counts nowhere as things are."),)
        return nothing, nothing
    now = (Part(f"Reaches {reach(found.current)}."),)
    lead, impact = Part(f"Would reach {reach(found.reworded)}: "), found.impact
    if not impact.complete:
        return now, (lead, *_open_ranks(impact.missing, impact.missing_before))
    return now, (
        lead,
        *_changes(impact),
        *_moves(impact.movers, impact.scores_changed, None),
    )


def _board_change(change: Preview) -> list[Part]:
    """What follows the labels: who would move, and which queries would count."""
    before, after = change.queries_before, change.queries_after
    if change.movers is None:
        return [Part(".")]
    parts = [Part(".")]
    if after:
        nearest = change.nearest if change.scores_changed else None
        moves = _moves(change.movers, change.scores_changed, nearest)
        parts = [Part(", "), *moves]
    parts += _left(before, after)
    if after > before:
        joins = f" The query joins every measure; the board rests on {after:,}."
        parts.append(Part(joins))
    return parts + _taus(change.tau_before, change.tau_after)


def _open_ranks(missing: int, before: int = 0) -> tuple[Part, Part]:
    if not missing:
        grades = Part(f"{words.missing_grades(before)} before", "strong")
        return grades, Part(", so who moved is not certain.")
    grades = Part(words.missing_grades(missing), "strong")
    return grades, Part(", so ranks are not certain yet.")


def _lead(
    edits: Sequence[Event] | Sequence[EventSummary], against: str, *, nothing: bool
) -> str:
    batches = {event.batch_id for event in edits}
    if not batches and nothing:
        return f"Nothing changed since {against}. "
    if not batches:
        return f"Since {against}, by what others did that is not shown to you: "
    if len(batches) > 1:
        return f"{len(batches):,} edits since {against}: "
    last = edits[-1]
    assert isinstance(last, Event)  # one batch alone is read whole
    change = last.change
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    lead = f"{kinds.undo_prefix(change)}{kinds.past_verb(change)}"
    of = ", of" if lead.endswith("”") else ""  # after words quoted, such as a key's
    title = words.shortened(change.question.title) if change.question else ""
    quoted = f" “{title}”" if title else ""
    return f"{lead[0].upper()}{lead[1:]}{of}{quoted}{more}: "


def _changes(impact: Impact) -> list[Part]:
    gains = [gain(label) for label in impact.labels]
    return _labels(sum(one < 0 for one in gains), sum(one > 0 for one in gains))


def _labels(fell: int, rose: int) -> list[Part]:
    """``62 labels fall and 3 rise, ``, the comma a part of its own."""
    parts: list[Part] = []
    for number, one, many in ((fell, "falls", "fall"), (rose, "rises", "rise")):
        if number:
            noun = "" if parts else " label" if number == 1 else " labels"
            parts += [Part(" and ")] if parts else []
            parts.append(Part(f"{number:,}", "strong"))
            parts.append(Part(f"{noun} {one if number == 1 else many}"))
    return [*(parts or [Part("no label changes")]), Part(", ")]


def _moves(
    movers: Sequence[SystemMove],
    scores_changed: int,
    nearest: Overtake | None,
) -> list[Part]:
    if movers:
        largest = movers[0]
        one = len(movers) == 1
        return [
            Part(f"{len(movers)}", "strong"),
            Part(" system moves; " if one else " systems move; largest "),
            Part(largest.system, "strong"),
            Part(" "),
            move(largest.places),
            Part(f" ({largest.rank_before} → {largest.rank_after})."),
        ]
    scores = words.count(scores_changed, "score changes", "scores change")
    lead = f"no rank moves. {scores if scores_changed else 'No score changes'}"
    if nearest is None:
        return [Part(f"{lead}.")]
    # As many places as it takes to be more than nothing.
    places = (n for n in (4, 6) if round(nearest.gap, n))
    gap = next(
        (words.score(nearest.gap, n) for n in places), f"<{words.score(1e-6, 6)}"
    )
    return [
        Part(f"{lead}; nearest overtake: "),
        Part(nearest.behind, "strong"),
        Part(" over "),
        Part(nearest.ahead, "strong"),
        Part(f", {gap} away."),
    ]


def _left(before: int, after: int) -> list[Part]:
    if after >= before:
        return []
    left = words.count(before - after, "query", "queries")
    measure = "without a kept question left every measure"
    return [Part(f" {left} {measure}; the board rests on {after} of {before}.")]


def _taus_of(
    impact: Impact, official: Mapping[str, float]
) -> tuple[float | None, float | None]:
    """Kendall's tau to the official ranks before and after, None where undefined."""
    if not official:
        return None, None
    sides = (
        {m.system: m.score_before for m in impact.moves if m.score_before is not None},
        {m.system: m.score_after for m in impact.moves if m.score_after is not None},
    )
    try:
        before, after = (
            correlate(scores, official, reference_is="ranks").kendall
            for scores in sides
        )
    except EvaluationError:
        return None, None
    return before, after


def _taus(before: float | None, after: float | None, *, by: str = "") -> list[Part]:
    if before is None or after is None:
        return []
    tau = f" τ of {by} to official" if by else " τ to official"
    if words.score(before) == words.score(after):
        return [Part(f"{tau} stays {words.score(after)}.")]
    change = f"{tau} {words.score(before)} → {words.score(after)} "
    return [Part(change), trend(before, after)]


def gain(label: LabelChange) -> float:
    """Return how far a label rose; one that is gone fell below 0."""
    before, after = (
        -1 if rating is None else rating for rating in (label.before, label.after)
    )
    return after - before
