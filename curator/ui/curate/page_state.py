"""Everything the Curate page shows, asked of the workspace in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from curator.bank.questions import Bank
from curator.collection.pools import UNJUDGED, Collection
from curator.collection.queries import Query
from curator.errors import CuratorError
from curator.evaluation.impact import Impact, LabelChange
from curator.evaluation.settings import DEFAULT_MIN_RATING, Settings
from curator.store.history import Event
from curator.ui.curate import proposals as proposed
from curator.ui.curate.proposals import Proposals
from curator.ui.curate.small_board import Compared, board_after
from curator.ui.history.event_rows import edits_from, standing
from curator.ui.shared.settings import grader_labels, settings_for
from curator.ui.shared.view import View
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.curate.what_ifs import WhatIf
from curator.verbs.grading.jobs import Job, latest_job
from curator.verbs.history.history import Baselines
from curator.verbs.setup.status import GraderState
from curator.workspace import Workspace

EMBEDDING = "embedding"
LISTED_EVENTS = 1000  # more edits than that since a baseline are counted no further


@dataclass(frozen=True)
class PageState:
    """A query opened under settings. ``settings`` is None without any grades.

    ``selected`` is the board over all queries, ``here`` that of this query alone; the
    embedding grader's two are there where the selected one lacks grades. ``solo`` is
    this query's board under the question alone, where that was asked for. ``job`` is
    the selected grader's latest. ``proposals`` is None where none may be seen.
    """

    collection: Collection
    bank: Bank
    query: Query
    lines: tuple[QuestionLine, ...]
    graders: tuple[GraderState, ...]
    settings: Settings | None
    grader: GraderState | None
    selected: Compared | None
    embedding: Compared | None
    baselines: Baselines
    since: int | None
    edits: tuple[Event, ...]
    problems: tuple[str, ...]
    here: Compared | None = None
    embedding_here: Compared | None = None
    solo: Compared | None = None
    what_ifs: tuple[WhatIf, ...] = ()
    job: Job | None = None
    proposals: Proposals | None = None

    @cached_property
    def labels(self) -> dict[str, str]:
        """Each grader's short name by its full one."""
        return grader_labels(self.graders)

    @property
    def missing_here(self) -> int:
        """Grades that this query's kept questions lack under the selected grader."""
        found = [line.influence for line in self.lines if line.influence]
        return sum(one.needed - one.known for one in found)

    @property
    def shown_settings(self) -> Settings | None:
        """Under which labels are shown: the selected grader's, or embedding's."""
        if self.embedding is not None and self.embedding.whole:
            return self.embedding.board.settings
        return self.settings

    @property
    def shown_impact(self) -> Impact | None:
        """The impact that is put in words: the selected grader's, or embedding's."""
        shown = self.embedding
        if shown is None or shown.impact is None or not shown.whole:
            shown = self.selected
        return shown.impact if shown else None

    @cached_property
    def judgments(self) -> dict[str, int]:
        """The official judgments of this query, by passage."""
        pool = self.collection.pools[self.query.query_id]
        grades = zip(pool.passage_ids, pool.judgments.tolist(), strict=True)
        return {passage_id: grade for passage_id, grade in grades if grade != UNJUDGED}

    @cached_property
    def changed(self) -> tuple[LabelChange, ...]:
        """This query's changed labels, the largest fall first, best judged on top."""
        impact = self.shown_impact
        if impact is None or impact.missing or impact.missing_before:
            return ()  # a label is not known to have changed before its grades are
        own = [one for one in impact.labels if one.query_id == self.query.query_id]
        return tuple(
            sorted(
                own,
                key=lambda one: (gain(one), -self.judgments.get(one.passage_id, -1)),
            )
        )

    def opened_id(
        self, passage_id: str | None, answering: Sequence[str] = ()
    ) -> str | None:
        """The passage to open: the one asked for, else the first of those that changed.

        Without any, the first that answers the question selected, else the pool's
        first. None where the pool is empty or nothing is graded.
        """
        pool = self.collection.pools[self.query.query_id]
        if not pool.size or self.settings is None:
            return None
        if passage_id in pool.without_gold:
            return passage_id
        changed = (label.passage_id for label in self.changed)
        return next(chain(changed, answering, pool.without_gold), None)


