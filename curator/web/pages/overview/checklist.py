"""The checklist of a new workspace: what is done, and one action for what is not."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from curator.formats.templates import macro
from curator.web.components import words
from curator.workspace import Workspace


class Item(NamedTuple):
    """A line of the checklist, with the page of its action."""

    name: str
    done: bool
    state: str
    action: str
    page: str


def draw_checklist(workspace: Workspace) -> None:
    """Draw the checklist for those who may import, until everything is done."""
    items = checklist(workspace)
    if workspace.standing().can_call("import_") and not all(one.done for one in items):
        empty = not workspace.collection().queries
        st.html(macro("overview/overview.html", "checklist")(items, empty))


def checklist(workspace: Workspace) -> list[Item]:
    """List the first tasks of a workspace in their order.

    A person who releases alone needs nobody else: a release ticks the last item too.
    """
    collection, bank = workspace.collection(), workspace.bank()
    queries = len(collection.queries)
    questions = sum(question.state == "kept" for question in bank)
    graded = sum(bool(grader.known) for grader in workspace.graders())
    judged = len({query_id for query_id, _ in bank.done})
    people = len(workspace.people())
    imported = (
        f"{words.count(queries, 'query', 'queries')}, "
        f"{words.count(len(collection.systems), 'system')}"
    )
    done = f"{judged:,} of {words.count(queries, 'query', 'queries')} done"
    return [
        Item("Import queries, passages and runs", queries > 0, imported, *IMPORT),
        Item(
            "Write the first questions",
            questions > 0,
            words.count(questions, "question"),
            *JUDGE,
        ),
        Item("Grade them", graded > 0, words.count(graded, "grader"), *GRADE),
        Item("Judge a query and mark it done", judged > 0, done, *JUDGE),
        Item(
            "Invite others, or release alone",
            bool(people or workspace.releases()),
            words.count(people, "person", "people"),
            *INVITE,
        ),
    ]


IMPORT = ("Import…", "Import")
JUDGE = ("Judge", "Judge")
GRADE = ("Grade…", "Grading")
INVITE = ("Invite…", "People")
