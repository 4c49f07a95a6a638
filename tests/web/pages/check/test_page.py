"""The Check page: what the browser is given of a pair before and after an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import CheckPair, Retire
from curator.verbs.checks.batch import CheckQueue
from curator.web.components import session
from curator.web.components.channel import UNREADABLE, Answer
from curator.web.pages.check.check_list import answers
from curator.workspace import Workspace
from tests.samples.checked_graders import two_graders
from tests.samples.noted_tasks import finished
from tests.web.conftest import OpenApp, given, page_html, picks, sent, settings

PAGE = "check/page.py"


def listed(app: AppTest) -> dict[str, Any]:
    """What the list of pairs in the browser is given."""
    return given(app, "check_list")


def test_nothing_tells_what_anybody_says_of_a_pair_before_one_has_answered(
    open_app: OpenApp, hand_made: Path
) -> None:
    pairs = [("q1/a", "p1"), ("q1/b", "p1"), ("q1/c", "p2")]
    with Workspace.open(hand_made, judge="Benedict") as workspace:
        workspace.apply([CheckPair("q1", *pair, "unsure") for pair in pairs])
    data = listed(open_app(hand_made, PAGE, judge="ann"))
    said = json.dumps(data)
    assert "Benedict" not in said
    assert "unsure:" not in said
    assert "probability" not in said  # which would tell of the rating
    assert len(data["rows"]) == 7
    assert [row["said"] for row in data["rows"]] == [{}] * 7
    with Workspace.open(hand_made, judge="ann", as_judge=True) as workspace:
        # Plain texts: no sentence is marked.
        texts = [pair.text for pair in workspace.check_batch().pairs]
        assert [row["text"] for row in data["rows"]] == texts
        at = workspace.check_batch().at
        ids = [one.drawn for one in workspace.check_batch().pairs]
        place = next(i for i, d in enumerate(ids) if d.question_id == "q1/b"
                     and d.passage_id == "p1")  # fmt: skip
        workspace.answer_check("pairs", at, place, "no", seconds=3.0)
    app = open_app(hand_made, PAGE, judge="ann")
    rows = listed(app)["rows"]
    assert rows[place]["mine"] == "no"
    assert rows[place]["others"] == "Benedict: unsure"
    assert list(rows[place]["said"].values()) == [[4, True]]  # by hand: rated 4
    assert sum(bool(row["said"]) for row in rows) == 1
    html = page_html(app)
    assert "<dt>My checks</dt><dd>1</dd>" in html
    assert "<dd>3.0 s</dd>" in html


def test_what_checks_come_to_is_found_beside_the_page(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        pairs = {("q1/a", "p1"): "yes", ("q1/b", "p1"): "no", ("q1/a", "p2"): "no"}
        for (one, passage_id), said in pairs.items():
            workspace.apply(CheckPair("q1", one, passage_id, said, 0.5, 3))
    app = open_app(hand_made, PAGE, judge="ann")
    finished(session.service())
    html = page_html(app.run())
    # By hand: of both rated 4 or 5 people contradict one, of the one rated 0 none.
    assert "% of labels are wrong, with 95 % confidence, from 3 checks" in html
    assert "The board, learned from checks" in html
    # Another judge's page has nothing of it; nor has one of passages.
    html = page_html(open_app(hand_made, PAGE, judge="ben"))
    assert "from 3 checks" not in html
    html = page_html(open_app(hand_made, PAGE, judge="ann", of="passages"))
    assert "from 3 checks" not in html


def test_what_is_missing_is_said_with_what_to_do(
    open_app: OpenApp, hand_made: Path
) -> None:
    html = page_html(open_app(hand_made, PAGE, judge="ann", of="opinions"))
    assert "No other judge has checked a pair that you have not" in html
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply([Retire(one.question_id) for one in workspace.bank()])
    html = page_html(open_app(hand_made, PAGE, judge="ann"))
    assert "No kept question with a text" in html
    assert 'data-pick="goto:Judge">Write questions<' in html


def test_a_viewer_has_the_way_round_and_what_may_be_seen(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.add_people("ann", "organizer")
        workspace.add_people("vi", "viewer")
        workspace.apply(CheckPair("q1", "q1/a", "p1", "yes", 0.5, 3))
    html = page_html(open_app(hand_made, PAGE, judge="vi"))
    assert "Judges check here" in html
    assert 'class="c-brand"' in html
    assert '<th scope="row">ann</th><td>1</td>' in html
    assert "is shown to those who have checked it themselves" in html


def test_what_others_have_checked_is_shown_after_ones_own_and_said_so(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(CheckPair("q1", "q1/a", "p1", "yes", 0.5, 3))
    app = open_app(hand_made, PAGE, judge="ben")
    finished(session.service())
    html = page_html(app.run())
    assert "is shown after your own answer" in html
    assert "has been checked yet" not in html


def test_passages_are_asked_about_by_their_grades() -> None:
    assert [key for _, _, key, _ in answers(None)] == ["y", "n", "u"]
    of_passages = answers([str(grade) for grade in range(12)])
    keys = [key for _, _, key, _ in of_passages]
    assert keys == [*"0123456789", None, None, "u"]


# What the browser sends


def checked(nonce: str = "0123456789ab", **payload: object) -> Answer:
    with session.workspace() as workspace:
        batch = workspace.check_batch("pairs")
    meant = {"of": "pairs", "draw": batch.at, "place": 0, "answer": "yes"}
    return sent("check", nonce, **meant | payload)


@pytest.mark.parametrize("said", [{"of": "all"}, {"place": "0"}, {"answer": None}])
def test_a_check_that_says_nothing_readable_is_refused(
    judging: Path, said: dict[str, object]
) -> None:
    assert checked(**said).line == UNREADABLE


def test_a_check_sent_twice_is_saved_once_and_one_of_another_window_stands(
    judging: Path,
) -> None:
    assert sent("draw", "0123456789aa", of="pairs", draw="").ok
    assert checked().ok
    assert checked().ok
    other = checked("0123456789ac", answer="no")
    assert not other.ok
    assert "in another window" in other.line
    for wrong in ({"place": 99}, {"answer": "maybe"}, {"place": -1}):
        assert not checked("0123456789ad", **{"before": "yes", **wrong}).ok
    assert checked("0123456789ae", answer="", before="yes").ok
    with Workspace.open(judging) as workspace:
        assert not any(workspace.bank().checks.values())
        assert [one.by for one in workspace.history()] == ["ann", "ann"]
    with session.workspace() as workspace:
        assert workspace.check_batch("pairs").next_index == 0


def test_what_is_mine_to_check_is_listed_and_asked_first(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="zoe") as zoe:
        zoe.assign(["ann", "bo"], ["q1"], work="checks", count=2)
    app = open_app(hand_made, PAGE, judge="ann")
    assert listed(app)["of"] == "assigned"
    html = page_html(app)
    assert "<caption>Mine 1</caption>" in html
    assert "0 of 2" in html
    assert ">what is mine</option>" in html
    html = page_html(open_app(hand_made, PAGE, judge="cy"))
    assert "Mine" not in html
    assert "what is mine" not in html


def test_what_is_chosen_is_asked_whatever_is_assigned(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="zoe") as zoe:
        zoe.assign(["ann"], ["q1"], work="checks", count=1)
    app = open_app(hand_made, PAGE, judge="ann")
    for of in ("passages", "assigned", "pairs", "assigned"):
        picks(app, f"set:of={of}")
        data = listed(app.run())
        assert (data["of"], settings(app)["of"]) == (of, of)


def test_another_twenty_after_the_last_of_mine_are_of_everything(judging: Path) -> None:
    with session.workspace() as workspace:
        workspace.assign(["ann"], ["q1"], work="checks", count=1)
        mine = workspace.draw_batch("assigned")
        workspace.answer_check("assigned", mine.at, 0, "yes")
    session.look(of="assigned")
    assert sent("draw", of="assigned", draw=mine.at).ok
    with session.workspace() as workspace:
        found = workspace.check_batch(session.view().of)
    assert (found.of, len(found.pairs)) == ("pairs", 6)  # by hand: 7, less 1
    assert "is checked: this is of everything" in (session.current().note or ("",))[0]


def test_hasty_answers_are_told_and_confirmed(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = two_graders(tmp_path)
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(
            CheckPair("q0", "q0/a", f"q0-{n}", "yes", seconds=1.0) for n in range(5)
        )
    app = open_app(path, PAGE, judge="ann")
    assert "5 answers in under 2 seconds" in page_html(app)
    picks(app, "confirm-checks:")
    assert "in under 2 seconds" not in page_html(app.run())


def test_tabs_and_navigation_count_what_waits(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ben") as ben:
        ben.apply(CheckPair("q1", "q1/a", "p1", "no"))
        ben.open_norming("pairs", count=3)
    with Workspace.open(hand_made, judge="ann", as_judge=True) as ann:
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes"))
        assert ann.check_queue() == CheckQueue(0, 3)  # nothing is drawn yet
        at = ann.draw_batch("pairs").at
        ann.answer_check("pairs", at, 0, "yes")
        # By hand: seven pairs, one checked before the draw and one after it.
        assert ann.check_queue() == CheckQueue(5, 3)
    app = open_app(hand_made, PAGE, judge="ann")
    html = page_html(app)
    for tab in ("Pairs<i>5</i>", "Disagreements<i>1</i>", "Norming<i>3</i>"):
        assert tab in html
    labels = [link.label for link in app.get("page_link")]
    assert "Check :gray-badge[9]" in labels
