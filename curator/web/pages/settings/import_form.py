"""Import of files from the browser: a table of what each is, then all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from curator.formats.file_preview import FilePreview, preview_file
from curator.formats.registry import import_options
from curator.formats.templates import macro
from curator.formats.text.system_files import is_system_file, system_files_notice
from curator.unfinished import LockedFolder
from curator.web.components import session, shell, words
from grading.registry import DEFAULT_GRADER

LABELS = "labels"
"""Next to the import options: qrels by a model, whose name a person gives."""
LEAVE_OUT = ""
IMPORTS = "imports"  # their number in this session
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
        key=f"files_{st.session_state.setdefault(IMPORTS, 0)}",  # empty after each
        label_visibility="collapsed",
    )
    for notice in system_files_notice(file.name for file in uploaded):
        st.caption(notice)
    files = [file for file in uploaded if not is_system_file(file.name)]
    if not files:
        st.caption(
            "Topics, passages, runs, qrels, questions, grades and reports; TSV, JSON "
            "Lines, TREC; .gz too."
        )
        return
    with st.container(key="import_table", gap=None):
        st.html(macro("settings/import.html", "head")())
        chosen = {number: _row(number, file) for number, file in enumerate(files)}
    taken = {number: kind for number, kind in chosen.items() if kind != LEAVE_OUT}
    graders = {
        number: st.text_input(
            f"The model that wrote {files[number].name}",
            value=files[number].name.partition(".")[0],
            key=f"grader_{number}_{files[number].name}",
        )
        for number, kind in taken.items()
        if kind == LABELS
    }
    kinds = set(taken.values())
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
    with st.expander("Options"):
        ticked = {
            name: bool(kinds & {*concerned.split()}) and st.checkbox(label, key=name)
            for name, (concerned, label) in OPTIONS.items()
        }
    label = f"Import {words.count(len(taken), 'file')}{' and grade' if first else ''}"
    if st.button(label, key="import_files", type="primary", disabled=not taken):
        subtopics = "separate" if ticked.pop("separate") else "attach"
        _import(
            [
                (files[number], kind, graders.get(number))
                for number, kind in taken.items()
            ],
            first=first,
            min_relevance=None if threshold is None else int(threshold),
            subtopics=subtopics,
            **ticked,
        )


def _row(number: int, file: Any) -> str:
    """Draw the row of a file, with a choice if its kind is unsure; return the kind."""
    preview = _preview(file)
    labels = {name: it.label for name, it in import_options("dialog").items()}
    labels |= {LABELS: "labels by a model (qrels)", LEAVE_OUT: "left out"}
    kinds = list(preview.options)
    if "judgments" in kinds:
        kinds.append(LABELS)
    if not kinds:
        kinds = [LEAVE_OUT, *import_options("dialog")]
    draw = macro("settings/import.html", "cells")
    with st.container(key=f"upload_{number}", horizontal=True):
        st.html(draw(file.name, preview.first, preview.problem))
        kind = kinds[0]
        if len(kinds) == 1:
            st.html(draw(labels[kind]), width=170)
        else:
            kind = st.selectbox(
                file.name,
                kinds,
                format_func=labels.__getitem__,
                key=f"kind_{number}_{file.name}",
                label_visibility="collapsed",
                width=170,
            )
        st.html(draw(preview.records), width=140)
    return kind


class FilePreviews(dict[str, FilePreview]):
    """Previews of this session's uploaded files, by the id of the upload."""


def _preview(file: Any) -> FilePreview:
    """Return the preview of an uploaded file, made once."""
    previews = session.recall(FilePreviews) or session.keep(FilePreviews())
    if file.file_id not in previews:
        with LockedFolder() as folder:
            previews[file.file_id] = preview_file(_stored(file, Path(folder)))
    return previews[file.file_id]


def _stored(file: Any, folder: Path) -> Path:
    path = folder / (Path(file.name).name[-100:] or "file")
    path.write_bytes(file.getbuffer())
    return path


def _import(
    files: Sequence[tuple[Any, str, str | None]], *, first: bool, **more: Any
) -> None:
    """Import all files, each with its kind and the model that labelled, or none.

    After the ``first`` import the default grader grades the questions in the
    background, and the Judge page opens.
    """
    bar = st.progress(0.0, "Reading")

    def report(done: int, total: int) -> None:
        bar.progress(min(done / max(total, 1), 1.0), "Reading")

    with LockedFolder() as folder:
        paths: dict[str, Any] = {}
        for number, (file, kind, grader) in enumerate(files):
            place = Path(folder) / str(number)  # two files may share a name
            place.mkdir()
            option = paths.setdefault(kind, {} if grader is not None else [])
            if grader is not None:
                option = option.setdefault(grader.strip(), [])
            option.append(_stored(file, place))
        try:
            with session.workspace() as workspace:
                summaries = workspace.import_(**paths, **more, progress=report)
                has_questions = any(item.state == "kept" for item in workspace.bank())
                grade = first and has_questions and workspace.languages().english
        except session.EXPECTED as error:
            shell.line(re.sub(rf"{re.escape(folder)}/\d+/", "", str(error)), error=True)
            return
    of_files = (notice for summary in summaries for notice in summary.notices)
    notices = " ".join((*of_files, *summaries.notes))
    if grade:
        session.send("start", DEFAULT_GRADER)
        session.current().go_to = "Judge"
    session.note(f"Imported {words.count(len(files), 'file')}. {notices}".strip())
    st.session_state[IMPORTS] += 1
    session.redraw()
