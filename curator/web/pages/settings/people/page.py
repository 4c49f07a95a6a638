"""People: roles, links to copy, assignments and progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from curator.formats.templates import macro
from curator.results import Rows
from curator.snapshot.access import find_person
from curator.store.people import ROLES, WORK, Person, Work
from curator.verbs.team import DEFAULT_CHECKS, NOBODY, Assignment, Handover
from curator.web import identity
from curator.web.components import session, shell
from curator.web.components.background_status import model_status
from curator.web.components.html import table_html
from curator.web.components.shell import around
from curator.web.pages.frame import draw_page
from curator.workspace import Workspace

TEMPLATE = "settings/people/team.html"
VERBS: dict[Work, str] = {"curate": "judge", "votes": "vote", "checks": "check"}
MAX_HANDOVERS = 10


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the page; only an organizer has its forms, and sees others' work."""
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
            st.html(table_html(works, "Progress", about))
        taken = [handover for handover in workspace.handovers() if handover.taken_from][
            :MAX_HANDOVERS
        ]
        if taken:
            table = table_html(Rows(taken, Handover), "Taken and given on", "")
            st.html(Markup('<div class="t-handed">{}</div>').format(table))
    with columns.right:
        if may and workspace.collection().queries:
            assign_form(people, workspace.judge, assigned)
        mine = [work for work in assigned if may or work.judge == workspace.judge]
        finished = sum(work.finished for work in mine)
        whose = "" if may else " to you"
        shell.note(f"{finished} of {len(mine)} assignments{whose} finished.")
        if mine:
            names = workspace.collection().names
            frame = Rows(mine, Assignment).frame()
            frame.insert(0, "query", frame.pop("query_id").map(names))
            st.dataframe(frame, hide_index=True)


def people_list(people: Sequence[Person], organizer: str | None) -> None:
    """Draw all people with a link to copy; an ``organizer`` changes others' roles."""
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
    with session.noting() as workspace:
        role = st.session_state[key]
        if role in ROLES:
            workspace.add_people(name, role)
        else:
            workspace.remove_people(name)


def add_form(people: Sequence[Person]) -> None:
    """Draw the form that lists another person."""
    with st.form("add_people", clear_on_submit=True, border=False), line():
        name = st.text_input("Add", key="team_name", placeholder="ann@example.org")
        role = st.selectbox("as", ROLES, index=1, key="team_role")
        added = st.form_submit_button("Add")
    if added and (person := find_person(people, name.strip())):
        session.note(f"{person.name} is listed as {person.role}.", error=True)
        session.redraw()
    elif added and name.strip():
        save(lambda workspace: workspace.add_people(name.strip(), role))


def assign_form(
    people: Sequence[Person], me: str, assigned: Sequence[Assignment]
) -> None:
    """Draw the form that assigns queries evenly, and the one that passes work on."""
    having = list(dict.fromkeys(work.judge for work in assigned))
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
        moved = st.form_submit_button("Give")
    if moved and giver and taker == giver:
        session.note(f"{giver} already has this work.", error=True)
        session.redraw()
    elif moved and giver and taker == "nobody":
        save(lambda workspace: workspace.unassign(giver))
    elif moved and giver and taker:
        save(lambda workspace: workspace.reassign(giver, taker))


def line() -> DeltaGenerator:
    """Return a container for the fields and the button of a form, in one line."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def save(change: Callable[[Workspace], object]) -> None:
    """Save a change and draw the page again; a refusal is one line."""
    session.save(change)
    session.redraw()


draw_page("People", draw, follows=True, first_screen=False)
model_status()
