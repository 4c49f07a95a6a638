"""The import dialog: its boxes stand beneath the files that they concern."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from curator.web.pages.releases.import_dialog import LONGEST_LINE, first_line
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace

BANK = {
    "query_id": "q1",
    "items": [
        {
            "query_id": "q1",
            "question_id": "q1/a",
            "question_text": "Why is it?",
            "gold_answers": ["the Rhine"],
        }
    ],
}
LONG = " ".join(f"Sentence {n} is of six words." for n in range(60))


def opened() -> None:
    """A page that is the dialog alone: a click on a button opens it for one run."""
    from curator.web.pages.releases.import_dialog import import_dialog

    import_dialog()


def dialog(name: str, *records: object) -> AppTest:
    """The dialog with one file in it."""
    app = AppTest.from_function(opened).run()
    text = "\n".join(map(json.dumps, records))
    app.file_uploader(key="files").set_value((name, text.encode(), "text/plain")).run()
    assert not app.exception
    return app


def boxes(app: AppTest) -> list[str]:
    return [str(one.key) for one in app.checkbox]


@given(st.binary(max_size=400))
def test_a_first_line_is_short_text_of_any_bytes(data: bytes) -> None:
    size, line = first_line(SimpleNamespace(size=len(data), getbuffer=lambda: data))
    assert size == len(data)
    assert len(line) <= LONGEST_LINE
    assert not {"\n", "\x00"} & set(line)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xef\xbb\xbfq1 0 p1 3\r\nq1 0 p2 0\n", "q1 0 p1 3"),
        (gzip.compress(b"q1 0 p1 3\n", mtime=0), ""),
        ("q1 0 p1 3".encode("utf-16"), ""),
        (b"", ""),
        (b"caf\xe9 1\n", "caf\ufffd 1"),
    ],
)
def test_a_first_line_shows_what_a_file_holds(data: bytes, line: str) -> None:
    file = SimpleNamespace(size=len(data), getbuffer=lambda: memoryview(data))
    assert first_line(file) == (len(data), line)


def test_a_banks_other_key_stays_until_its_box_is_ticked(judging: Path) -> None:
    def key() -> tuple[str, ...]:
        with Workspace.open(judging) as workspace:
            (one,) = (q for q in workspace.bank() if q.question_id == "q1/a")
            return one.answers

    app = dialog("bank.jsonl", BANK)
    assert boxes(app) == ["take_keys", "add_queries"]
    app.button(key="import_files").click().run()
    assert key() == ()
    app = dialog("bank.jsonl", BANK)
    app.checkbox(key="take_keys").check().run()
    app.button(key="import_files").click().run()
    assert not app.exception
    assert key() == ("the Rhine",)


def test_long_passages_are_cut_where_their_box_is_ticked(
    empty_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(empty_workspace))
    app = dialog("passages.jsonl", {"passage_id": "d", "text": LONG})
    assert boxes(app) == ["segmented"]
    app.checkbox(key="segmented").check().run()
    app.button(key="import_files").click().run()
    assert not app.exception
    with Workspace.open(empty_workspace) as workspace:
        # by hand: 7 words and marks a sentence, so 21, 21 and 18 of them within 150
        assert workspace.status().counts["segments"] == 3


def test_a_models_qrels_become_a_grader_of_the_name_that_is_typed(
    judging: Path,
) -> None:
    app = AppTest.from_function(opened).run()
    files = app.file_uploader(key="files")
    files.set_value(("umbrela.qrels", b"q1 0 p1 3\n", "text/plain")).run()
    app.selectbox(key="kind_0_umbrela.qrels").set_value("labels").run()
    assert app.text_input(key="grader_0_umbrela.qrels").value == "umbrela"
    app.text_input(key="grader_0_umbrela.qrels").set_value("judge").run()
    app.button(key="import_files").click().run()
    assert not app.exception
    with Workspace.open(judging) as workspace:
        assert "judge" in [one.name for one in workspace.graders()]


def test_a_file_of_the_operating_system_is_left_out_and_named(judging: Path) -> None:
    app = AppTest.from_function(opened).run()
    files = [("._new.qrels", b"\0", "text/plain"), ("Thumbs.db", b"\0", "text/plain")]
    files.append(("new.qrels", b"q1 0 p1 3.0\n", "text/plain"))
    app.file_uploader(key="files").set_value(files).run()
    assert [box.label for box in app.selectbox] == ["new.qrels"]
    assert "left out: ._new.qrels, Thumbs.db." in app.caption[0].value
    app.button(key="import_files").click().run()
    assert not app.exception
    assert not app.error


def test_topics_that_match_no_query_are_added_where_their_box_is_ticked(
    judging: Path,
) -> None:
    def queries() -> int:
        with Workspace.open(judging) as workspace:
            return workspace.status().counts["queries"]

    before = queries()
    for ticked in (False, True):
        app = AppTest.from_function(opened).run()
        files = app.file_uploader(key="files")
        files.set_value(("new.qrels", b"q01 0 p1 3\n", "text/plain")).run()
        app.checkbox(key="add_queries").set_value(ticked).run()
        app.button(key="import_files").click().run()
        assert not app.exception
        assert queries() == before + ticked
