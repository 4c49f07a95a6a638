"""Questions that a model proposes, and what comes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.engine.settings import settings_from
from curator.evaluation.settings import Settings
from curator.verbs.curate import if_kept, leave_one_out
from curator.verbs.curate import near_duplicates as near
from curator.verbs.grading import jobs as work
from curator.verbs.proposals import decisions as deciding
from curator.verbs.proposals import listing
from curator.verbs.proposals.request import Order
from curator.verbs.setup import settings as setting_up
from curator.visibility import human_first
from curator.workspace.opened import Opened, Progress

if TYPE_CHECKING:
    from curator.verbs.grading.run_grader import Tally
    from curator.verbs.proposals import generate as generating
    from grading.costs import Prices


class Proposals(Opened):
    """Asking models for questions, weighing what they propose, who decided what."""

    def usual_order(self) -> Order:
        """How models are asked unless somebody says otherwise; no model, by default."""
        return setting_up.setup(self._connection).generation or Order(model="")

    def generate(
        self,
        order: Order,
        *,
        settings: Settings | None = None,
        dry_run: bool = False,
        prices: Prices | None = None,
        tally: Tally | None = None,
        progress: Progress | None = None,
    ) -> generating.GenerateSummary:
        """Ask an LLM for questions; what it proposes counts for nothing until kept.

        What has an answer already is not asked again. ``settings`` say which passages
        no question covers, where the order is ``grounded``: by default those of the
        first grader. Raises PromptError and EndpointError, each one line.
        """
        from curator.verbs.proposals import generate as generating

        return generating.generate(
            self._connection,
            self._fresh,
            order,
            by=self.judge,
            settings=settings or self._covering(order),
            dry_run=dry_run,
            prices=prices,
            tally=tally,
            progress=progress,
        )

    def start_generation(
        self, order: Order, *, settings: Settings | None = None
    ) -> work.Job:
        """Do the same in a process of its own, which outlives this one.

        Raises JobError where a job that asks this model is not done.
        """
        from curator.verbs.proposals import generate as generating

        return generating.start_job(
            self._connection,
            self._fresh,
            self.path,
            order,
            by=self.judge,
            settings=settings or self._covering(order),
        )

    def salvage(self) -> bool:
        """Keep what had arrived for askings that have died; whether there were any."""
        from curator.verbs.proposals import propose

        return propose.salvage(self._connection)

    def generations(
        self,
        *,
        query_id: str | None = None,
        asking: bool = False,
        unread: bool = False,
    ) -> tuple[listing.Generation, ...]:
        """What models were asked to propose and what they said, the latest first.

        ``asking``: only what is being asked now; ``unread``: only what could not be
        read, nor was answered since. What a judge is not to see yet is left out.
        """
        closed = self._closed()
        found = listing.generations(
            self._connection, query_id=query_id, asking=asking, unread=unread
        )
        return tuple(one for one in found if one.query_id not in closed)

    def gate(self, query_id: str) -> human_first.Gate:
        """How many questions I have to write here before I am shown proposals."""
        boards = self._whole()
        return human_first.gate(self._connection, boards, query_id, self.judge)

    def if_kept(self, query_id: str, settings: Settings) -> if_kept.Proposed:
        """What keeping each proposal of the query would do; changes nothing."""
        return if_kept.if_kept(self._fresh(), query_id, settings)

    def near(self, query_id: str) -> dict[str, near.Near]:
        """The question that each of the query's is nearest to in meaning, if any."""
        return near.near(self._connection, self._fresh(), query_id)

    def decisions(self) -> deciding.Decisions:
        """Who wrote what, and what people made of what was proposed."""
        boards = self._whole()
        return boards.once(
            ("decisions",), lambda: deciding.decisions(self._connection, boards)
        )

    def leave_out(self, system: str, settings: Settings) -> leave_one_out.LeftOut:
        """The board without the questions that rest on one system's passages alone."""
        return leave_one_out.leave_out(self._fresh(), system, settings)

    def leave_out_each(self, settings: Settings) -> tuple[leave_one_out.LeftOut, ...]:
        """The same for every system that has questions of its own."""
        return leave_one_out.leave_out_each(self._fresh(), settings)

    def grounded_questions(self) -> int:
        """How many kept questions were proposed from a passage."""
        return leave_one_out.grounded_questions(self._fresh())

    def _covering(self, order: Order) -> Settings | None:
        """The settings that say which passages are covered, where that matters."""
        boards = self._fresh()
        if not order.grounded or not boards.gradebook.records:
            return None
        return settings_from(boards, {})
