"""The six steps from an empty workspace to a release, each with its state."""

from __future__ import annotations

import streamlit as st

from curator.edit_words import RETIRE, REWORD
from curator.verbs.setup.status import Step
from curator.web.components import html, session, shell
from curator.web.pages.releases.import_dialog import import_button
from curator.web.pages.settings.first_steps import first_screen
from curator.workspace import Workspace

WHAT = {
    "import": "Queries, passages, runs; banks, grades and judgments if there are any.",
    "check": "Re-hashes every text and rebuilds every grade from its response.",
    "grade": "A grader reads every question against every passage, beside this page.",
    "curate": f"Judges keep, {REWORD.base}, add and {RETIRE.base} questions.",
    "agree": "Labels against the official judgments, the board against its ranks.",
    "release": "The bank frozen with its labels; qrels, boards and files to hand out.",
}
# Steps that have a page of their own, and what the button that leads there says.
GO_TO = {
    "grade": ("Grading", "Grade…"),
    "curate": ("Judge", "Judge"),
    "agree": ("Ranking", "See"),
    "release": ("Export", "Release…"),
}


def no_collection(columns: shell.Columns, workspace: Workspace) -> None:
    """A workspace without queries: where to begin."""
    with columns.left:
        shell.brand("")
    with columns.middle:
        first_screen()


def six_steps(workspace: Workspace) -> None:
    """A row a step: tick, name, what it is, how it stands, one button."""
    status = workspace.status()
    ready = bool(status.counts["queries"])
    with st.container(key="steps", gap=None):
        for number, step in enumerate(status.steps, 1):
            with st.container(
                key=f"step_{step.name}", horizontal=True, vertical_alignment="center"
            ):
                st.html(step_html(number, step))
                _button(step.name, ready)


def step_html(number: int, step: Step) -> str:
    """Number or tick, name and purpose, state."""
    mark = '<i class="c-tick" role="img" aria-label="done">✓</i>' if step.done else ""
    return (
        f'<div class="c-step"><span class="c-number">{mark or number}</span>'
        f"<div><b>{step.name.capitalize()}</b> <span>{html.text(WHAT[step.name])}"
        f"</span><br><small>{html.text(step.state)}</small></div></div>"
    )


def _button(name: str, ready: bool) -> None:
    key = f"do_{name}"
    if name == "import":
        import_button(key, first=not ready)
    elif name == "check":
        st.button("Check", key=key, disabled=not ready, on_click=_check)
    else:
        page, label = GO_TO[name]
        if st.button(label, key=key, disabled=not ready):
            st.switch_page(session.current().pages[page])


def _check() -> None:
    with session.workspace() as workspace:
        found = workspace.verify()
    faults = list(found.problems)
    session.note(
        faults[0] if faults else "Checked: every text and every grade is as it was.",
        error=bool(faults),
    )
