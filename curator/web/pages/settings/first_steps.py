"""The first screen, of an empty workspace: the idea, and one place for all files."""

from __future__ import annotations

import streamlit as st

from curator.demo import demo_folder, import_demo
from curator.formats.templates import render
from curator.web.components import session, shell
from curator.web.pages.releases.import_dialog import import_form
from curator.web.server import HERE
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


def first_screen() -> None:
    """Draw the idea with an example at the left, the import at the right."""
    why_not = session.why_not("import_")
    with st.container(key="first_screen", horizontal=True, gap=None):
        with st.container(key="first_idea"):
            st.html(render("settings/first_step.html"))
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
            if why_not:
                shell.note(why_not)
            else:
                import_form(first=True)
            with st.expander("A sample of each file"):
                for name, about in SAMPLE_FILES.items():
                    _sample(name, about)


def _try_demo() -> None:
    with session.noting() as workspace:
        files = demo_folder()
        import_demo(workspace, files)
    session.send("start", DEFAULT_GRADER)
    session.current().go_to = "Judge"


def _sample(name: str, about: str) -> None:
    text = (SAMPLES / name).read_text("utf-8")
    with st.container(key=f"sample_{name.partition('.')[0]}", horizontal=True):
        st.html(render("settings/sample.html", name=name, about=about, text=text))
        st.download_button(
            "Download",
            data=text,
            file_name=name,
            mime="text/plain",
            key=f"download_{name}",
            on_click="ignore",
        )
