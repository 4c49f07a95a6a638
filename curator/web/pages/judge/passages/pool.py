"""The passages of a query that the reader goes through: filters, order, words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.bank.wording import isolated
from curator.verbs.passages.order import VALUES, Order, sort_passages
from curator.verbs.passages.pool_rows import (
    NEEDS_JUDGMENTS,
    PooledPassage,
    Show,
    filter_passages,
    ungraded_pool,
)
from curator.web.components import words
from curator.web.components.view import ShownPassages, View

if TYPE_CHECKING:
    from curator.web.pages.judge.page_state import PageState
    from curator.workspace import Workspace


@dataclass(frozen=True)
class PoolList:
    """Passages of a query as the view asks for them.

    ``rows`` has all by id in the order chosen, ``answering`` the ids of those that
    answer the selected question. ``by_filter`` lists the ids that each filter leaves,
    ``show`` is the filter in use and ``current`` the passage to read, None in an empty
    pool.
    """

    rows: Mapping[str, PooledPassage]
    answering: Sequence[str]
    by_filter: Mapping[ShownPassages, Sequence[str]]
    show: ShownPassages
    current: str | None

    @property
    def listed(self) -> list[str]:
        """Ids to go through; the current one keeps its place after an edit."""
        ids = {*self.by_filter[self.show], self.current}
        return [passage_id for passage_id in self.rows if passage_id in ids]


def load(workspace: Workspace, page: PageState, view: View) -> PoolList:
    """Load the passages that this view asks for."""
    settings, query_id = page.shown_settings, page.query.query_id
    changed = [label.passage_id for label in page.changed]
    answering: Sequence[str] = ()
    rows: Sequence[PooledPassage]
    if settings is None:
        rows = ungraded_pool(page.collection, query_id)
        ids = [row.passage_id for row in sort_passages(rows, "look")]
    else:
        rows = workspace.pool(query_id, settings)
        ids = [
            *workspace.to_read(
                query_id, settings, question_id=view.question, changed=changed
            )
        ]
        if view.question is not None:
            answers = {*workspace.answering(query_id, view.question, settings)}
            answering = [passage_id for passage_id in ids if passage_id in answers]
    if view.sort != "look":
        letters = workspace.letters(query_id) if view.sort == "length" else None
        by_value = sort_passages(rows, view.sort, reverse=view.reverse, letters=letters)
        ids = [row.passage_id for row in by_value]
    elif view.reverse:
        ids.reverse()
    by_id = {row.passage_id: row for row in rows}
    ordered = {name: by_id[name] for name in ids if name in by_id}
    matches = {*ordered}
    if view.words:
        matches &= {*workspace.holding(query_id, view.words)}
    if view.system in page.collection.systems:
        matches &= {name for name, row in ordered.items() if view.system in row.ranks}
    filters: dict[ShownPassages, Iterable[str]] = {
        "changed": changed,
        "answers": answering,
        "all": ordered,
    }
    # Some compare labels with judgments, and one with questions.
    judged = any(row.relevant is not None for row in rows)
    compared: list[Show] = [*NEEDS_JUDGMENTS] if judged else []
    for offered in compared if page.grades_whole else (*compared, "uncovered"):
        passed = filter_passages(rows, offered, sort=view.sort)
        filters[offered] = [row.passage_id for row in passed]
    filtered: dict[ShownPassages, Sequence[str]] = {}
    for show, passing in filters.items():
        passed_all = matches.intersection(passing)
        filtered[show] = [name for name in ordered if name in passed_all]
    return choose(ordered, answering, filtered, view)


def choose(
    rows: Mapping[str, PooledPassage],
    answering: Sequence[str],
    by_filter: Mapping[ShownPassages, Sequence[str]],
    view: View,
) -> PoolList:
    """Choose the filter and the passage: what the view names, else the first."""
    chosen = view.show if view.show in by_filter else None
    current = view.passage if view.passage in rows else None
    if current is None:
        first = (*(by_filter[chosen] if chosen else ()), *rows)
        current = next(iter(first), None)
    holding = [show for show, ids in by_filter.items() if current in ids]
    show: ShownPassages = chosen or (holding or ["all"])[0]
    return PoolList(rows, answering, by_filter, show, current)


def names(*, noun: str, grades_whole: bool) -> dict[ShownPassages, str]:
    """Name the filters; a label of a whole passage says nothing of answers."""
    yes, no = ("answered", "unanswered")
    if grades_whole:
        yes, no = ("graded relevant", "not graded so")
    return {
        "changed": "changed",
        "answers": words.answer_it(noun),
        "all": "in all",
        "relevant-unanswered": f"judged relevant, {no}",
        "nonrelevant-answered": f"judged non-relevant, {yes}",
        "uncovered": f"no {noun} covers",
    }


def orders(passages: Iterable[PooledPassage], *, noun: str) -> dict[Order, str]:
    """Name the orders for which some passage has a value."""
    named: dict[Order, str] = {
        "look": "worth a look first",
        "label": "highest label",
        "judgment": "highest judgment",
        "rank": "best rank",
        "retrieved": "retrieved by most",
        "covered": f"most {noun}s",
        "length": "longest",
        "pool": "as imported",
    }
    rows = list(passages)
    return {
        order: name
        for order, name in named.items()
        if order not in VALUES or any(VALUES[order](row) for row in rows)
    }


def strip(pool: PoolList) -> list[tuple[str, bool]]:
    """List the kind of each passage, and whether it is the current one.

    Ordered as the reader shows them.
    """
    kinds = {
        passage_id: "relevant" if row.answered else "other"
        for passage_id, row in pool.rows.items()
    }
    kinds |= dict.fromkeys(pool.answering, "answers")
    return [(kinds[passage_id], passage_id == pool.current) for passage_id in pool.rows]


def segments(row: PooledPassage) -> str:
    """``#1 best 0 · #2 best 5 · #3 not graded``: a document's segments in order."""
    return " · ".join(
        f"{segment_id.removeprefix(row.passage_id)} "
        + ("not graded" if best is None else f"best {best}")
        for segment_id, best in row.segments.items()
    )


