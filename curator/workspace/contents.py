"""What is in the workspace, what is set for everyone, and how far the work is."""

from __future__ import annotations

from collections.abc import Iterable

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.engine import settings as chosen_settings
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_RATING,
    Settings,
)
from curator.store import clocks as store_clocks
from curator.store import connection as store_connection
from curator.verbs.proposals.request import Order
from curator.verbs.setup import settings as setting_up
from curator.verbs.setup import status as stating
from curator.visibility import votes
from curator.workspace.opened import Opened


class Contents(Opened):
    """Collection, bank, graders, settings, and the state of file and work."""

    def collection(self) -> Collection:
        """Queries, pools, systems, official ranks; the same object until it changes."""
        return self._fresh().collection

    def bank(self) -> Bank:
        """Every question in every state, by query.

        Opened ``as_judge``, without votes on questions that the judge has not voted on,
        and without verdicts on answers that the judge has not judged.
        """
        boards = self._fresh()
        return self._seen_boards(boards).bank

    def status(self) -> stating.Status:
        """The six steps with their state, counts by name, and what graders miss."""
        return stating.status(self._connection, self._fresh(), self.path)

    def settings(
        self,
        *,
        grader: str | None = None,
        measure: str = DEFAULT_MEASURE,
        min_rating: int = DEFAULT_MIN_RATING,
        k: int = DEFAULT_K,
    ) -> Settings:
        """The settings with the grader's full name; its name may be cut short.

        Without a grader the first one of the workspace is meant. Raises
        UnknownNameError, and EvaluationError for thresholds out of range or, opened as
        a judge, for the votes of another that are hidden.
        """
        boards = self._fresh()
        found = chosen_settings.settings(boards, grader, measure, min_rating, k)
        if self._as_judge:
            named = boards.measure(found)
            votes.refuse_judge(boards.bank, named, self.judge)
        return found

    def graders(self) -> tuple[stating.GraderState, ...]:
        """Every grader: name, kind, model, grades known and needed."""
        boards = self._fresh()
        return boards.once(("graders",), lambda: stating.grader_states(boards))

    def pulse(self, *, besides: Iterable[str] = ()) -> int:
        """A number that differs after every change anyone makes; cheap to ask for.

        Grades of the graders named ``besides`` are left out.
        """
        return store_clocks.pulse(self._connection, besides)

    def writable(self) -> bool:
        """Whether an edit could be saved now, as far as the file decides that."""
        return store_connection.writable(self._connection)

    def checkpoint(self) -> None:
        """Move what SQLite's log holds into the file, as far as nobody is waiting."""
        store_connection.checkpoint(self._connection)

    def set_up(
        self,
        *,
        title: str | None = None,
        guidelines: str | None = None,
        blind: bool | None = None,
        min_relevance: int | None = None,
        human_first: int | None = None,
        generation: Order | None = None,
    ) -> setting_up.Setup:
        """Set what the organizer decides, and what is then set; None leaves as it is.

        ``guidelines`` is Markdown for the judges, "" takes them away; ``human_first``
        how many questions a judge writes in a query before seeing a proposal there, 0
        for none; ``generation`` how models are asked unless somebody says otherwise.
        Raises SettingError where one is too long or out of range.
        """
        return setting_up.set_up(
            self._connection,
            title=title,
            guidelines=guidelines,
            blind=blind,
            min_relevance=min_relevance,
            human_first=human_first,
            generation=generation,
        )
