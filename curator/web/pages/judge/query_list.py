"""The list of queries in the left column: search, marks, progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.formats.templates import macro
from curator.store.history import DoneMark
from curator.verbs.team import Assignment
from curator.web.components import shell
from curator.workspace import Workspace

if TYPE_CHECKING:
    from curator.web.pages.judge.page_state import PageState


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the list, with the number of proposed questions.

    ``done`` is the judge's own mark, ``changed`` True if the query changed after it.
    ``title`` names the judges with a mark, ``work`` is the progress of the judge's
    assignment, "" without one.
    """

    query_id: str
    name: str
    proposed: int
    done: bool
    selected: bool
    title: str = ""
    changed: bool = False
    work: str = ""


def query_rows(
    collection: Collection,
    bank: Bank,
    judge: str,
    selected: str | None,
    marks: Mapping[str, Sequence[DoneMark]],
    assigned: Iterable[Assignment],
) -> tuple[QueryRow, ...]:
    """List every query in the collection's order, with its marks and my work in it."""
    works = {assignment.query_id: assignment for assignment in assigned}
    rows = []
    for query in collection.queries:
        query_id = query.query_id
        here, work = marks.get(query_id, ()), works.get(query_id)
        waiting = ", ".join(work.waiting) if work else ""
        title = [done_words(here, judge), waiting and f"Waiting for {waiting}"]
        questions = bank.questions_of(query_id)
        rows.append(
            QueryRow(
                query_id,
                query.name,
                proposed=[question.state for question in questions].count("proposed"),
                done=(query_id, judge) in bank.done,
                selected=query_id == selected,
                title=". ".join(filter(None, title)),
                changed=any(mark.changed_by for mark in here if mark.judge == judge),
                work=work.status if work else "",
            )
        )
    return tuple(rows)


def done_words(marks: Sequence[DoneMark], judge: str) -> str:
    """Return ``Done by me, ann; changed since by bo``; "" without a mark.

    Changes are those since the judge's own mark, else since the latest.
    """
    if not marks:
        return ""
    mine = [mark for mark in marks if mark.judge == judge]
    others = [mark.judge for mark in marks if mark.judge != judge]
    done = f"Done by {', '.join([*(['me'] if mine else []), *others])}"
    changed = (mine or marks)[-1].changed_by
    return f"{done}; changed since by {', '.join(changed)}" if changed else done


def is_listed(row: QueryRow, search: str, show: str | None) -> bool:
    """Return True if the row is chosen, and its name or id holds every word."""
    name, query_id = row.name.casefold(), row.query_id.casefold()
    if not all(word in name or word in query_id for word in search.casefold().split()):
        return False
    if show in ("mine", "waiting"):
        return row.work == ("to do" if show == "mine" else show)
    return show in (None, "all") or row.done == (show == "done")


def judge_work(workspace: Workspace) -> tuple[Assignment, ...]:
    """Return the judge's queries to curate or vote on, unfinished work first."""
    assigned = (
        assignment
        for assignment in workspace.assignments(judge=workspace.judge)
        if assignment.work != "checks"
    )
    work: dict[str, Assignment] = {}
    for assignment in sorted(assigned, key=lambda assignment: assignment.finished):
        work.setdefault(assignment.query_id, assignment)
    return tuple(work.values())


def choices(rows: Sequence[QueryRow]) -> dict[str, str]:
    """Return the lists of queries with their sizes; assigned work comes first."""
    done = sum(row.done for row in rows)
    work = [row.work for row in rows if row.work]
    counts = {"to do": len(rows) - done, "all": len(rows), "done": done}
    if work:
        assigned = {"mine": work.count("to do"), "waiting": work.count("waiting")}
        counts = assigned | {name: counts[name] for name in ("all", "done")}
    return {name: f"{name} {count}" for name, count in counts.items()}


def next_to_do(rows: Sequence[QueryRow], query_id: str) -> str | None:
    """Return the next query after this one that is not done, from the top if needed.

    Among the judge's assigned queries if there are any; None after the last of them.
    """
    assigned = [row for row in rows if row.work == "to do"]
    if not assigned and any(row.work and row.query_id == query_id for row in rows):
        return None
    rows = assigned or rows
    ids = [row.query_id for row in rows]
    place = ids.index(query_id) + 1 if query_id in ids else 0
    others = (row.query_id for row in (*rows[place:], *rows[:place]) if not row.done)
    return next((name for name in others if name != query_id), None)


TEMPLATE = "judge/query_list.html"


def query_list(page: PageState, judge: str) -> None:
    """Draw the search, the listed queries, guidelines and progress."""
    rows = query_rows(
        page.collection,
        page.bank,
        judge,
        page.query.query_id,
        page.done_marks,
        page.assigned,
    )
    done, total, labels = sum(row.done for row in rows), len(rows), choices(rows)
    with st.container(key="query_filter"):
        search = st.text_input(
            "Search queries",
            key="search",
            placeholder="Search queries  /",
            label_visibility="collapsed",
        )
        show = st.segmented_control(
            "Show",
            list(labels),
            default="mine" if "mine" in labels else "all",
            format_func=labels.__getitem__,
            key="show",
            label_visibility="collapsed",
        )
    listed = [row for row in rows if is_listed(row, search, show)]
    with st.container(key="query_rows"):
        matches = macro(TEMPLATE, "filtered")(len(listed), total)
        st.html((matches if search.strip() else "") + macro(TEMPLATE, "rows")(listed))
    shell.guidelines(page.collection)
    with st.container(key="query_progress"):
        st.html(macro(TEMPLATE, "progress")(done, total, f"{100 * done / total:.1f}"))
