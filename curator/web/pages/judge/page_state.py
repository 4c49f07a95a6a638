"""Load the data of the Judge page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from curator.verbs.history import Baselines, effective_events
from curator.verbs.setup import GraderState
from curator.verbs.stability.stability import Stability
from curator.verbs.team import Assignment, first_unfinished
from curator.web.components.settings import grader_labels, settings_for
from curator.web.components.view import View
from curator.web.pages.judge import rows
from curator.web.pages.judge.impact_words import label_gain
from curator.web.pages.judge.query_list import judge_work
from curator.web.pages.judge.small_board import Compared, board_after
from curator.workspace import Workspace
from grading.registry import DEFAULT_GRADER

LISTED_EVENTS = 1000  # later ones since a baseline are not counted


@dataclass(frozen=True)
class Boards:
    """Boards of all queries and of the open query under the same settings."""

    settings: Settings
    overall: Compared
    here: Compared


@dataclass(frozen=True)
class PageState:
    """Data of a query opened under settings, which are None without any grades.

    ``selected`` are the boards of the selected grader. If its ``overall`` board lacks
    grades in other queries only, its impact omits their ``ungraded`` questions.
    ``instant_here`` is this query's board by ``instant``, None before its first grade;
    once complete where the selected grader lacks grades, its boards are the
    ``fallback``. ``solo`` is this query's board under the selected question alone, if
    requested. ``job`` is the selected grader's latest. ``since`` is the baseline event;
    the impact is that of ``edits``, ``later`` are later events by others in this query.
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
    selected: Boards | None
    instant_here: Compared | None
    fallback: Boards | None
    ungraded: int
    solo: Compared | None
    what_ifs: tuple[Preview, ...]
    job: Job | None
    proposals: rows.Proposals | None
    done_marks: Mapping[str, tuple[DoneMark, ...]]
    assigned: tuple[Assignment, ...]
    stability: Stability | None = None

    @property
    def boards(self) -> Boards | None:
        """The displayed boards, None without grades."""
        return self.fallback or self.selected

    @property
    def displayed_settings(self) -> Settings | None:
        """Settings of the displayed boards."""
        return self.boards.settings if self.boards else self.settings

    @property
    def impact(self) -> Impact | None:
        """Impact on the displayed board, None without a baseline."""
        return self.boards.overall.impact if self.boards else None

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short names of graders by full name."""
        return grader_labels(self.graders)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the query's questions by id."""
        return numbers_of(self.lines)

    @cached_property
    def displayed_grader(self) -> GraderState | None:
        """The grader of the displayed boards."""
        settings = self.displayed_settings
        name = settings.grader if settings else None
        return next((grader for grader in self.graders if grader.name == name), None)

    @property
    def rates_passages(self) -> bool:
        """True if the displayed grader rates passages without reading questions."""
        return bool(self.displayed_grader and self.displayed_grader.kind == "direct")

    @property
    def averaged(self) -> bool:
        """True if a label is a mean: low although some question may be answered."""
        settings = self.displayed_settings
        return bool(settings and settings.rule.fractional)

    @property
    def item_kind(self) -> str:
        """Kind of the items that the displayed grader reads."""
        return self.displayed_grader.item_kind if self.displayed_grader else "any"

    @cached_property
    def noun(self) -> str:
        """Noun for the items of the displayed grader: question or nugget."""
        questions = self.bank.questions_of(self.query.query_id)
        return noun_of(active(questions, self.item_kind))

    @property
    def by(self) -> str:
        """Short name of the fallback grader, or ""."""
        return self.labels[self.fallback.settings.grader] if self.fallback else ""

    @cached_property
    def judgments(self) -> dict[str, int]:
        """Official judgments of this query by passage."""
        pool = self.collection.pools[self.query.query_id]
        grades = zip(pool.passage_ids, pool.judgments.tolist(), strict=True)
        return {passage_id: grade for passage_id, grade in grades if grade != UNJUDGED}

    @cached_property
    def changed(self) -> tuple[LabelChange, ...]:
        """This query's changed labels, largest fall first, then highest judgment.

        Empty if grades are missing.
        """
        if self.impact is None or not self.impact.complete:
            return ()
        labels = self.impact.listed
        return tuple(
            sorted(
                (label for label in labels if label.query_id == self.query.query_id),
                key=lambda label: (
                    label_gain(label),
                    -self.judgments.get(label.passage_id, -1),
                ),
            )
        )


