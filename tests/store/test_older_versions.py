"""A file of the version before this one keeps all that it has."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator.errors import WorkspaceError
from curator.store.connection import APPLICATION_ID, SCHEMA_VERSION, open_workspace
from curator.store.migrations import OLDEST_SCHEMA
from curator.workspace import Workspace
from tests.samples.older_versions import older_workspace
from tests.samples.workspaces import dump
from tests.store.test_migrations import tables_of, version_of

MARK_TABLES = {
    *("done", "vote", "verdict", "checked", "ideal", "dismissal", "decision", "note")
}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return older_workspace(tmp_path, 31)


def test_every_mark_becomes_a_row_of_one_table(older: Path) -> None:
    before = dump(older)
    with Workspace.open(older, judge="ann") as workspace:
        assert workspace.verify().problems == ()
        marks = workspace.connection.execute(
            "SELECT kind, target, judge, value FROM mark ORDER BY kind, target, judge"
        ).fetchall()
        bank = workspace.bank()
    after = dump(older)
    assert len(marks) == sum(len(before[table]) for table in MARK_TABLES)
    added = "q1/480f0182c97f0d400d310cb9315b1e42"
    assert [(*row[:3], json.loads(row[3])) for row in marks] == [
        ("check", '{"item":"Why is it?","passage_id":"p1"}', "ann",
         {"answer": "yes", "at": "2026-11-28T03:31:55.219199+00:00", "drawn": 7,
          "probability": 0.1, "seconds": 2.5}),
        ("check", '{"item":null,"passage_id":"p1"}', "ann",
         {"answer": "2", "at": "2026-11-28T03:31:55.219224+00:00", "drawn": 0,
          "probability": None, "seconds": None}),
        ("decision", '{"key":"vote q1/a"}', "ben",
         {"key": "vote q1/a", "value": "vital", "state": "s", "reason": "",
          "judge": "ben"}),
        ("dismissal", '{"key":"unanswerable q1/a"}', "ann",
         {"key": "unanswerable q1/a", "state": "s", "reason": "It is fine.",
          "judge": "ann"}),
        ("done", "{}", "ann", True),
        ("ideal", '{"end":3,"passage_id":"p1","start":0}', "ann", {"grade": 2}),
        ("ideal", '{"end":null,"passage_id":"p1","start":0}', "", {"grade": None}),
        ("note", '{"question_id":"q1/a"}', "ann",
         {"text": "Too easy? “Why”", "flagged": True}),
        ("verdict", '{"answer":"so","question":"Why is it?"}', "ann",
         {"question_id": "q1/a", "value": "right"}),
        ("vote", f'{{"question_id":"{added}"}}', "ann", "okay"),
        ("vote", '{"question_id":"q1/a"}', "ann", "vital"),
        ("vote", '{"question_id":"q1/a"}', "ben", "okay"),
    ]  # fmt: skip
    assert bank.question("q1/a").votes == (("ann", "vital"), ("ben", "okay"))
    changed = {name for name in before if before[name] != after.get(name)}
    norming = {"norming_answer", "norming_comment"}
    assert changed == {"schema", "digest", *MARK_TABLES, *norming}


def test_answers_and_comments_of_norming_become_marks_with_events(
    tmp_path: Path,
) -> None:
    older = older_workspace(tmp_path, 32)
    with Workspace.open(older, judge="ann") as workspace:
        assert workspace.verify().problems == ()
        one, two = (workspace.norming(number, answers=True) for number in (1, 2))
        given = [
            (a.place, a.judge, a.first, a.answer, a.blind) for a in one.round.answers
        ]
        assert given == [
            (0, "ann", "no", "no", True),
            (0, "ben", "unsure", "no", True),
            (1, "ben", "yes", "no", False),
        ]
        assert one.round.answered == (("ann", 1), ("ben", 2))
        assert [c.text for c in one.round.comments] == ["Why “no”?", "I see."]
        assert [a.answer for a in two.round.answers] == ["3"]
        assert len(workspace.history(kind="norming")) == 8  # one of ben's is hidden
        assert len(workspace.history(kind="comment")) == 2


def test_an_older_file_has_the_schema_of_a_new_one(older: Path, tmp_path: Path) -> None:
    open_workspace(older).close()
    open_workspace(tmp_path / "new.db", create=True).close()
    assert version_of(older) == (SCHEMA_VERSION, APPLICATION_ID)
    assert tables_of(older) == tables_of(tmp_path / "new.db")
    with closing(sqlite3.connect(older)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_of_a_version_that_is_no_longer_read_is_refused(older: Path) -> None:
    with closing(sqlite3.connect(older)) as connection:
        connection.execute(f"PRAGMA user_version = {OLDEST_SCHEMA - 1}")
    with pytest.raises(WorkspaceError, match=f"opens files from {OLDEST_SCHEMA} on"):
        open_workspace(older)
