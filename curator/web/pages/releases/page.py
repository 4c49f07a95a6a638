"""Export: what is missing, releases, and every file that can be handed out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from curator.background.files import FileRequest
from curator.evaluation.settings import Settings
from curator.formats.codec import Exports
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.store.releases import ReleaseRecord
from curator.verbs.releases.readiness import Readiness
from curator.web.components import session, shell
from curator.web.components.settings import (
    board_settings,
    grader_labels,
    settings_words,
)
from curator.web.components.shell import framed, toolbar
from curator.web.pages.releases import chosen_file, page_state, words
from curator.web.pages.releases.chosen_file import TEMPLATE
from curator.web.pages.releases.release_words import BLIND
from curator.web.pages.releases.releases import (
    release_form,
    release_panel,
    release_table,
)
from curator.web.pages.results.stability import stability
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

FIRST = ("qrels", "bank", "leaderboard")  # kinds of files listed before "more"


def page() -> None:
    """What is missing first; releases; the file chosen at the left."""
    framed("Export", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    view, problems = session.view(), list[str]()
    kinds = exports("page")
    kind = kinds.get(view.file or "") or next(iter(kinds.values()))
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_rows"):
            first = [kinds[name] for name in FIRST]
            more = [other for other in kinds.values() if other not in first]
            st.html(macro(TEMPLATE, "kinds")(first, more, kind.kind))
        with st.container(key="query_progress"):
            st.html(macro(TEMPLATE, "keys")())
    settings = board_settings(workspace, view, problems)
    toolbar(columns.toolbar, workspace, settings)
    graders = workspace.graders()
    found = workspace.readiness(settings)
    records = workspace.releases()
    drifted = drifts(workspace, records)
    opened = next((one for one in records if one.name == view.release), None)
    if view.release is not None and opened is None:
        problems.append(f"No release '{view.release}' in this workspace.")
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        about = settings_words(settings, graders) if settings else "no grades yet"
        shell.title("Export", about)
        shell.notes()
        restored()
        names = {query.query_id: query.name for query in collection.queries}
        label = grader_labels(graders).get(settings.grader, "") if settings else ""
        rows = words.missing_rows(found, label, names)
        regardless = missing(found, rows)
        with st.container(key="releases", gap=None):
            why_not = session.why_not("release")
            why_not = why_not or words.why_not_freeze(found, regardless=regardless)
            release_form(found, why_not, regardless=regardless)
            st.html(stability.panel_html(stability.known(workspace, settings)))
            stability.wait()
            release_table(workspace, records, drifted, view.release)
        with st.container(key="file", gap=None):
            file(workspace, kind, settings, found, records, regardless=regardless)
    if opened is not None:
        with columns.right:
            release_panel(workspace, opened, drifted.get(opened.name, 0))
    session.settle("Export", id(collection))


def missing(found: Readiness, rows: Sequence[tuple[str, ...]]) -> bool:
    """What is missing; whether somebody ticked that all the same something goes out.

    The tick is for these settings and these numbers: others have another one.
    """
    with st.container(key="missing", gap=None):
        st.html(macro(TEMPLATE, "missing")(rows, found.marks_done))
        if found.complete:
            return False
        of_these = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
        with st.container(key="regardless"):
            return st.checkbox(
                f"Freeze and export all the same: {words.regardless_words(found)}",
                key=f"regardless_{of_these}",
            )


def drifts(workspace: Workspace, records: Sequence[ReleaseRecord]) -> dict[str, int]:
    """Return the number of changed labels by release; cached until a change."""
    if not records:
        return {}
    now = workspace.version()
    kept = session.current().drifts
    if kept is None or kept[0] != now:
        found = {one.record.name: len(one.labels) for one in workspace.release_drifts()}
        kept = session.current().drifts = (now, found)
    return kept[1]


def restored() -> None:
    """What this session restored last, and the key that takes it back."""
    name = page_state.restored()
    if name is None:
        return
    with st.container(key="restored", horizontal=True, vertical_alignment="center"):
        shell.line(f"Restored from {name}: the kept bank is that of then.")
        with st.container(key="key_u", width="content"):
            st.button(
                "Undo  u",
                key="undo_restoring",
                on_click=page_state.undo_restoring,
                help="Takes all of it back; so does History",
            )


def file(
    workspace: Workspace,
    kind: Exports,
    settings: Settings | None,
    found: Readiness,
    records: Sequence[ReleaseRecord],
    *,
    regardless: bool,
) -> None:
    """The kind chosen: how it is wished, its beginning and its button, or why not."""
    collection = workspace.collection()
    chosen = page_state.chosen()
    names = [one.name for one in records]
    of = chosen.of if chosen.of in names and kind.of_a_release else ""
    if kind.only_released and names and not of:
        of = names[0]  # the latest
        chosen = replace(chosen, of=of)
    subtopics = any(query.subtopics for query in collection.queries)
    st.html(chosen_file.head_html(kind, chosen, names, subtopics=subtopics))
    why_not = words.why_hidden(kind, found, blind=collection.blind)
    if not why_not and of and collection.blind and kind.kind == "leaderboard":
        why_not = BLIND
    if not why_not and kind.only_released and not of:
        why_not = words.NO_RELEASE
    if why_not := why_not or words.why_not_export(
        kind, found, of_now=not of, regardless=regardless
    ):
        st.html(macro(TEMPLATE, "refused")(why_not))
        return
    wanted = FileRequest(
        workspace.path.resolve(),
        workspace.version(),
        workspace.judge,
        kind.kind,
        words.file_name(workspace.path.stem, kind, chosen),
        settings if kind.under_settings and not of else None,  # a release has its own
        of,
        binary=chosen.binary and kind.kind == "qrels",
        by_subtopic=chosen.by_subtopic and kind.kind == "qrels",
        graded=chosen.graded and kind.kind == "question_qrels",
        partial=kind.of_numbers and regardless,
    )
    make = chosen_file.large_file if kind.large else chosen_file.small_file
    make(workspace, kind, wanted)
    if unseen := words.left_unseen(kind, found):
        st.html(macro(TEMPLATE, "notes")([unseen]))


page()
