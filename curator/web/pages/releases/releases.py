"""Releases: the form that freezes one, their list, and the one opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from curator.edit_words import RETIRE
from curator.errors import CuratorError
from curator.evaluation.releases import ReleaseDifference
from curator.formats.templates import macro
from curator.store.releases import ReleaseRecord
from curator.verbs.releases import Readiness, release_named
from curator.web.components import html, session, shell, words
from curator.web.components.downloads import save_button
from curator.web.components.settings import settings_words
from curator.web.pages.releases.events import freeze, restore
from curator.web.pages.releases.export_file import plain
from curator.workspace import Workspace

TEMPLATE = "releases/releases.html"
LISTED = 8  # differences of a kind; the command lists all


def release_form(readiness: Readiness, why_not: str, *, allow_partial: bool) -> None:
    """Draw the fields of a new release, and why they are closed."""
    st.html(macro(TEMPLATE, "form")())
    with (
        st.form("release_form", border=False),
        st.container(
            key="release_fields", horizontal=True, vertical_alignment="bottom"
        ),
    ):
        st.text_input("Name, such as v1", key="release_name", max_chars=100, width=170)
        st.text_input("Reason", key="release_why", max_chars=2000)
        st.form_submit_button(
            "Freeze",
            key="freeze",
            disabled=bool(why_not) or readiness.settings is None,
            help=why_not or "With the settings at the top",
            on_click=freeze,
            args=(readiness.settings, readiness, allow_partial),
        )
    if why_not:
        shell.note(why_not)


def drifts(workspace: Workspace) -> Mapping[str, int]:
    """Return the number of changed labels by release; cached until a change."""
    this, version = session.current(), workspace.version()
    if this.drifts is None or this.drifts[0] != version:
        drifts = workspace.release_drifts()
        labels = {drift.record.name: len(drift.labels) for drift in drifts}
        this.drifts = version, labels
    return this.drifts[1]


def release_panel(workspace: Workspace, record: ReleaseRecord, drift: int) -> None:
    """Draw one release, how the workspace differs now, and the way back to it."""
    st.html(macro(TEMPLATE, "head")(record, drift, words_for(workspace)))
    name = f"{plain(workspace.path.stem)}-{plain(record.name) or 'release'}.json"
    about = "The canonical form, whose SHA-256 is above"
    write = partial(canonical_form, workspace.path, workspace.judge, record.name)
    save_button("released", "JSON", name, "application/json", about, write)
    try:
        difference = workspace.release_difference(record.name)
    except CuratorError as error:
        shell.note(str(error))
        return
    if changes := restore_words(difference):
        _restore_buttons(record.name, difference, changes)
    names = workspace.collection().names
    draw = macro(TEMPLATE, "differences")
    st.html(draw(difference, names, LISTED, words, html.part))


def words_for(workspace: Workspace) -> Callable[[ReleaseRecord], tuple[str, ...]]:
    """Return the time and the settings of a release in words, and its encoded name."""
    graders, zone = workspace.graders(), session.zone()
    return lambda record: (
        words.day_and_time(record.at, zone),
        settings_words(record.settings, graders),
        html.encoded(record.name),
    )


def canonical_form(path: Path, judge: str, name: str) -> bytes:
    """Return a release as JSON; a browser asks for it outside the session."""
    with (
        Workspace.open(path, judge=judge, as_judge=True) as workspace,
        workspace.snapshot_for_files() as snapshot,
    ):
        return release_named(snapshot, name)[1].canonical.encode()


def _restore_buttons(name: str, difference: ReleaseDifference, changes: str) -> None:
    why_not = session.why_not("restore_release")
    if shell.asking("restore", name) and not why_not:
        sentence = f"Restoring changes the bank: {changes}. One undo takes it back."
        shell.confirmation(
            sentence, "Restore", partial(restore, name=name, expected=difference)
        )
        return
    st.button(
        "Restore…",
        key="restore_ask",
        disabled=bool(why_not),
        on_click=shell.ask,
        args=("restore", name),
        help=why_not or "Make the kept bank that of this release again (R)",
    )


def restore_words(difference: ReleaseDifference) -> str:
    """``3 retired, 1 kept again``; "" if the kept bank is that of the release."""
    counts = (
        (difference.added, RETIRE.past),
        (difference.removed, "kept again"),
        (difference.reworded, "set back to the former words"),
    )
    return ", ".join(f"{len(items):,} {change}" for items, change in counts if items)
