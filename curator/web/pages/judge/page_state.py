"""Load the data of the Judge page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from curator.bank.questions import Bank
from curator.collection.pools import UNJUDGED, Collection, Query
from curator.errors import CuratorError
from curator.evaluation.impact import Impact, LabelChange
from curator.evaluation.influence import RetirePreview
from curator.evaluation.settings import Settings
from curator.store.history import Event
from curator.verbs.curate.question_rows import QuestionLine, numbers_of
from curator.verbs.grading.jobs import Job, latest_job
from curator.verbs.history.history import Baselines, DoneMark, effective_events
from curator.verbs.setup.status import GraderState
from curator.verbs.stability.stability import Stability
from curator.verbs.team.assignment import Assignment, first_unfinished
from curator.web.components import words
from curator.web.components.settings import grader_labels, settings_for
from curator.web.components.view import View
from curator.web.pages.judge import proposal_rows as proposed
from curator.web.pages.judge.impact_words import gain
from curator.web.pages.judge.proposal_rows import Proposals
from curator.web.pages.judge.query_list import judge_work
from curator.web.pages.judge.small_board import Compared, board_after
from curator.workspace import Workspace
from grading.registry import DEFAULT_GRADER

LISTED_EVENTS = 1000  # more edits than that since a baseline are counted no further


@dataclass(frozen=True)
class PageState:
    """A query opened under settings. ``settings`` is None without any grades.

    ``selected`` is the board over all queries, ``here`` that of this query alone. Where
    that lacks grades the ``instant`` grader's two are there (``stand_in…``), the first
    of this query alone where it has not graded the others; once it has graded all here,
    everything else on the page is its, too. Where only other queries lack grades, the
    impact in ``selected`` is without the questions that do, ``ungraded`` of them.
    ``missing_here`` counts the grades that this query's kept questions lack under the
    selected grader.
    ``stability`` is what is known of the board's, the latest. ``solo`` is this query's
    board under the question alone, where that was asked for.
    ``job`` is the selected grader's latest. ``proposals`` is None where none may be
    seen. ``since`` is the event that boards are compared with, ``edited`` that of my
    last edit where that is compared; ``edits`` are what the impact is of, ``later``
    what others have changed in this query since. ``done_marks`` are those of every
    query, ``assigned`` what is mine to curate.
    """

    judge: str
    collection: Collection
    bank: Bank
    query: Query
    lines: tuple[QuestionLine, ...]
    graders: tuple[GraderState, ...]
    settings: Settings | None
    grader: GraderState | None
    baselines: Baselines
    since: int | None
    edits: tuple[Event, ...]
    problems: tuple[str, ...]
    edited: int | None = None
    later: tuple[Event, ...] = ()
    selected: Compared | None = None
    here: Compared | None = None
    stand_in: Compared | None = None
    stand_in_here: Compared | None = None
    ungraded: int = 0
    stability: Stability | None = None
    missing_here: int = 0
    solo: Compared | None = None
    what_ifs: tuple[RetirePreview, ...] = ()
    job: Job | None = None
    proposals: Proposals | None = None
    instant: str = DEFAULT_GRADER
    instant_reads: bool = True
    done_marks: Mapping[str, tuple[DoneMark, ...]] = field(default_factory=dict)
    assigned: tuple[Assignment, ...] = ()

    @cached_property
    def labels(self) -> dict[str, str]:
        """Each grader's short name by its full one."""
        return grader_labels(self.graders)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """What each question of the query is called by, by its id."""
        return numbers_of(self.lines)

    @property
    def stands_in(self) -> bool:
        """Whether the instant grader is in sight here, in place of the selected one."""
        return self.stand_in_here is not None and self.stand_in_here.whole

    @property
    def shown(self) -> Compared | None:
        """The board, and its impact, that is put in words: of the grader in sight."""
        return self.stand_in if self.stands_in else self.selected

    @property
    def shown_settings(self) -> Settings | None:
        """The settings of rows, labels, warnings and reader: of the grader in sight."""
        if self.stands_in and self.stand_in is not None:
            return self.stand_in.board.settings
        return self.settings

    @property
    def shown_grader(self) -> GraderState | None:
        """The grader in sight."""
        under = self.shown_settings
        names = (one for one in self.graders if under and one.name == under.grader)
        return next(names, None)

    @property
    def shown_kind(self) -> str:
        """Kind of the grader in sight, "" for none."""
        return self.shown_grader.kind if self.shown_grader else ""

    @property
    def averaged(self) -> bool:
        """True if a label is a mean: low although some question may be answered."""
        under = self.shown_settings
        return bool(under and under.rule.fractional)

    @property
    def noun(self) -> str:
        """Noun for the items of the grader in sight: question or nugget."""
        under = self.shown_settings
        questions = self.bank.questions_of(self.query.query_id)
        return words.noun_under(questions, self.graders, under.grader if under else "")

    @property
    def by(self) -> str:
        """The short name of the grader in sight where it is not the selected one."""
        under = self.shown_settings
        return self.labels[under.grader] if self.stands_in and under else ""

    @property
    def shown_impact(self) -> Impact | None:
        """The impact that is put in words."""
        return self.shown.impact if self.shown else None

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
        if impact is None or not impact.complete:
            return ()  # a label is not known to have changed before its grades are
        query_id = self.query.query_id
        return tuple(
            sorted(
                (label for label in impact.listed if label.query_id == query_id),
                key=lambda one: (gain(one), -self.judgments.get(one.passage_id, -1)),
            )
        )