def retrieved_by(ranks: Mapping[str, int], most: int) -> str:
    """``run-a at 3, run-b at 7 and 4 more``, best first."""
    best = sorted(ranks.items(), key=lambda rank: (rank[1], rank[0]))
    named = ", ".join(f"{isolated(system)} at {rank}" for system, rank in best[:most])
    more = len(ranks) - most
    return f"{named} and {more} more" if more > 0 else named


def judgment(judged: int | None) -> str:
    """``official 2``, or that it is not judged."""
    return "unjudged" if judged is None else f"official {judged}"


def verdict(
    relevant: bool | None, answered: bool | None, *, averaged: bool
) -> tuple[str, bool]:
    """Say what the judgment means, and whether the label disagrees.

    A mean label never disagrees: it seldom reaches the minimum rating.
    """
    if relevant is None:
        return "", False
    disagrees = not averaged and answered is not None and answered != relevant
    judged = "relevant" if relevant else "not relevant"
    return f"{judged}: the label disagrees" if disagrees else judged, disagrees


def note(page: PageState, rows: Iterable[PooledPassage], *, noun: str) -> str:
    """Say why labels are not compared with judgments, or how; "" for the usual case."""
    if page.collection.blind:
        return "Judging is blind: neither judgments nor systems’ names are shown."
    if page.shown_settings is None:
        return ""
    if page.grades_whole:
        return (
            "The grader rates passages as a whole: no question stands behind a label."
        )
    if all(row.relevant is None for row in rows):
        return (
            "No judgments with a minimum relevance, so labels are compared with none."
        )
    if page.averaged:
        return (
            "A mean label seldom reaches the minimum rating: a passage that answers a "
            f"{noun} may not be graded relevant, and that is no disagreement."
        )
    return ""
