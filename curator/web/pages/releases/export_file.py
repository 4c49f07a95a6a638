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
from curator.evaluation.settings import Settings
from curator.formats.codec import Exports
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.web.components import html, session, shell
from curator.web.components.shell import choice_html
from curator.workspace import Workspace

FIRST = ("qrels", "bank", "leaderboard")
"""Kinds of files that are listed before "more"."""
LEVELS = {
    "qrels": {"graded": "0 to 5", "binary": "1 and 0"},
    "question_qrels": {"binary": "1 and 0", "graded": "ratings"},
}
"""Labels to choose from by kind of file, the default first."""
EVERY = 1.0  # seconds between two looks at a file that is being made
SHOWN_CHARACTERS = 200  # of a line in the preview
TEMPLATE = "releases/export.html"


class ExportChoices(dict[str, str]):
    """Chosen values of the lists of options, by name."""


def chosen_options() -> ExportChoices:
    """Return the options that this session has chosen."""
    return session.recall(ExportChoices) or session.keep(ExportChoices())


def chosen_kind() -> Exports:
    """Return the kind of file that is shown."""
    kinds = exports("page")
    return kinds.get(session.view().file or "") or next(iter(kinds.values()))


def kinds_html(kind: Exports) -> Markup:
    """Draw the kinds of files: the first ones, and a control with the others."""
    kinds = exports("page")
    more = [other for name, other in kinds.items() if name not in FIRST]
    return macro(TEMPLATE, "kinds")([kinds[name] for name in FIRST], more, kind)


def choices(
    kind: Exports, release: str, releases: Sequence[str], *, subtopics: bool
) -> Iterator[Markup]:
    """Yield the lists of options of this kind of file."""
    chosen = chosen_options()
    if kind.of_a_release and releases:
        banks = {} if kind.only_released else {"now": "the bank as it is"}
        banks |= {f"={html.encoded(name)}": f"release {name}" for name in releases}
        value = f"={html.encoded(release)}" if release else "now"
        yield choice_html("Of", "bank", banks, value)
    if levels := LEVELS.get(kind.kind):
        value = chosen.get("labels", next(iter(levels)))
        yield choice_html("Labels", "labels", levels, value)
    if kind.kind == "qrels" and subtopics:
        per = chosen.get("per", "query")
        yield choice_html("For each", "per", ("query", "subtopic"), per)
    if len(kind.forms) > 1:
        yield choice_html("As", "form", list(dict(kind.forms)), form_of(kind)[0])


def form_of(kind: Exports) -> tuple[str, str]:
    """Return the chosen form of the file and the ending of its name."""
    chosen = chosen_options().get("form")
    return next((form for form in kind.forms if form[0] == chosen), kind.forms[0])


def request_of(
    workspace: Workspace,
    kind: Exports,
    settings: Settings | None,
    release: str,
    *,
    allow_partial: bool,
) -> FileRequest:
    """Return the request of the file with the chosen options."""
    chosen = chosen_options()
    labels = chosen.get("labels")
    flags = {
        "binary": kind.kind == "qrels" and labels == "binary",
        "by_subtopic": kind.kind == "qrels" and chosen.get("per") == "subtopic",
        "graded": kind.kind == "question_qrels" and labels == "graded",
    }
    parts = [workspace.path.stem, release, kind.kind]
    parts += [flag for flag, is_set in flags.items() if is_set]
    name = "-".join(filter(None, (plain(part.replace("_", "-")) for part in parts)))
    return FileRequest(
        workspace.path.resolve(),
        workspace.version(),
        workspace.judge,
        kind.kind,
        name + form_of(kind)[1],
        settings if kind.under_settings and not release else None,
        release,
        partial=kind.of_numbers and allow_partial,
        **flags,
    )


def plain(name: str) -> str:
    """Return the name with only letters, digits, dots, dashes and underscores."""
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)
    return kept.strip("-.")[:60]


def draw_file(workspace: Workspace, kind: Exports, request: FileRequest) -> None:
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
        lines = [line[:SHOWN_CHARACTERS] for line in preview.lines]
        st.html(macro(TEMPLATE, "preview")(preview, lines, request.name))
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
        st.download_button(
            "Manifest",
            data=result.sidecar.read_bytes,
            file_name=result.sidecar.name,
            mime="application/json",
            key="download_manifest",
            on_click="ignore",
            help="Settings, the bank’s hash and the file’s own",
        )
    st.html(macro(TEMPLATE, "about")(request.name, result))


@st.fragment(run_every=EVERY)
def _wait(request: FileRequest) -> None:
    """Draw the whole page again once the file is made."""
    if _is_making(request):
        shell.note("Being made in the background.")
    else:
        session.redraw()


def session_files() -> SessionFiles:
    """Return the small files of this session."""
    return session.recall(SessionFiles) or session.keep(SessionFiles())


@st.cache_resource(show_spinner=False)
def large_files() -> LatestFiles:
    """Return the large files of this server."""
    return LatestFiles()


def _is_making(request: FileRequest) -> bool:
    return session.service().is_running(FileTask(request, large_files()))


def _make(request: FileRequest) -> None:
    session.service().send(FileTask(request, large_files()))
