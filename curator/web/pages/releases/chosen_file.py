"""The file chosen: how it is asked for, how it begins, what it leaves out, a button."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from curator.background.files import FileRequest, FileResult
from curator.formats.codec import Exports
from curator.formats.templates import macro
from curator.web.components import html, session
from curator.web.components.shell import choice_html
from curator.web.pages.releases import page_state, words
from curator.web.pages.releases.words import Chosen
from curator.workspace import Workspace

EVERY = 1.0  # seconds between two looks at a file that is being made
TEMPLATE = "releases/export.html"


def head_html(
    kind: Exports, chosen: Chosen, releases: Sequence[str], *, subtopics: bool
) -> Markup:
    """What the file is, and the lists that say how it is asked for."""
    lists = []
    if kind.of_a_release and releases:
        options = {} if kind.only_released else {"now": "the bank as it is"}
        options |= {f"={html.encoded(name)}": f"release {name}" for name in releases}
        of = f"={html.encoded(chosen.of)}" if chosen.of else "now"
        lists.append(choice_html("Of", "bank", list(options), of, options))
    if kind.kind == "qrels":
        options = {"graded": "0 to 5", "binary": "1 and 0"}
        now = "binary" if chosen.binary else "graded"
        lists.append(choice_html("Labels", "labels", list(options), now, options))
        if subtopics:
            now = "subtopic" if chosen.by_subtopic else "query"
            lists.append(choice_html("For each", "per", ("query", "subtopic"), now))
    if kind.kind == "question_qrels":
        options = {"binary": "1 and 0", "graded": "ratings"}
        now = "graded" if chosen.graded else "binary"
        lists.append(choice_html("Levels", "labels", list(options), now, options))
    if len(kind.forms) > 1:
        forms = dict(kind.forms)
        now = chosen.form if chosen.form in forms else kind.forms[0][0]
        lists.append(choice_html("As", "form", list(forms), now))
    return macro(TEMPLATE, "head")(kind, Markup("".join(lists)))


def small_file(workspace: Workspace, kind: Exports, wanted: FileRequest) -> None:
    """A file that is made at once: its button, its beginning, what it leaves out."""
    made = page_state.files().make(workspace, wanted)
    if made.line:
        st.html(macro(TEMPLATE, "failed")(made.line))
        return
    _out(wanted, made)
    st.html(preview_html(made))


def large_file(workspace: Workspace, kind: Exports, wanted: FileRequest) -> None:
    """A file that is made beside the page once somebody asks for it."""
    begun = FileResult()
    if kind.looked_into:
        begun = page_state.files().preview(workspace, wanted)
    if begun.line:
        st.html(macro(TEMPLATE, "failed")(begun.line))
        return
    file = page_state.large_files().get(wanted)
    if page_state.making(wanted):
        _waiting(wanted)
    elif file is None:
        _state("Made when you ask for it, beside this page.", wanted)
    elif file.line:
        _state(file.line, wanted, css="c-note c-warning")
    else:
        _out(wanted, file)
        if file.notices:
            st.html(macro(TEMPLATE, "notes")(file.notices))
    if kind.looked_into:
        st.html(preview_html(begun))


@st.fragment(run_every=EVERY)
def _waiting(wanted: FileRequest) -> None:
    """Looked at again and again, and the whole page drawn once it is made."""
    if page_state.making(wanted):
        _state("Being made beside this page; go on with anything.", None)
    else:
        session.redraw()


def _state(said: str, wanted: FileRequest | None, *, css: str = "c-note") -> None:
    """How the file stands, beside the button that has it made where it can be."""
    with st.container(key="file_out", horizontal=True, vertical_alignment="center"):
        st.button(
            "Make file",
            key="make_file",
            disabled=wanted is None,
            on_click=page_state.make,
            args=(wanted,),
        )
        st.html(f'<p class="{css}" role="status">{html.text(said)}</p>')


def _out(wanted: FileRequest, made: FileResult) -> None:
    """The buttons, with what the file holds and how large it is."""
    if made.path is None:
        return
    said = " · ".join(part for part in (made.what, words.size_words(made.size)) if part)
    with st.container(key="file_out", horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download",
            data=made.path.read_bytes,
            file_name=wanted.name,
            mime="application/octet-stream",
            key="download_file",
            type="primary",
            on_click="ignore",
        )
        if made.sidecar is not None:
            st.download_button(
                "Manifest",
                data=made.sidecar.read_bytes,
                file_name=made.sidecar.name,
                mime="application/json",
                key="download_manifest",
                on_click="ignore",
                help="Settings, the bank’s hash and the file’s own, to lie beside it",
            )
        st.html(
            f'<p class="c-note"><b>{html.text(wanted.name)}</b> {html.text(said)}</p>'
        )


def preview_html(made: FileResult) -> Markup:
    """The first lines as they are written, long ones cut, and what it leaves out.

    Of a zip the files in it.
    """
    lines = words.shown_lines(made.lines)
    noun = "file" if made.path is not None and made.path.suffix == ".zip" else "line"
    said = words.preview_words(len(lines), noun, more=made.more)
    return macro(TEMPLATE, "preview")(made, lines, said)
