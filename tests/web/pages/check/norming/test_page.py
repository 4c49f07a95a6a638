"""The Norming tab: blind until it is revealed, then side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.web.components import session
from curator.web.components.channel import Answer, handled
from curator.web.components.view import View
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html, remember

PAGE = "check/norming/page.py"
SAID = "yes"


@pytest.fixture
def round_of(hand_made: Path) -> Path:
    """A round of two pairs, which ann organizes; bo has said yes to the first."""
    with Workspace.open(hand_made, judge="ann") as one:
        one.add_people("ann", "organizer")
        one.add_people(["bo", "cy"])
        one.open_norming(items=[("q1", "q1/a", "p1"), ("q1", "q1/c", "p1")])
    with Workspace.open(hand_made, judge="bo") as bo:
        bo.answer_norming(1, 1, SAID)
    return hand_made


@pytest.fixture
def pressing(round_of: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sends an event of the page as this judge."""
    monkeypatch.setenv("CURATOR_WORKSPACE", str(round_of))
    number = iter(range(100))

    def press(judge: str, kind: str, **payload: object) -> Answer:
        if session.view().judge != judge:
            remember(View(judge=judge))
        meant = {"type": kind, "workspace": session.workspace_id()}
        return handled(f"0123456789{next(number):02d}", meant | payload)

    remember(View(judge="ann"))
    yield press
    session.kept_open.clear()


def answers(path: Path) -> dict[tuple[int, str], str]:
    with Workspace.open(path) as one:
        return one.norming(answers=True).round.latest()


@pytest.mark.parametrize("judge", ["ann", "cy"])
def test_nothing_that_others_say_is_on_the_page_before_the_reveal(
    round_of: Path, open_app: OpenApp, judge: str
) -> None:
    app = open_app(round_of, PAGE, judge=judge)
    html = page_html(app)
    assert "<dt>bo</dt><dd>1</dd>" in html
    assert "Krippendorff" not in html
    listed = given(app, "norming_list")
    assert not [
        one for row in listed["rows"] for one in (row["mine"], row["said"]) if one
    ]
    assert not any(said in json.dumps(listed["rows"]) for said in ('"bo"', f'"{SAID}"'))
    with Workspace.open(round_of) as one:
        one.reveal_norming()
    rows = given(open_app(round_of, PAGE, judge=judge), "norming_list")["rows"]
    assert rows[0]["said"] == [["bo", SAID]]


def test_keys_answer_one_after_the_other_and_take_back(
    round_of: Path, pressing: Any
) -> None:
    def norm(place: int, answer: str, before: str = "", about: int = 1) -> Answer:
        said = {"about": about, "place": place, "answer": answer, "before": before}
        return pressing("cy", "norm", **said)

    assert norm(0, "no").ok
    assert session.view().answer == "1"  # loaded again, the first that is left
    assert norm(1, "yes").ok
    assert answers(round_of)[0, "cy"] == "no"
    assert "Meanwhile you answered 'no'" in norm(0, "yes").line
    assert norm(0, "", "no").ok
    assert (0, "cy") not in answers(round_of)
    for odd in ((0, "perhaps"), (99, "yes"), (-1, "yes"), (0, "yes", "", 9)):
        assert not norm(*odd).ok
    assert answers(round_of) == {(0, "bo"): "yes", (1, "cy"): "yes"}


def test_an_organizer_opens_reveals_and_closes(
    round_of: Path, open_app: OpenApp
) -> None:
    app = open_app(round_of, PAGE, judge="ann")
    for answer in ("no", "yes"):
        app.button(key="norming_reveal").click().run()
        assert "Of 1 judge who answered 0 answered every item" in page_html(app)
        with Workspace.open(round_of) as one:
            assert not one.norming().all_visible  # asked first
        app.button(key=f"asked_{answer}").click().run()
    with Workspace.open(round_of) as one:
        assert one.norming().all_visible
    app.button(key="norming_close").click().run()
    app.button(key="asked_yes").click().run()
    app.number_input(key="norm_count").set_value(1)
    app.button(key="FormSubmitter:open_norming-Open a round").click().run()
    with Workspace.open(round_of) as one:
        assert [r.status for r in one.norming_rounds()] == ["open", "closed"]
    assert not open_app(round_of, PAGE, judge="cy").button


def test_what_is_said_of_an_item_is_kept_and_shown(
    round_of: Path, open_app: OpenApp, pressing: Any
) -> None:
    early = pressing("cy", "norming-comment", about=1, place=0, text="I read it so.")
    assert "not revealed yet" in early.line
    with Workspace.open(round_of) as one:
        one.reveal_norming()
    said = "<b>bold</b> & plain"
    assert pressing("cy", "norming-comment", about=1, place=1, text=said).ok
    session.kept_open.clear()
    rows = given(open_app(round_of, PAGE, judge="bo"), "norming_list")["rows"]
    assert [row["comments"] for row in rows] == [[], [["cy", said]]]


def test_an_empty_state_says_who_opens_a_round(
    hand_made: Path, open_app: OpenApp
) -> None:
    html = page_html(open_app(hand_made, PAGE))
    assert "No round yet" in html
    with Workspace.open(hand_made) as one:
        one.add_people("bo")
    assert "The organizer opens one." in page_html(
        open_app(hand_made, PAGE, judge="bo")
    )
