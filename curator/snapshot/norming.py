"""Visibility of norming rounds: others' answers stay hidden until the reveal.

No other module reads rounds for display. The rule holds for organizers too: a round is
only useful if judges answer without seeing other answers, and people who have seen
them lead the discussion. The owner of a file can request them by name.
"""

from __future__ import annotations

from dataclasses import replace
from sqlite3 import Connection

from curator.errors import NormingError
from curator.evaluation.norming import Round
from curator.snapshot.viewer import Viewer
from curator.store.norming import read_rounds


def visible_rounds(
    connection: Connection,
    viewer: Viewer,
    round_id: int | None = None,
    *,
    answers: bool = False,
) -> tuple[Round, ...]:
    """Return the rounds, or this one, as the viewer may see them; the last first.

    Before the reveal they have the viewer's own answers, with ``answers`` all.
    Raises NormingError for ``answers`` as a judge.
    """
    if answers and viewer.is_judge:
        raise NormingError(
            "Answers of others are hidden until the round is revealed. Before that, "
            "only organizers can see them: `curator norming WORKSPACE show --answers`."
        )
    rounds = read_rounds(connection, round_id)
    return rounds if answers else tuple(_visible(round_, viewer) for round_ in rounds)


def has_hidden_answers(connection: Connection, viewer: Viewer) -> bool:
    """Return True if the file has answers that a judge may not see yet."""
    return viewer.is_judge and any(
        _visible(round_, viewer) != round_ for round_ in read_rounds(connection)
    )


def _visible(round_: Round, viewer: Viewer) -> Round:
    if round_.revealed:
        return round_
    own_answers = tuple(
        answer for answer in round_.answers if answer.judge == viewer.judge
    )
    return replace(round_, answers=own_answers)
