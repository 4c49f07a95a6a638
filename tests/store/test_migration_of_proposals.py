"""The fourth step: a file of version 3 gains proposals and keeps all that it has."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.store.connection import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    exclusive,
    open_workspace,
)
from curator.workspace import Workspace
from tests.samples.workspaces import small_workspace
from tests.store.test_migrations import (
    as_it_was,
    refuses,
    rows_of,
    stays_where_a_step_fails,
    tables_of,
    version_of,
)

pytestmark = pytest.mark.usefixtures("by_migrations")

JOBS = (
    ("running", None),
    ("paused", None),
    ("stopped", None),
    ("done", None),
    ("failed", "why"),
)


@pytest.fixture
def version_three(tmp_path: Path) -> Path:
    """A file of version 3 with settings, jobs in every state, claims and a history."""
    with small_workspace(tmp_path) as workspace:
        workspace.set_up(title="Ours", guidelines="Be kind.", blind=True)
        workspace.apply(Add("q1", "Where is it?"), shown="board", nonce="once")
        workspace.undo()
    connection = open_workspace(tmp_path / "small.db")
    with exclusive(connection):
        for state, error in JOBS:
            connection.execute(
                "INSERT INTO job (kind, spec, state, by, started_at, run, run_began, "
                "run_done, host, pid, heartbeat, done, total, error, prompts, cut, "
                "unreadable, tokens_in, tokens_out) VALUES ('grade', ?, ?, 'ann', "
                "'2026', 3, 1.5, 1, 'here', 7, 2.5, 3, 4, ?, 9, 2, 1, 100, 10)",
                ('{"grader": "embedding"}', state, error),
            )
        connection.execute("INSERT INTO claim VALUES (1, 1, 1, 'here:7:x', 4e9)")
    connection.close()
    return as_it_was(
        tmp_path / "small.db", tmp_path / "three.db", before="m004_proposals"
    )


def test_version_three_becomes_the_current_one_with_all_its_rows(
    tmp_path, version_three
):
    assert version_of(version_three)[0] == 3
    assert "generation" not in tables_of(version_three)
    before = rows_of(version_three)
    with Workspace.open(version_three) as workspace:
        assert [job.error for job in workspace.jobs()] == ["why", *[None] * 4]
        assert {job.prompts for job in workspace.jobs()} == {9}
        assert workspace.history()[-1].shown == "board"
        assert workspace.generations() == ()
        assert workspace.decisions().judges == ()
        assert workspace.verify().problems == ()
    assert version_of(version_three) == (SCHEMA_VERSION, APPLICATION_ID)
    after = rows_of(version_three)
    assert after == rows_of(tmp_path / "small.db")
    assert tables_of(version_three) == tables_of(tmp_path / "small.db")
    for table in ("job", "setting", "claim", "event", "question", "response"):
        assert after[table] == before[table]
    # How long somebody looked was not recorded.
    assert after["batch"] == [(*row, None) for row in before["batch"]]
    open_workspace(version_three).close()
    assert rows_of(version_three) == after


def test_a_fourth_step_that_fails_halfway_leaves_version_three(
    monkeypatch, version_three
):
    stays_where_a_step_fails(monkeypatch, version_three, "_PROPOSALS")


GENERATION = (
    "INSERT INTO generation (query_id, sha256, prompt, kind, text_id, model, "
    "parameters, by, at, state, holder, found, proposed) VALUES "
    "({query}, 'x', {prompt}, {kind}, {text}, 'm', {parameters}, 'ann', '', {state}, "
    "{holder}, {found}, {proposed})"
)
RIGHT = {
    "query": "'q1'",
    "prompt": "'dl'",
    "kind": "'question'",
    "text": "1",
    "parameters": "'{}'",
    "state": "'asking'",
    "holder": "'here:1:x'",
    "found": "2",
    "proposed": "1",
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": "'nobody'"},
        {"prompt": "''"},
        {"kind": "'answer'"},
        {"text": "999"},
        {"parameters": "'{'"},
        {"state": "'asleep'"},
        {"holder": "NULL"},  # somebody asks what is being asked
        {"state": "'whole'"},  # nobody asks any more
        {"found": "-1"},
        {"proposed": "3"},  # no more than was found
    ],
)
def test_what_the_fourth_step_promises_of_a_generation_is_checked(version_three, wrong):
    connection = open_workspace(version_three)
    connection.execute(GENERATION.format(**RIGHT))
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(GENERATION.format(**(RIGHT | wrong)))
    connection.close()


@pytest.mark.parametrize(
    "row",
    [
        "UPDATE batch SET seconds = -1",
        "INSERT INTO setting VALUES ('colour', 'red')",
        "UPDATE job SET kind = 'bake'",
        "UPDATE job SET cut = 10",
        "UPDATE job SET error = 'why' WHERE state = 'done'",
    ],
)
def test_what_it_promises_of_the_others_is_checked(version_three, row):
    refuses(version_three, row)


def test_a_file_of_version_three_can_be_asked_about(version_three):
    with Workspace.open(version_three) as workspace:
        workspace.set_up(human_first=3)
        assert workspace.gate("q1").wanted == 3
