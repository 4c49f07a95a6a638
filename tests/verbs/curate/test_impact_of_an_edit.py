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
from curator.web.components.view import View
from curator.web.components.words import plain
from curator.web.pages.judge.impact_words import impact_sentence, later_words
from curator.web.pages.judge.page_state import PageState, load
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    run_file,
)

QUERIES = ("q0", "q1", "q2")
QUESTIONS = [f"{query}/{name}" for query in QUERIES for name in "abcd"]


@pytest.fixture
def ann(tmp_path):
    path = hand_made_workspace(tmp_path / "hand-made")
    with Workspace.open(path, judge="ann") as opened:
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
    runs = folder / "runs"
    runs.mkdir()
    for system in range(5):
        own = {q: list(rng.permutation(passages[q])[:2]) for q in QUERIES}
        run_file(runs / f"s{system}.run", own, f"s{system}")
    graded = {
        q: [
            graded_passage(p, q, {one: int(rng.integers(6)) for one in bank[q]})
            for p in passages[q]
        ]
        for q in QUERIES
    }
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            bank=question_bank(folder / "bank.jsonl", bank),
            autograder=graded_file(folder / "graded.jsonl", graded),
            runs=runs,
        )
    return folder / "w.db"


def page_of(workspace: Workspace, query_id: str, measure: str = "") -> PageState:
    return load(workspace, View(query=query_id, measure=measure))


def said(workspace: Workspace, query_id: str) -> tuple[str, str]:
    """The sentence on the Judge page, and the one beside it."""
    page = page_of(workspace, query_id)
    assert page.impact is not None
    sentence = impact_sentence(page.impact, page.edits, {}, against="x")
    return plain(sentence), later_words(page.later)


def retire(workspace: Workspace, question_ids: list[str]) -> list[str]:
    """Those of these questions that were kept, and are retired now."""
    kept = [
        one for one in question_ids if workspace.bank().question(one).state == "kept"
    ]
    for one in kept:
        workspace.apply(Retire(one))
    return kept


SOME = st.lists(st.sampled_from(QUESTIONS), max_size=4, unique=True)


@settings(max_examples=15, deadline=None)
@given(mine=st.sampled_from(QUESTIONS), before=SOME, since=SOME)
def test_my_impact_is_the_same_whatever_others_do_and_they_are_told_beside_it(
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
        first, told = said(ann, query)
        assert told == ""
        assert first.startswith(f"Retired “{mine[-1]} of {query}?”: ")
        done = retire(ben, since)
        ben.apply(Done(query))
        again, told = said(ann, query)
        assert again == first
        assert ann.impact(edit=event) == foreseen
        assert ann.impact(edit=event, query_id=query) == here
        number = sum(one.startswith(query) for one in done)
        noun = "change" if number == 1 else "changes"
        told_of = f"Since then in this query: {number} {noun} by ben."
        assert told == (told_of if number else "")


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
    page = page_of(ann, "q1")
    assert [one.event_id for one in page.edits] == [first[1], first[0]]
    ann.undo("q1")
    assert page_of(ann, "q1").edits == ()
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
