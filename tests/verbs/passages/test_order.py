"""The orders of a query's passages, and the search for words in them.

By hand, in small_collection's q1: p1 has label 5, is judged 2 and retrieved at 1 and 2;
p2 has label 4, is unjudged and retrieved at 1; p0 is ungraded, judged 1 and retrieved
at 2. Two and more is relevant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.verbs.passages.pool_rows import Order, PooledPassage, sort_passages
from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage, run_file

ONE = PooledPassage("q", "", 0, 0, False, None, None, {}, {})


def made(passage_id: str, **fields: object) -> PooledPassage:
    return replace(ONE, passage_id=passage_id, **fields)


def ids(passages: tuple[PooledPassage, ...]) -> str:
    return " ".join(one.passage_id for one in passages)


@pytest.mark.parametrize(
    ("sort", "there", "back"),
    [
        ("label", "p1 p2 p0", "p2 p1 p0"),  # what has no label is last either way
        ("judgment", "p1 p0 p2", "p0 p1 p2"),
        ("rank", "p1 p2 p0", "p0 p1 p2"),  # p1 and p2 are both first somewhere
        ("retrieved", "p1 p2 p0", "p2 p0 p1"),
        ("covered", "p2 p1 p0", "p1 p2 p0"),
    ],
)
def test_passages_come_in_the_order_asked_for(
    workspace: Workspace, sort: Order, there: str, back: str
) -> None:
    def order(*, reverse: bool) -> str:
        found = workspace.pool("q1", sort=sort, reverse=reverse)
        ranked = [one for one in found if one.passage_id in ("p0", "p1", "p2")]
        return ids(tuple(ranked))

    assert order(reverse=False) == there
    assert order(reverse=True) == back


def test_the_one_to_look_at_is_retrieved_likely_relevant_and_uncovered() -> None:
    many = (
        made("alone", judgment=3, relevant=True),  # no system retrieves it
        made("covered", judgment=3, relevant=True, answered=True, ranks={"a": 1}),
        made("likely", ranks={"a": 1, "b": 1}),
        made("judged", judgment=2, relevant=True, ranks={"a": 9}),
        made("highly", judgment=3, relevant=True, ranks={"a": 9}),
        made("open", judgment=3, relevant=True, ranks={"a": 2}, missing=1),
        made("not", judgment=0, relevant=False, ranks={"a": 3}),
    )
    assert ids(sort_passages(many, "look")) == (
        "highly judged likely covered open not alone"
    )


RATED = st.builds(
    made,
    st.integers(0, 9).map(str),
    label=st.none() | st.integers(0, 5),
    judgment=st.none() | st.integers(0, 3),
    ranks=st.just({}) | st.just({"a": 1}) | st.just({"a": 3, "b": 4}),
)


@given(st.lists(RATED, unique_by=lambda one: one.passage_id))
def test_every_order_keeps_all_passages(many: list[PooledPassage]) -> None:
    letters = {one.passage_id: 3 for one in many}
    for order in get_args(Order):
        found = sort_passages(many, order, letters=letters)
        assert sorted(map(id, found)) == sorted(map(id, many))
        assert sort_passages(found, order, letters=letters) == found
    assert sort_passages(many, "length", letters=letters) == tuple(
        many
    )  # all are as long


@pytest.fixture
def searched(tmp_path: Path) -> Iterator[Workspace]:
    texts = {"a": "Fine is the\n  weather.", "b": "Weather? Rain.", "c": "No."}
    graded = [
        graded_passage(one, "q", {"q/a": 5}, text=text) for one, text in texts.items()
    ]
    path = graded_file(tmp_path / "graded.jsonl", {"q": graded})
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(autograder=path)
        yield workspace


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("WEATHER", ("a", "b")),
        ("rain weather", ("b",)),  # in any order
        ('"the weather"', ("a",)),  # over a line's end
        ("c", ("c",)),  # its id
        ("  ", ("a", "b", "c")),
        ('"', ()),  # a quote alone is a word like any other
    ],
)
def test_words_are_looked_for_in_text_and_id(
    searched: Workspace, words: str, found: tuple[str, ...]
) -> None:
    assert searched.holding("q", words) == found
    assert ids(searched.pool("q", words=words)) == " ".join(found)


@pytest.mark.parametrize(
    ("selected", "changed", "order"),
    [
        # c is retrieved and covered by nothing; of the others d is ranked above b.
        (None, (), "c d b a"),
        ("q/x", (), "b a c d"),  # a is rated higher, but no system retrieves it
        (None, ("a", "b"), "b a c d"),
        ("q/y", ("a", "b"), "d b a c"),
    ],
)
def test_what_is_read_first_is_what_to_look_at(
    tmp_path: Path, selected: str | None, changed: tuple[str, ...], order: str
) -> None:
    ratings = {"a": (5, 0), "b": (4, 0), "c": (0, 0), "d": (0, 4)}
    graded = [
        graded_passage(one, "q", {"q/x": x, "q/y": y})
        for one, (x, y) in ratings.items()
    ]
    path = graded_file(tmp_path / "graded.jsonl", {"q": graded})
    run = run_file(tmp_path / "one.run", {"q": ["c", "d", "b"]}, "one")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(autograder=path, runs=run)
        found = workspace.to_read("q", question_id=selected, changed=changed)
        assert " ".join(found) == order
