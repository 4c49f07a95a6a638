"""What an edit did, or would do, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from curator.bank.edits import kinds
from curator.bank.questions import Question
from curator.errors import EvaluationError
from curator.evaluation.correlation import correlate
from curator.evaluation.impact import Impact, Move, Overtake, overtake_of
from curator.evaluation.influence import IfKept, WhatIf
from curator.evaluation.leaderboard import Leaderboard
from curator.store.history import Event
from curator.ui.curate.changed_rows import gain
from curator.ui.history.event_rows import quoted
from curator.ui.shared import words
from curator.ui.shared.board_rows import BoardRow, comparable
from curator.ui.shared.words import Part, Sentence, move, trend

Scope = Literal["here", "all"]
SCOPES: dict[Scope, str] = {"here": "this query", "all": "all queries"}
OPEN_RANKS = ", so ranks are not certain yet."


def impact_sentence(
    impact: Impact,
    edits: Sequence[Event],
    official: Mapping[str, float],
    *,
    against: str,
    all_queries: bool = True,
    moved_here: int = 0,
) -> Sentence:
    """``Retired “…”: 62 labels fall, 6 systems move; largest … τ to official …``.

    ``edits`` are the events since the baseline, ``against`` says it in words;
    ``moved_here`` systems have another rank in this query alone.
    """
    nothing = not impact.labels and not impact.scores_changed
    nothing = nothing and not impact.movers
    lead = _lead(edits, against, nothing=nothing)
    if impact.queries_after and not impact.queries_before:
        rests = words.count(impact.queries_after, "query", "queries")
        lead = _lead(edits, against, nothing=False)
        return (Part(f"{lead}there was no board; now it rests on {rests}."),)
    parts = [Part(lead)]
    if not comparable(impact):
        missing = max(impact.missing, impact.missing_before)
        parts.append(Part(words.missing_grades(missing), "strong"))
        parts.append(Part(OPEN_RANKS))
        return tuple(parts)
    if not edits and nothing:
        return (Part(lead.rstrip()),)
    gains = [gain(label) for label in impact.labels]
    fell, rose = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    parts += labels_words(fell, rose)
    changed = bool(impact.labels or impact.scores_changed)
    nearest = overtake_of(impact.moves) if changed and not impact.movers else None
    parts += moves_words(impact.movers, impact.scores_changed, nearest)
    if moved_here and not impact.movers:
        parts.append(Part(f" In this query {_moved_here(moved_here)}."))
    parts += left_words(impact.queries_before, impact.queries_after)
    if all_queries:
        parts += tau_words(*_taus(impact, official))
    return tuple(parts)


def solo_sentence(impact: Impact, question: Question) -> Sentence:
    """Who stands elsewhere in a query under one question alone."""
    lead = f"Under “{words.shortened(question.title)}” alone, "
    if not comparable(impact):
        missing = words.missing_grades(max(impact.missing, impact.missing_before))
        return (Part(lead), Part(missing, "strong"), Part(OPEN_RANKS))
    if not impact.queries_after:
        return (Part(f"{lead}this grader has nothing to grade."),)
    scores = {move.score_after for move in impact.moves}
    if len(scores) == 1 and len(impact.moves) > 1:
        same = words.score(scores.pop())
        return (Part(f"{lead}every system has {same}: it tells none apart."),)
    moved = moves_words(impact.movers, impact.scores_changed, None)
    if impact.movers:
        number = len(impact.movers)
        stand = (
            " system stands elsewhere; "
            if number == 1
            else " systems stand elsewhere; largest "
        )
        moved[1] = Part(stand)
    return (Part(lead), *moved)


def nothing_compared(
    board: Leaderboard, *, queries: int, kept_here: bool, left_out: bool = False
) -> Sentence:
    """The sentence where there is no earlier board: what this one rests on.

    ``left_out``: the query has kept questions, and this measure leaves it out.
    """
    lead = "No edit of yours stands in this query."
    if not kept_here:
        lead = "This query has no kept question, so it leaves every measure."
    elif left_out:
        lead = f"{board.settings.measure} leaves this query out."
    rests = f"{board.queries} of {queries}" if board.queries < queries else f"{queries}"
    return (
        Part(f"{lead} The board rests on "),
        Part(rests, "strong"),
        Part(" query." if queries == 1 else " queries."),
    )


def opening_scope(everywhere: Impact | None, here: Impact | None) -> Scope:
    """All queries if a rank moved there, else this query; all with nothing compared.

    Where grades are missing over all queries, this query only if it can say more.
    """
    if everywhere is None or here is None:
        return "all"
    if comparable(everywhere):
        return "all" if everywhere.movers else "here"
    return "here" if comparable(here) else "all"


def _lead(edits: Sequence[Event], against: str, *, nothing: bool) -> str:
    batches = {event.batch_id for event in edits}
    if not batches and not nothing:
        return f"Since {against}, by what others did that is not shown to you: "
    if not batches:
        return f"Nothing changed since {against}. "
    if len(batches) > 1:
        return f"{len(batches)} edits since {against}: "
    event = edits[-1]
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    verb, undone = kinds.past(event.change), kinds.undone(event.change)
    lead = f"{undone}{verb}"
    return f"{lead[0].upper()}{lead[1:]}{quoted(event.change)}{more}: "


def labels_words(fell: int, rose: int) -> list[Part]:
    counted = [(fell, "falls", "fall"), (rose, "rises", "rise")]
    said = [(number, one, many) for number, one, many in counted if number]
    if not said:
        return [Part("no label changes"), Part(", ")]
    parts: list[Part] = []
    for place, (number, one, many) in enumerate(said):
        noun = "" if place else " label" if number == 1 else " labels"
        parts += [
            Part(" and " if place else ""),
            Part(f"{number:,}", "strong"),
            Part(f"{noun} {one if number == 1 else many}"),
        ]
    return [*parts, Part(", ")]


def moves_words(
    movers: Sequence[Move], scores_changed: int, nearest: Overtake | None
) -> list[Part]:
    if not movers:
        scores = words.count(scores_changed, "score changes", "scores change")
        said = f"no rank moves. {scores if scores_changed else 'No score changes'}"
        if nearest is None:
            return [Part(f"{said}.")]
        return [
            Part(f"{said}; nearest overtake: "),
            Part(nearest.behind, "strong"),
            Part(" over "),
            Part(nearest.ahead, "strong"),
            Part(f", {_gap(nearest.gap)} away."),
        ]
    largest = movers[0]
    return [
        Part(f"{len(movers)}", "strong"),
        Part(" system moves; " if len(movers) == 1 else " systems move; largest "),
        Part(largest.system, "strong"),
        Part(" "),
        move(largest.places),
        Part(f" ({largest.rank_before} → {largest.rank_after})."),
    ]


def _gap(gap: float) -> str:
    """``.0004``; as many places as it takes to be more than nothing."""
    return next(
        (words.score(gap, n) for n in (4, 6) if round(gap, n)),
        f"<{words.score(1e-6, 6)}",
    )


def left_words(before: int, after: int) -> list[Part]:
    if after >= before:
        return []
    left = words.count(before - after, "query", "queries")
    return [
        Part(
            f" {left} without a kept question left every measure; the board rests on "
            f"{after} of {before}."
        )
    ]


def _moved_here(number: int) -> str:
    return f"{number} system{' moves' if number == 1 else 's move'}"


def _taus(
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


def tau_words(before: float | None, after: float | None) -> list[Part]:
    if before is None or after is None:
        return []
    if words.score(before) == words.score(after):
        return [Part(f" τ to official stays {words.score(after)}.")]
    said = f" τ to official {words.score(before)} → {words.score(after)} "
    return [Part(said), trend(before, after)]


ROWS = 4  # movers that are named


def what_if_sentence(what_if: WhatIf) -> Sentence:
    """``If retired: 14 labels fall, 5 systems move; largest … τ to official …``."""
    labels = labels_words(what_if.labels_fall, 0)
    return _sentence("If retired: ", labels, what_if, missing=what_if.missing)


def if_kept_sentence(if_kept: IfKept, by: str = "") -> Sentence:
    """``If kept: 2 labels rise, 1 system moves; largest … τ to official …``.

    ``by`` names the grader where it is not the one selected.
    """
    lead = f"If kept, by {by}: " if by else "If kept: "
    if if_kept.missing:
        missing = words.missing_grades(if_kept.missing)
        return (Part(lead), Part(missing, "strong"), Part(", so nothing is known yet."))
    return _sentence(lead, labels_words(0, if_kept.labels_rise), if_kept)


def what_if_rows(movers: Sequence[Move] | None) -> tuple[tuple[BoardRow, ...], int]:
    """The largest moves as rows of a board, and how many more there are."""
    movers = movers or ()
    rows = tuple(
        BoardRow(
            rank=str(m.rank_after),
            move=move(m.places),
            system=m.system,
            score=words.score(m.score_after),
            change=words.change(m.change),
            moved=True,
            mark=None,
        )
        for m in movers[:ROWS]
    )
    return rows, len(movers) - len(rows)


def _sentence(
    lead: str, labels: Sequence[Part], would: WhatIf | IfKept, *, missing: int = 0
) -> Sentence:
    parts = [Part(lead), *labels]
    if would.movers is None:
        if not missing:
            parts[-1] = Part(".")
            return tuple(parts)
        parts.append(Part(words.missing_grades(missing), "strong"))
        parts.append(Part(OPEN_RANKS))
        return tuple(parts)
    if would.queries_after:
        nearest = would.nearest if would.scores_changed else None
        parts += moves_words(would.movers, would.scores_changed, nearest)
    else:
        parts[-1] = Part(".")
    before, after = would.queries_before, would.queries_after
    parts += left_words(before, after)
    if after > before:
        parts.append(
            Part(f" The query joins every measure; the board rests on {after:,}.")
        )
    return tuple(parts + tau_words(would.tau_before, would.tau_after))
