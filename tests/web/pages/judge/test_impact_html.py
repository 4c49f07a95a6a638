"""The right column's HTML: escaped, said in words, and only what survives a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator.evaluation.impact import Impact, SystemMove
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.evaluation.settings import Settings
from curator.web.pages.judge.small_board import Compared, board_after, board_html

SETTINGS = Settings("g", "P@20")


# The small board


def rows_of(drawn: str) -> list[list[str]]:
    """The texts of a board's cells, row by row; those folded away as well."""
    rows = re.findall("<tr[^>]*>(.*?)</tr>", drawn, re.DOTALL)
    cells = [re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[re.sub("<[^>]*>", "", cell) for cell in row] for row in cells[1:]]


def standing(system: str, rank: int, score: float, **more: float | None) -> BoardRow:
    given: dict[str, float | None] = {"lower": score, "upper": score, **more}
    return BoardRow(system, rank, score, 0.01, given["lower"], given["upper"], 1.0)


def impact_of(*moves: SystemMove, missing: int = 0, noise: str = "") -> Impact:
    noisy = frozenset(noise.split())
    return Impact(SETTINGS, missing, (), moves, 2, 2, within_noise=noisy)


def small_board(
    standings: Sequence[BoardRow],
    impact: Impact | None = None,
    *,
    known: int = 4,
    shown: int | None = None,
) -> str:
    board = Leaderboard(SETTINGS, 2, 4, known, tuple(standings))
    return board_html("Board", "", Compared(board, impact), shown)


BOUNDED = (
    standing("a", 1, 0.9),
    standing("b", 2, 0.674, upper=0.677),
    standing("c", 3, 0.67, upper=0.7),
)


def test_where_grades_are_missing_a_rank_is_a_range() -> None:
    drawn = small_board(BOUNDED, impact_of(missing=1), known=3)
    # By hand: a is ahead of both whatever comes; c may be ahead of b or behind.
    assert [(row[0], row[2]) for row in rows_of(drawn)] == [
        ("1", ".900"), ("2–3", ".674–.677"), ("2–3", ".670–.700")
    ]  # fmt: skip
    assert "missing grades may make of it" in drawn


def test_a_move_within_noise_is_hollow() -> None:
    moved = impact_of(
        SystemMove("a", 0.5, 0.4, 1, 2), SystemMove("b", 0.4, 0.5, 2, 1), noise="b"
    )
    drawn = board_html("Board", "", Compared(board_after(moved), moved))
    assert re.findall('<tr class="([^"]*)"', drawn) == ["c-moved c-hollow", "c-moved"]
