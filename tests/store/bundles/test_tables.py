"""Tables go out as JSON rows and come in as they were, and only what may leaves."""

from __future__ import annotations

import json
import math
import sqlite3

import pytest

from curator.store.bundles import tables
from curator.store.bundles.integrity import verify_file
from curator.store.connection import SCHEMA_VERSION, open_workspace, write_transaction
from curator.store.migrations import OLDEST_SCHEMA
from tests.samples.workspaces import small_workspace


class RefusedError(Exception):
    """What a test has made of a refusal."""


@pytest.fixture
def connection(tmp_path):
    opened = open_workspace(tmp_path / "x.db", create=True)
    yield opened
    opened.close()


def test_every_table_leaves_but_those_of_a_machine_or_a_moment(connection):
    names = {
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        )
        if not name.startswith("sqlite_")
    }
    # a new table leaves with every bundle unless somebody says that it must not
    assert names - tables.tables(connection).keys() == {
        *("job", "claim", "clock", "published", "to_check", "person"),
        *("assignment", "handed", "restriction"),
    }


def test_rows_come_back_as_they_were_and_in_the_order_of_their_keys(
    tmp_path, connection
):
    with small_workspace(tmp_path) as workspace:
        source = workspace.connection
        with tables.without_foreign_keys(connection), write_transaction(connection):
            for name, table in tables.tables(source).items():
                sent = tables.read_rows(source, table)
                rows = [json.loads(json.dumps(row)) for row in sent]
                keys = [tuple(row[column] for column in table.key) for row in rows]
                assert keys == sorted(keys)
                written = tables.write_rows(connection, table, rows, RefusedError)
                assert written == len(rows)
                again = list(tables.read_rows(connection, table))
                assert again == rows, name
        assert not verify_file(connection).problems
        assert not tables.is_empty(connection)


def test_a_new_workspace_is_empty_and_one_with_a_setting_is_not(connection):
    assert tables.is_empty(connection)
    connection.execute("INSERT INTO setting VALUES ('title', 'x')")
    assert not tables.is_empty(connection)


def test_references_are_checked_again_after_a_rebuild(connection):
    with tables.without_foreign_keys(connection), write_transaction(connection):
        connection.execute("INSERT INTO judgment VALUES ('none', 1, 1)")
        assert set(verify_file(connection).problems) == {
            "judgment: 1 row with a reference to a missing query",
            "judgment: 1 row with a reference to a missing passage",
        }
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO judgment VALUES ('none', 2, 1)")


VALUES = [
    ("INTEGER", 3, True),
    ("INTEGER", 3.0, False),
    ("INTEGER", True, False),
    ("INTEGER", "3", False),
    ("INTEGER", None, True),
    ("REAL", 3, True),
    ("REAL", 0.5, True),
    ("REAL", math.inf, False),
    ("REAL", "0.5", False),
    ("TEXT", "", True),
    ("TEXT", 1, False),
    ("TEXT", ["a"], False),
    ("BLOB", "AAE=", True),
    ("BLOB", "AAE", False),
    ("BLOB", "é", False),
    ("BLOB", 1, False),
]


@pytest.mark.parametrize(("kind", "value", "fits"), VALUES)
def test_a_value_of_another_type_is_refused_where_sqlite_would_convert_it(
    kind, value, fits
):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE one (id INTEGER PRIMARY KEY, v {kind}) STRICT")
    table = tables.tables(connection)["one"]
    rows = [{"id": 1, "v": value}]
    if fits:
        assert tables.write_rows(connection, table, rows, RefusedError) == 1
        if kind != "BLOB":
            (stored,) = connection.execute("SELECT v FROM one").fetchone()
            assert stored == value
    else:
        with pytest.raises(RefusedError, match=f"'v' is not a valid {kind}"):
            tables.write_rows(connection, table, rows, RefusedError)
    connection.close()


@pytest.mark.parametrize("schema", range(OLDEST_SCHEMA, SCHEMA_VERSION + 1))
def test_a_scratch_file_has_the_schema_asked_for_and_can_be_brought_up_to_date(
    schema, tmp_path, connection
):
    scratch = tables.scratch_workspace(tmp_path / "older.db", schema)
    assert scratch.execute("PRAGMA user_version").fetchone() == (schema,)
    tables.migrate_workspace(scratch)
    assert tables.tables(scratch) == tables.tables(connection)
    scratch.close()
