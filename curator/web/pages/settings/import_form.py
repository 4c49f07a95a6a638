"""Import of files from the browser: a table of what each is, then all at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from curator.formats.file_preview import FilePreview, preview_file
from curator.formats.recognition import is_system_file, system_files_notice
from curator.formats.registry import import_options
from curator.formats.templates import macro
from curator.tables.files import counted_kind
from curator.unfinished import LockedFolder
from curator.web.components import session, shell, words
from grading.registry import DEFAULT_GRADER

LABELS = "labels"
"""Next to the import options: qrels by a model, whose name a person gives."""
LEAVE_OUT = ""
OPTIONS = {
    "segmented": ("passages", "Grade long passages by segments of up to 150 words"),
    "take_keys": ("bank", "Take other answer keys of the file, as an edit"),
    "separate": ("judgments runs", "Topics query/subtopic are queries of their own"),
    "add_queries": (
        "bank autograder runs judgments gold reports grades",
        "Add queries of topics that match none here",
    ),
}
"""Boxes by the name of their parameter: the kinds of files they concern, label."""


def import_form(*, first: bool = False) -> None:
    """Draw the import; after the ``first`` one the questions are graded, too."""
    uploaded = st.file_uploader(
        "Files",
        accept_multiple_files=True,
        key=f"files_{st.session_state.setdefault('imports', 0)}",  # empty after each
        label_visibility="collapsed",
    )
    for notice in system_files_notice(file.name for file in uploaded):
        st.caption(notice)
    files = [file for file in uploaded if not is_system_file(file.name)]
    if not files:
        st.caption(
            "Topics, passages, runs, qrels, questions, grades and reports; CSV, Excel, "
            "JSON Lines, TREC; .gz too."
        )
        return
    with st.container(key="import_table", gap=None):
        st.html(macro("settings/import.html", "head")())
        rows = [(file, *_row(number, file)) for number, file in enumerate(files)]
    chosen = [row for row in rows if row[1] != LEAVE_OUT]
    kinds = {kind for _, kind, _ in chosen}
    with st.expander("Options"):
        threshold = None
        if kinds & {"judgments", "autograder"}:
            threshold = st.number_input(
                "A passage is relevant from judgment",
                min_value=1,
                max_value=10,
                value=None,
                placeholder="not said",
                key="threshold",
            )
        ticked = {
            name: bool(kinds & {*concerned.split()}) and st.checkbox(label, key=name)
            for name, (concerned, label) in OPTIONS.items()
        }
    if not chosen:
        st.caption("No file here can be imported yet.")
        return
    label = f"Import {words.count(len(chosen), 'file')}{' and grade' if first else ''}"
    if st.button(label, key="import_files", type="primary"):
        subtopics = "separate" if ticked.pop("separate") else "attach"
        options = {"min_relevance": threshold, "subtopics": subtopics, **ticked}
        _import(chosen, options, first=first)


def _row(number: int, file: Any) -> tuple[str, str]:
    """Draw the row of a file; return its kind, and the model that wrote labels or "".

    A person chooses the kind if it is unsure.
    """
    preview = _preview(file)
    labels = {name: it.label for name, it in import_options().items()}
    kinds = [*preview.options] or [LEAVE_OUT, *labels]
    labels |= {LABELS: "labels by a model (qrels)", LEAVE_OUT: "left out"}
    if kinds[0] == "judgments":
        kinds.append(LABELS)
    key = f"{number}_{file.name}"
    draw = macro("settings/import.html", "cells")
    with st.container(key=f"upload_{number}", horizontal=True):
        st.html(draw(file.name, preview.first, preview.problem))
        kind, grader = kinds[0], ""
        if len(kinds) == 1:
            st.html(draw(labels[kind]))
        else:
            kind = st.selectbox(
                file.name,
                kinds,
                format_func=labels.__getitem__,
                key=f"kind_{key}",
                label_visibility="collapsed",
            )
        st.html(draw(preview.records))
        if kind == LABELS:
            stem = file.name.partition(".")[0]
            label = "The model that wrote them"
            grader = st.text_input(label, stem, key=f"grader_{key}").strip()
    return kind, grader


def _preview(file: Any) -> FilePreview:
    """Return the preview of an uploaded file, made once in a session."""
    previews: dict[str, FilePreview]
    previews = st.session_state.setdefault("file_previews", {})
    if file.file_id not in previews:
        with LockedFolder() as folder:
            previews[file.file_id] = preview_file(_stored(file, Path(folder)))
    return previews[file.file_id]


def _stored(file: Any, folder: Path) -> Path:
    path = folder / (Path(file.name).name[-100:] or "file")
    path.write_bytes(file.getbuffer())
    return path


def _import(
    files: Sequence[tuple[Any, str, str]], options: Mapping[str, Any], *, first: bool
) -> None:
    """Import all files or none, each with its kind and the model that wrote labels.

    After the ``first`` import the default grader grades the questions in the
    background, and the Judge page opens.
    """
    bar = st.progress(0.0, "Reading")

    def report(done: int, total: int) -> None:
        bar.progress(min(done / max(total, 1), 1.0), "Reading")

    with LockedFolder() as folder:
        paths: dict[str, dict[str, list[Path]]] = {}
        for number, (file, kind, grader) in enumerate(files):
            place = Path(folder) / str(number)  # two files may share a name
            place.mkdir()
            by_grader = paths.setdefault(kind, {})
            by_grader.setdefault(grader, []).append(_stored(file, place))
        try:
            with session.workspace() as workspace:
                labels = paths.pop(LABELS, {})
                by_kind: Any = {kind: paths[kind][""] for kind in paths}
                summaries = workspace.import_(
                    labels=labels, **by_kind, **options, progress=report
                )
                has_questions = any(item.state == "kept" for item in workspace.bank())
                grade = first and has_questions and workspace.languages().english
        except session.EXPECTED as error:
            shell.line(re.sub(rf"{re.escape(folder)}/\d+/", "", str(error)), error=True)
            return
    notices = [notice for summary in summaries for notice in summary.notices]
    if grade:
        session.send("start", DEFAULT_GRADER)
        session.current().go_to = "Judge"
    new = Counter[str]()
    for summary in summaries:
        new.update(summary.new)
    counts = ", ".join(counted_kind(number, kind) for kind, number in new.items())
    files_read = words.count(len(files), "file")
    notices.insert(0, f"Imported {files_read}. New: {counts or 'nothing'}.")
    session.note(" ".join([*notices, *summaries.notes]))
    st.session_state.imports += 1
    session.redraw()