def load(workspace: Workspace, view: View) -> PageState | None:
    """The page for this view; None for a workspace without queries.

    A view that asks for something there is not gets what there is, and a sentence.
    """
    collection = workspace.collection()
    if not collection.queries:
        return None
    problems: list[str] = []
    query = next((q for q in collection.queries if q.query_id == view.query), None)
    if query is None:
        query = collection.queries[0]
        if view.query is not None:
            problems.append(f"No query '{view.query}' in this workspace.")
    graders = workspace.graders()
    settings = settings_for(workspace, view, problems)
    baselines = workspace.baselines(query.query_id)
    since = {
        "edit": baselines.last_edit,
        "session": view.start,
        "import": baselines.imported,
    }[view.against]
    if since is not None:
        since = min(since, baselines.latest)
    selected = here = embedding = embedding_here = solo = None
    what_ifs: tuple[WhatIf, ...] = ()
    if settings is not None:
        query_id = query.query_id
        selected = _compared(workspace, settings, since)
        here = _compared(workspace, settings, since, query_id)
        if not selected.whole and settings.grader != EMBEDDING:
            embedding, embedding_here = _embedding(
                workspace, settings, graders, since, query_id
            )
        what_ifs = workspace.what_ifs(query_id, settings)
        if view.solo and view.question is not None:
            try:
                solo = _solo(workspace, settings, query_id, view.question)
            except CuratorError as error:
                problems.append(str(error))
    lines = workspace.questions(settings, query_id=query.query_id)
    return PageState(
        collection=collection,
        bank=workspace.bank(),
        query=query,
        lines=lines,
        graders=graders,
        settings=settings,
        grader=next(
            (g for g in graders if settings and g.name == settings.grader), None
        ),
        selected=selected,
        embedding=embedding,
        baselines=baselines,
        since=since,
        edits=_edits(workspace, since, baselines.latest),
        problems=tuple(problems),
        here=here,
        embedding_here=embedding_here,
        solo=solo,
        what_ifs=what_ifs,
        job=None if settings is None else latest_job(workspace.jobs(), settings.grader),
        proposals=proposed.load(
            workspace,
            query.query_id,
            (line.question for line in lines),
            settings,
            grader_labels(graders),
        ),
    )


def _compared(
    workspace: Workspace,
    settings: Settings,
    since: int | None,
    query_id: str | None = None,
) -> Compared:
    board = workspace.leaderboard(settings, query_id=query_id)
    impact = None
    if since is not None:
        impact = workspace.impact(since=since, settings=settings, query_id=query_id)
    return Compared(board, impact, query_id is None)


def gain(label: LabelChange) -> int:
    """How far a label rose; one that is gone fell below 0."""
    before, after = (-1 if one is None else one for one in (label.before, label.after))
    return after - before


def _embedding(
    workspace: Workspace,
    settings: Settings,
    graders: tuple[GraderState, ...],
    since: int | None,
    query_id: str,
) -> tuple[Compared | None, Compared | None]:
    """The embedding grader's boards over every query and here; the first may be both.

    Where it graded this query only, that one stands for both; (None, None) where it
    graded nothing here.
    """
    state = next((g for g in graders if g.name == EMBEDDING), None)
    if state is None:
        return None, None
    rated = any(g.name == settings.grader and g.kind == "rated" for g in graders)
    own = workspace.settings(
        grader=EMBEDDING,
        measure=settings.measure,
        # Of a grader without ratings the threshold says nothing about these.
        min_rating=settings.min_rating if rated else DEFAULT_MIN_RATING,
        k=settings.k,
    )
    here = _compared(workspace, own, since, query_id)
    if state.known == state.needed:
        return _compared(workspace, own, since), here
    return (here, here) if here.board.known else (None, None)


def _solo(
    workspace: Workspace, settings: Settings, query_id: str, question_id: str
) -> Compared | None:
    """The query's board under this question alone; None for another query's."""
    of_query = workspace.bank().of_query(query_id)
    if all(question.question_id != question_id for question in of_query):
        return None
    impact = workspace.solo(question_id, settings)
    return Compared(board_after(impact), impact, all_queries=False)


def _edits(workspace: Workspace, since: int | None, latest: int) -> tuple[Event, ...]:
    """The events since the baseline that can move something."""
    if since is None or since >= latest:
        return ()
    # Events are numbered one by one, so no more than these can be later.
    limit = min(latest - since, LISTED_EVENTS)
    return standing(edits_from(workspace.history(limit=limit), since + 1))
