"""The Votes tab: votes are saved once, others' are there only beside one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Retire, Vote
from curator.evaluation.pyramid_tests import PyramidDifference, PyramidTest
from curator.evaluation.settings import Settings
from curator.verbs.judges.boards import PyramidTests
from curator.web.components import session
from curator.web.components.channel import UNREADABLE, Answer
from curator.web.pages.judge.votes.boards import last_words
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html, sent

PAGE = "judge/votes/page.py"


def vote(path: Path, judge: str, **votes: str) -> None:
    """A judge's votes on questions of q1 by letter."""
    with Workspace.open(path, judge=judge) as workspace:
        workspace.apply([Vote(f"q1/{one}", how) for one, how in votes.items()])


def listed(app: AppTest) -> dict[str, Any]:
    """What the list of questions in the browser is given."""
    return given(app, "vote_list")


def everything(app: AppTest) -> str:
    """All of the page, but who has signed in."""
    return page_html(app) + json.dumps(listed(app))


def test_a_query_opens_at_the_first_question_without_my_vote(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "ann", a="vital")
    data = listed(open_app(hand_made, PAGE, judge="ann", query="q1"))
    assert data["selected"] == "q1/b"
    assert [(row["id"], row["mine"]) for row in data["rows"]] == [
        ("q1/a", "vital"),
        ("q1/b", ""),
        ("q1/c", ""),
    ]
    assert data["next"] == {"query": "q2", "name": "Who?"}


def test_nothing_on_the_page_tells_of_others_votes_before_mine(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "Benedict", a="vital", b="okay")
    said = everything(open_app(hand_made, PAGE, judge="ann", query="q1"))
    assert "Benedict" not in said
    assert "Vote first" in said
    vote(hand_made, "ann", b="vital")
    app = open_app(hand_made, PAGE, judge="ann", query="q1")
    rows = {row["id"]: row["others"] for row in listed(app)["rows"]}
    assert rows == {"q1/a": "", "q1/b": "okay: Benedict", "q1/c": ""}
    html = page_html(app)
    assert "vital: ann · okay: Benedict" in html
    assert "Why is it?" not in html  # the vote on a is hidden yet


def test_the_history_page_leaves_out_votes_on_what_i_have_not_voted_on(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "Benedict", a="vital", c="okay")
    vote(hand_made, "ann", c="vital")
    html = page_html(open_app(hand_made, "releases/history/page.py", judge="ann"))
    assert '<b>voted okay</b> <bdi dir="auto">When is it?' in html
    assert '<b>voted vital</b> <bdi dir="auto">When is it?' in html
    assert "Why is it?" not in html


def test_the_queries_say_how_far_i_am(open_app: OpenApp, hand_made: Path) -> None:
    vote(hand_made, "ann", a="vital", b="okay", c="okay")
    html = page_html(open_app(hand_made, PAGE, judge="ann", query="q1"))
    assert ">3/3<" in html
    assert ">0/1<" in html
    assert "3 of 4 questions" in html


def test_alone_one_is_told_that_a_second_judge_is_wanted(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "ann", a="vital")
    html = page_html(open_app(hand_made, PAGE, judge="ann", query="q1"))
    assert "nobody else has voted" in html


def test_without_kept_questions_the_page_says_what_to_do(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply([Retire(f"q1/{one}") for one in "abc"])
    data = listed(open_app(hand_made, PAGE, judge="ann", query="q1"))
    assert data["rows"] == []
    assert "no kept questions" in data["empty"]
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Retire("q2/d"))
    html = page_html(open_app(hand_made, PAGE, judge="ann"))
    assert "No questions to vote on yet" in html


