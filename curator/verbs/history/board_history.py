"""``board_history``: the board over time, by the bank's history."""

from __future__ import annotations

from dataclasses import dataclass

from curator.bank.edits.kinds import KINDS, base_kind
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.results import Rows
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot
from curator.store import releases as store_releases
from curator.verbs.history.history import bank_at, board_moves, traces

MAX_EVENTS = 5  # boards of edits; releases have theirs beside them
MAX_RELEASES = 5


@dataclass(frozen=True, slots=True)
class PastBoard:
    """A board by the bank right after an event, with the grades of now.

    ``label`` is the name of a release, the event's number as ``#12``, or "imported".
    """

    event_id: int
    label: str
    board: Leaderboard


def board_history(
    snapshot: Snapshot, /, settings: BoardChoice | None = None, **options: OptionValue
) -> Rows[PastBoard]:
    """Compute the board as imported, after edits that may move it, and at releases.

    Edits are up to MAX_EVENTS at even distances, the latest among them; releases the
    latest MAX_RELEASES. Empty without such edits.
    """
    chosen = settings_from(snapshot, options, settings)
    return snapshot.cached(
        ("board history", chosen), lambda: _board_history(snapshot, chosen)
    )


def _board_history(snapshot: Snapshot, settings: Settings) -> Rows[PastBoard]:
    moving = board_moves(snapshot, settings)
    edited = [
        trace
        for trace in traces(snapshot)[::-1]
        if trace.batch_kind != "import"
        and (
            (kind := KINDS.get(base_kind(trace.kind))) is None or kind.affects in moving
        )
    ]
    if not edited:
        return Rows()
    ends = list({trace.batch_id: trace.event_id for trace in edited}.values())
    last, number = len(ends) - 1, min(len(ends), MAX_EVENTS)
    spread = {ends[last - last * place // number] for place in range(number)}
    labels = {event_id: f"#{event_id}" for event_id in spread}
    releases = store_releases.read_releases(snapshot.connection)[:MAX_RELEASES]
    labels |= {release.event_id: release.name for release in releases}
    labels[edited[0].event_id - 1] = "imported"
    past_boards = (
        PastBoard(
            event_id, label, board(snapshot, settings, bank_at(snapshot, event_id))
        )
        for event_id, label in sorted(labels.items())
    )
    return Rows(past_boards, "history.board_history_table")
