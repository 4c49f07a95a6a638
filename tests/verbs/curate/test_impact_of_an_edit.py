"""The impact of an edit is that edit's own, whoever edits before and after it."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import Workspace
from curator.bank.edits import Add, Done, Restore, Retire, Vote
from tests.samples.workspaces import graded_file, graded_passage, question_bank

QUERIES = ("q0", "q1", "q2")
QUESTIONS = [f"{query}/{name}" for query in QUERIES for name in "abcd"]


@pytest.fixture
def ann(hand_made):
    with Workspace.open(hand_made, judge="ann") as opened:
        yield opened


@pytest.fixture
def ben(ann):
    with Workspace.open(ann.path, judge="ben") as opened:
        yield opened


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """Three queries of four questions and six passages; every grade drawn by seed 0."""
    folder = tmp_path_factory.mktemp("drawn")
    rng = np.random.default_rng(0)
    passages = {query: [f"{query}-p{i}" for i in range(6)] for query in QUERIES}
    bank = {q: {f"{q}/{n}": f"{n} of {q}?" for n in "abcd"} for q in QUERIES}
    graded: dict[str, list[dict[str, object]]] = {query: [] for query in QUERIES}
    for query in QUERIES:
        orders = [rng.permutation(6) for _ in range(5)]
        for at, passage in enumerate(passages[query]):
            ratings = {one: int(rng.integers(6)) for one in bank[query]}
            places = {f"s{n}": 1 + int(one[at]) for n, one in enumerate(orders)}
            ranks = {system: rank for system, rank in places.items() if rank < 3}
            graded[query].append(graded_passage(passage, query, ratings, ranks=ranks))
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            bank=question_bank(folder / "bank.jsonl", bank),
            autograder=graded_file(folder / "graded.jsonl", graded),
        )
    return folder / "w.db"


def retire(workspace: Workspace, question_ids: list[str]) -> None:
    for one in question_ids:
        if workspace.bank().question(one).state == "kept":
            workspace.apply(Retire(one))


SOME = st.lists(st.sampled_from(QUESTIONS), max_size=4, unique=True)


@settings(max_examples=15, deadline=None)
@given(mine=st.sampled_from(QUESTIONS), before=SOME, since=SOME)
def test_my_impact_is_the_same_whatever_others_do(
    drawn: Path, mine: str, before: list[str], since: list[str]
) -> None:
    query = mine.partition("/")[0]
    with ExitStack() as stack:
        path = Path(stack.enter_context(TemporaryDirectory())) / "w.db"
        shutil.copy(drawn, path)
        ann, ben = (
            stack.enter_context(Workspace.open(path, judge=one))
            for one in ("ann", "ben")
        )
        retire(ben, [one for one in before if one != mine])
        # What the edit would do is worked out in another way, and before it is made.
        foreseen = ann.impact(Retire(mine))
        here = ann.impact(Retire(mine), query_id=query)
        ann.apply(Retire(mine))
        event = ann.baselines(query).edited
        retire(ben, since)
        ben.apply(Done(query))
        assert ann.impact(edit=event) == foreseen
        assert ann.impact(edit=event, query_id=query) == here


def test_votes_are_edits_of_boards_by_votes(ann, ben) -> None:
    ann.apply(Retire("q1/a"))
    edited = ann.baselines("q1").edited
    ann.apply(Vote("q1/b", "vital"))
    ann.apply(Done("q1"))
    cover = ann.settings(measure="cover")
    weighted = ann.settings(measure="weighted-cover")
    assert ann.baselines("q1", settings=cover).edited == edited
    assert ann.baselines("q1", settings=weighted).edited == edited + 1


def test_a_batch_is_one_edit_and_an_undone_one_is_none(ann) -> None:
    first = ann.apply([Retire("q1/a"), Retire("q1/b")]).event_ids
    ann.apply(Add("q2", "Whose is it?"))
    # Of whichever event of the batch: by hand, only c of q1 is left.
    assert ann.impact(edit=first[0]) == ann.impact(edit=first[1])
    ann.undo("q1")
    assert ann.impact(edit=first[0]).labels  # what it did when it was made


def test_a_passage_that_my_edit_did_not_change_is_not_called_changed(ann, ben) -> None:
    ann.apply(Retire("q1/a"))  # p1: 5 by a, then b's 4
    ben.apply(Retire("q1/c"))  # p2: 5 by c, then 0
    edited = ann.baselines("q1").edited
    found = {one.passage_id: one for one in ann.pool("q1", edit=edited)}
    assert (found["p1"].label_before, found["p1"].label) == (5, 4)
    assert not found["p2"].changed
    ben.apply(Restore("q1/c"))
    # Nor is one that it did change uncounted where others brought its label back.
    ben.apply(Restore("q1/a"))
    pool = ann.pool("q1", edit=edited)
    assert [(p.passage_id, p.label) for p in pool if p.changed] == [("p1", 5)]
