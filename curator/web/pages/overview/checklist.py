"""The checklist of a new workspace: what is done, and one action for what is not."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from curator.bank.questions import noun_of
from curator.formats.templates import macro
from curator.web.components.words import count
from curator.workspace import Workspace


class ChecklistStep(NamedTuple):
    """A line of the checklist; its action is the label and the page of a button."""

    name: str
    done: bool
    state: str
    action: tuple[str, str]


def draw_checklist(workspace: Workspace) -> None:
    """Draw the checklist for those who may import, until everything is done."""
    items = checklist(workspace)
    if workspace.standing().can_call("import_") and not all(
        item.done for item in items
    ):
        empty = not workspace.collection().queries
        st.html(macro("overview/overview.html", "checklist")(items, empty))


def checklist(workspace: Workspace) -> list[ChecklistStep]:
    """List the first tasks of a workspace in their order.

    A release ticks the last item too: one person can work alone.
    """
    collection, bank = workspace.collection(), workspace.bank()
    queries = len(collection.queries)
    imported = count(queries, "query", "queries")
    systems = count(len(collection.systems), "system")
    kept = [question for question in bank if question.state == "kept"]
    graders = [grader for grader in workspace.graders() if grader.known]
    is_graded = any(grader.known == grader.needed for grader in graders)
    runs = any(
        (job.kind, job.state) == ("grade", "running") for job in workspace.jobs()
    )
    judged = len({query_id for query_id, _ in bank.done})
    people = len(workspace.people())
    states = (
        (queries, f"{imported}, {systems}"),
        (len(kept), count(len(kept), noun_of(kept))),
        (len(graders) if is_graded or not runs else 0, count(len(graders), "grader")),
        (judged, f"{judged:,} of {imported} done"),
        (people or len(workspace.releases()), count(people, "person", "people")),
    )
    return [
        ChecklistStep(name, number > 0, state, action)
        for (name, action), (number, state) in zip(ITEMS, states, strict=True)
    ]


ITEMS = (
    ("Import queries, passages and runs", ("Import…", "Import")),
    ("Write the first questions", ("Judge", "Judge")),
    ("Grade them", ("Grade…", "Grading")),
    ("Judge a query and mark it done", ("Judge", "Judge")),
    ("Invite others, or release alone", ("Invite…", "People")),
)
