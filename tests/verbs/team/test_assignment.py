"""Whose work it is: balanced, counted by the marks, and given on."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.edits import CheckPair, Done, Retire, Vote
from curator.errors import AssignmentError
from curator.verbs.team import BREAK, balanced_pairs, seconds_per_decision
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path / "work")


def pairs(workspace: Workspace, work: str = "curate") -> list[tuple[str, str]]:
    return [(o.query_id, o.judge) for o in workspace.assignments() if o.work == work]


@given(st.integers(1, 40), st.integers(1, 7), st.integers(1, 7), st.integers(0))
def test_judges_get_as_many_queries_as_each_other(
    queries: int, judges: int, overlap: int, seed: int
) -> None:
    overlap = min(overlap, judges)
    names = [f"j{number}" for number in range(judges)]
    ids = [f"q{number}" for number in range(queries)]
    added = balanced_pairs(ids, names, overlap, {}, random.Random(seed))
    assert len(set(added)) == len(added) == queries * overlap
    assert {*Counter(q for q, _ in added).values()} == {overlap}
    loads = Counter(name for _, name in added)
    counts = [loads[name] for name in names]
    assert max(counts) - min(counts) <= 1


@given(st.data())
def test_what_is_assigned_stays_and_nobody_gets_a_query_twice(
    data: st.DataObject,
) -> None:
    names, ids = ["a", "b", "c", "d"], [f"q{number}" for number in range(12)]
    held = {
        q: data.draw(st.lists(st.sampled_from(names), unique=True, max_size=4))
        for q in ids
    }
    overlap = data.draw(st.integers(1, 4))
    added = balanced_pairs(ids, names, overlap, held, random.Random(1))
    for q in ids:
        new = [name for one, name in added if one == q]
        assert not {*new} & {*held[q]}
        assert len(new) == max(overlap - len(held[q]), 0)


def test_how_far_work_is_follows_from_the_marks(path: Path) -> None:
    with Workspace.open(path, judge="ann") as one:
        for work in ("curate", "votes", "checks"):
            one.assign(["ann", "bo"], ["q1"], work=work, count=2)  # type: ignore[arg-type]

        def status() -> dict[tuple[str, str], tuple[int, int, str]]:
            found = one.assignments()
            return {(o.work, o.judge): (o.done, o.total, o.status) for o in found}

        kept = [question.question_id for question in one.bank().questions_of("q1")]
        assert status()["votes", "ann"] == (0, len(kept), "to do")
        one.apply([Done("q1"), *(Vote(q, "vital") for q in kept)])
        assert status()["curate", "ann"] == (1, 1, "waiting")
        assert status()["votes", "ann"] == (len(kept), len(kept), "waiting")
        assert one.assignments(judge="ann")[0].waiting == ("bo",)
        one.apply([Done("q1"), *(Vote(q, "okay") for q in kept)], by="bo")
        assert status()["votes", "ann"][2] == status()["votes", "bo"][2] == "done"
        assert status()["curate", "bo"][2] == "done"
        # A question retired is voted on no more; a new check is one more.
        one.apply(Retire(kept[0]))
        assert status()["votes", "bo"] == (len(kept) - 1, len(kept) - 1, "done")
        one.apply(CheckPair("q1", kept[1], "p1", "yes"))
        assert status()["checks", "ann"] == (1, 2, "to do")
        one.undo("q1")
        assert status()["checks", "ann"] == (0, 2, "to do")


def test_what_is_left_is_given_on_and_what_is_done_stays(path: Path) -> None:
    with Workspace.open(path, judge="ann") as one:
        one.assign(["ann"])
        queries = [q for q, _ in pairs(one)]
        one.apply(Done(queries[0]))
        one.assign(["bo"], queries[1:2])
        with pytest.raises(AssignmentError, match="ann already has this work"):
            one.reassign("ann", "ann")
        assert "bo had this already: q2" in one.reassign("ann", "bo").notes[0]
        assert pairs(one) == [(queries[0], "ann"), *((q, "bo") for q in queries[1:])]
        with pytest.raises(AssignmentError, match="ann has no unfinished work"):
            one.reassign("ann", "bo")
        one.unassign("bo", queries[1:2])
        assert (queries[1], "bo") not in pairs(one)
        one.unassign("ann")
        with pytest.raises(AssignmentError, match="no such work to remove"):
            one.unassign("ann")


def test_what_changed_hands_is_kept_with_who_did_it(path: Path) -> None:
    with Workspace.open(path, judge="zoe") as one:
        first, second = list(one.collection().pools)
        one.assign(["ann"])
        one.assign(["bo"], [second])
        one.assign(["ann"])  # who has it already is given nothing
        one.reassign("ann", "bo")
        one.unassign("bo", [first], work="curate")
        kept = [(o.taken_from, o.given_to, o.query_ids) for o in one.handovers()]
        assert kept == [
            ("bo", None, (first,)),
            # Where bo had it already it was merely taken away.
            ("ann", None, (second,)),
            ("ann", "bo", (first,)),
            (None, "bo", (second,)),
            (None, "ann", (first, second)),
        ]
        assert {(o.by, o.work) for o in one.handovers()} == {("zoe", "curate")}
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        assert {"ann"} == {o.taken_from or o.given_to for o in ann.handovers()}


def test_progress_counts_what_each_has_done(path: Path) -> None:
    with Workspace.open(path, judge="ann") as one:
        a, b = [q.question_id for q in one.bank().questions_of("q1")][:2]
        one.assign(["ann", "bo"], ["q1"])
        one.apply([Vote(a, "vital"), Vote(b, "vital"), Done("q1")])
        one.apply([Vote(a, "vital"), Vote(b, "okay")], by="bo")
        one.apply(CheckPair("q1", a, "p1", "yes"))
        one.apply(CheckPair("q1", a, "p1", "unsure"), by="bo")
        one.apply(Retire("q1/c"), by="cy")
        ann, bo, cy = one.progress()
        assert (ann.assigned, ann.finished, ann.votes, ann.checks) == (1, 1, 2, 1)
        assert (bo.assigned, bo.finished, bo.votes) == (1, 0, 2)
        # by hand: of two votes in common one is the same; "unsure" is no answer
        assert (ann.same, ann.shared, ann.agreement) == (1, 2, 0.5)
        assert (bo.same, bo.shared) == (1, 2)
        assert (cy.edits, cy.votes, cy.agreement) == (1, 0, None)
        assert cy.last == one.history()[0].at
        one.add_people(["ann", "bo"])
    with Workspace.open(path, judge="bo", as_judge=True) as bo_herself:
        assert [w.judge for w in bo_herself.progress()] == ["bo"]


def test_a_break_is_no_decision() -> None:
    # by hand: gaps of 30, 30 and 60 s, and one of 20 minutes, which is a break
    times = ("10:00:00", "10:00:30", "10:01:00", "10:02:00", "10:22:00")
    made = [SimpleNamespace(at=f"2026-11-24T{time}+00:00") for time in times]
    assert BREAK == 600
    assert seconds_per_decision(made) == 30  # type: ignore[arg-type]
    assert seconds_per_decision(made[:1]) is None  # type: ignore[arg-type]


def test_from_the_command_line(path: Path) -> None:
    run("people", path, "add", "ann", "bo")
    assigned = json_of("assign", path, "--evenly", "--overlap", 2, "--work", "votes")
    assert {one["judge"] for one in assigned} == {"ann", "bo"}
    run("assign", path, "--from", "ann", "--to", "bo")
    assert {one["judge"] for one in json_of("assign", path)} == {"bo"}
    run("assign", path, "--remove", "bo", "--query", "q1")
    assert "q1" not in {one["query_id"] for one in json_of("assign", path)}
    run("assign", path, "--evenly", "--remove", "bo", code=2)
    assert len(json_of("assign", path, "--history")) == 4
    assert [one["judge"] for one in json_of("progress", path)][:2] == ["ann", "bo"]


def test_a_judge_more_takes_from_nobody(path: Path) -> None:
    with Workspace.open(path) as one:
        one.assign_evenly(["ann", "bo"], overlap=1, seed=1)
        before = pairs(one)
        assert len(before) == len(one.collection().pools)
        one.assign_evenly(["ann", "bo", "cy"], overlap=2, seed=1)
        assert {*before} < {*pairs(one)}
        assert {*Counter(q for q, _ in pairs(one)).values()} == {2}
