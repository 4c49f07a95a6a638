"""People: roles, links to copy, assignments and progress."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from curator.formats.templates import macro
from curator.store.assignments import WORK, Work
from curator.store.people import ROLES, Person, Role
from curator.tables.team import NOBODY, handover_table, progress_table
from curator.verbs.team.assignment import DEFAULT_CHECKS, Assignment
from curator.visibility.roles import find_person
from curator.web import identity
from curator.web.components import session, shell
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import table_html
from curator.web.components.shell import around, framed
from curator.workspace import Workspace

TEMPLATE = "settings/people/team.html"
VERBS: dict[Work, str] = {"curate": "curate", "votes": "vote", "checks": "check"}
NOTHING_ASSIGNED = "Nothing is assigned: everybody works where they like."
NOT_TO_YOU = "Nothing is assigned to you."
MAX_QUERIES = 300  # drawn with their squares
MAX_HANDOVERS = 10


def page() -> None:
    """Draw people and their progress, and at the right the assignments."""
    framed("People", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the page; only an organizer has its forms, and sees others' work."""
    drawing(workspace)
    around(workspace, columns)
    people = workspace.people()
    assigned: Sequence[Assignment] = workspace.assignments()
    may = workspace.standing().can_call("assign")
    with columns.middle:
        shell.title("People", "roles, assignments and progress")
        shell.notes()
        people_list(people, workspace.judge if may else None)
        if may:
            add_form(people)
        else:
            shell.note("What others have done is the organizer’s to see.")
        if works := workspace.progress():
            about = "everybody who is listed, has work, or did anything"
            st.html(table_html(progress_table(works), "Progress", about))
        taken = [one for one in workspace.handovers() if one.taken_from][:MAX_HANDOVERS]
        if taken:
            table = table_html(handover_table(taken), "Taken and given on", "")
            st.html(Markup('<div class="t-handed">{}</div>').format(table))
    with columns.right:
        if may and workspace.collection().queries:
            assign_form(people, workspace.judge, assigned)
        if not may:
            assigned = [one for one in assigned if one.judge == workspace.judge]
        squares(workspace, assigned, NOTHING_ASSIGNED if may else NOT_TO_YOU)


def people_list(people: Sequence[Person], organizer: str | None) -> None:
    """Draw everybody listed with a link to copy; an ``organizer`` changes roles.

    Nobody changes their own role.
    """
    if not people:
        shell.note(f"{NOBODY} You become the organizer when you add the first person.")
    on_trust = identity.auth().way == "open"
    for number, person in enumerate(people):
        with st.container(
            key=f"person_{number}", horizontal=True, vertical_alignment="center"
        ):
            st.html(macro(TEMPLATE, "person")(person, on_trust))
            key = f"role_{person.name}_{person.role}"
            st.selectbox(
                f"Role of {person.name}",
                [*ROLES, "not listed"],
                ROLES.index(person.role),
                key=key,
                disabled=organizer in (None, person.name),
                label_visibility="collapsed",
                width=140,
                on_change=change_role,
                args=(person.name, key),
            )


def change_role(name: str, key: str) -> None:
    """Give a person the role that was chosen, or take them off the list."""
    role: Role | str = st.session_state[key]
    if role in ROLES:
        session.save(lambda workspace: workspace.add_people(name, role))
    else:
        session.save(lambda workspace: workspace.remove_people(name))


def add_form(people: Sequence[Person]) -> None:
    """Draw the form that lists another person."""
    with st.form("add_people", clear_on_submit=True, border=False), line():
        name = st.text_input("Add", key="team_name", placeholder="ann@example.org")
        role = st.selectbox("as", ROLES, index=1, key="team_role")
        added = st.form_submit_button("Add")
    if added and (known := find_person(people, name.strip())):
        session.note(f"{known.name} is listed as {known.role}.", error=True)
        session.redraw()
    elif added and name.strip():
        save(lambda workspace: workspace.add_people(name.strip(), role))