def test_boards_and_curves_are_drawn_when_asked_for(
    open_app: OpenApp, hand_made: Path
) -> None:
    for judge, how in {"ann": "vital", "ben": "okay", "cy": "vital"}.items():
        vote(hand_made, judge, a=how, c="vital")
    app = open_app(hand_made, PAGE, judge="ann", query="q1")
    assert "Kendall’s τ" not in page_html(app)
    app.button(key="draw_judge_boards").click().run()
    html = page_html(app)
    assert "Kendall’s τ" in html
    assert "Votes have changed" not in html
    assert "nugget-f · fake-llm (imported) · rating ≥ 4 · top 20" in html
    assert "Pyramids of 3 judges instead of 2" not in html  # one query voted on
    assert "calls vital among the votes you may see" in html
    assert 'alt="Pyramids against single judges’ boards. nugget-f · fake-llm' in html
    vote(hand_made, "ann", b="vital")
    assert "Votes have changed" in page_html(app.run())


def test_whoever_is_left_out_stands_beside_the_boards(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "nuggetizer", a="vital", b="okay")  # as an import names them
    vote(hand_made, "ann", a="vital", b="okay", c="okay")
    app = open_app(hand_made, PAGE, judge="ann", query="q1")
    html = page_html(app)
    assert "nobody else has voted" in html
    assert "<b>Imported</b>importances that came with a bank" in html
    assert "ann, nuggetizer" in html
    app.button(key="draw_judge_boards").click().run()
    assert "nuggetizer (imported)" in page_html(app)
    app.multiselect(key="pyramid_without").set_value(["nuggetizer"]).run()
    assert "Others are left out by now" in page_html(app)
    app.button(key="draw_judge_boards").click().run()
    html = page_html(app)
    assert "nugget-f(without=nuggetizer) · " in html
    assert "nuggetizer (imported)" not in html
    assert "Others are left out" not in html


def test_what_the_last_judge_changed_is_one_sentence() -> None:
    tau = PyramidDifference(0.0124, -0.003, 0.0301, 0.12, 1000)
    one = PyramidTest(5, None, tau, tau)
    found = PyramidTests(Settings("g"), (), 43, 1000, 0, (one,), ())
    assert last_words(found) == (
        "Pyramids of 5 judges instead of 4: mean τ with each judge’s own board "
        "+.0124 (95 % interval −.0030 to +.0301, p = .120; 1,000 bootstrap samples of "
        "43 queries)."
    )
    untold = replace(one, tau=PyramidDifference(None, None, None, None, 0))
    assert last_words(replace(found, sizes=(untold,))) == ""
    assert last_words(None) == ""


# What the browser sends


def voted(nonce: str = "0123456789ab", **payload: object) -> Answer:
    meant = {"query": "q1", "question": "q1/a", "vote": "vital"}
    return sent("vote", nonce, **meant | payload)


@pytest.mark.parametrize("said", [None, "VITAL", 1, "yes", ["vital"]])
def test_a_vote_that_says_neither_is_refused(judging: Path, said: object) -> None:
    assert voted(vote=said).line == UNREADABLE


def test_a_vote_sent_twice_is_saved_once_and_goes_on(judging: Path) -> None:
    assert voted(following="q1/b").ok
    assert session.view().question == "q1/b"
    assert voted(following="q1/b").ok
    with Workspace.open(judging) as workspace:
        assert workspace.bank().question("q1/a").votes == (("ann", "vital"),)
        (event,) = workspace.history()
    assert (event.by, event.change.kind) == ("ann", "vote")


def test_an_undo_goes_back_to_the_question_whose_vote_it_takes(judging: Path) -> None:
    voted(following="q1/b")
    assert sent("undo", "another nonce", query="q1").ok
    assert session.view().question == "q1/a"
    with Workspace.open(judging) as workspace:
        assert workspace.bank().question("q1/a").votes == ()


def test_a_vote_on_what_was_retired_meanwhile_is_answered_with_a_line(
    judging: Path,
) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Retire("q1/a"))
    answer = voted()
    assert not answer.ok
    assert "only kept questions can get votes" in answer.line
