"""Passages of a query in the reader: filters, order, words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.bank.wording import isolated
from curator.verbs.passages.pool_rows import (
    NEEDS_JUDGMENTS,
    VALUES,
    Order,
    PooledPassage,
    Show,
    filter_passages,
    sort_passages,
    ungraded_pool,
)
from curator.web.components import words
from curator.web.components.view import ShownPassages, View

if TYPE_CHECKING:
    from curator.web.pages.judge.page_state import PageState
    from curator.workspace import Workspace


@dataclass(frozen=True)
class PoolList:
    """Passages of a query as requested by the view.

    ``rows`` are all by id, in the chosen order; ``answering`` are ids of those that
    answer the selected question. ``by_filter`` are the ids that pass each filter,
    ``show`` is the filter in use, ``current`` the open passage, None in an empty pool.
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
    """Load the passages requested by the view."""
    settings, query_id = page.displayed_settings, page.query.query_id
    changed = [label.passage_id for label in page.changed]
    answering: Sequence[str] = ()
    rows: Sequence[PooledPassage]
    if settings is None:
        rows = ungraded_pool(page.collection, query_id)
        ids = [row.passage_id for row in sort_passages(rows, "look")]
    else:
        rows = workspace.pool(query_id, settings)
        question_id = view.question
        ids = list(
            workspace.to_read(
                query_id, settings, question_id=question_id, changed=changed
            )
        )
        if question_id is not None:
            answers = {*workspace.answering(query_id, question_id, settings)}
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
    judged = any(row.relevant is not None for row in rows)
    comparisons: list[Show] = [*NEEDS_JUDGMENTS] if judged else []
    comparisons += [] if page.rates_passages else ["uncovered"]
    for comparison in comparisons:
        passed = filter_passages(rows, comparison, sort=view.sort)
        filters[comparison] = [row.passage_id for row in passed]
    by_filter: dict[ShownPassages, Sequence[str]] = {}
    for show, passing in filters.items():
        passed_all = matches.intersection(passing)
        by_filter[show] = [passage for passage in ordered if passage in passed_all]
    return choose(ordered, answering, by_filter, view)


def choose(
    rows: Mapping[str, PooledPassage],
    answering: Sequence[str],
    by_filter: Mapping[ShownPassages, Sequence[str]],
    view: View,
) -> PoolList:
    """Choose the filter and the passage of the view, else the first."""
    chosen = view.show if view.show in by_filter else None
    current = view.passage if view.passage in rows else None
    if current is None:
        first = (*(by_filter[chosen] if chosen else ()), *rows)
        current = next(iter(first), None)
    holding = [name for name, ids in by_filter.items() if current in ids]
    show: ShownPassages = chosen or (holding or ["all"])[0]
    return PoolList(rows, answering, by_filter, show, current)


def names(*, noun: str, rates_passages: bool) -> dict[ShownPassages, str]:
    """Return the filters' names; grades of whole passages tell nothing of answers."""
    yes, no = "answered", "unanswered"
    if rates_passages:
        yes, no = "graded relevant", "not graded so"
    return {
        "changed": "changed",
        "answers": words.answer_it(noun),
        "all": "in all",
        "relevant-unanswered": f"judged relevant, {no}",
        "nonrelevant-answered": f"judged non-relevant, {yes}",
        "uncovered": f"no {noun} covers",
    }


def orders(passages: Iterable[PooledPassage], *, noun: str) -> dict[Order, str]:
    """Return the names of the orders for which some passage has a value."""
    order_names: dict[Order, str] = {
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
        for order, name in order_names.items()
        if order not in VALUES or any(VALUES[order](row) for row in rows)
    }


def strip(pool: PoolList) -> list[tuple[str, bool]]:
    """Return the kind of each passage, and True for the current one, in order."""
    answering = {*pool.answering}
    return [
        (
            "answers" if name in answering else "relevant" if row.answered else "other",
            name == pool.current,
        )
        for name, row in pool.rows.items()
    ]


def segments(row: PooledPassage) -> str:
    """Return ``#1 best 0 · #2 best 5 · #3 not graded`` for a document's segments."""
    return " · ".join(
        f"{segment_id.removeprefix(row.passage_id)} "
        + ("not graded" if best is None else f"best {best}")
        for segment_id, best in row.segments.items()
    )


def retrieved_by(ranks: Mapping[str, int], most: int) -> str:
    """Return ``run-a at 3, run-b at 7 and 4 more``, best first."""
    best = sorted(ranks.items(), key=lambda rank: (rank[1], rank[0]))
    first = ", ".join(f"{isolated(system)} at {rank}" for system, rank in best[:most])
    more = len(ranks) - most
    return f"{first} and {more} more" if more > 0 else first


def judgment(grade: int | None) -> str:
    """Return ``official 2`` or ``unjudged``."""
    return "unjudged" if grade is None else f"official {grade}"


def verdict(
    relevant: bool | None, answered: bool | None, *, averaged: bool
) -> tuple[str, bool]:
    """Return the judgment in words, and True if the label disagrees.

    A mean label never disagrees, because it seldom reaches the minimum rating.
    """
    if relevant is None:
        return "", False
    disagrees = not averaged and answered is not None and answered != relevant
    judged = "relevant" if relevant else "not relevant"
    return f"{judged}: the label disagrees" if disagrees else judged, disagrees


def note(page: PageState, rows: Iterable[PooledPassage]) -> str:
    """Say why labels are not compared with judgments; "" if they are."""
    if page.collection.blind:
        return "Judging is blind: neither judgments nor systems’ names are shown."
    if page.displayed_settings is None:
        return ""
    if page.rates_passages:
        return "The grader rates passages as a whole, not by questions."
    if all(row.relevant is None for row in rows):
        return "No judgments with a minimum relevance to compare labels with."
    if page.averaged:
        return "A mean label seldom reaches the minimum rating; it never disagrees."
    return ""
