"""A small board: with arrows where grades are complete, with bounds where not."""

from __future__ import annotations

from dataclasses import dataclass

from curator.evaluation.impact import Impact
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.formats.templates import macro
from curator.tables.leaderboard import axis, has_bounds, mark, rank_cells, topics_words
from curator.web.components import words

MORE_MOVERS = 2  # rows beyond the limit if so many moved


@dataclass(frozen=True)
class Compared:
    """A board of now, and the impact of the judge's edit (None without a baseline)."""

    board: Leaderboard
    impact: Impact | None
    all_queries: bool = True

    @property
    def is_complete(self) -> bool:
        """True if no grade is missing, now and at the baseline."""
        before = self.impact.missing_before if self.impact else 0
        return self.board.complete and not before

    @property
    def complete_impact(self) -> Impact | None:
        """The impact if no grade is missing on either side, so that moves are true."""
        return self.impact if self.impact and self.impact.complete else None

    @property
    def moved_since(self) -> int:
        """Number of systems with another rank now than right after the edit."""
        impact = self.complete_impact
        if impact is None or not self.board.complete:
            return 0
        if impact.queries_after != self.board.queries:
            return 0  # the boards cannot be compared
        after = {move.system: move.rank_after for move in impact.moves}
        return sum(after.get(row.system) != row.rank for row in self.board.standings)


def board_html(
    heading: str, about: str, compared: Compared, limit: int | None = None
) -> str:
    """Draw a board as a table, the largest moves first, then by rank.

    Rows beyond ``limit`` are folded. Without all grades there are no arrows; ranks and
    scores are bounds.
    """
    board = compared.board
    impact = compared.complete_impact if board.complete else None
    standings = {row.system: row for row in board.standings}
    moves = {move.system: move for move in impact.moves} if impact else {}
    movers = [m.system for m in impact.movers] if impact else []
    movers = [system for system in movers if system in standings]
    visible = len(standings)
    if limit is not None:
        visible = min(max(limit, min(len(movers), limit + MORE_MOVERS)), visible)
    low, high = axis(board.standings)
    ranks = rank_cells(board)
    rows = []
    for system in dict.fromkeys([*movers, *standings]):
        row = standings[system]
        dot = mark(row, low, high, bounded=not board.complete)
        rows.append((row, ranks[system], moves.get(system), dot))
    return macro("judge/impact.html", "board")(
        heading,
        about,
        board,
        impact,
        rows[:visible],
        rows[visible:],
        max(len(movers) - visible, 0),
        (words.score(low, 2), words.score(high, 2)),
        has_bounds(board),
        words,
    )


def board_after(impact: Impact) -> Leaderboard:
    """Return the later board of an impact, with ranks and scores only."""
    standings = tuple(
        BoardRow(m.system, m.rank_after, m.score_after, None, None, None, 1.0)
        for m in impact.moves
        if m.rank_after is not None and m.score_after is not None
    )
    return Leaderboard(
        impact.settings, impact.queries_after, impact.missing, 0, standings
    )


def rests_on(board: Leaderboard, noun: str = "question") -> str:
    """Return the basis of a board in words; ``noun`` names its items."""
    shares = [row.known_at_k for row in board.standings]
    graded = f"{board.known:,} of {board.needed:,} grades"
    if board.questions:
        items = words.count(board.questions, noun)
        graded = f"{board.questions_graded:,} of {items} graded"
    parts = [
        *([graded] if board.needed else []),  # texts alone are no grades
        topics_words(board),
        words.count(len(board.standings), "system"),
    ]
    if shares and board.settings.grader:
        share = words.percent(sum(shares) / len(shares))
        parts.append(f"known@{board.settings.k} {share}")
    return " · ".join(parts)
