"""The passages that the reader goes through: filters with counts, order, words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.verbs.passages.pool_rows import PooledPassage
from curator.web.components.view import View, from_params, to_params
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.pool import PoolList, choose


def passage(passage_id: str, **fields: object) -> PooledPassage:
    plain = PooledPassage("q", passage_id, 5, 5, True, 2, True, {"q/a": 5}, {"one": 1})
    return replace(plain, **fields)  # type: ignore[arg-type]


def chosen(**view: object) -> PoolList:
    """Choose among p1 to p3, of which p2 changed and p3 answers the question."""
    rows = {name: passage(name) for name in ("p1", "p2", "p3")}
    found = {"changed": ["p2"], "answers": ["p3"], "all": [*rows], "uncovered": []}
    return choose(rows, ["p3"], found, View(**view))  # type: ignore[arg-type]


def test_without_a_filter_the_passage_says_what_is_gone_through() -> None:
    assert (chosen().show, chosen().current) == ("all", "p1")
    assert chosen(passage="p2").show == "changed"
    assert chosen(passage="p3").show == "answers"
    assert chosen(passage="p9").current == "p1"


def test_a_filter_begins_at_its_first_passage() -> None:
    answers = chosen(show="answers")
    assert (answers.current, answers.listed) == ("p3", ["p3"])
    assert chosen(show="uncovered").current == "p1"  # nothing else is left to read
    assert chosen(show="relevant-unanswered").show == "all"  # without judgments


def test_the_current_passage_keeps_its_place_when_it_matches_no_longer() -> None:
    assert chosen(show="changed", passage="p1").listed == ["p1", "p2"]
    assert chosen(show="changed", passage="p3").listed == ["p2", "p3"]


def test_the_strip_has_a_bar_per_passage_in_their_order() -> None:
    rows = {
        "p1": passage("p1", answered=False),
        "p2": passage("p2"),
        "p3": passage("p3", answered=None),
        "p4": passage("p4"),
    }
    found = PoolList(rows, ["p4"], {"all": [*rows]}, "all", "p3")
    assert pool.strip(found) == [
        ("other", False),
        ("relevant", False),
        ("other", True),
        ("answers", False),
    ]


def test_a_label_of_a_whole_passage_leaves_nothing_unanswered() -> None:
    names = pool.names(noun="question", rates_passages=True)
    assert names["relevant-unanswered"] == "judged relevant, not graded so"
    names = pool.names(noun="nugget", rates_passages=False)
    assert names["relevant-unanswered"] == "judged relevant, unanswered"
    assert (names["answers"], names["uncovered"]) == ("hold it", "no nugget covers")


def test_an_order_without_any_value_is_not_offered() -> None:
    unjudged = [passage("p1", judgment=None, ranks={})]
    offered = pool.orders(unjudged, noun="question")
    assert list(offered) == ["look", "label", "covered", "length", "pool"]


def test_systems_are_named_best_first_and_the_rest_counted() -> None:
    ranks = {"b": 7, "a": 3, "c": 9, "d": 12}
    assert pool.retrieved_by(ranks, 2) == "a at 3, b at 7 and 2 more"
    assert pool.retrieved_by({"a": 3}, 2) == "a at 3"
    assert pool.retrieved_by({}, 2) == ""


@pytest.mark.parametrize(
    ("answered", "relevant", "verdict"),
    [
        (True, True, "relevant"),
        (False, False, "not relevant"),
        (True, False, "not relevant: the label disagrees"),
        (False, True, "relevant: the label disagrees"),
        (None, True, "relevant"),
        (True, None, ""),
    ],
)
def test_the_verdict_says_whether_label_and_judgment_agree(
    answered: bool | None, relevant: bool | None, verdict: str
) -> None:
    said, differs = pool.verdict(relevant, answered, averaged=False)
    assert (said, differs) == (verdict, verdict.endswith("disagrees"))
    assert not pool.verdict(relevant, answered, averaged=True)[1]


def test_a_documents_segments_have_their_best_ratings() -> None:
    found = passage("d", segments={"d#1": 0, "d#2": 5, "d#3": None})
    assert pool.segments(found) == "#1 best 0 · #2 best 5 · #3 not graded"


def test_a_view_of_passages_survives_its_url() -> None:
    view = View("q", "q/1", "p", show="answers", system="one", pool=True)
    assert from_params(to_params(view)) == view
    assert from_params({"show": "everything", "page": "3"}) == View()
