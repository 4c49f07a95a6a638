"""The Passages tab's values: pages, filters with counts, words. No Streamlit."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from curator.bank.questions import Question
from curator.collection.pools import Collection, Query, Subtopic
from curator.verbs.passages.pool_rows import PooledPassage
from curator.web.components.view import View, from_params, to_params
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.passage_text import CUT, Piece, cut, more_words

NUMBERS = {"q/a": 1, "q/b": 2, "q/c": 3}


def passage(passage_id: str, **fields: object) -> PooledPassage:
    plain = PooledPassage("q", passage_id, 5, 5, True, 2, True, {"q/a": 5}, {"one": 1})
    return replace(plain, **fields)  # type: ignore[arg-type]


def many(number: int) -> tuple[PooledPassage, ...]:
    return tuple(passage(f"p{n}") for n in range(1, number + 1))


def collection(**fields: object) -> Collection:
    made = Collection("", (), ("one", "two"), {}, min_relevance=2)
    return replace(made, **fields)  # type: ignore[arg-type]


# Pages


def test_twenty_passages_make_a_page() -> None:
    found = many(41)
    here = pool.page_of(found, found, passage_id=None, page=3)
    assert (here.pages, here.number, here.first) == (3, 3, 40)
    assert [one.passage_id for one in here.passages] == ["p41"]


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (1, 1), (3, 3), (9, 3)])
def test_a_page_that_is_not_there_is_the_nearest(asked: int, given: int) -> None:
    found = many(41)
    assert pool.page_of(found, found, passage_id=None, page=asked).number == given


def test_the_page_is_the_one_of_the_passage_selected() -> None:
    found = many(41)
    here = pool.page_of(found, found, passage_id="p21", page=1)
    assert here.number == 2
    assert here.current is found[20]
    assert (here.before, here.after) == ("p20", "p22")


def test_without_a_selected_passage_the_first_of_the_page_is_current() -> None:
    found = many(41)
    here = pool.page_of(found, found, passage_id="elsewhere", page=2)
    assert here.current is found[20]


def test_a_selected_passage_stays_when_it_matches_no_longer() -> None:
    found = many(3)
    here = pool.page_of(found, found[2:], passage_id="p1", page=1)
    assert [one.passage_id for one in here.passages] == ["p1", "p3"]
    assert (here.total, here.current, here.stays) == (2, found[0], True)
    assert not pool.page_of(found, found[2:], passage_id="p3", page=1).stays


def test_an_empty_page_has_no_current_passage() -> None:
    here = pool.page_of(many(3), (), passage_id=None, page=1)
    assert (here.current, here.before, here.after) == (None, None, None)
    assert here.pages == 1


# Filters


def test_each_filter_says_how_many_it_leaves_under_the_other_two() -> None:
    found = (
        passage("p1"),
        passage("p2", label_before=4),
        passage("p3", label=1, label_before=1, answered=False, answers={}),
        passage("p4", relevant=False, ranks={"two": 3}),
    )
    every = pool.choices(found, question_id=None, system=None)
    assert [(show, count) for show, _, count in every] == [
        ("all", 4),
        ("changed", 1),
        ("relevant-unanswered", 1),
        ("nonrelevant-answered", 1),
        ("uncovered", 1),
    ]
    of_one = pool.choices(found, question_id="q/a", system="one")
    assert [count for _, _, count in of_one] == [2, 1, 0, 0, 0]
    direct = pool.choices(found, question_id=None, system=None, direct=True)
    assert "uncovered" not in [show for show, *_ in direct]  # it asks no questions


def test_of_a_mean_below_the_minimum_nobody_says_unanswered() -> None:
    low = passage("p1", label=2.5, label_before=2.5, answered=False)
    offered = pool.choices((low,), question_id=None, system=None, averaged=True)
    named = {show: (name, count) for show, name, count in offered}
    assert named["relevant-unanswered"] == ("judged relevant, not graded so", 1)
    assert named["uncovered"] == ("no question covers", 0)  # a does


def test_filters_on_judgments_are_offered_only_where_there_are_some() -> None:
    unjudged = (passage("p1", judgment=None, relevant=None),)
    offered = pool.choices(unjudged, question_id=None, system=None)
    assert [show for show, *_ in offered] == ["all", "changed", "uncovered"]
    assert "Without judgments" in pool.why_no_judgments(unjudged, collection())
    no_threshold = (passage("p1", relevant=None),)
    said = pool.why_no_judgments(no_threshold, collection(min_relevance=None))
    assert said == "No minimum relevance is set."
    assert pool.why_no_judgments((passage("p1"),), collection()) == ""


def test_where_judging_is_blind_the_page_says_so_in_place_of_the_filters() -> None:
    unjudged = (passage("p1", judgment=None, relevant=None),)
    assert "blind" in pool.why_no_judgments(unjudged, collection(blind=True))


# Questions


def test_questions_stand_by_subtopic() -> None:
    query = Query("q", subtopics=(Subtopic("s", "Facet"), Subtopic("t")))
    a = Question("q/a", "q", "A?")
    b = Question("q/b", "q", "B?", subtopic_id="s")
    c = Question("q/c", "q", "C?", subtopic_id="t")
    d = Question("q/d", "q", "D?")
    assert pool.grouped([a, b, c, d], query) == [
        ("", [a, d]), ("Facet", [b]), ("t", [c]),
    ]  # fmt: skip


# Words


def test_answers_come_best_rated_first_and_name_what_is_missing() -> None:
    one = passage("p1", answers={"q/a": 4, "q/b": 5, "q/c": 4}, missing=2)
    said = pool.answers(one, NUMBERS, items=4)
    assert said == "3 of 4: 2 rated 5 · 1 rated 4 · 3 rated 4 · 2 grades missing"
    assert pool.answers(passage("p1"), NUMBERS, rated=False, items=3) == "1 of 3: 1"
    none = passage("p1", answers={}, label=0)
    assert pool.answers(none, NUMBERS, items=3) == "no kept question"
    ungraded = replace(none, label=None)
    assert pool.answers(ungraded, NUMBERS, items=3) == "not graded yet"


def test_systems_are_named_best_first_and_the_rest_counted() -> None:
    ranks = {"a": 3, "b": 7, "c": 9, "d": 12}
    assert pool.retrieved_by(ranks, 20, 2) == "a at 3, b at 7 and 2 more"
    assert pool.retrieved_by({"a": 3}, 20, 2) == "a at 3"
    assert pool.retrieved_by({}, 20, 2) == "no system among its first 20"
    assert pool.retrieved_by({}, 0, 2) == ""  # no runs


@pytest.mark.parametrize(
    ("before", "after", "label", "change"),
    [
        (5, 5, "label 5", ""),
        (5, 3, "5 → 3", "▼−2"),
        (0, 4, "0 → 4", "▲+4"),
        (2.5, 2.25, "2.50 → 2.25", "▼−0.25"),
        # Means of 41 and 43 ratings over 21 and 22: 1.95238…, 1.95454…
        (41 / 21, 43 / 22, "1.952 → 1.955", "▲+0.002"),
        (1.5, 1.5, "label 1.50", ""),
        (None, 4, "none → 4", ""),
        (4, None, "4 → none", ""),
        (None, None, "no label", ""),
    ],
)
def test_a_change_of_label_has_arrow_and_sign(
    before: float | None, after: float | None, label: str, change: str
) -> None:
    one = passage("p1", label=after, label_before=before)
    assert (pool.label(one), pool.change(one).text) == (label, change)


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
    differs = pool.disagrees(relevant, answered, averaged=False)
    assert pool.verdict(relevant, disagrees=differs) == verdict
    assert differs == verdict.endswith("disagrees")
    assert not pool.disagrees(relevant, answered, averaged=True)


def test_an_empty_page_says_of_what_there_is_nothing() -> None:
    def said(show: str, number: int | None = None, system: str | None = None) -> str:
        return pool.nothing_found(
            show,  # type: ignore[arg-type]
            number=number,
            system=system,
            against="edit",
        )

    assert (
        said("relevant-unanswered")
        == "No passage of this query is judged relevant but unanswered."
    )
    assert said("changed") == (
        "No passage of this query has another label than before my last edit."
    )
    assert "You have no edits" in pool.nothing_found(
        "changed", number=None, system=None, against=None
    )
    assert said("all", 4, "run-a") == (
        "No passage of this query answers question 4 and was retrieved by run-a."
    )


def test_an_added_question_says_what_it_reaches() -> None:
    assert pool.added_words(0, None) == "Added. No grades of it yet."
    assert pool.added_words(0, False) == "Added. 0 passages answer it."
    assert pool.added_words(1, True) == (
        "Added. 1 passage answers it; this one included."
    )
    assert pool.added_words(3, False) == (
        "Added. 3 passages answer it; this one not among them."
    )


def test_a_short_passage_is_shown_whole() -> None:
    pieces = (Piece("Short. "), Piece("And marked.", (1,)))
    assert cut(pieces) == (pieces, ())


def test_a_long_passage_is_cut_at_a_sentence_and_loses_nothing() -> None:
    sentence = "This sentence has forty letters, or so. "
    pieces = (Piece(sentence * 20), Piece(sentence * 20, (4,)), Piece("The end."))
    begin, rest = cut(pieces)
    text = "".join(piece.text for piece in begin)
    assert text.endswith(". ")
    assert CUT * 0.6 < len(text) <= CUT + 1
    assert text + "".join(p.text for p in rest) == "".join(p.text for p in pieces)
    assert rest[0].answers == (4,)
    assert more_words(rest).endswith("more characters, with the answer to 4")


def test_a_long_passage_without_a_space_is_cut_anyway() -> None:
    begin, rest = cut((Piece("x" * 3000),))
    assert len(begin[0].text) == CUT
    assert more_words(rest) == "1,900 more characters"


def test_the_question_filtered_by_is_highlighted_first_and_four_at_most() -> None:
    titles = {f"q/{n}": f"{n}?" for n in range(6)}
    one = passage("p1", answers=dict.fromkeys([*titles, "q/textless"], 4))
    found = pool.to_highlight(one, titles, "q/5")
    assert list(found) == ["q/5", "q/0", "q/1", "q/2"]


def test_a_view_of_passages_survives_its_url() -> None:
    view = View("q", "q/1", "p", show="relevant-unanswered", system="one", page=3)
    assert from_params(to_params(view)) == view
    assert from_params({"show": "everything", "page": "0"}) == View()


def test_present_pool_imports_no_streamlit() -> None:
    code = (
        "import sys\n"
        "from curator.web.pages.judge.passages import pool, passage_text\n"
        "sys.exit('streamlit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_documents_segments_are_said_with_their_best_ratings() -> None:
    found = passage("d", segments={"d#1": 0, "d#2": 5, "d#3": None})
    assert pool.segments(found) == "#1 best 0 · #2 best 5 · #3 not graded"
