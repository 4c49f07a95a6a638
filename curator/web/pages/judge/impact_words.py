"""Sentences about the effects of edits, made or previewed."""

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
    by: str = "",
) -> Sentence:
    """``Retired “…”: 62 labels fall, 6 systems move; largest … τ to official …``.

    ``edits`` are the events since the baseline ``against``; ``by`` is the grader whose
    τ it is, "" for the selected one.
    """
    if not impact.complete:
        return (Part(_lead(edits, against)), *_uncertain(impact))
    changed = impact.labels or impact.scores_changed or impact.movers
    if not (edits or changed) and impact.queries_before == impact.queries_after:
        return (Part(f"Nothing changed since {against}."),)
    lead = Part(_lead(edits, against))
    return (lead, *_effect(impact), *_taus(*_taus_of(impact, official), by=by))


def later_words(later: Sequence[Event]) -> str:
    """``Since then in this query: 2 changes by ben``; "" without later events."""
    counts = Counter(event.by for event in later)
    parts = [
        f"{words.count(number, 'change')} by {by}" for by, number in counts.items()
    ]
    return f"Since then in this query: {', '.join(parts)}." if parts else ""


def solo_sentence(impact: Impact, question: Question) -> Sentence:
    """Say which systems move in a query under one question alone."""
    lead = Part(f"Under “{words.shortened(question.title)}” alone, ")
    if not impact.complete:
        return (lead, *_uncertain(impact))
    return (lead, *_moves(impact.movers, impact.scores_changed, None))


def nothing_compared(board: Leaderboard, *, queries: int, counts: bool) -> Sentence:
    """Return the basis of a board that is not compared with an earlier one.

    ``counts`` is False for a query that the measure leaves out.
    """
    lead = "You have no edits in this query."
    if not counts:
        lead = f"{board.settings.measure} does not count this query."
    rests = f"{board.queries} of {queries}" if board.queries < queries else f"{queries}"
    noun = "query" if queries == 1 else "queries"
    return Part(f"{lead} The board rests on "), Part(rests, "strong"), Part(f" {noun}.")


def preview_sentence(preview: Preview, by: str = "", *, kept: bool = False) -> Sentence:
    """``If retired: 14 labels fall, 5 systems move; largest … τ to official …``.

    With ``kept`` the effect of keeping a proposal. ``by`` is a grader that is not the
    selected one.
    """
    whose = f", by {by}" if by else ""
    lead = Part(f"If {'kept' if kept else RETIRE.past}{whose}: ")
    labels = _labels(preview.labels_fall, preview.labels_rise)
    if preview.movers is None and preview.missing:
        changed = [] if kept else [*labels, Part(", ")]
        return (lead, *changed, *_uncertain(preview))
    if preview.movers is None:
        return (lead, *labels, Part("."))
    taus = _taus(preview.tau_before, preview.tau_after)
    moves = _moves(preview.movers, preview.scores_changed, preview.nearest)
    return (lead, *labels, Part(", "), *moves, *_queries(preview), *taus)


def reworded_sentences(result: IfReworded, by: str) -> tuple[Sentence, Sentence]:
    """Return the reach of a question's text, and the effect of another text.

    ``Reaches 4 passages · 3 systems, by instant.`` and ``Would reach 5 passages · 3
    systems, by instant: 1 label rises, 2 systems move; largest …``.
    """

    def reach(influence: Influence) -> str:
        passages = words.count(influence.passages, "passage")
        return f"{passages} · {words.count(influence.systems, 'system')}, by {by}"

    if result.current is None or result.reworded is None:
        nothing = (Part("Counts nowhere as things are."),)
        return nothing, nothing
    lead, impact = Part(f"Would reach {reach(result.reworded)}: "), result.impact
    effect = _effect(impact) if impact.complete else _uncertain(impact)
    return (Part(f"Reaches {reach(result.current)}."),), (lead, *effect)


def label_gain(label: LabelChange) -> float:
    """Return how far a label rose; a missing label counts as -1."""
    before, after = (
        -1 if rating is None else rating for rating in (label.before, label.after)
    )
    return after - before


def _lead(edits: Sequence[Event] | Sequence[EventSummary], against: str) -> str:
    batches = {event.batch_id for event in edits}
    if not batches:
        return f"Since {against}: "
    if len(batches) > 1:
        return f"{len(batches):,} edits since {against}: "
    last = edits[-1]
    assert isinstance(last, Event)  # events of one batch are read in full
    change = last.change
    lead = f"{kinds.undo_prefix(change)}{kinds.past_verb(change)}"
    if change.question and change.question.title:
        of = ", of" if lead.endswith("”") else ""  # after quoted words of a key
        lead += f"{of} “{words.shortened(change.question.title)}”"
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    return f"{lead[0].upper()}{lead[1:]}{more}: "


def _uncertain(effect: Impact | Preview) -> tuple[Part, Part]:
    before = effect.missing_before if isinstance(effect, Impact) else 0
    grades = words.missing_grades(effect.missing or before)
    when = "" if effect.missing else " before"
    return Part(f"{grades}{when}", "strong"), Part(", so ranks are not certain yet.")


def _effect(impact: Impact) -> list[Part]:
    gains = [label_gain(label) for label in impact.labels]
    labels = _labels(sum(g < 0 for g in gains), sum(g > 0 for g in gains))
    nearest = None if impact.movers else overtake_of(impact.moves)
    moves = _moves(impact.movers, impact.scores_changed, nearest)
    return [*labels, Part(", "), *moves, *_queries(impact)]


def _labels(fall: int, rise: int) -> list[Part]:
    """``62 labels fall and 3 rise``."""
    parts: list[Part] = []
    for number, singular, plural in ((fall, "falls", "fall"), (rise, "rises", "rise")):
        if number:
            noun = "" if parts else " label" if number == 1 else " labels"
            parts += [Part(" and ")] if parts else []
            parts.append(Part(f"{number:,}", "strong"))
            parts.append(Part(f"{noun} {singular if number == 1 else plural}"))
    return parts or [Part("no label changes")]


def _moves(
    movers: Sequence[SystemMove], scores_changed: int, nearest: Overtake | None
) -> list[Part]:
    if movers:
        largest = movers[0]
        return [
            Part(f"{len(movers)}", "strong"),
            Part(" system moves; " if len(movers) == 1 else " systems move; largest "),
            Part(largest.system, "strong"),
            Part(" "),
            move(largest.places),
            Part(f" ({largest.rank_before} → {largest.rank_after})."),
        ]
    if not scores_changed:
        return [Part("no rank moves. No score changes.")]
    scores = words.count(scores_changed, "score changes", "scores change")
    if nearest is None:
        return [Part(f"no rank moves. {scores}.")]
    return [
        Part(f"no rank moves. {scores}; nearest overtake: "),
        Part(nearest.behind, "strong"),
        Part(" over "),
        Part(nearest.ahead, "strong"),
        Part(f", {words.change(nearest.gap)[1:]} away."),
    ]


def _queries(effect: Impact | Preview) -> list[Part]:
    before, after = effect.queries_before, effect.queries_after
    if before == after:
        return []
    rests = words.count(after, "query", "queries")
    return [Part(f" The board rests on {rests}, before on {before:,}.")]


def _taus_of(
    impact: Impact, official: Mapping[str, float]
) -> tuple[float | None, float | None]:
    """Return Kendall's tau to the official ranks before and after, or None."""
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
