"""People: who works here, whose work each query is, and how far everybody is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from curator.formats.templates import macro
from curator.store.assignments import WORK, Work
from curator.store.people import ROLES, Person, Role
from curator.tables.team import NOBODY, handover_table, progress_table
from curator.verbs.team.assignment import DEFAULT_CHECKS, Assignment
from curator.visibility.roles import find_person
from curator.web import identity
from curator.web.components import session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import table_html
from curator.web.components.shell import around, framed
from curator.workspace import Workspace

TEMPLATE = "settings/people/team.html"
ABOUT = "roles, assignments and progress"
NAMED: dict[Work, str] = {"curate": "curate", "votes": "vote", "checks": "check"}
NOTHING_ASSIGNED = (
    "Nothing is assigned: everybody works where they like. Assigned queries stand "
    "first in their judge’s list."
)
NOT_TO_YOU = "Nothing is assigned to you; what others have is the organizer’s to see."
MOST_SHOWN = 300  # queries in the picture
MOST_TAKEN = 10


def page() -> None:
    """People and their progress in the middle, whose work what is at the right."""
    framed("People", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page; what is changed here is the organizer's alone."""
    drawing(workspace)
    around(workspace, columns)
    people = workspace.people()
    given: Sequence[Assignment] = workspace.assignments()
    may = workspace.standing().can_call("assign")
    if not may:
        given = [one for one in given if one.judge == workspace.judge]
    having = [*dict.fromkeys(one.judge for one in given)]
    with columns.middle:
        shell.title("People", ABOUT)
        shell.notes()
        st.html(people_html(people, workspace.judge))
        if may:
            people_form(people, workspace.judge)
        works = workspace.progress()
        if works:
            about = "everybody who is listed, has work, or did anything"
            st.html(table_html(progress_table(works), "Progress", about))
        taken = [one for one in workspace.handovers() if one.taken_from][:MOST_TAKEN]
        if taken:
            about = "the last first"
            drawn = table_html(handover_table(taken), "Taken and given on", about)
            st.html(Markup('<div class="t-handed">{}</div>').format(drawn))
        if not may:
            shell.note("What others have done is the organizer’s to see.")
    with columns.left:
        st.container(key="query_rows")
        with st.container(key="query_progress"):
            st.html(finished_html(given))
    with columns.right:
        # Judges first: they are who is proposed.
        working = [one.name for one in reversed(people) if one.role != "viewer"]
        judges = working or [*dict.fromkeys([workspace.judge, *having])]
        proposed = [one.name for one in people if one.role == "judge"] or judges
        if may and workspace.collection().queries:
            work_form(judges, proposed, having)
        picture(workspace, given)


def people_html(people: Sequence[Person], me: str) -> Markup:
    """Draw who is listed, each with a link to copy."""
    on_trust = identity.auth().way == "open"
    return macro(TEMPLATE, "people")(people, me, NOBODY, on_trust)


def people_form(people: Sequence[Person], me: str) -> None:
    """Add somebody, give another role, or list them no longer."""
    with line_of("add_people", clear=True):
        name = st.text_input("Add", key="team_name", placeholder="ann@example.org")
        role = st.selectbox("as", ROLES, index=1, key="team_role")
        added = st.form_submit_button("Add")
    if added and (known := find_person(people, name.strip())):
        session.note(
            f"{known.name} is listed as {known.role}: Change gives another role.",
            error=True,
        )
        session.redraw()
    elif added and name.strip():
        changed(lambda one: one.add_people(name.strip(), role))
    if not people:
        return
    with line_of("change_people"):
        # Nobody's role is changed by a slip, least of all one's own.
        others = sorted((one.name for one in people), key=me.__eq__)
        whose = st.selectbox("Change", others, key="team_who")
        names: list[Role | None] = [*ROLES, None]
        to = st.selectbox(
            "to",
            names,
            index=1,
            format_func=lambda role: role or "not listed",
            key="team_to",
        )
        given = st.form_submit_button("Change")
    if given and to is None:
        changed(lambda one: one.remove_people(whose))
    elif given and to is not None:
        changed(lambda one: one.add_people(whose, to))


