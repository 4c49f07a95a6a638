"""The Check page: one queue of pairs, norming items and disagreements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import CheckPair, Retire, Vote
from curator.bank.marks.check import ANSWERS
from curator.verbs.adjudication.differences import Difference
from curator.verbs.checks.batch import CheckQueue
from curator.web.components import session
from curator.web.components.channel import UNREADABLE, Answer, handled
from curator.web.components.view import View
from curator.web.pages.check.events import CHANGED
from curator.web.pages.check.queue import choices, difference_name
from curator.workspace import Workspace
from tests.samples.checked_graders import two_graders
from tests.samples.noted_tasks import finished
from tests.web.conftest import (
    OpenApp,
    given,
    page_html,
    picks,
    remember,
    sent,
    settings,
)

PAGE = "check/page.py"
Press = Callable[..., Answer]


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
    assert [row["said"] for row in data["rows"]] == [[]] * 7
    with Workspace.open(hand_made, judge="ann", as_judge=True) as workspace:
        # Plain texts: no sentence is marked.
        texts = [pair.text for pair in workspace.check_batch().pairs]
        assert [row["text"] for row in data["rows"]] == texts
        at = workspace.check_batch().at
        ids = [one.drawn for one in workspace.check_batch().pairs]
        place = next(i for i, d in enumerate(ids) if d.question_id == "q1/b"
                     and d.passage_id == "p1")  # fmt: skip
        workspace.answer_check("pairs", at, place, "no", seconds=3.0)
    app = open_app(hand_made, PAGE, judge="ann", organize="yes")
    rows = listed(app)["rows"]
    assert rows[place]["mine"] == "no"
    # By hand: rated 4.
    assert [said[1:] for said in rows[place]["said"]] == [["4", True], ["unsure", True]]
    assert rows[place]["said"][1][0] == "Benedict"
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
    app = open_app(hand_made, PAGE, judge="ann", organize="yes")
    finished(session.service())
    html = page_html(app.run())
    # By hand: of both rated 4 or 5 people contradict one, of the one rated 0 none.
    assert "% of labels are wrong, with 95 % confidence, from 3 checks" in html
    assert "The board, learned from checks" in html
    # Another judge's page has nothing of it; nor has one of passages.
    html = page_html(open_app(hand_made, PAGE, judge="ben", organize="yes"))
    assert "from 3 checks" not in html
    app = open_app(hand_made, PAGE, judge="ann", of="passages", organize="yes")
    assert "from 3 checks" not in page_html(app)


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
    html = page_html(open_app(hand_made, PAGE, judge="vi", organize="yes"))
    assert "Judges check here" in html
    assert 'class="c-brand"' in html
    assert '<th scope="row">ann</th><td>1</td>' in html
    assert "is shown to those who have checked it themselves" in html


def test_what_others_have_checked_is_shown_after_ones_own_and_said_so(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(CheckPair("q1", "q1/a", "p1", "yes", 0.5, 3))
    app = open_app(hand_made, PAGE, judge="ben", organize="yes")
    finished(session.service())
    html = page_html(app.run())
    assert "to those who have checked it themselves" in html
    assert "has been checked yet" not in html


def test_passages_are_asked_about_by_their_grades() -> None:
    assert [key for _, _, key, _ in choices(ANSWERS)] == ["y", "n", "u"]
    keys = [key for _, _, key, _ in choices([*map(str, range(12)), "unsure"])]
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
        assert workspace.check_batch("pairs").answered == 0


def test_what_is_mine_to_check_is_listed_and_asked_first(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="zoe") as zoe:
        zoe.assign(["ann", "bo"], ["q1"], work="checks", count=2)
    app = open_app(hand_made, PAGE, judge="ann", organize="yes")
    assert listed(app)["draw"]["of"] == "assigned"
    html = page_html(app)
    assert "<caption>Assigned to me</caption>" in html
    assert "0 of 2" in html
    assert ">what is mine</option>" in html
    html = page_html(open_app(hand_made, PAGE, judge="cy", organize="yes"))
    assert "Assigned to me" not in html
    assert "what is mine" not in html


def test_what_is_chosen_is_asked_whatever_is_assigned(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="zoe") as zoe:
        zoe.assign(["ann"], ["q1"], work="checks", count=1)
    app = open_app(hand_made, PAGE, judge="ann", organize="yes")
    for of in ("passages", "assigned", "pairs", "assigned"):
        picks(app, f"set:of={of}")
        data = listed(app.run())["draw"]
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


def test_chips_and_navigation_count_what_waits(
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
    for chip in ("All<i>9", "Pairs<i>5", "Disagreements<i>1", "Norming<i>3"):
        assert f"{chip}</i>" in html
    labels = [link.label for link in app.get("page_link")]
    assert "Check :gray-badge[9]" in labels

    sources = [row["source"] for row in listed(app)["rows"]]
    assert sources == ["norming"] * 3 + ["disagreements"] + ["pairs"] * 6
    for queue in ("pairs", "norming", "disagreements"):
        rows = listed(open_app(hand_made, PAGE, judge="ann", queue=queue))["rows"]
        assert {row["source"] for row in rows} == {queue}


# Gold items


def test_my_answer_becomes_gold_and_others_are_not_told(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(hand_made, judge="ann", as_judge=True) as ann:
        ann.add_people("ann", "organizer")
        ann.add_people("bo")
        batch = ann.draw_batch("pairs")
        for place in range(7):
            ann.answer_check("pairs", batch.at, place, "yes", seconds=9.0)
    monkeypatch.setenv("CURATOR_WORKSPACE", str(hand_made))
    remember(View(judge="ann"))
    meant = {"of": "pairs", "draw": batch.at}
    for place in range(7):
        assert sent("gold", f"0123456789a{place}", **meant, place=place, gold=True).ok
    assert not sent("gold", "0123456789ac", **meant, place=9, gold=True).ok
    assert sent("gold", "0123456789ad", **meant, place=6, gold=False).ok
    session.kept_open.clear()
    rows = listed(open_app(hand_made, PAGE, judge="ann"))["rows"]
    assert [row["gold"] for row in rows] == ["No longer gold"] * 6 + ["Make it gold"]
    with Workspace.open(hand_made, judge="bo", as_judge=True) as bo:
        at = bo.draw_batch("pairs", seed=1).at
        asked = json.dumps(listed(open_app(hand_made, PAGE, judge="bo")))
        assert "gold:" not in asked
        assert "known answer" not in asked
        bo.answer_check("pairs", at, 0, "no", seconds=9.0)
        bo.answer_check("pairs", at, 1, "yes", seconds=9.0)
    asked = listed(open_app(hand_made, PAGE, judge="bo", organize="yes"))
    assert ["ann", "yes", True] in asked["rows"][0]["said"]
    app = open_app(hand_made, PAGE, judge="ann", organize="yes")
    assert "Gold items" in page_html(app)
    assert "Gold items" not in page_html(open_app(hand_made, PAGE, judge="bo"))


# Disagreements


@pytest.fixture
def differing(hand_made: Path) -> Path:
    """Bo and cy differ on a vote and a check; ann organizes."""
    with Workspace.open(hand_made, judge="ann") as one:
        one.apply(
            [Vote("q1/a", "vital"), CheckPair("q1", "q1/a", "p1", "yes")], by="bo"
        )
        one.apply([Vote("q1/a", "okay"), CheckPair("q1", "q1/a", "p1", "no")], by="cy")
        one.add_people("ann", "organizer")
        one.add_people(["bo", "cy"])
        one.open_norming(items=[("q1", "q1/a", "p1"), ("q1", "q1/c", "p1")])
    with Workspace.open(hand_made, judge="bo") as bo:
        bo.answer_norming(1, 1, "yes")
    return hand_made


@pytest.fixture
def pressing(differing: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Press]:
    """Sends an event of the page as this judge."""
    monkeypatch.setenv("CURATOR_WORKSPACE", str(differing))
    number = iter(range(100))

    def press(judge: str, kind: str, **payload: object) -> Answer:
        if session.view().judge != judge:
            remember(View(judge=judge))
        meant = {"type": kind, "workspace": session.workspace_id()}
        return handled(f"0123456789{next(number):02d}", meant | payload)

    remember(View(judge="ann"))
    yield press
    session.kept_open.clear()


def difference(path: Path, kind: str) -> Difference:
    with Workspace.open(path) as one:
        every = one.adjudication(decided=True).differences
        return next(found for found in every if found.place.kind == kind)


def test_both_sides_stand_without_names_until_they_are_asked_for(
    differing: Path, open_app: OpenApp
) -> None:
    app = open_app(differing, PAGE, judge="ann", queue="disagreements")
    vote, check = listed(app)["rows"]
    assert [label for _, label, _, _ in vote["choices"]] == ["vital", "okay"]
    assert vote["said"] == [["vital", "1", False], ["okay", "1", False]]
    assert (check["mine"], check["open"]) == ("", True)
    picks(app, "who-said:")
    assert listed(app.run())["rows"][0]["said"][0] == ["vital", "bo", False]


def test_a_judge_decides_nothing_and_sees_what_they_may(
    differing: Path, open_app: OpenApp, pressing: Press
) -> None:
    with Workspace.open(differing) as one:
        one.add_people("dee")
    app = open_app(differing, PAGE, judge="bo", queue="disagreements")
    rows = listed(app)["rows"]
    assert [row["choices"] for row in rows] == [[], []]
    app = open_app(differing, PAGE, judge="dee", queue="disagreements")
    assert "Judges do not differ" in page_html(app)
    name = difference_name(difference(differing, "vote"))
    answer = pressing("bo", "decide", name=name, answer="1")
    assert "bo is a judge here, and deciding is for organizers" in answer.line
    assert difference(differing, "vote").status == "open"


def test_a_key_decides_and_another_takes_it_back(
    differing: Path, pressing: Press
) -> None:
    def decide(answer: str) -> Answer:
        name = difference_name(difference(differing, "vote"))
        return pressing("ann", "decide", name=name, answer=answer)

    assert decide("2").ok
    assert difference(differing, "vote").status == "decided: okay"
    assert decide("").ok  # undone, as the last one of this session
    assert difference(differing, "vote").decision is None
    assert decide("1").ok
    session.current().last_decision = None
    assert decide("").ok
    assert difference(differing, "vote").status == "open"


def test_what_has_changed_meanwhile_is_not_decided(
    differing: Path, pressing: Press
) -> None:
    name = difference_name(difference(differing, "vote"))
    with Workspace.open(differing) as one:
        one.apply(Vote("q1/a", "okay"), by="dee")
    now = difference_name(difference(differing, "vote"))
    for odd, answer in ((name, "1"), (now, "7"), ("nothing", "1"), ("", "")):
        assert pressing("ann", "decide", name=odd, answer=answer).line == CHANGED
    assert difference(differing, "vote").status == "open"


def test_one_kind_is_listed_where_it_is_chosen(
    differing: Path, open_app: OpenApp
) -> None:
    app = open_app(differing, PAGE, judge="ann", queue="disagreements")
    picks(app, "set:differences=check")
    assert len(listed(app.run())["rows"]) == 1


# Norming


def answers(path: Path) -> dict[tuple[int, str], str]:
    with Workspace.open(path) as one:
        given = one.norming(answers=True).round.answers
        return {(mark.place, mark.judge): mark.answer for mark in given}


@pytest.mark.parametrize("judge", ["ann", "cy"])
def test_nothing_that_others_say_is_on_the_page_before_the_reveal(
    differing: Path, open_app: OpenApp, judge: str
) -> None:
    asked = {"judge": judge, "queue": "norming", "organize": "yes"}
    app = open_app(differing, PAGE, **asked)
    html = page_html(app)
    assert "Answered of 2: bo 1." in html
    assert "Krippendorff" not in html
    rows = listed(app)["rows"]
    assert not [told for row in rows for told in (row["mine"], row["said"]) if told]
    assert '"bo"' not in json.dumps(rows)
    with Workspace.open(differing) as one:
        one.reveal_norming()
    rows = listed(open_app(differing, PAGE, **asked))["rows"]
    assert rows[0]["said"] == [["bo", "yes", False]]


def test_items_are_answered_and_taken_back(differing: Path, pressing: Press) -> None:
    def norm(place: int, answer: str, before: str = "", about: int = 1) -> Answer:
        said = {"about": about, "place": place, "answer": answer, "before": before}
        return pressing("cy", "norm", **said)

    assert norm(0, "no").ok
    assert session.view().answer == "1"  # loaded again, the first that is left
    assert norm(1, "yes").ok
    assert answers(differing)[0, "cy"] == "no"
    assert "Meanwhile you answered 'no'" in norm(0, "yes").line
    assert norm(0, "", "no").ok
    for odd in ((0, "perhaps"), (99, "yes"), (-1, "yes"), (0, "yes", "", 9)):
        assert not norm(*odd).ok
    assert answers(differing) == {(0, "bo"): "yes", (1, "cy"): "yes"}


def test_an_organizer_opens_reveals_and_closes(
    differing: Path, open_app: OpenApp
) -> None:
    asked = {"queue": "norming", "organize": "yes"}
    app = open_app(differing, PAGE, judge="ann", **asked)
    for label in ("Reveal", "Close"):
        next(button for button in app.button if button.label == label).click().run()
        with Workspace.open(differing) as one:
            assert one.norming().all_visible
    app.number_input(key="norm_count").set_value(1)
    app.button(key="FormSubmitter:open_norming-Open a round").click().run()
    with Workspace.open(differing) as one:
        assert [r.status for r in one.norming_rounds()] == ["open", "closed"]
    rows = listed(open_app(differing, PAGE, judge="ann", answer="1", **asked))["rows"]
    assert [row["choices"] for row in rows] == [[], []]
    assert not open_app(differing, PAGE, judge="cy", **asked).button


def test_what_is_said_of_an_item_is_kept_and_shown(
    differing: Path, open_app: OpenApp, pressing: Press
) -> None:
    def comment(place: int, text: str) -> Answer:
        return pressing("cy", "norming-comment", about=1, place=place, text=text)

    early = comment(0, "I read it so.")
    assert "not revealed yet" in early.line
    with Workspace.open(differing) as one:
        one.reveal_norming()
    said = "<b>bold</b> & plain"
    assert comment(1, said).ok
    session.kept_open.clear()
    rows = listed(open_app(differing, PAGE, judge="bo", queue="norming"))["rows"]
    assert [row["notes"] for row in rows] == [[], [["cy", said]]]


def test_an_empty_queue_says_what_to_do(hand_made: Path, open_app: OpenApp) -> None:
    html = page_html(open_app(hand_made, PAGE, queue="disagreements"))
    assert "Judges do not differ" in html
    assert "No round yet" in page_html(open_app(hand_made, PAGE, queue="norming"))
