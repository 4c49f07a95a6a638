"""What retiring a question, or keeping a proposal, would do: sentence and rows."""

from __future__ import annotations

from collections.abc import Sequence

from curator.evaluation.impact import Move
from curator.evaluation.influence import IfKept, WhatIf
from curator.ui.curate.impact_words import (
    OPEN_RANKS,
    labels_words,
    left_words,
    moves_words,
    tau_words,
)
from curator.ui.shared import words
from curator.ui.shared.board_rows import BoardRow
from curator.ui.shared.parts import Part, Sentence, move

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
