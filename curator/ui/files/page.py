"""Export: what is missing, releases, and every file that can be handed out."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from curator.background.files import Wanted
from curator.errors import CuratorError
from curator.evaluation.settings import Settings
from curator.store.releases import ReleaseRecord
from curator.ui.files import chosen_file
from curator.ui.files import kinds as file_kinds
from curator.ui.files import page_state as asked
from curator.ui.files import words as exporting
from curator.ui.files.kind_list import export_kinds
from curator.ui.files.kinds import FileKind
from curator.ui.files.missing import export_missing
from curator.ui.releases import release_table
from curator.ui.releases import rows as releases
from curator.ui.releases.release_panel import release_panel
from curator.ui.setup.steps import no_collection
from curator.ui.shared import session, shell
from curator.ui.shared.settings import board_settings, grader_labels, settings_words
from curator.ui.shared.shell import board_strip, framed
from curator.verbs.releases.readiness import Readiness
from curator.workspace import Workspace

NO_LONGER = "Restored from {name}: the kept bank is that of then."


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
    kinds = file_kinds.offered()
    kind = file_kinds.kind_of(kinds, view.file)
    with columns.left:
        shell.brand(collection.title)
        export_kinds(kinds, kind)
    settings = board_settings(workspace, view, problems)
    board_strip(workspace, columns, settings)
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
        regardless = export_missing(found, label, names)
        with st.container(key="releases", gap=None):
            why_not = exporting.why_not_freeze(found, regardless=regardless)
            release_table.release_form(found, why_not, regardless=regardless)
            rows = releases.release_rows(
                records, drifted, graders, session.zone(), view.release
            )
            st.html(release_table.releases_html(rows))
        with st.container(key="file", gap=None):
            file(workspace, kind, settings, found, records, regardless=regardless)
    if opened is not None:
        with columns.right:
            release(workspace, opened, drifted.get(opened.name, 0))
    session.settle("Export", id(collection))


def drifts(workspace: Workspace, records: Sequence[ReleaseRecord]) -> dict[str, int]:
    """How many labels of each release are others by now; kept until something is."""
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
    name = asked.restored()
    if name is None:
        return
    with st.container(key="restored", horizontal=True, vertical_alignment="center"):
        shell.line(NO_LONGER.format(name=name))
        with st.container(key="key_u", width="content"):
            st.button(
                "Undo  u",
                key="undo_restoring",
                on_click=asked.undo_restoring,
                help="Takes all of it back; so does History",
            )


def release(workspace: Workspace, record: ReleaseRecord, drifted: int) -> None:
    """The one opened, against the workspace as it is."""
    difference, refused = None, ""
    try:
        difference = workspace.release_difference(record.name)
    except CuratorError as error:
        refused = str(error)
    graders = workspace.graders()
    words = settings_words(releases.settings_of(record), graders)
    release_panel(workspace, record, words, drifted, difference, refused)


def file(
    workspace: Workspace,
    kind: FileKind,
    settings: Settings | None,
    found: Readiness,
    records: Sequence[ReleaseRecord],
    *,
    regardless: bool,
) -> None:
    """The kind chosen: how it is wished, its beginning and its button, or why not."""
    collection = workspace.collection()
    chosen = asked.chosen()
    names = [one.name for one in records]
    of = chosen.of if chosen.of in names and kind.of_a_release else ""
    subtopics = any(query.subtopics for query in collection.queries)
    st.html(chosen_file.head_html(kind, chosen, names, subtopics=subtopics))
    path = workspace.path.name
    hidden = exporting.why_hidden(kind, found, blind=collection.blind)
    if hidden:
        said = exporting.command(path, kind, chosen, settings)
        st.html(chosen_file.refused_html(hidden, said))
        return
    if of and collection.blind and kind.kind == "leaderboard":
        st.html(chosen_file.refused_html(releases.BLIND))
        return
    why_not = exporting.why_not_export(
        kind, found, of_now=not of, regardless=regardless
    )
    if why_not:
        st.html(chosen_file.refused_html(why_not))
        return
    wanted = Wanted(
        workspace.path.resolve(),
        workspace.version(),
        workspace.judge,
        kind.kind,
        exporting.file_name(workspace.path.stem, kind, chosen),
        settings if kind.under_settings and not of else None,  # a release has its own
        of,
        binary=chosen.binary and kind.kind == "qrels",
        by_subtopic=chosen.by_subtopic and kind.kind == "qrels",
        partial=kind.of_numbers and regardless,
    )
    make = chosen_file.large_file if kind.large else chosen_file.small_file
    make(workspace, kind, wanted)
    unseen = exporting.left_unseen(kind, found)
    if unseen:
        st.html(chosen_file.notes_html([unseen]))


page()
