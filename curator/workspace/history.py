"""What people changed, and the bank as it was."""

from __future__ import annotations

from curator.bank.questions import Bank
from curator.verbs.curate import retirements as retiring
from curator.verbs.history import reading
from curator.visibility import human_first, verdicts, votes
from curator.workspace.opened import Opened


class History(Opened):
    """Events, retirements, and the bank right after any event."""

    def history(
        self, *, query_id: str | None = None, limit: int | None = None
    ) -> tuple[reading.Event, ...]:
        """What people changed, by whom and when; the latest first, imports left out."""
        closed = self._closed()
        events = reading.history(self._connection, query_id=query_id, limit=limit)
        if not self._as_judge:
            return events
        boards, hidden = self._fresh(), self._hidden()
        voted, judged = self._voted(boards), self._judged(boards)
        return tuple(
            one
            for one in events
            if human_first.may_be_seen(one, closed, hidden)
            and votes.may_be_seen(one, voted, self.judge)
            and verdicts.may_be_seen(one, judged, self.judge)
        )

    def retirements(self, query_id: str) -> dict[str, retiring.Retirement]:
        """Who retired the query's retired questions, when and why; by question id."""
        found = retiring.retirements(self._connection, query_id)
        hidden = self._hidden().get(query_id, ())
        return {one: what for one, what in found.items() if one not in hidden}

    def baselines(self, query_id: str | None = None) -> reading.Baselines:
        """Events to compare with: before my last batch, and as imported."""
        return reading.baselines(self._connection, by=self.judge, query_id=query_id)

    def event_of(self, said: int | str) -> int:
        """The event meant by its number, or by the release that it is the latest of.

        Whatever looks like a number is one. Raises UnknownNameError.
        """
        from curator.store import releases

        return releases.event_of(self._connection, said)

    def bank_at(self, event: int) -> Bank:
        """The bank as it was right after this event; 0 is before the first."""
        boards = self._fresh()
        past = self._past(boards, event)
        if not self._as_judge:
            return past
        seen = votes.seen_past(past, self._voted(boards))
        return verdicts.seen_bank(seen, self._judged(boards))
