"""Export: the file to download, what is missing, and releases."""

from __future__ import annotations

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.releases import Readiness
from curator.web.components import session, shell
from curator.web.components.settings import (
    board_settings,
    grader_labels,
    settings_words,
)
from curator.web.components.shell import toolbar
from curator.web.pages.frame import draw_page
from curator.web.pages.releases import export_file, releases
from curator.web.pages.releases.missing import why_not_freeze
from curator.web.pages.results.stability import stability
from curator.workspace import Workspace


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the parts of the tab; the release opened is at the right."""
    collection = workspace.collection()
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
            why_not = why_not_freeze(readiness, allow_partial=allow_partial)
            why_not = session.why_not("release") or why_not
            releases.release_form(readiness, why_not, allow_partial=allow_partial)
            st.html(stability.panel_html(stability.latest(workspace, settings)))
            stability.wait()
            drifts = releases.drifts(workspace) if records else {}
            draw_list = macro(releases.TEMPLATE, "releases")
            words_for = releases.words_for(workspace)
            st.html(draw_list(records, view.release, drifts, words_for))
    with file_place:
        export_file.draw_export(
            workspace,
            readiness,
            [record.name for record in records],
            opened.name if opened else "",
            allow_partial=allow_partial,
        )
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
        with st.container(key="regardless"):
            key = f"regardless_{hash(repr(readiness))}"
            return st.checkbox("Freeze and export anyway", key=key)


draw_page("Export", draw)
