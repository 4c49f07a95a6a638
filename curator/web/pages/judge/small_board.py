"""A small board: with arrows where grades are complete, with bounds where not."""

from __future__ import annotations

from dataclasses import dataclass

from curator.evaluation.impact import Impact
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.formats.templates import macro
from curator.tables.leaderboard import has_bounds, rank_cells, topics_words
from curator.tables.score_marks import axis, mark
from curator.web.components import words

MORE_MOVERS = 2  # rows beyond those asked for, where so many moved


@dataclass(frozen=True)
class Compared:
    """A board, and what differs from its own earlier self (None without one).

    The impact of an edit stays that one's own, while the board goes on with others'.
    """

    board: Leaderboard
    impact: Impact | None
    all_queries: bool = True

    @property
    def whole(self) -> bool:
        """Whether no grade is missing on the board and on the one compared with."""
        before = self.impact.missing_before if self.impact else 0
        return self.board.complete and not before

    @property
    def moves_known(self) -> Impact | None:
        """The impact, if both boards rest on every grade so that arrows are true."""
        return self.impact if self.impact and self.impact.complete else None

    @property
    def moved_since(self) -> int:
        """How many systems stand elsewhere by now than right after the edit."""
        impact = self.moves_known
        if impact is None or not self.board.complete:
            return 0
        if impact.queries_after != self.board.queries:
            return 0  # another query has come or gone: those are other boards
        after = {one.system: one.rank_after for one in impact.moves}
        ranks = {one.system: one.rank for one in self.board.standings}
        return sum(after.get(system) != rank for system, rank in ranks.items())


def board_html(
    heading: str, about: str, compared: Compared, shown: int | None = None
) -> str:
    """One board as a table with a caption: the largest moves on top, then by rank.

    Beyond ``shown`` rows, or some more where more moved, it is folded away. Where
    grades are missing on a board there are no arrows; where they are missing on this
    one, ranks and scores are the ranges they lie in.
    """
    board = compared.board
    impact = compared.moves_known if board.complete else None
    standings = {one.system: one for one in board.standings}
    moves = {one.system: one for one in impact.moves} if impact else {}
    movers = [one.system for one in impact.movers] if impact else []
    movers = [system for system in movers if system in standings]
    seen = len(standings)
    if shown is not None:
        seen = min(max(shown, min(len(movers), shown + MORE_MOVERS)), seen)
    low, high = axis(board.standings)
    ranks = rank_cells(board)
    rows = [
        (
            one,
            ranks[one.system],
            moves.get(one.system),
            mark(one, low, high, bounded=not board.complete),
        )
        for one in map(standings.__getitem__, dict.fromkeys([*movers, *standings]))
    ]
    return macro("judge/impact.html", "board")(
        heading,
        about,
        board,
        impact,
        rows[:seen],
        rows[seen:],
        max(len(movers) - seen, 0),
        (words.score(low, 2), words.score(high, 2)),
        has_bounds(board),
        words,
    )


def board_after(impact: Impact) -> Leaderboard:
    """The later board of an impact, as far as its moves say."""
    standings = tuple(
        BoardRow(m.system, m.rank_after, m.score_after, None, None, None, 1.0)
        for m in impact.moves
        if m.rank_after is not None and m.score_after is not None
    )
    return Leaderboard(
        impact.settings, impact.queries_after, impact.missing, 0, standings
    )


def rests_on(board: Leaderboard, noun: str = "question") -> str:
    """What a board rests on, beside its numbers; ``noun`` is what its items are."""
    shares = [one.known_at_k for one in board.standings]
    graded = f"{board.known:,} of {board.needed:,} grades"
    if board.questions:
        asked = words.count(board.questions, noun)
        graded = f"{board.questions_graded:,} of {asked} graded"
    parts = [
        *([graded] if board.needed else []),  # texts alone are no grades
        topics_words(board),
        words.count(len(board.standings), "system"),
    ]
    if shares and board.settings.grader:
        share = words.percent(sum(shares) / len(shares))
        parts.append(f"known@{board.settings.k} {share}")
    return " · ".join(parts)
