"""``done_marks``: who has marked a query done, and who has changed it since."""

from __future__ import annotations

from dataclasses import dataclass

from curator.engine.state import State
from curator.store.history import read_done_marks


@dataclass(frozen=True, slots=True)
class DoneMark:
    """A judge's mark that a query is finished.

    ``at`` is when (ISO 8601, UTC), ``changed_by`` are the others who have changed a
    question that counts since, in the order of their names.
    """

    judge: str
    at: str
    changed_by: tuple[str, ...]


def done_marks(state: State) -> dict[str, tuple[DoneMark, ...]]:
    """Every mark that stands, by query, the first one first.

    What is proposed, dropped, voted or noted changes nothing that counts.
    """

    def found() -> dict[str, tuple[DoneMark, ...]]:
        return {
            query_id: tuple(DoneMark(*one) for one in marks)
            for query_id, marks in read_done_marks(state.connection).items()
        }

    return state.cached(("done marks",), found)
