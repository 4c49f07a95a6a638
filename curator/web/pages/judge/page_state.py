"""Load the data of the Judge page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from curator.bank.questions import Bank, active, noun_of
from curator.collection.pools import UNJUDGED, Collection, Query
from curator.errors import CuratorError
from curator.evaluation.impact import Impact, LabelChange
from curator.evaluation.influence import Preview
from curator.evaluation.settings import Settings
from curator.store.history import DoneMark, Event
from curator.verbs.curate.question_rows import QuestionLine, numbers_of
from curator.verbs.grading.jobs import Job, latest_job
from curator.verbs.history.history import Baselines, effective_events
from curator.verbs.setup.status import GraderState
from curator.verbs.stability.stability import Stability
from curator.verbs.team.assignment import Assignment, first_unfinished
from curator.web.components.settings import grader_labels, settings_for
from curator.web.components.view import View
from curator.web.pages.judge import rows
from curator.web.pages.judge.impact_words import gain
from curator.web.pages.judge.query_list import judge_work
from curator.web.pages.judge.small_board import Compared, board_after
from curator.workspace import Workspace
from grading.registry import DEFAULT_GRADER

LISTED_EVENTS = 1000  # more edits than that since a baseline are counted no further


@dataclass(frozen=True)
class PageState:
    """A query opened under settings. ``settings`` is None without any grades.

    ``selected`` is the board over all queries, ``here`` that of this query alone. Where
    only other queries lack grades, the impact in ``selected`` is without the questions
    that do, ``ungraded`` of them; ``missing_here`` counts the grades that this query's
    kept questions lack. Once the ``instant`` grader has graded all of a query that
    lacks grades it ``stands_in`` for the selected one, with a board over all queries
    where it has graded them too: everything that is ``shown…`` is its, and ``by`` its
    short name. ``instant_board`` is its board of this query as far as it has graded.
    ``solo`` is this query's board under the question alone, where that was asked for.
    ``job`` is the selected grader's latest. ``proposals`` is None where none may be
    seen. ``since`` is the event that boards are compared with; ``edits`` are what the
    impact is of, ``later`` what others have changed in this query since. ``done_marks``
    are those of every query, ``assigned`` what is mine to curate.
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
    later: tuple[Event, ...]
    problems: tuple[str, ...]
    instant: str
    instant_reads: bool
    selected: Compared | None
    here: Compared | None
    instant_board: Compared | None
    stands_in: bool
    shown: Compared | None
    shown_here: Compared | None
    shown_settings: Settings | None
    ungraded: int
    missing_here: int
    solo: Compared | None
    what_ifs: tuple[Preview, ...]
    job: Job | None
    proposals: rows.Proposals | None
    done_marks: Mapping[str, tuple[DoneMark, ...]]
    assigned: tuple[Assignment, ...]
    stability: Stability | None = None

    @cached_property
    def labels(self) -> dict[str, str]:
        """Each grader's short name by its full one."""
        return grader_labels(self.graders)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the query's questions, by id."""
        return numbers_of(self.lines)

    @cached_property
    def shown_grader(self) -> GraderState | None:
        """The grader in sight."""
        name = self.shown_settings.grader if self.shown_settings else None
        return next((grader for grader in self.graders if grader.name == name), None)

    @property
    def grades_whole(self) -> bool:
        """True if the grader in sight rates passages, and asks no questions of them."""
        return bool(self.shown_grader and self.shown_grader.kind == "direct")

    @property
    def averaged(self) -> bool:
        """True if a label is a mean: low although some question may be answered."""
        return bool(self.shown_settings and self.shown_settings.rule.fractional)

    @property
    def item_kind(self) -> str:
        """Kind of the items that the grader in sight is asked about."""
        return self.shown_grader.item_kind if self.shown_grader else "any"

    @cached_property
    def noun(self) -> str:
        """Noun for the items of the grader in sight: question or nugget."""
        questions = self.bank.questions_of(self.query.query_id)
        return noun_of(active(questions, self.item_kind))

    @cached_property
    def by(self) -> str:
        """Short name of the grader in sight where it is not the selected one."""
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
                key=lambda change: (
                    gain(change),
                    -self.judgments.get(change.passage_id, -1),
                ),
            )
        )


