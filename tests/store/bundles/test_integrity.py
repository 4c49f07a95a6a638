"""Names in a bundle are ones that an import or a person here could have given."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, CheckPair
from curator.store.bundles.integrity import content_problems
from curator.store.connection import open_workspace
from curator.workspace import Workspace
from tests.samples.workspaces import small_workspace


@pytest.fixture
def path(tmp_path):
    workspace = small_workspace(tmp_path)
    workspace.apply(Add("q1", "Where is it?"))
    workspace.close()
    return tmp_path / "small.db"


def test_what_was_made_here_has_no_faults(path):
    connection = open_workspace(path)
    assert list(content_problems(connection)) == []
    connection.close()


@pytest.mark.parametrize("name", ["a\n\x1b[31mb", "   "])
@pytest.mark.parametrize(("table", "column"), [("system", "system"), ("batch", "by")])
def test_a_name_nobody_could_have_given_is_a_fault(path, table, column, name):
    connection = open_workspace(path)
    connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = 1', (name,))
    found = [one for one in content_problems(connection) if "has an invalid" in one]
    assert len(found) == 1
    assert found[0].isprintable()
    connection.close()


def test_a_check_of_another_querys_passage_is_a_fault(path):
    with Workspace.open(path) as workspace:
        workspace.apply(CheckPair("q1", None, "p1", "3"))
    connection = open_workspace(path)
    connection.execute(
        "UPDATE mark SET target = json_set(target, '$.passage_id', (SELECT passage_id "
        "FROM pool JOIN passage ON number = passage WHERE query_id = 'q2' "
        "AND passage NOT IN (SELECT passage FROM pool WHERE query_id = 'q1')))"
    )
    assert list(content_problems(connection)) == [
        "'q1' has a mark on a passage outside its pool"
    ]
    connection.close()
