"""``leaderboard``: every system's score, standard error and rank."""

from __future__ import annotations

from curator.engine import scoring
from curator.engine.settings import Options, settings_from
from curator.engine.state import State
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings


def leaderboard(
    state: State,
    /,
    settings: Settings | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    **options: Options,
) -> Leaderboard:
    """The board under these settings, or under ``settings(**options)``.

    Over one query only, or over one subtopic's questions, where asked.
    """
    chosen = settings_from(state, options, settings)
    return scoring.board(state, chosen, query_id=query_id, subtopic_id=subtopic_id)
