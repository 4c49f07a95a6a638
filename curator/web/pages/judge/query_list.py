"""The left column: search, the queries with their counts and ticks, progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

import streamlit as st
from markupsafe import Markup

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.formats.templates import macro
from curator.verbs.history.history import DoneMark
from curator.verbs.team.assignment import Assignment
from curator.web.components import shell
from curator.workspace import Workspace

if TYPE_CHECKING:
    from curator.web.pages.judge.page_state import PageState

Show = Literal["to do", "all", "done", "mine", "waiting"]


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the list, with the number of proposed questions.

    ``done`` is the judge's own mark, ``told`` names who has marked the query done and
    who has changed it since, ``changed`` is True where it changed after the judge's
    mark. ``work`` is the progress of the judge's assignment in it, "" without one.
    """

    query_id: str
    name: str
    proposed: int
    done: bool
    selected: bool
    told: str = ""
    changed: bool = False
    work: str = ""


def query_rows(
    collection: Collection,
    bank: Bank,
    judge: str,
    selected: str | None,
    marks: Mapping[str, Sequence[DoneMark]] | None = None,
) -> tuple[QueryRow, ...]:
    """Every query in the collection's order; ``marks`` are those of each query."""
    rows = []
    for query in collection.queries:
        query_id = query.query_id
        questions = bank.questions_of(query_id)
        proposed = sum(question.state == "proposed" for question in questions)
        done = (query_id, judge) in bank.done
        here = (marks or {}).get(query_id, ())
        changed = any(one.changed_by for one in here if one.judge == judge)
        rows.append(
            QueryRow(
                query_id,
                query.name,
                proposed,
                done,
                selected=query_id == selected,
                told=done_words(here, judge),
                changed=changed,
            )
        )
    return tuple(rows)


def done_words(marks: Sequence[DoneMark], judge: str) -> str:
    """``Done by me, ann; changed since by bo``; "" without a mark.

    Since my own mark where I have one, else since the latest.
    """
    if not marks:
        return ""
    mine = [one for one in marks if one.judge == judge]
    others = [one.judge for one in marks if one.judge != judge]
    changed = (mine or marks)[-1].changed_by
    said = f"Done by {', '.join([*(['me'] if mine else []), *others])}"
    return f"{said}; changed since by {', '.join(changed)}" if changed else said


def matching(
    rows: tuple[QueryRow, ...], search: str, show: Show | None
) -> tuple[QueryRow, ...]:
    """The rows whose name or id holds every word searched for."""
    words = search.casefold().split()
    return tuple(
        row
        for row in rows
        if _is_shown(row, show)
        and all(
            word in row.name.casefold() or word in row.query_id.casefold()
            for word in words
        )
    )


def _is_shown(row: QueryRow, show: Show | None) -> bool:
    if show == "mine":
        return row.work == "to do"
    if show == "waiting":
        return row.work == "waiting"
    return show in (None, "all") or row.done == (show == "done")


def judge_work(workspace: Workspace) -> tuple[Assignment, ...]:
    """Return the judge's queries to curate or vote on, unfinished work first."""
    assigned = [
        assignment
        for assignment in workspace.assignments(judge=workspace.judge)
        if assignment.work != "checks"
    ]
    work: dict[str, Assignment] = {}
    for assignment in sorted(assigned, key=lambda assignment: assignment.finished):
        work.setdefault(assignment.query_id, assignment)
    return tuple(work.values())


def with_work(
    rows: Sequence[QueryRow], assigned: Iterable[Assignment]
) -> tuple[QueryRow, ...]:
    """The rows with how far my work in each is, and whom I wait for."""
    mine = {one.query_id: one for one in assigned}

    def told(row: QueryRow) -> QueryRow:
        work = mine.get(row.query_id)
        if work is None:
            return row
        wait = f"Waiting for {', '.join(work.waiting)}" if work.waiting else ""
        return replace(
            row, work=work.status, told=". ".join(filter(None, [row.told, wait]))
        )

    return tuple(map(told, rows))


def choices(rows: Sequence[QueryRow]) -> dict[str, str]:
    """What can be listed, with how many there are: mine first where any is."""
    done = sum(row.done for row in rows)
    mine = [row.work for row in rows if row.work]
    counts = {"to do": len(rows) - done, "all": len(rows), "done": done}
    if mine:
        waiting = mine.count("waiting")
        del counts["to do"]
        counts = {"mine": mine.count("to do"), "waiting": waiting} | counts
    return {name: f"{name} {count}" for name, count in counts.items()}


def next_to_do(rows: tuple[QueryRow, ...], query_id: str) -> str | None:
    """The next query after this one without a tick, from the top if need be.

    The next of mine where any is mine to do; None after the last of mine.
    """
    mine = tuple(row for row in rows if row.work == "to do")
    if not mine and any(row.work and row.query_id == query_id for row in rows):
        return None
    rows = mine or rows
    if query_id not in (row.query_id for row in rows) and mine:
        return mine[0].query_id
    ids = [row.query_id for row in rows]
    at = ids.index(query_id) + 1 if query_id in ids else 0
    others = (row.query_id for row in (*rows[at:], *rows[:at]) if not row.done)
    return next((one for one in others if one != query_id), None)


TEMPLATE = "judge/query_list.html"


def query_list(page: PageState, judge: str) -> None:
    """Everything about which query to work on."""
    query_id = page.query.query_id
    rows = query_rows(page.collection, page.bank, judge, query_id, page.done_marks)
    rows = with_work(rows, page.assigned)
    done, total = sum(row.done for row in rows), len(rows)
    search, show = query_filter(choices(rows), key="show")
    shown = matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(filtered(search, len(shown), total) + macro(TEMPLATE, "rows")(shown))
    shell.guidelines(page.collection)
    with st.container(key="query_progress"):
        st.html(macro(TEMPLATE, "progress")(done, total, f"{100 * done / total:.1f}"))


def filtered(search: str, shown: int, total: int) -> Markup:
    """That a search leaves queries out, and how it ends; nothing without one."""
    return macro(TEMPLATE, "filtered")(shown, total) if search.strip() else Markup()


def query_filter(labels: Mapping[str, str], *, key: str) -> tuple[str, str | None]:
    """The search, and which of these is chosen; None for none."""
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
            key=key,
            label_visibility="collapsed",
        )
    return search, show
