"""Damaged files of every kind: a few of the many that the script tries."""

from __future__ import annotations

import random
import sqlite3

import pytest

from scripts import mutated_imports
from scripts.mutated_imports import (
    Sample,
    damaged,
    main,
    prepared,
    tried,
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


@pytest.mark.parametrize("content", [b"", b"\n", b"a\tb\n", b'{"a": [1, {}]}\n'])
def test_any_content_can_be_damaged(content):
    for seed in range(30):
        damaged(Sample("bank", "b", content), random.Random(seed))
