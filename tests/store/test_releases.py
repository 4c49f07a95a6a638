"""Releases in the file: written once, found by name, checked whenever they are read."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, Retire, Reword
from curator.errors import ReleaseError, UnknownNameError
from curator.store import releases as store_releases


@pytest.fixture
def released(workspace):
    workspace.release("v1", why="the pilot", allow_partial=True)
    return workspace


def test_a_release_says_who_froze_what_when_and_why(released):
    (record,) = released.releases()
    assert (record.name, record.by, record.why) == ("v1", "ann", "the pilot")
    assert record.at.endswith("+00:00")
    # by hand: two questions of q1 on p0, p1 and p2, one of q2 on p3 and p4; of p0,
    # which one system ranks, nobody has a grade
    assert (record.questions, record.labels) == (3, 4)
    assert (record.needed, record.known) == (8, 6)
    assert record.event_id == 3  # the import's three questions
    assert (record.grader, record.measure) == ("fake-llm/Rated", "nDCG@10")
    assert (record.min_rating, record.k) == (4, 10)


def test_a_name_is_taken_once(released):
    with pytest.raises(ReleaseError, match="'v1' exists already and never changes"):
        released.release("v1", allow_partial=True)
    with pytest.raises(ReleaseError, match="already"):
        released.release(" v1 ", allow_partial=True)
    assert len(released.releases()) == 1


@pytest.mark.parametrize("name", ["v2", "", "x" * 10_000, "v1\nv1"])
def test_an_unknown_name_is_told_with_those_there_are_on_one_line(released, name):
    with pytest.raises(UnknownNameError) as refused:
        released.release_named(name)
    said = str(refused.value)
    assert "Available: v1." in said
    assert len(said.splitlines()) == 1
    assert len(said) < 200
    said.encode()


DAMAGES = {
    "a rating": ("body", "replace(body, '\"-54\"', '\"-44\"')", "has the SHA-256"),
    "the form": ("body", "body || ' '", "is not in canonical form"),
    "the board": ("board", "'[1]'", ""),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_content_that_is_not_what_was_frozen_is_refused_in_one_line(released, damage):
    column, value, said = DAMAGES[damage]
    before = released.release_named("v1")[1].canonical
    released.connection.execute(f"UPDATE release SET {column} = {value}")
    assert '"ratings":"-54"' in before  # of q1/a, which is damaged
    with pytest.raises(ReleaseError, match=f"'v1' is not what was frozen.*{said}"):
        released.release_named("v1")
    (fault,) = store_releases.release_problems(released.connection)
    assert len(fault.splitlines()) == 1
    # The status says so too, and does not fail.
    step = released.status().steps[-1]
    assert (step.done, step.state, step.command) == (False, fault, "curator verify")


def test_a_question_is_last_seen_as_the_history_has_it(workspace):
    workspace.apply(Reword("q1/a", "Why was it?"))
    workspace.apply(Add("q1", "Where is it?"))
    added = workspace.bank().questions_of("q1")[-1]
    workspace.undo()
    workspace.apply(Retire("q2/c"))
    ids = ["q1/a", added.question_id, "q2/c", "nobody's"]
    last = store_releases.last_states(workspace.connection, ids)
    assert list(last) == ids[:3]
    assert (last["q1/a"].text, last["q1/a"].revision) == ("Why was it?", 2)
    assert last[added.question_id] == added
    assert last["q2/c"].state == "retired"
