"""A file of any version before this one keeps all that it has and gains what is new."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database

from curator.bank.edits import Add, Done, JudgeAnswer, MarkIdeal, Reword, Vote
from curator.bank.marks import Ideal
from curator.errors import WorkspaceError
from curator.store import migrations as store_migrations
from curator.store.connection import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    open_workspace,
    write_transaction,
)
from curator.workspace import Workspace
from tests.samples.workspaces import dump, small_workspace
from tests.store.test_migrations import tables_of, version_of

# By version: the step that follows it, that step's script, and tables that it brings.
NEXT = {
    1: ("m002_nonces_settings_jobs", "_NONCES_SETTINGS_JOBS", {"job"}),
    2: ("m003_claims_and_stopped_jobs", "_CLAIMS_AND_STOPPED_JOBS", {"claim"}),
    3: ("m004_proposals", "_PROPOSALS", {"generation"}),
    4: ("m005_marks_and_gold", "_MARKS_AND_GOLD", {"vote", "ideal", "gold"}),
    5: ("m006_verdicts", "_VERDICTS", {"verdict"}),
    6: ("m007_releases", "_RELEASES", {"release", "published"}),
    7: ("m008_budgets", "_BUDGETS", {"budget"}),
    8: (
        *("m009_ranks_and_judgments_of_subtopics", "_OF_SUBTOPICS"),
        {"subtopic_ranking", "subtopic_judgment"},
    ),
    9: ("m010_segments", "_SEGMENTS", {"segment"}),
    10: ("m011_labels_of_releases", "_RELEASED_LABELS", set()),
    11: ("m012_probabilities", "_PROBABILITIES", set()),
    12: ("m013_frequencies", "_FREQUENCIES", {"frequencies"}),
    13: ("m014_rules_of_released_labels", "_RULES_OF_RELEASED_LABELS", set()),
    14: ("m015_checks", "_CHECKS", {"checked"}),
    15: ("m016_certificates", "_CERTIFICATES", set()),
    16: ("m017_pairs_to_check", "_TO_CHECK", {"to_check"}),
    17: ("m018_dismissed_next_steps", "_DISMISSALS", {"dismissal"}),
    18: ("m019_notes", "_NOTES", {"note"}),
    19: ("m020_stability_of_releases", "_STABILITY", set()),
    20: ("m021_decisions", "_DECISIONS", {"decision"}),
    21: (
        *("m022_norming_rounds", "_NORMING"),
        {"norming_round", "norming_item", "norming_answer", "norming_comment"},
    ),
    22: ("m023_people", "_PEOPLE", {"person"}),
    23: ("m024_assignments", "_ASSIGNMENTS", {"assignment"}),
    24: ("m025_work_that_changed_hands", "_HANDED", {"handed"}),
}
GREW = {"text", "response", "rating_vector", "ideal"}
JOBS = (("running", None), ("paused", None), ("stopped", None), ("done", None))
# What every job of a version is: of version 3 on, what its model was asked too.
JOB = {
    2: {"run_began": 1, "heartbeat": 2, "done": 3, "total": 4},
    3: {
        **{"run": 3, "run_began": 1.5, "run_done": 1, "host": "here", "pid": 7},
        **{"heartbeat": 2.5, "done": 3, "total": 4, "prompts": 9, "cut": 2},
        **{"unreadable": 1, "tokens_in": 100, "tokens_out": 10},
    },
}


def filled(folder: Path, version: int) -> Path:
    """A workspace with rows of all that people and jobs could leave in that version."""
    with small_workspace(folder) as workspace:
        nonce = "once" if version >= 2 else None
        workspace.apply(Add("q1", "Where is it?"), shown="board", nonce=nonce)
        workspace.undo()
        workspace.apply([Reword("q1/b", "How was it?"), Done("q2")])
        if version >= 3:
            workspace.set_up(title="Ours", guidelines="Be kind.", blind=True)
        if version >= 5:
            workspace.apply([Vote("q1/a", "vital"), MarkIdeal("q1", Ideal("p1"))])
        if version >= 6:
            workspace.apply(JudgeAnswer("q1/a", "so", "right"))
        if version >= 2:
            with write_transaction(workspace.connection):
                add_jobs(workspace.connection, version)
    return workspace.path


def add_jobs(connection: sqlite3.Connection, version: int) -> None:
    """Jobs in every state of that version, and a claim where it has some."""
    for state, error in (*JOBS, ("failed", "why")):
        if version == 2 and state == "stopped":
            continue
        row = {
            **{"kind": "grade", "spec": '{"grader": "embedding"}', "by": "ann"},
            **{"state": state, "error": error, "started_at": "2026"},
            **JOB[min(version, 3)],
        }
        connection.execute(
            f"INSERT INTO job ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
    if version >= 3:
        connection.execute("INSERT INTO claim VALUES (1, 1, 1, 'here:7:x', 4e9)")


def as_it_was(new: Path, old: Path, *, before: str) -> Path:
    """The workspace ``new`` as the schema kept its rows before this step."""
    connection = sqlite3.connect(old, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    store_migrations.migrations.apply(Database(connection), stop_before=before)
    connection.execute("ATTACH ? AS new", (str(new),))
    for name, sql in connection.execute(
        "SELECT name, type FROM main.sqlite_schema"
    ).fetchall():
        if sql != "table" or name.startswith(("sqlite_", "_sqlite_")):
            continue
        columns = ", ".join(
            column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")
        )
        connection.execute(
            f"INSERT OR IGNORE INTO main.{name} SELECT {columns} FROM new.{name}"
        )
    connection.close()
    return old


def older(folder: Path, version: int) -> Path:
    """A file of that version."""
    return as_it_was(
        filled(folder, version), folder / "older.db", before=NEXT[version][0]
    )


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    rows = dump(path)
    del rows["schema"], rows["_sqlite_migrations"]  # written otherwise, and when
    return rows


@pytest.mark.parametrize("version", NEXT)
def test_an_older_file_becomes_one_of_this_version_with_all_its_rows(tmp_path, version):
    path, now = older(tmp_path, version), tmp_path / "small.db"
    assert version_of(path)[0] == version
    assert not NEXT[version][2] & tables_of(path)
    before = rows_of(path)
    with Workspace.open(path) as workspace:
        assert workspace.verify().problems == ()
        shown = [event.shown for event in workspace.history()]
        assert shown.count("board") == 1
        assert workspace.collection().min_relevance == 2
        errors = [job.error for job in workspace.jobs()]
        assert errors == ([] if version == 1 else ["why", *[None] * (len(errors) - 1)])
        assert workspace.generations() == workspace.releases() == ()
    assert version_of(path) == (SCHEMA_VERSION, APPLICATION_ID)
    assert tables_of(path) == tables_of(now)
    after = rows_of(path)
    assert after == rows_of(now)
    if version >= 3:
        # Which have got a column more.
        unchanged = before.keys() - {"batch", "job", *GREW}
        assert {name: after[name] for name in unchanged} == {
            name: before[name] for name in unchanged
        }
    if version == 3:  # how long somebody looked was not recorded
        assert after["batch"] == [(*row, None) for row in before["batch"]]
    open_workspace(path).close()
    assert rows_of(path) == after


def test_a_release_of_an_older_file_is_by_one_item_and_the_same_bytes(tmp_path):
    with small_workspace(tmp_path) as workspace:
        made = workspace.release("v1", measure="P@1", allow_partial=True)
        content = workspace.release_named("v1")[1].canonical
    path = as_it_was(workspace.path, tmp_path / "older.db", before=NEXT[10][0])
    with Workspace.open(path) as workspace:
        record, frozen = workspace.release_named("v1")
        assert (record, record.min_answered, record.label) == (made, 1, "max")
        assert frozen.canonical == content
        assert not {"min_answered", "label"} & {*json.loads(content)["settings"]}
        with pytest.raises(sqlite3.IntegrityError):
            workspace.connection.execute("UPDATE release SET min_answered = 0")
        with pytest.raises(sqlite3.IntegrityError):
            workspace.connection.execute("UPDATE release SET label = 'median'")


@pytest.mark.parametrize("version", NEXT)
def test_a_step_that_fails_halfway_leaves_the_version_before_it(
    tmp_path, monkeypatch, version
):
    path, script = older(tmp_path, version), NEXT[version][1]
    before = (version_of(path), tables_of(path), dump(path))
    failing = getattr(store_migrations, script) + "INSERT INTO nowhere VALUES (1);"
    with monkeypatch.context() as patch:
        patch.setattr(store_migrations, script, failing)
        with pytest.raises(WorkspaceError, match="no such table"):
            open_workspace(path)
    assert (version_of(path), tables_of(path), dump(path)) == before
    open_workspace(path).close()
    assert version_of(path)[0] == SCHEMA_VERSION


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
# By the version that a step brings up to date: rows that break what the step promises.
REFUSED = [
    (1, "INSERT INTO setting VALUES ('colour', 'red')"),
    (1, "INSERT INTO batch (at, by, kind, nonce) VALUES ('', 'ann', 'edit', '')"),
    (1, "UPDATE batch SET nonce = 'the same'"),
    (
        1,
        "INSERT INTO job (kind, spec, state, by, started_at, run_began, heartbeat, "
        "done, total) VALUES ('grade', '{}', 'running', 'ann', '', 0, 0, 2, 1)",
    ),
    (2, "UPDATE job SET state = 'asleep'"),
    (2, "UPDATE job SET prompts = 1, cut = 2"),
    (2, "UPDATE job SET unreadable = 1"),
    (2, "INSERT INTO claim VALUES (1, 1, 1, '', 0)"),
    (2, "INSERT INTO claim VALUES (99, 1, 1, 'me', 0)"),
    (3, "UPDATE batch SET seconds = -1"),
    (3, "INSERT INTO setting VALUES ('colour', 'red')"),
    (3, "UPDATE job SET kind = 'bake'"),
    (3, "UPDATE job SET cut = 10"),
    (3, "UPDATE job SET error = 'why' WHERE state = 'done'"),
    *(
        (3, GENERATION.format(**RIGHT | wrong))
        for wrong in (
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
        )
    ),
    (5, "INSERT INTO verdict VALUES ('q1', 1, 2, 'ann', 'a', 'maybe', '')"),
    *(
        (14, f"INSERT INTO checked VALUES ('q1', {wrong}, 'now')")
        for wrong in (
            "'Why?', 1, 'ann', 'maybe', NULL, 0, NULL",
            "'Why?', 1, 'ann', '2', NULL, 0, NULL",
            "'', 1, 'ann', 'yes', NULL, 0, NULL",
            "'', 1, 'ann', '02', NULL, 0, NULL",
            "'', 1, 'ann', '-1', NULL, 0, NULL",
            "'', 1, 'ann', '2', 0.0, 1, NULL",
            "'', 1, 'ann', '2', 0.5, 0, NULL",  # of no draw
            "'', 1, 'ann', '2', NULL, 1, NULL",
            "'', 1, 'ann', '2', NULL, 0, -1.0",
        )
    ),
    (5, "INSERT INTO verdict VALUES ('no', 1, 2, 'ann', 'a', 'right', '')"),
]


@pytest.mark.parametrize(("version", "row"), REFUSED)
def test_what_a_step_promises_of_its_tables_is_checked(tmp_path, version, row):
    connection = open_workspace(older(tmp_path, version))
    connection.execute(GENERATION.format(**RIGHT))
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(row)
    connection.close()


def test_a_file_of_an_older_version_can_do_what_is_new(tmp_path):
    with Workspace.open(older(tmp_path, 3), judge="ann") as workspace:
        workspace.apply(Vote("q1/a", "okay"))
        workspace.set_up(human_first=3)
        assert workspace.gate("q1").required == 3
        lengths = [
            workspace.letters(one).values() for one in workspace.collection().pools
        ]
        assert sum(map(sum, lengths)) > 0
        made = workspace.release("v1", allow_partial=True)
        # by hand: q1/b was reworded, so its grades of q1's passages are unknown
        assert made.known < made.needed
        assert workspace.releases() == (made,)
