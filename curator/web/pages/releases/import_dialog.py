"""Bringing files in from the browser: what each is, then one import of them all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from curator.formats.recognition import fitting
from curator.formats.registry import import_options
from curator.formats.templates import macro
from curator.formats.text.system_files import is_system_file, system_files_notice
from curator.unfinished import LockedFolder
from curator.web.components import session, shell, words
from grading.registry import DEFAULT_GRADER

LONGEST_LINE = 200  # bytes that are shown of a file's first line
GZIP = b"\x1f\x8b"
LABELS = "labels"
"""Beside the options of files: qrels whose grader a person names."""


def import_button(key: str, *, first: bool) -> None:
    """The button that opens the dialog; ``first`` where there is nothing yet."""
    why_not = session.why_not("import_")
    kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
    if st.button(
        "Import…", key=key, type=kind, disabled=bool(why_not), help=why_not or None
    ):
        session.dialog(True)
        import_dialog()


@st.dialog("Import", width="large", on_dismiss=partial(session.dialog, False))
def import_dialog() -> None:
    """Ask for files, what each is, and the judgment that counts as relevant."""
    import_form()


def import_form(*, first: bool = False) -> None:
    """Draw the import of files; of the ``first`` ones the questions are graded, too."""
    files = st.file_uploader(
        "Files", accept_multiple_files=True, key="files", label_visibility="collapsed"
    )
    for notice in system_files_notice(file.name for file in files):
        st.caption(notice)
    files = [file for file in files if not is_system_file(file.name)]
    if not files:
        st.caption(
            "Topics, passages, runs, qrels, questions, grades and reports; TSV, JSON "
            "Lines, TREC; .gz too."
        )
        return
    words_of = {name: one.label for name, one in import_options("dialog").items()}
    words_of[LABELS] = "labels by a model (qrels)"
    kinds, graders = [], {}
    for number, file in enumerate(files):
        with st.container(key=f"file_{number}", horizontal=True):
            kind = st.selectbox(
                file.name,
                list(words_of),
                index=list(words_of).index(_likely(file)),
                format_func=words_of.__getitem__,
                key=f"kind_{number}_{file.name}",
                width=240,
            )
            st.html(macro("releases/import.html", "first_line")(*first_line(file)))
        kinds.append(kind)
        if kind == LABELS:
            graders[number] = st.text_input(
                "The model that wrote them",
                value=file.name.partition(".")[0],
                key=f"grader_{number}_{file.name}",
            )
    threshold = None
    if "judgments" in kinds or "autograder" in kinds:
        threshold = st.number_input(
            "A passage is relevant from judgment",
            min_value=1,
            max_value=10,
            value=None,
            placeholder="not said",
            key="threshold",
        )
    with st.expander("Options"):
        segmented = "passages" in kinds and st.checkbox(
            "Long passages are documents, graded by their segments",
            help="Each is cut into segments of up to 150 words and has the best of "
            "their ratings; runs and judgments name the document.",
            key="segmented",
        )
        take_keys = "bank" in kinds and st.checkbox(
            "Take the file’s answer keys and choices where they differ, as an edit",
            key="take_keys",
        )
        separate = not {"judgments", "runs"}.isdisjoint(kinds) and st.checkbox(
            "Topics query/subtopic are queries of their own",
            help="Else they go to the query’s subtopic, where a bank or queries here "
            "or among these files have it.",
            key="separate",
        )
        add_queries = not {"passages", "queries", "official", LABELS}.issuperset(
            kinds
        ) and st.checkbox(
            "Add queries of topics that match none here",
            help="Else they are left out and named, once queries here have texts: most "
            "are another spelling, and would count as 0 for every other system.",
            key="add_queries",
        )
    label = f"Import {words.count(len(files), 'file')}{' and grade' if first else ''}"
    if st.button(label, key="import_files", type="primary"):
        _import(
            files,
            kinds,
            graders,
            first=first,
            min_relevance=None if threshold is None else int(threshold),
            segmented=segmented,
            take_keys=take_keys,
            subtopics="separate" if separate else "attach",
            add_queries=add_queries,
        )


def first_line(file: Any) -> tuple[int, str]:
    """Return the size in bytes, and the beginning of a text's first line."""
    start = bytes(file.getbuffer()[:LONGEST_LINE])
    line = start.decode("utf-8", "replace").lstrip("\ufeff").partition("\n")[0]
    return file.size, "" if "\x00" in line or start[:2] == GZIP else line.strip()


def _likely(file: Any) -> str:
    """What the file is likely to be; it is looked into once."""
    looked_at = session.current().likely_kinds
    if file.file_id not in looked_at:
        with LockedFolder() as folder:
            place = Path(folder) / "file"
            place.write_bytes(file.getbuffer())
            looked_at[file.file_id] = likely_kind(file.name, fitting(place))
    return looked_at[file.file_id]


def likely_kind(name: str, fitting: Sequence[str] = ()) -> str:
    """The import option for a file of this name, of those that it fits.

    ``queries`` where neither what it holds nor its name tells. A person has the last
    word.
    """
    options = import_options("names")
    among = [kind for kind in fitting if kind in options]
    if len(among) == 1:
        return among[0]
    lower = name.lower()
    signs = (kind for kind, one in options.items() if re.search(one.sign, lower))
    return next((kind for kind in signs if not among or kind in among), "queries")


def _import(
    files: Sequence[Any],
    kinds: Sequence[str],
    graders: Mapping[int, str],
    *,
    first: bool,
    **more: Any,
) -> None:
    """Import all files or none, and draw the page anew on success.

    ``graders`` names the model of each file of labels, by its place. After the
    ``first`` import the default grader grades the questions in the background.
    """
    bar = st.progress(0.0, "Reading")

    def report(done: int, total: int) -> None:
        bar.progress(min(done / max(total, 1), 1.0), "Reading")

    with LockedFolder() as folder:
        given: dict[str, Any] = {}
        for number, (file, kind) in enumerate(zip(files, kinds, strict=True)):
            # In a folder of its own: two runs may share a file name.
            place = Path(folder) / str(number) / (Path(file.name).name[-100:] or "file")
            place.parent.mkdir()
            place.write_bytes(file.getbuffer())
            if kind == LABELS:
                of_name = given.setdefault(LABELS, {})
                of_name.setdefault(graders[number].strip(), []).append(place)
            else:
                given.setdefault(kind, []).append(place)
        try:
            with session.workspace() as workspace:
                found = workspace.import_(**given, **more, progress=report)
                asks = any(question.state == "kept" for question in workspace.bank())
                grade = first and asks and workspace.languages().english
        except session.EXPECTED as error:
            shell.line(re.sub(rf"{re.escape(folder)}/\d+/", "", str(error)), error=True)
            return
    of_files = (notice for summary in found for notice in summary.notices)
    notices = " ".join((*of_files, *found.notes))
    if grade:
        session.send("start", DEFAULT_GRADER)
        session.current().go_to = "Judge"
    session.note(f"Imported {words.count(len(files), 'file')}. {notices}".strip())
    session.dialog(False)
    session.redraw()