def load(workspace: Workspace, view: View) -> PageState | None:
    """The page for this view; None for a workspace without queries.

    A view that asks for something there is not gets what there is, and a sentence.
    """
    collection = workspace.collection()
    if not collection.queries:
        return None
    problems: list[str] = []
    queries = {query.query_id: query for query in collection.queries}
    assigned = judge_work(workspace)
    query = queries.get(view.query or first_unfinished(assigned) or "")
    if query is None:
        query = collection.queries[0]
        if view.query is not None:
            problems.append(f"No query '{view.query}' in this workspace.")
    query_id, graders = query.query_id, workspace.graders()
    by_name = {record.name: record for record in graders}
    settings = settings_for(workspace, view, problems)
    baselines = workspace.baselines(query_id, settings=settings)
    since = {
        "edit": baselines.last_edit,
        "session": view.start,
        "import": baselines.imported,
    }[view.against]
    # My last edit is compared with the bank as it was before it, and nothing else is;
    # what others do is told beside it.
    edited = baselines.edited if view.against == "edit" else None
    edits: Sequence[Event] = ()
    later: tuple[Event, ...] = ()
    if since is not None:
        since = min(since, baselines.latest)
        edits = workspace.history(
            after=since, until=edited, limit=LISTED_EVENTS, settings=settings
        )
    if edited is None:
        edits = effective_events(edits)
    else:
        others = workspace.history(
            query_id=query_id, after=edited, limit=LISTED_EVENTS, settings=settings
        )
        later = effective_events(
            [event for event in others if event.by != workspace.judge]
        )
    lines = workspace.questions(settings, query_id=query_id)
    reaches = [line.influence for line in lines if line.influence]
    boards: dict[str, Any] = {
        "missing_here": sum(reach.needed - reach.known for reach in reaches)
    }
    shown = settings
    selected_grader = settings.grader if settings else ""
    instant = instant_grader(graders, selected_grader)
    instant_reads = instant == selected_grader or workspace.languages().english
    if settings is not None:

        def compared(
            under: Settings, query_id: str | None = None, *, graded_only: bool = False
        ) -> Compared:
            board = workspace.leaderboard(under, query_id=query_id)
            if since is None:
                return Compared(board, None, query_id is None)
            impact = workspace.impact(
                since=since if edited is None else None,
                edit=edited,
                settings=under,
                query_id=query_id,
                graded_only=graded_only,
            )
            return Compared(board, impact, query_id is None)

        selected, here = compared(settings), compared(settings, query_id)
        if here.whole and not selected.whole:
            selected = compared(settings, graded_only=True)
            board = selected.board
            boards["ungraded"] = board.questions - board.questions_graded
        boards |= {"selected": selected, "here": here}
        known, own_grader = by_name.get(instant), by_name.get(settings.grader)
        # What nobody has judged is open: no model says it in people's place.
        people = own_grader is not None and own_grader.by_people
        waits = not (here.whole or people or known is own_grader)
        if known and waits and instant_reads:
            rated = by_name[settings.grader].kind == "rated"
            own = workspace.settings(
                grader=instant,
                measure=settings.measure,
                min_rating=settings.min_rating if rated else None,
                k=settings.k,
                min_answered=settings.min_answered,
                label=settings.label,
            )
            own_here = compared(own, query_id)
            everywhere = own_here
            if known.known == known.needed and own_here.whole:
                everywhere = compared(own)
            if own_here.board.known:  # what it graded here stands for all
                boards["stand_in_here"] = own_here
                boards["stand_in"] = everywhere if everywhere.whole else own_here
            if own_here.whole and own_here.board.known:
                shown = own
                lines = workspace.questions(shown, query_id=query_id)
        asked = {line.question.question_id for line in lines}
        if view.solo and view.question in asked:
            try:
                impact = workspace.solo(view.question, shown)
                boards["solo"] = Compared(board_after(impact), impact, False)
            except CuratorError as error:
                problems.append(str(error))
        boards["what_ifs"] = workspace.what_ifs(
            query_id, shown, graded_only="ungraded" in boards
        )
    return PageState(
        judge=workspace.judge,
        collection=collection,
        bank=workspace.bank(),
        query=query,
        lines=lines,
        graders=graders,
        settings=settings,
        grader=by_name.get(settings.grader) if settings else None,
        baselines=baselines,
        since=since,
        edits=tuple(edits),
        edited=edited,
        later=later,
        problems=tuple(problems),
        job=None if settings is None else latest_job(workspace.jobs(), settings.grader),
        proposals=proposed.load(
            workspace,
            query_id,
            (line.question for line in lines),
            shown,
            grader_labels(graders),
        ),
        instant=instant,
        instant_reads=instant_reads,
        done_marks=workspace.done_marks(),
        assigned=assigned,
        **boards,
    )


def instant_grader(graders: Sequence[GraderState], selected: str) -> str:
    """Which grader grades new text beside the page, by the server's model process.

    The one selected where it is such a one, else one that is asked about its items.
    """
    # One over another model has its vectors from the command line.
    names = {one.name: one for one in graders if one.computed and ":" not in one.name}
    if selected in names:
        return selected
    kinds = {one.item_kind for one in graders if one.name == selected} | {"any"}
    fits = [name for name, one in names.items() if one.item_kind in kinds]
    return next(iter(sorted(fits, key=DEFAULT_GRADER.__ne__)), DEFAULT_GRADER)
