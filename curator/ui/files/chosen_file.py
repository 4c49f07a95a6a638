"""The file chosen: how it is wished, how it begins, what it leaves out, a button."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from curator.background.files import Made, Wanted
from curator.ui.files import page_state as asked
from curator.ui.files import words
from curator.ui.files.kinds import FileKind
from curator.ui.files.words import Chosen
from curator.ui.shared import html, session
from curator.ui.shared.toolbar import choice_html
from curator.workspace import Workspace

EVERY = 1.0  # seconds between two looks at a file that is being made


def head_html(
    kind: FileKind, chosen: Chosen, releases: Sequence[str], *, subtopics: bool
) -> str:
    """What the file is, and the lists that say how it is wished."""
    lists = []
    if kind.of_a_release and releases:
        options = {"now": "the bank as it is"} | {
            f"={html.encoded(name)}": f"release {name}" for name in releases
        }
        of = f"={html.encoded(chosen.of)}" if chosen.of else "now"
        lists.append(choice_html("Of", "of", list(options), of, options))
    if kind.kind == "qrels":
        options = {"graded": "0 to 5", "binary": "1 and 0"}
        now = "binary" if chosen.binary else "graded"
        lists.append(choice_html("Labels", "labels", list(options), now, options))
        if subtopics:
            now = "subtopic" if chosen.by_subtopic else "query"
            lists.append(choice_html("For each", "per", ("query", "subtopic"), now))
    if len(kind.forms) > 1:
        forms = dict(kind.forms)
        now = chosen.form if chosen.form in forms else kind.forms[0][0]
        lists.append(choice_html("As", "form", list(forms), now))
    return (
        f'<div class="c-listhead"><b>{html.text(kind.label)}</b>'
        f"<span>{html.text(kind.what)}</span></div>"
        + (f'<div class="c-strip x-wish">{"".join(lists)}</div>' if lists else "")
    )


def small_file(workspace: Workspace, kind: FileKind, wanted: Wanted) -> None:
    """A file that is made at once: its button, its beginning, what it leaves out."""
    made = asked.files().now(workspace, wanted)
    if made.line:
        st.html(f'<p class="c-line c-error" role="alert">{html.text(made.line)}</p>')
        return
    _out(wanted, made)
    st.html(preview_html(made) + lost_html(made))


def large_file(workspace: Workspace, kind: FileKind, wanted: Wanted) -> None:
    """A file that is made beside the page once somebody asks for it."""
    begun = asked.files().begun(workspace, wanted) if kind.looked_into else Made()
    if begun.line:
        st.html(f'<p class="c-line c-error" role="alert">{html.text(begun.line)}</p>')
        return
    if asked.making(wanted):
        _waiting(wanted)
    else:
        _asked(wanted)
    if kind.looked_into:
        st.html(preview_html(begun) + lost_html(begun))


@st.fragment(run_every=EVERY)
def _waiting(wanted: Wanted) -> None:
    """Looked at again and again, and the whole page drawn once it is made."""
    if asked.making(wanted):
        _state("Being made beside this page; go on with anything.", disabled=True)
    else:
        session.redraw()


def _asked(wanted: Wanted) -> None:
    made = asked.large_files().found(wanted)
    if made is None:
        _state("Made when you ask for it, beside this page.", wanted=wanted)
    elif made.line:
        _state(made.line, wanted=wanted, error=True)
    else:
        _out(wanted, made)
        if made.notices:
            st.html(notes_html(made.notices))


def _state(
    said: str,
    *,
    wanted: Wanted | None = None,
    disabled: bool = False,
    error: bool = False,
) -> None:
    with st.container(key="file_out", horizontal=True, vertical_alignment="center"):
        st.button(
            "Make file",
            key="make_file",
            disabled=disabled,
            on_click=asked.make,
            args=(wanted,),
        )
        css = "c-note c-warning" if error else "c-note"
        st.html(f'<p class="{css}" role="status">{html.text(said)}</p>')


def _out(wanted: Wanted, made: Made) -> None:
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


def preview_html(made: Made) -> str:
    """The first lines as they are written, long ones cut."""
    lines = words.shown_lines(made.lines)
    said = words.preview_words(len(lines), more=made.more)
    body = html.text("\n".join(lines))
    return (
        f'<p class="x-group">Preview: {html.text(said)}</p>'
        f'<pre class="x-preview" tabindex="0" role="region" aria-label="Preview">'
        f"{body}</pre>"
    )


def lost_html(made: Made) -> str:
    """What its writer says of it, and what it has no place for."""
    lost = ""
    if made.lost:
        named = html.text(", ".join(made.lost))
        lost = f'<p class="c-note">This format has no place for {named}.</p>'
    return notes_html(made.notices) + lost


def notes_html(notices: Sequence[str]) -> str:
    """A line for each."""
    return "".join(f'<p class="c-note">{html.text(one)}</p>' for one in notices)


def refused_html(said: str, command: str = "") -> str:
    """Why there is no file, and the command that writes it where there is one."""
    code = f"<code>{html.text(command)}</code>" if command else ""
    return f'<div class="x-refused"><p>{html.text(said)}</p>{code}</div>'
