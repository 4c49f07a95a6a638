"""Each judge's own board beside the pyramid of all, as rows and sentences."""

from __future__ import annotations

from dataclasses import dataclass

from curator.ui.shared import words
from curator.verbs.judges.boards import JudgeBoard, JudgeBoards

STALE = "Votes have changed since: draw again to have them counted."
SAYS_WHO = ("that anybody calls vital", "that most call vital")
SEEN = " among the votes you may see"


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A judge's τ with the pyramid and, in the mean, with the others' boards."""

    judge: str
    tau: str
    with_others: str
    queries: str


def board_rows(found: JudgeBoards) -> tuple[BoardRow, ...]:
    """Every judge with a vote, by name."""
    return tuple(board_row(one, found.queries) for one in found.judges)


def board_row(one: JudgeBoard, queries: int) -> BoardRow:
    """One judge; of the queries voted on, those where they called something vital."""
    return BoardRow(
        one.judge,
        words.score(one.tau),
        words.score(one.mean_with_others),
        f"{one.queries_with_vital} of {queries}",
    )


def notes(found: JudgeBoards) -> tuple[str, ...]:
    """The notes, as true of what the reader sees: others' votes may be hidden yet."""
    return tuple(map(_of_votes_seen, found.notes))


def _of_votes_seen(note: str) -> str:
    for said in SAYS_WHO:
        note = note.replace(said, f"{said}{SEEN}")
    return note
