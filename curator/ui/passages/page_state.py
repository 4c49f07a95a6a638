"""Everything the Passages page says of a query's pool, asked in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from curator.evaluation.measures import measure_for
from curator.evaluation.settings import ReadingKind, Settings
from curator.ui.curate import question_list
from curator.ui.curate.page_state import PageState
from curator.ui.passages import pool
from curator.ui.passages.highlights import answers_under
from curator.ui.passages.pool import (
    AskedGroup,
    AskedRow,
    Choice,
    PageOfPool,
    PassageRow,
    Passages,
    StandIn,
)
from curator.ui.shared.view import View
from curator.verbs.answers.extracted import Answers
from curator.verbs.passages.pool_rows import in_order, shown, ungraded_pool
from curator.verbs.setup.status import GraderState
from curator.workspace import Workspace


@dataclass(frozen=True)
class Pooled:
    """A query's pool under the selected grader, None without grades; one page of it.

    ``passages`` carry the answers of the ``stand_in`` too. ``asked`` is the question
    filtered by, ``system`` the system; ``texts`` holds the page's passages and
    ``nothing`` says why there are none. ``told`` is what a grader that answers found in
    them, None for one that rates; ``undecided`` are the questions for which it has not
    rated the selected one.
    """

    grader: GraderState | None
    stand_in: StandIn
    passages: Passages
    numbers: Mapping[str, int]
    choices: tuple[Choice, ...]
    why_no_judgments: str
    groups: tuple[AskedGroup, ...]
    asked: AskedRow | None
    systems: tuple[str, ...]
    system: str | None
    here: PageOfPool
    rows: tuple[PassageRow, ...]
    texts: Mapping[str, str]
    nothing: str
    told: Answers | None = None
    undecided: frozenset[str] = frozenset()

    @property
    def direct(self) -> bool:
        """Whether the grader sees passages as a whole, without questions."""
        return self.grader is not None and self.grader.kind == "direct"

    def question(self, question_id: str) -> AskedRow | None:
        """The row of a kept question, if it is one."""
        rows = (row for group in self.groups for row in group.rows)
        return next((row for row in rows if row.question_id == question_id), None)


def load(
    workspace: Workspace, page: PageState, settings: Settings | None, view: View
) -> Pooled:
    """The pool as this view asks for it; without grades, to be read and marked."""
    if settings is None:
        return not_graded(workspace, page, view)
    query_id = page.query.query_id
    grader = next(g for g in page.graders if g.name == settings.grader)
    numbers = question_list.numbers(page.lines, page.query)
    ungraded, stand_in = _ungraded(page), pool.NOBODY
    passages: Passages = workspace.pool(query_id, settings, since=page.since)
    other = page.embedding_here
    if ungraded and other is not None and other.board.complete:
        own = other.board.settings
        stand_in = StandIn.of(own.grader, ungraded, workspace.pool(query_id, own))
        passages, ungraded = stand_in.beside(passages), frozenset()
    systems = page.collection.systems
    groups = pool.asked_groups(
        page.lines,
        page.query,
        passages,
        numbers,
        kind=grader.item_kind,
        selected=view.question,
        ungraded=ungraded,
        stand_in=stand_in,
    )
    asked = next((r for group in groups for r in group.rows if r.chosen), None)
    question_id = asked.question_id if asked else None
    system = view.system if view.system in systems else None
    matching = shown(passages, view.show, question_id=question_id, system=system)
    here = pool.page_of(
        in_order(passages, view.show),
        matching,
        passage_id=view.passage,
        page=view.page,
    )
    listed = [one.passage_id for one in here.passages]
    answering = answers_under(page, grader.name)
    return Pooled(
        grader=grader,
        stand_in=stand_in,
        passages=passages,
        numbers=numbers,
        choices=pool.choices(
            passages,
            view.show,
            question_id=question_id,
            system=system,
            direct=grader.kind == "direct",
        ),
        why_no_judgments=pool.why_no_judgments(passages, page.collection),
        groups=groups,
        asked=asked,
        systems=systems,
        system=system,
        here=here,
        rows=pool.passage_rows(
            here,
            matching,
            numbers,
            direct=grader.kind == "direct",
            rated=grader.kind == "rated",
            judged=any(one.judgment is not None for one in passages),
            depth=_depth(page, settings, grader),
            stand_in=stand_in,
            marked=page.bank.ideals_of(query_id),
        ),
        texts=workspace.passage_texts(listed),
        told=workspace.answers(query_id, listed, grader.name) if answering else None,
        undecided=_undecided(workspace, here, settings) if answering else frozenset(),
        nothing=pool.nothing_found(
            view.show,
            number=asked.number if asked else None,
            system=system,
            against=None if page.since is None else view.against,
            direct=grader.kind == "direct",
        ),
    )


def _undecided(
    workspace: Workspace, here: PageOfPool, settings: Settings
) -> frozenset[str]:
    one = here.current
    if one is None or not one.missing:
        return frozenset()
    rated = workspace.passage(one.query_id, one.passage_id, settings).rated
    return frozenset(x.question.question_id for x in rated if x.rating is None)


def not_graded(workspace: Workspace, page: PageState, view: View) -> Pooled:
    """The pool where nothing is graded: all passages, or those of one system."""
    query_id, systems = page.query.query_id, page.collection.systems
    numbers = question_list.numbers(page.lines, page.query)
    passages: Passages = ungraded_pool(page.collection, query_id)
    system = view.system if view.system in systems else None
    matching = shown(passages, system=system)
    here = pool.page_of(passages, matching, passage_id=view.passage, page=view.page)
    return Pooled(
        grader=None,
        stand_in=pool.NOBODY,
        passages=passages,
        numbers=numbers,
        choices=(),
        why_no_judgments="",
        groups=pool.asked_groups(
            page.lines,
            page.query,
            passages,
            numbers,
            kind="question",
            selected=None,
            ungraded=frozenset(numbers),
        ),
        asked=None,
        systems=systems,
        system=system,
        here=here,
        rows=pool.passage_rows(
            here,
            matching,
            numbers,
            direct=True,  # nothing is said of answers
            rated=False,
            judged=any(one.judgment is not None for one in passages),
            depth=page.collection.depth,
            marked=page.bank.ideals_of(query_id),
        ),
        texts=workspace.passage_texts([one.passage_id for one in here.passages]),
        nothing=pool.nothing_found("all", number=None, system=system, against=None),
    )


def _depth(page: PageState, settings: Settings, grader: GraderState) -> int:
    """How many ranks count: the measure's, else all that are stored; 0 without runs."""
    stored = page.collection.depth
    kind = cast("ReadingKind", grader.kind)
    return min(measure_for(settings, kind).depth or stored, stored)


def _ungraded(page: PageState) -> frozenset[str]:
    """The kept questions of which the selected grader knows nothing yet."""
    return frozenset(
        line.question.question_id
        for line in page.lines
        if line.influence and line.influence.needed and not line.influence.known
    )
