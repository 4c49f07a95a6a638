"""Export: the file to download, what is missing, and releases."""

from __future__ import annotations

import hashlib

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.releases.readiness import Readiness
from curator.web.components import session, shell
from curator.web.components.settings import (
    board_settings,
    grader_labels,
    settings_words,
)
from curator.web.components.shell import framed, toolbar
from curator.web.pages.releases import export_file, releases
from curator.web.pages.releases.missing import (
    left_unseen,
    why_not_export,
    why_not_freeze,
)
from curator.web.pages.results.stability import stability
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace


def page() -> None:
    """Draw the tab Export."""
    framed("Export", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the parts of the tab; the release opened is at the right."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    view, problems = session.view(), list[str]()
    settings = board_settings(workspace, view, problems)
    toolbar(columns.toolbar, workspace, settings)
    with columns.left:
        shell.brand(collection.title)
    graders, records = workspace.graders(), workspace.releases()
    readiness = workspace.readiness(settings)
    opened = next((record for record in records if record.name == view.release), None)
    if view.release is not None and opened is None:
        problems.append(f"No release '{view.release}' in this workspace.")
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        about = settings_words(settings, graders) if settings else "no grades yet"
        shell.title("Export", about)
        shell.notes()
        file_place = st.container(key="file", gap=None)
        grader = grader_labels(graders)[settings.grader] if settings else ""
        allow_partial = missing(readiness, grader)
        with st.container(key="releases", gap=None):
            why_not = session.why_not("release")
            why_not = why_not or why_not_freeze(readiness, allow_partial=allow_partial)
            releases.release_form(readiness, why_not, allow_partial=allow_partial)
            st.html(stability.panel_html(stability.known(workspace, settings)))
            stability.wait()
            drifts = releases.drifts(workspace) if records else {}
            releases.release_list(workspace, records, drifts, view.release)
    with file_place:
        kind = export_file.chosen_kind()
        st.html(export_file.kinds_html(kind))
        release = opened.name if opened and kind.of_a_release else ""
        if kind.only_released and records:
            release = release or records[0].name  # the latest
        names = [record.name for record in records]
        subtopics = any(query.subtopics for query in collection.queries)
        lists = list(export_file.choices(kind, release, names, subtopics=subtopics))
        closed = why_not_export(
            kind,
            readiness,
            release,
            allow_partial=allow_partial,
            blind=collection.blind,
        )
        st.html(macro(export_file.TEMPLATE, "head")(kind, lists, closed))
        if not closed:
            request = export_file.request_of(
                workspace, kind, settings, release, allow_partial=allow_partial
            )
            export_file.draw_file(workspace, kind, request)
            if unseen := left_unseen(kind, readiness):
                shell.note(unseen)
    if opened is not None:
        with columns.right:
            releases.release_panel(workspace, opened, drifts.get(opened.name, 0))
    session.settle("Export", id(collection))


def missing(readiness: Readiness, grader: str) -> bool:
    """Draw what is missing; return True if that is allowed.

    The tick is for these settings and numbers: others have another one.
    """
    with st.container(key="missing", gap=None):
        name = readiness.settings.grader if readiness.settings else ""
        st.html(macro(export_file.TEMPLATE, "missing")(readiness, grader, name))
        if readiness.complete:
            return False
        numbers = hashlib.sha256(repr(readiness).encode()).hexdigest()[:16]
        with st.container(key="regardless"):
            return st.checkbox("Freeze and export anyway", key=f"regardless_{numbers}")


page()