def load(workspace: Workspace, view: View) -> PageState:
    """Load the page of this view.

    Names in the view that do not exist are replaced, with a sentence for each.
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
    # My last edit is compared with the bank before it, without later edits of others.
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
        settings: Settings, query_id: str | None = None, *, graded_only: bool = False
    ) -> Compared:
        board = workspace.leaderboard(settings, query_id=query_id)
        impact = None
        if since is not None:
            impact = workspace.impact(
                since=since if edited is None else None,
                edit=edited,
                settings=settings,
                query_id=query_id,
                graded_only=graded_only,
            )
        return Compared(board, impact, query_id is None)

    instant = instant_grader(graders, grader.name if grader else "")
    is_selected = grader is not None and instant == grader.name
    instant_reads = is_selected or workspace.languages().english
    selected = fallback = instant_here = solo = None
    displayed, ungraded, graded_only = settings, 0, False
    what_ifs: Sequence[Preview] = ()
    if settings is not None and grader is not None:
        overall, here = compared(settings), compared(settings, query_id)
        graded_only = here.is_complete and not overall.is_complete
        if graded_only:
            overall = compared(settings, graded_only=True)
            ungraded = overall.board.questions - overall.board.questions_graded
        selected = Boards(settings, overall, here)
        if is_selected:
            instant_here = here
        # No model answers in place of people.
        elif (
            instant in by_name
            and instant_reads
            and not (here.is_complete or grader.by_people)
        ):
            displayed = workspace.settings(
                grader=instant,
                measure=settings.measure,
                min_rating=settings.min_rating if grader.kind == "rated" else None,
                k=settings.k,
                min_answered=settings.min_answered,
                label=settings.label,
            )
            board = compared(displayed, query_id)
            instant_here = board if board.board.known else None
            if instant_here is not None and instant_here.is_complete:
                fallback = Boards(displayed, instant_here, instant_here)
                state = by_name[instant]
                if state.known == state.needed:
                    overall = compared(displayed)
                    if overall.is_complete:
                        fallback = replace(fallback, overall=overall)
            else:
                displayed = settings
    lines = workspace.questions(displayed, query_id=query_id)
    if displayed is not None and selected is not None:
        listed = {line.question.question_id for line in lines}
        if view.solo and view.question in listed:
            try:
                impact = workspace.solo(view.question, displayed)
                solo = Compared(board_after(impact), impact, False)
            except CuratorError as error:
                problems.append(str(error))
        what_ifs = workspace.what_ifs(query_id, displayed, graded_only=graded_only)
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
        instant_here=instant_here,
        fallback=fallback,
        ungraded=ungraded,
        solo=solo,
        what_ifs=tuple(what_ifs),
        job=None if settings is None else latest_job(workspace.jobs(), settings.grader),
        proposals=rows.load(
            workspace,
            query_id,
            (line.question for line in lines),
            displayed,
            grader_labels(graders),
        ),
        done_marks=workspace.done_marks(),
        assigned=assigned,
    )


def instant_grader(graders: Sequence[GraderState], selected: str) -> str:
    """Return the name of the grader that grades new text in the background.

    The selected grader if it can, else one that reads the same kind of items.
    """
    # A grader with another model gets its vectors from the command line.
    computed = {
        grader.name: grader
        for grader in graders
        if grader.computed and ":" not in grader.name
    }
    if selected in computed:
        return selected
    kinds = {grader.item_kind for grader in graders if grader.name == selected}
    fitting = [
        name for name, grader in computed.items() if grader.item_kind in {*kinds, "any"}
    ]
    return next(iter(sorted(fitting, key=DEFAULT_GRADER.__ne__)), DEFAULT_GRADER)
