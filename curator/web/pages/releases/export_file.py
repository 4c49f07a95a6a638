"""The file to export: its kind, its options, its first lines and its buttons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st
from markupsafe import Markup

from curator.background.files import (
    FileRequest,
    FileResult,
    FileTask,
    LatestFiles,
    SessionFiles,
)
from curator.formats.codec import GROUPS, Exports
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.verbs.releases import Readiness
from curator.web.components import html, session, shell
from curator.web.components.downloads import save_button
from curator.web.components.shell import choice_html
from curator.web.pages.releases.missing import why_not_export
from curator.workspace import Workspace

FIRST = ("qrels", "bank", "leaderboard")
"""Kinds of files that are listed before "more"."""
LEVELS = {
    "qrels": {"graded": "0 to 5", "binary": "1 and 0"},
    "question_qrels": {"binary": "1 and 0", "graded": "ratings"},
}
"""Labels to choose from by kind of file, the default first."""
TEMPLATE = "releases/export.html"


def draw_export(
    workspace: Workspace,
    readiness: Readiness,
    releases: Sequence[str],
    opened: str,
    *,
    allow_partial: bool,
) -> None:
    """Draw the kinds of files and the chosen one, made of the release ``opened``."""
    in_groups = sorted(exports().values(), key=lambda form: GROUPS.index(form.group))
    kinds = {form.kind: form for form in in_groups}
    kind = kinds.get(session.view().file or "") or next(iter(kinds.values()))
    release = opened if kind.of_a_release else ""
    if kind.only_released and releases:
        release = release or releases[0]  # the latest
    closed = why_not_export(
        kind,
        readiness,
        release,
        allow_partial=allow_partial,
        blind=workspace.collection().blind,
    )
    first = [kinds[name] for name in FIRST]
    more = [other for other in kinds.values() if other not in first]
    lists = list(_choices(workspace, kind, release, releases))
    st.html(macro(TEMPLATE, "head")(first, more, kind, lists, closed))
    if closed:
        return
    chosen = session.current().export_options
    labels = kind.kind, chosen.get("labels")
    options = {
        "binary": labels == ("qrels", "binary"),
        "by_subtopic": kind.kind == "qrels" and chosen.get("per") == "subtopic",
        "graded": labels == ("question_qrels", "graded"),
    }
    parts = [kind.kind, *(name for name, is_set in options.items() if is_set)]
    parts = [workspace.path.stem, release, *(part.replace("_", "-") for part in parts)]
    request = FileRequest(
        workspace.path.resolve(),
        workspace.version(),
        workspace.judge,
        kind.kind,
        "-".join(filter(None, map(plain, parts))) + _form(kind)[1],
        readiness.settings if kind.under_settings and not release else None,
        release,
        partial=kind.of_numbers and allow_partial,
        **options,
    )
    _draw_file(workspace, kind, request)
    if readiness.unseen and (kind.group == "Questions" or kind.kind == "checks"):
        shell.note(f"Without {readiness.unseen:,} marks that you may not see yet.")


def _choices(
    workspace: Workspace, kind: Exports, release: str, releases: Sequence[str]
) -> Iterator[Markup]:
    """Yield the lists of options of this kind of file."""
    chosen = session.current().export_options
    if kind.of_a_release and releases:
        banks = {} if kind.only_released else {"now": "the bank as it is"}
        banks |= {f"={html.encoded(name)}": f"release {name}" for name in releases}
        value = f"={html.encoded(release)}" if release else "now"
        yield choice_html("Of", "bank", banks, value)
    if levels := LEVELS.get(kind.kind):
        value = chosen.get("labels", next(iter(levels)))
        yield choice_html("Labels", "labels", levels, value)
    has_subtopics = any(query.subtopics for query in workspace.collection().queries)
    if kind.kind == "qrels" and has_subtopics:
        per = chosen.get("per", "query")
        yield choice_html("For each", "per", ("query", "subtopic"), per)
    if len(kind.forms) > 1:
        yield choice_html("As", "form", list(dict(kind.forms)), _form(kind)[0])


def _form(kind: Exports) -> tuple[str, str]:
    """Return the chosen form of the file and the ending of its name."""
    chosen = session.current().export_options.get("form")
    return next((form for form in kind.forms if form[0] == chosen), kind.forms[0])


def plain(name: str) -> str:
    """Return the name with only letters, digits, dots, dashes and underscores."""
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)
    return kept.strip("-.")[:60]


def _draw_file(workspace: Workspace, kind: Exports, request: FileRequest) -> None:
    """Draw the buttons of the file and its first lines; a large one is made on demand.

    A zip is previewed as the names of its files.
    """
    preview, result = FileResult(), large_files().get(request)
    if not kind.large:
        preview = result = session_files().make(workspace, request)
    elif kind.looked_into:
        preview = session_files().preview(workspace, request)
    if preview.line:
        shell.line(preview.line, error=True)
        return
    with st.container(key="file_out", horizontal=True, vertical_alignment="center"):
        if _is_making(request):
            _wait(request)
        elif result is None or result.path is None:
            line = result.line if result else "Made in the background on request."
            st.button("Make file", key="make_file", on_click=_make, args=(request,))
            shell.note(line)
        else:
            _download_buttons(request, result)
    if preview.lines or not kind.large:
        st.html(macro(TEMPLATE, "preview")(preview, request.name))
    for notice in result.notices if result else ():
        shell.note(notice)


def _download_buttons(request: FileRequest, result: FileResult) -> None:
    assert result.path is not None
    st.download_button(
        "Download",
        data=result.path.read_bytes,
        file_name=request.name,
        mime="application/octet-stream",
        key="download_file",
        type="primary",
        on_click="ignore",
    )
    if result.sidecar is not None:
        name, read = result.sidecar.name, result.sidecar.read_bytes
        about = "Settings and hashes of the bank and the file"
        save_button("download", "Manifest", name, "application/json", about, read)
    st.html(macro(TEMPLATE, "about")(request.name, result))


@st.fragment(run_every=1.0)
def _wait(request: FileRequest) -> None:
    """Draw the whole page again once the file is made."""
    if _is_making(request):
        shell.note("Being made in the background.")
    else:
        session.redraw()


def session_files() -> SessionFiles:
    """Return the small files of this session."""
    this = session.current()
    this.files = this.files or SessionFiles()
    return this.files


@st.cache_resource(show_spinner=False)
def large_files() -> LatestFiles:
    """Return the large files of this server."""
    return LatestFiles()


def _is_making(request: FileRequest) -> bool:
    return session.service().is_running(FileTask(request, large_files()))


def _make(request: FileRequest) -> None:
    session.service().send(FileTask(request, large_files()))