def assign_form(
    people: Sequence[Person], me: str, assigned: Sequence[Assignment]
) -> None:
    """Draw the form that assigns queries evenly, and the one that passes work on."""
    having = list(dict.fromkeys(one.judge for one in assigned))
    names = [person.name for person in reversed(people) if person.role != "viewer"]
    names = names or list(dict.fromkeys([me, *having]))
    judges = [person.name for person in people if person.role == "judge"] or names
    with st.form("assign_evenly", border=False):
        # A key of its own for every list of judges, whose default is all of them.
        key = f"team_judges_{'_'.join(judges)}"
        who = st.multiselect("Assign queries evenly to", names, judges, key=key)
        with line():
            work = st.selectbox(
                "to", WORK, format_func=VERBS.__getitem__, key="team_work"
            )
            overlap = st.number_input(
                "judges each", 1, len(names), 1, key="team_overlap"
            )
            count = st.number_input(
                "checks each", 1, 1000, DEFAULT_CHECKS, key="team_count"
            )
            evenly = st.form_submit_button("Assign")
    if evenly:
        save(
            lambda workspace: workspace.assign_evenly(
                who, work=work, overlap=overlap, count=count
            )
        )
    if not having:
        return
    with st.form("reassign", border=False), line():
        giver = st.selectbox("Give what is left of", having, None, key="team_from")
        taker = st.selectbox("to", [*names, "nobody"], None, key="team_taker")
        given = st.form_submit_button("Give")
    if given and giver and taker == giver:
        session.note(f"{giver} already has this work.", error=True)
        session.redraw()
    elif given and giver and taker == "nobody":
        save(lambda workspace: workspace.unassign(giver))
    elif given and giver and taker:
        save(lambda workspace: workspace.reassign(giver, taker))


def line() -> DeltaGenerator:
    """Return a container whose fields and button stand in one line."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def save(change: Callable[[Workspace], object]) -> None:
    """Save a change and draw the page again; a refusal is one line."""
    session.save(change)
    session.redraw()


def squares(workspace: Workspace, assigned: Sequence[Assignment], nothing: str) -> None:
    """Draw a table of queries by judges for each kind of work that is assigned."""
    if not assigned:
        shell.note(nothing)
        return
    names = {query.query_id: query.name for query in workspace.collection().queries}
    edited = {
        (trace.query_id, trace.by)
        for trace in workspace.traces()
        if trace.question_id is not None and trace.batch_kind != "import"
    }
    for work in WORK:
        mine = [one for one in assigned if one.work == work]
        if not mine:
            continue
        cells = {(one.query_id, one.judge): square(one, edited) for one in mine}
        queries = list(dict.fromkeys(one.query_id for one in mine))
        rows = [(query_id, names[query_id]) for query_id in queries[:MAX_QUERIES]]
        drawn = macro(TEMPLATE, "squares")(
            VERBS[work],
            sorted({one.judge for one in mine}),
            rows,
            cells,
            f"{sum(one.finished for one in mine):,} of {len(mine):,} finished",
            len(queries) - len(rows),
        )
        st.html(drawn)


def square(
    assignment: Assignment, edited: Container[tuple[str, str]] = ()
) -> tuple[str, str]:
    """Return the class and the words of a judge's progress in a query.

    Curating is begun once (query, judge) is among the ``edited``.
    """
    one, status = assignment, str(assignment.status)
    has_edited = one.work == "curate" and (one.query_id, one.judge) in edited
    if status == "to do" and (one.done or has_edited):
        status = "begun"
    progress = f"{one.done} of {one.total}" if one.total > 1 else status
    if one.finished and one.waiting:
        progress += f", waiting for {', '.join(one.waiting)}"
    return status.replace(" ", "-"), f"{one.judge}, {one.query_id}: {progress}"


page()
model_status()
