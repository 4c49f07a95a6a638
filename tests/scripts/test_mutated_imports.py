"""Damaged files of every kind: a few of the many that the script tries."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from scripts import mutated_imports
from scripts.mutated_imports import (
    Sample,
    damaged,
    main,
    prepared,
    tried,
    tried_workspace,
    unsound,
)


@pytest.mark.parametrize("count", [24, pytest.param(100, marks=pytest.mark.long)])
def test_damaged_files_are_read_or_refused_and_leave_a_sound_workspace(
    tmp_path, capsys, demo_db, monkeypatch, count
):
    monkeypatch.setenv("CURATOR_DEMO", str(demo_db))
    assert main(["--count", str(count), "--folder", str(tmp_path)]) == 0
    table = capsys.readouterr().out.splitlines()
    assert len(table) > 9  # a line a kind
    assert sum(int(line.split()[1]) for line in table[1:]) == count


def test_a_fault_is_found(tmp_path, demo_db, monkeypatch):
    monkeypatch.setenv("CURATOR_DEMO", str(demo_db))
    prepared(tmp_path / "base.db")
    sample = Sample("queries", "q.jsonl", b"")
    told = tried(sample, b'{"query_id": "new", "text": "?"}', tmp_path / "base.db",
                 tmp_path)  # fmt: skip
    assert told == ("read", "")
    kind, _ = tried(sample, b"{", tmp_path / "base.db", tmp_path)
    assert kind == "refused"

    monkeypatch.setattr(mutated_imports, "unsound", lambda path: "broken")
    assert tried(sample, b"{", tmp_path / "base.db", tmp_path) == ("fault", "broken")


def test_a_row_that_refers_to_nothing_is_unsound(tmp_path, demo_db, monkeypatch):
    monkeypatch.setenv("CURATOR_DEMO", str(demo_db))
    prepared(tmp_path / "base.db")
    assert not unsound(tmp_path / "base.db")
    connection = sqlite3.connect(tmp_path / "base.db")
    connection.execute(
        "INSERT INTO restriction VALUES (1, 'now', 'ann', 'no such query', 0)"
    )
    connection.commit()
    connection.close()
    assert "restriction" in unsound(tmp_path / "base.db")


def test_a_workspace_is_not_taken_for_the_one_before_it(tmp_path, demo_db, monkeypatch):
    monkeypatch.setenv("CURATOR_DEMO", str(demo_db))
    sound, work = tmp_path / "base.db", tmp_path / "work.db"
    prepared(sound)
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"query_id": "new", "text": "?"}')
    told = []
    for statement in ("UPDATE item SET choices = '[1]'", "SELECT 1"):
        shutil.copyfile(sound, work)
        with closing(sqlite3.connect(work)) as connection:
            connection.execute(statement)
            connection.commit()
        told.append(tried_workspace(work, queries, certain=False))
        for left in tmp_path.glob("work.db*"):
            left.unlink()
    (refused, why), read = told
    assert refused == "refused"
    assert "is damaged" in why
    assert read == ("read", "")


@pytest.mark.parametrize("content", [b"", b"\n", b"a\tb\n", b'{"a": [1, {}]}\n'])
def test_any_content_can_be_damaged(content):
    for seed in range(30):
        damaged(Sample("bank", "b", content), random.Random(seed))