def load(workspace: Workspace, view: View) -> PageState:
    """Load the page of this view.

    A view that asks for something there is not gets what there is, and a sentence.
    """
    collection = workspace.collection()
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
    grader = by_name.get(settings.grader) if settings else None
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
    later: Sequence[Event] = ()
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

    def compared(
        under: Settings, query_id: str | None = None, *, graded_only: bool = False
    ) -> Compared:
        board = workspace.leaderboard(under, query_id=query_id)
        impact = None
        if since is not None:
            impact = workspace.impact(
                since=since if edited is None else None,
                edit=edited,
                settings=under,
                query_id=query_id,
                graded_only=graded_only,
            )
        return Compared(board, impact, query_id is None)

    lines = workspace.questions(settings, query_id=query_id)
    reaches = [line.influence for line in lines if line.influence]
    instant = instant_grader(graders, grader.name if grader else "")
    is_selected = grader is not None and instant == grader.name
    instant_reads = is_selected or workspace.languages().english
    selected = here = solo = instant_board = shown = shown_here = None
    shown_settings, ungraded, stands_in = settings, 0, False
    what_ifs: Sequence[Preview] = ()
    if settings is not None and grader is not None:
        shown = selected = compared(settings)
        shown_here = here = compared(settings, query_id)
        graded_only = here.whole and not selected.whole
        if graded_only:
            shown = selected = compared(settings, graded_only=True)
            ungraded = selected.board.questions - selected.board.questions_graded
        known = by_name.get(instant)
        # What nobody has judged is open: no model says it in people's place.
        waits = not (here.whole or grader.by_people or is_selected)
        if known and waits and instant_reads:
            own = workspace.settings(
                grader=instant,
                measure=settings.measure,
                min_rating=settings.min_rating if grader.kind == "rated" else None,
                k=settings.k,
                min_answered=settings.min_answered,
                label=settings.label,
            )
            instant_here = compared(own, query_id)
            if instant_here.board.known:
                instant_board = instant_here
                stands_in = instant_here.whole
        if stands_in and known and instant_board:
            # What it graded here stands for all.
            shown = shown_here = instant_board
            if known.known == known.needed and (everywhere := compared(own)).whole:
                shown = everywhere
            shown_settings = own
            lines = workspace.questions(own, query_id=query_id)
        asked = {line.question.question_id for line in lines}
        if view.solo and view.question in asked:
            try:
                impact = workspace.solo(view.question, shown_settings)
                solo = Compared(board_after(impact), impact, False)
            except CuratorError as error:
                problems.append(str(error))
        what_ifs = workspace.what_ifs(query_id, shown_settings, graded_only=graded_only)
    return PageState(
        judge=workspace.judge,
        collection=collection,
        bank=workspace.bank(),
        query=query,
        lines=lines,
        graders=graders,
        settings=settings,
        grader=grader,
        baselines=baselines,
        since=since,
        edits=tuple(edits),
        later=tuple(later),
        problems=tuple(problems),
        instant=instant,
        instant_reads=instant_reads,
        selected=selected,
        here=here,
        instant_board=instant_board,
        stands_in=stands_in,
        shown=shown,
        shown_here=shown_here,
        shown_settings=shown_settings,
        ungraded=ungraded,
        missing_here=sum(reach.needed - reach.known for reach in reaches),
        solo=solo,
        what_ifs=tuple(what_ifs),
        job=None if settings is None else latest_job(workspace.jobs(), settings.grader),
        proposals=rows.load(
            workspace,
            query_id,
            (line.question for line in lines),
            shown_settings,
            grader_labels(graders),
        ),
        done_marks=workspace.done_marks(),
        assigned=assigned,
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