def work_form(
    judges: Sequence[str], proposed: Sequence[str], having: Sequence[str]
) -> None:
    """Assign queries evenly, or give on what somebody has left."""
    with st.form("assign_evenly", border=False):
        label = "Assign queries evenly to"
        who = st.multiselect(label, judges, default=list(proposed), key="team_judges")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            work = st.selectbox(
                "to", WORK, format_func=NAMED.__getitem__, key="team_work"
            )
            overlap = st.number_input(
                "judges each", 1, max(len(judges), 1), 1, key="team_overlap"
            )
            count = st.number_input(
                "checks each", 1, 1000, DEFAULT_CHECKS, key="team_count"
            )
            evenly = st.form_submit_button("Assign")
    if evenly:
        changed(
            lambda one: one.assign_evenly(
                who, work=work, overlap=int(overlap), count=int(count)
            )
        )
    if not having:
        return
    with line_of("reassign"):
        giver = st.selectbox("Give what is left of", having, key="team_from")
        to = st.selectbox("to", [*judges, "nobody"], key="team_taker")
        moved = st.form_submit_button("Give…")
    if moved and giver == to:
        session.note(
            f"{giver} already has this work: choose another judge.", error=True
        )
        session.redraw()
    elif moved:
        shell.ask("reassign", giver, to)
    if not shell.asking("reassign", giver, to):
        return
    change: Callable[[Workspace], object]
    if to == "nobody":
        change, says = (lambda one: one.unassign(giver)), "It is nobody’s then"
    else:
        change, says = (lambda one: one.reassign(giver, to)), f"{to} goes on with it"
    shell.asked(f"Take from {giver} all that {giver} has left? {says}.", "Give", change)


@contextmanager
def line_of(key: str, *, clear: bool = False) -> Iterator[None]:
    """A form whose fields and button stand in one line."""
    with (
        st.form(key, clear_on_submit=clear, border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        yield


def changed(change: Callable[[Workspace], object]) -> None:
    """Save it, and have the page drawn with it; a refusal is one line."""
    session.save(change)
    session.redraw()


@dataclass(frozen=True, slots=True)
class Square:
    """One judge's work in one query, or none: how far it is, and in words."""

    look: str = "none"
    words: str = ""


def squares(
    given: Sequence[Assignment],
    query_ids: Sequence[str],
    judges: Sequence[str],
    edited: Container[tuple[str, str]] = (),
) -> list[tuple[str, list[Square]]]:
    """By query a square for each judge; ``edited`` are (query, judge) with edits."""
    by = {(one.query_id, one.judge): one for one in given}
    return [
        (
            query_id,
            [
                square(by.get((query_id, judge)), edited=(query_id, judge) in edited)
                for judge in judges
            ],
        )
        for query_id in query_ids
    ]


def square(one: Assignment | None, *, edited: bool = False) -> Square:
    """How far a judge's work in a query is; curating is begun once they ``edited``."""
    if one is None:
        return Square()
    status: str = one.status
    if status == "to do" and (one.done or (edited and one.work == "curate")):
        status = "begun"
    look = status.replace(" ", "-")
    of = f"{one.done} of {one.total}" if one.total > 1 else status
    waits = f", waiting for {', '.join(one.waiting)}" if one.waiting else ""
    return Square(
        look, f"{one.judge}, {one.query_id}: {of}{waits if one.finished else ''}"
    )


def picture(workspace: Workspace, given: Sequence[Assignment]) -> None:
    """For each kind of work that is assigned, queries by judges."""
    names = {one.query_id: one.name for one in workspace.collection().queries}
    drawn = macro(TEMPLATE, "picture")
    edited = {
        (one.query_id, one.by)
        for one in (workspace.traces() if given else ())
        if one.question_id is not None and one.batch_kind != "import"
    }
    for work in WORK:
        mine = [one for one in given if one.work == work]
        if not mine:
            continue
        judges = sorted({one.judge for one in mine})
        queries = list(dict.fromkeys(one.query_id for one in mine))[:MOST_SHOWN]
        rows = squares(mine, queries, judges, edited)
        done = sum(one.finished for one in mine)
        left = len({one.query_id for one in mine}) - len(queries)
        st.html(drawn(NAMED[work], judges, rows, names, done, len(mine), left))
    if not given:
        others = bool(workspace.assignments())
        shell.note(NOT_TO_YOU if others else NOTHING_ASSIGNED)


def finished_html(given: Sequence[Assignment]) -> str:
    """How much of what is assigned is finished."""
    done = sum(one.finished for one in given)
    total = words.count(len(given), "assignment")
    return macro(TEMPLATE, "finished")(
        done, total, f"{100 * done / (len(given) or 1):.1f}"
    )


page()
model_status()
