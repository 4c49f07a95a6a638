"""An empty workspace: three steps to begin with, and a small sample of each file."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from curator.edit_words import RETIRE, REWORD
from curator.formats.templates import render
from curator.ui.files.import_dialog import import_button
from curator.ui.server import HERE
from curator.ui.shared import session, shell

SAMPLES = HERE / "setup/samples"


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A step's name and what it is, the names of its sample files, each with words."""

    name: str
    about: str
    samples: tuple[tuple[str, str], ...] = ()


STEPS = (
    FirstStep(
        "Bring a collection",
        "What is asked, the texts, and which of them your systems returned. Judgments "
        "and official ranks are good to compare with, and not needed.",
        (
            ("queries.jsonl", "queries, a record a line"),
            ("passages.jsonl", "passages, a record a line"),
            ("systems.run", "a TREC run; several systems may stand in a file"),
            ("judgments.qrels", "judgments, TREC qrels; not needed"),
            ("official.json", "official ranks of the systems; not needed"),
        ),
    ),
    FirstStep(
        "Get questions and grades",
        "Import a bank, have a model propose questions, or write them. What you write "
        "in English is graded here at once; another model’s grades come as a file.",
        (
            ("bank.jsonl", "questions, a query a line"),
            ("grades.jsonl", "passages with a model’s grades; a query a line"),
        ),
    ),
    FirstStep(
        "Curate",
        f"Keep, {REWORD.base}, add and {RETIRE.base} questions, and see with each edit "
        "which labels, scores and ranks move.",
    ),
)


def first_steps() -> None:
    """The steps, the samples to look at and to download, and the import."""
    with st.container(key="first_steps", gap=None):
        for number, step in enumerate(STEPS, 1):
            with st.container(key=f"first_{number}", gap=None):
                with st.container(
                    key=f"first_head_{number}",
                    horizontal=True,
                    vertical_alignment="center",
                ):
                    st.html(render("setup/first_step.html", number=number, step=step))
                    _button(number)
                for name, about in step.samples:
                    _sample(name, about)
    shell.note(
        "The samples belong together: imported at once they are a whole collection. "
        "`curator demo` opens a larger one."
    )


def _button(number: int) -> None:
    if number == 1:
        import_button("do_import", first=True)
    elif number == 2:
        if st.button("Set a model…", key="do_settings"):
            st.switch_page(session.current().pages["Settings"])
    else:
        st.button(
            "Curate", key="do_curate", disabled=True, help="When there are queries"
        )


def _sample(name: str, about: str) -> None:
    text = (SAMPLES / name).read_text("utf-8")
    with st.container(key=f"sample_{name.partition('.')[0]}", horizontal=True):
        st.html(render("setup/sample.html", name=name, about=about, text=text))
        st.download_button(
            "Download",
            data=text,
            file_name=name,
            mime="text/plain",
            key=f"download_{name}",
            on_click="ignore",
        )
