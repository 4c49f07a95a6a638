"""Load the data of the Passages tab."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from curator.bank.questions import Question, noun_of
from curator.evaluation.measures import measure_for
from curator.evaluation.settings import ReadingKind
from curator.verbs.answers.extracted import Answers
from curator.verbs.passages.order import sort_passages
from curator.verbs.passages.pool_rows import filter_passages, ungraded_pool
from curator.verbs.setup.status import GraderState
from curator.web.components.view import View
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.highlights import answers_under
from curator.web.pages.judge.passages.pool import PageOfPool, Passages
from curator.workspace import Workspace


@dataclass(frozen=True)
class SavedOrder:
    """The order of a query's passages as it was when somebody asked for it.

    An edit does not move what is being read; ``asked`` is what it was asked for of.
    """

    asked: tuple[object, ...]
    ids: tuple[str, ...]

    def of(self, passages: Passages) -> Passages:
        """These passages in the order kept."""
        by_id = {one.passage_id: one for one in passages}
        return [by_id[passage_id] for passage_id in self.ids]


@dataclass(frozen=True)
class Pooled:
    """A query's pool under the grader in sight, None without grades; one page of it.

    ``held`` are the passages that hold the words searched for, ``matching`` those of
    them that pass the filters: by the question ``asked`` and by ``system``. ``order``
    is what they stand in, ``moved`` whether they would come otherwise by now. ``kept``
    are the grader's items by number, ``ungraded`` those it knows nothing of. ``depth``
    is how many ranks count, 0 without runs. ``texts`` holds the page's passages,
    ``quoted`` what a grader that answers found in them, None for one that rates;
    ``undecided`` are the questions for which it has not rated the selected one.
    """

    grader: GraderState | None
    passages: Passages
    held: Passages
    matching: Passages
    order: SavedOrder
    moved: bool
    here: PageOfPool
    kept: tuple[Question, ...]
    numbers: Mapping[str, int]
    ungraded: frozenset[str]
    asked: Question | None
    system: str | None
    depth: int
    texts: Mapping[str, str]
    quoted: Answers | None = None
    undecided: frozenset[str] = frozenset()

    @property
    def direct(self) -> bool:
        """Whether the grader sees passages as a whole, without questions."""
        return self.grader is not None and self.grader.kind == "direct"

    @property
    def noun(self) -> str:
        """What one of the items is called."""
        return noun_of(self.kept)

    @property
    def asked_id(self) -> str | None:
        """The id of the question filtered by."""
        return self.asked.question_id if self.asked else None

    @property
    def counts(self) -> Counter[str]:
        """How many passages of the pool answer each question."""
        return Counter(name for one in self.passages for name in one.answers)


def load(
    workspace: Workspace, page: PageState, view: View, kept: SavedOrder | None = None
) -> Pooled:
    """The pool as this view asks for it; without grades, to be read and marked.

    In the order ``kept``, as long as it is the one that this view asks for.
    """
    settings, collection = page.shown_settings, page.collection
    query_id = page.query.query_id
    numbers = page.numbers
    system = view.system if view.system in collection.systems else None
    grader, depth = page.shown_grader, collection.depth
    ungraded = frozenset(line.question.question_id for line in page.lines)
    passages: Passages
    if settings is None or grader is None:
        passages = ungraded_pool(collection, query_id)
    else:
        ungraded = _ungraded(page)
        passages = workspace.pool(
            query_id, settings, since=page.since, edit=page.edited
        )
        measure = measure_for(settings, cast("ReadingKind", grader.kind))
        depth = min(measure.depth or depth, depth)
    kind = "any" if grader is None else grader.item_kind
    items = [
        line.question
        for line in page.lines
        if line.question.state == "kept" and kind in (line.question.kind, "any")
    ]
    selected, show = (view.question, view.show) if grader else (None, "all")
    asked = next((q for q in items if q.question_id == selected), None)
    asked_id = asked.question_id if asked else None
    letters = workspace.letters(query_id) if view.sort == "length" else None
    now: Passages = sort_passages(
        passages, view.sort, reverse=view.reverse, letters=letters
    )
    order = SavedOrder(
        (query_id, settings, view.sort, view.reverse),
        tuple(one.passage_id for one in now),
    )
    moved = False
    if kept and kept.asked == order.asked and {*kept.ids} == {*order.ids}:
        moved, order = kept.ids != order.ids, kept
        now = order.of(now)
    held = now
    if view.words:
        holding = frozenset(workspace.holding(query_id, view.words))
        held = [one for one in now if one.passage_id in holding]
    matching = filter_passages(
        held, show, question_id=asked_id, system=system, sort=view.sort
    )
    here = pool.page_of(now, matching, passage_id=view.passage, page=view.page)
    listed = [one.passage_id for one in here.passages]
    quoted, undecided = None, frozenset[str]()
    if settings is not None and answers_under(page, settings.grader):
        quoted = workspace.answers(query_id, listed, settings.grader)
        if here.current is not None and here.current.missing:
            opened = workspace.passage(query_id, here.current.passage_id, settings)
            undecided = frozenset(
                one.question.question_id for one in opened.rated if one.rating is None
            )
    return Pooled(
        grader,
        now,
        held,
        matching,
        order,
        moved,
        here,
        tuple(sorted(items, key=lambda q: numbers[q.question_id])),
        numbers,
        ungraded,
        asked,
        system,
        depth,
        workspace.passage_texts(listed),
        quoted,
        undecided,
    )


def _ungraded(page: PageState) -> frozenset[str]:
    """The kept questions of which the grader in sight knows nothing yet."""
    return frozenset(
        line.question.question_id
        for line in page.lines
        if line.influence and line.influence.needed and not line.influence.known
    )
