"""What may be seen of norming rounds: of others nothing before a round is revealed.

No other module reads rounds to show them. The organizer is held to it too: a round is
worth what its answers tell of judges who saw none, and whoever has seen them leads the
discussion elsewhere. Asked for by name they are there, for a file's owner alone.
"""

from __future__ import annotations

from dataclasses import replace
from sqlite3 import Connection

from curator.errors import NormingError
from curator.evaluation.norming import Round
from curator.store.norming import read_rounds
from curator.visibility.viewer import Viewer


def seen_rounds(
    connection: Connection,
    viewer: Viewer,
    round_id: int | None = None,
    *,
    answers: bool = False,
) -> tuple[Round, ...]:
    """Every round, or this one, as the viewer may see it; the last first.

    Before the reveal only their own answers are in it, with ``answers`` everybody's.
    Raises NormingError for these as a judge.
    """
    if answers and viewer.is_judge:
        raise NormingError(
            "Answers of others are seen once the round is revealed; before that the "
            "organizer alone can ask for them: `curator norming WORKSPACE show "
            "--answers`."
        )
    rounds = read_rounds(connection, round_id)
    return rounds if answers else tuple(_seen(one, viewer) for one in rounds)


def hides_answers(connection: Connection, viewer: Viewer) -> bool:
    """Whether a judge may not see some answer yet that is in the file."""
    return viewer.is_judge and any(
        _seen(one, viewer) != one for one in read_rounds(connection)
    )


def _seen(found: Round, viewer: Viewer) -> Round:
    if found.revealed:
        return found
    own = tuple(one for one in found.given if one.judge == viewer.judge)
    return replace(found, given=own)
