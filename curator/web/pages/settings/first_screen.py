"""The first screen, of an empty workspace: the idea, and one place for all files."""

from __future__ import annotations

import streamlit as st

from curator.demo import demo_folder, import_demo
from curator.formats.templates import render
from curator.web.components import session, shell
from curator.web.pages.overview.checklist import draw_checklist
from curator.web.pages.settings.import_form import import_form
from curator.web.server import HERE
from curator.workspace import Workspace
from grading.registry import DEFAULT_GRADER

SAMPLES = HERE / "pages/settings/samples"
SAMPLE_FILES = {
    "queries.jsonl": "queries, a record a line",
    "passages.jsonl": "passages, a record a line",
    "systems.run": "a TREC run; several systems may be in a file",
    "bank.jsonl": "questions, a query a line",
    "judgments.qrels": "judgments, TREC qrels; optional",
    "official.json": "official ranks of the systems; optional",
    "grades.jsonl": "passages with a model’s grades; optional",
}
"""Sample files by name; imported at once they are a whole collection."""


def no_collection(columns: shell.Columns, workspace: Workspace) -> None:
    """Draw the first screen in place of a page: the idea, the import, the checklist."""
    with columns.left:
        shell.brand("")
    with (
        columns.middle,
        st.container(key="first_screen", horizontal=True, gap=None),
    ):
        with st.container(key="first_idea"):
            st.html(render("settings/first_screen.html"))
            why_not = session.why_not("import_")
            st.button(
                "Try it: 3 queries, 2 minutes",
                key="do_try",
                type="primary",
                on_click=_try_demo,
                disabled=bool(why_not),
                help=why_not or "Fills this workspace with the demo collection",
            )
        with st.container(key="first_import"):
            st.html('<h2 class="c-title">Or bring your own collection</h2>')
            shell.notes()
            import_files(first=True)
            draw_checklist(workspace)


def import_files(*, first: bool) -> None:
    """Draw the form of an import with samples, or why this person has none."""
    if why_not := session.why_not("import_"):
        shell.note(why_not)
        return
    import_form(first=first)
    with st.expander("A sample of each file"):
        name = st.pills(
            "Sample",
            list(SAMPLE_FILES),
            default="queries.jsonl",
            key="sample",
            label_visibility="collapsed",
        )
        if name:
            text = (SAMPLES / name).read_text("utf-8")
            st.caption(SAMPLE_FILES[name])
            st.code(
                text, None, wrap_lines=True, height=200 if len(text) > 900 else None
            )
            st.download_button(
                f"Download {name}", text, name, "text/plain", on_click="ignore"
            )


def _try_demo() -> None:
    with session.noting() as workspace:
        import_demo(workspace, demo_folder())
    session.send("start", DEFAULT_GRADER)
    session.current().go_to = "Judge"
