"""Releases, a part of Export: freezing one, those there are, the one opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup

from curator.errors import CuratorError
from curator.evaluation.releases import ReleaseDifference
from curator.formats.templates import macro
from curator.store.releases import ReleaseRecord
from curator.verbs.releases.readiness import Readiness
from curator.web.components import html, session, words
from curator.web.components.settings import settings_words
from curator.web.pages.releases import page_state
from curator.web.pages.releases import release_words as releases
from curator.web.pages.releases.words import plain
from curator.workspace import Workspace

TEMPLATE = "releases/releases.html"
FILES = (
    # Button, kind, binary, ending, help.
    ("Qrels", "qrels", False, ".qrels", "Every passage’s label as it was frozen"),
    (
        "Binary qrels",
        "qrels",
        True,
        "-binary.qrels",
        "1 from the minimum rating, else 0",
    ),
    ("Board", "leaderboard", False, ".tsv", "The board as it was frozen"),
    ("JSON", "json", False, ".json", "The canonical form that the hash is of"),
)


def release_form(found: Readiness, why_not: str, *, regardless: bool) -> None:
    """A name, why, and the button; one sentence where it is closed."""
    st.html(macro(TEMPLATE, "form")())
    closed = bool(session.why_not("release"))
    with (
        st.form("release_form", border=False),
        st.container(
            key="release_fields", horizontal=True, vertical_alignment="center"
        ),
    ):
        st.text_input(
            "Name of the release",
            key="release_name",
            placeholder="Name, such as v1  f",
            max_chars=100,
            width=170,
            label_visibility="collapsed",
            disabled=closed,
        )
        st.text_input(
            "Why it is made",
            key="release_why",
            placeholder="Why: what it is made for",
            max_chars=2000,
            label_visibility="collapsed",
            disabled=closed,
        )
        st.form_submit_button(
            "Freeze",
            key="freeze",
            disabled=bool(why_not) or found.settings is None,
            help=why_not or "Under the settings at the top",
            on_click=page_state.freeze,
            args=(found.settings, found, regardless),
        )
    if why_not:
        st.html(macro(TEMPLATE, "note")(why_not))


def release_table(
    workspace: Workspace,
    records: Sequence[ReleaseRecord],
    drifted: Mapping[str, int],
    opened: str | None,
) -> None:
    """The releases, the latest first; ``drifted`` labels by name."""
    graders, zone = workspace.graders(), session.zone()
    rows = [
        (
            one,
            words.day_and_time(one.at, zone),
            settings_words(one.settings, graders),
            releases.drift_words(drifted.get(one.name, 0)),
        )
        for one in records
    ]
    st.html(macro(TEMPLATE, "table")(rows, opened, html.encoded))


def release_panel(workspace: Workspace, record: ReleaseRecord, drifted: int) -> None:
    """One release: its files, what differs by now, and the way back to it."""
    collection = workspace.collection()
    st.html(
        macro(TEMPLATE, "head")(
            record,
            words.day_and_time(record.at, session.zone()),
            settings_words(record.settings, workspace.graders()),
            releases.rests_on(record),
            releases.drift_words(drifted),
            html.encoded,
        )
    )
    _downloads(workspace, record, blind=collection.blind)
    try:
        found = workspace.release_difference(record.name)
    except CuratorError as error:
        st.html(macro(TEMPLATE, "note")(str(error)))
        return
    st.html(macro(TEMPLATE, "now")(releases.changes_words(found)))
    with st.container(key="restoring", gap=None):
        if would := releases.restore_words(found):
            _restoring(record.name, found, would)
        else:
            unchanged = "The kept bank is that of this release."
            st.html(macro(TEMPLATE, "note")(unchanged))
    names = {query.query_id: query.name for query in collection.queries}
    if lists := releases.changed_lists(found, names):
        st.html(macro(TEMPLATE, "changes")(lists, _sentence))


def _sentence(said: words.Sentence) -> Markup:
    return Markup(html.sentence(said))


def _downloads(workspace: Workspace, record: ReleaseRecord, *, blind: bool) -> None:
    path, judge = workspace.path, workspace.judge
    stem = "-".join((plain(path.stem), plain(record.name) or "release"))
    with st.container(key="released", horizontal=True, gap="small"):
        for label, kind, binary, ending, about in FILES:
            if blind and kind == "leaderboard":
                continue
            of = (path, judge, record.name, kind, binary, f"{stem}{ending}")
            st.download_button(
                label,
                data=partial(page_state.released_file, *of),
                file_name=f"{stem}{ending}",
                mime="application/octet-stream",
                key=f"released_{label.lower().replace(' ', '_')}",
                on_click="ignore",
                help=about,
            )
    if blind:
        st.html(macro(TEMPLATE, "note")(releases.BLIND))


def _restoring(name: str, found: ReleaseDifference, would: str) -> None:
    """The button that asks, and the two that answer."""
    why_not = session.why_not("restore_release")
    if session.current().restoring != name or why_not:
        st.button(
            "Restore…",
            key="restore_ask",
            disabled=bool(why_not),
            on_click=page_state.ask_to_restore,
            args=(name,),
            help=why_not or "Make the kept bank that of this release again (R)",
        )
        return
    st.html(macro(TEMPLATE, "asked")(would))
    with st.container(key="restore_answers", horizontal=True, gap="small"):
        st.button(
            "Restore",
            key="restore",
            type="primary",
            on_click=page_state.restore,
            args=(name, found),
        )
        st.button(
            "No", key="restore_no", on_click=page_state.ask_to_restore, args=(None,)
        )
