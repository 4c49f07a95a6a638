"""Editing on the Curate page: saved at once, shown at once, taken back at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Retire, Reword
from curator.ui.actions import text_key
from curator.workspace import Workspace
from tests.ui.conftest import OpenApp, page_html
from tests.ui.hand_made import GRADER, HOSTILE


def impact(app: AppTest) -> str:
    """The sentence on the right."""
    (found,) = [
        e.proto.body for e in app.get("html") if '<div class="c-impact"' in e.proto.body
    ]
    return found


def state(path: Path, question_id: str) -> tuple[str, str | None]:
    """A question's state and text, read from the file."""
    with Workspace.open(path) as workspace:
        question = workspace.bank().question(question_id)
        return question.state, question.text


def test_retiring_saves_and_shows_the_ranks_that_move(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    assert "No edit of yours stands in this query." in impact(app)
    app.button(key="retire").click().run()
    assert state(hand_made, "q1/a")[0] == "retired"
    # By hand: without a both systems have 1/2 in q1, so two rises from 2 to 1. p1 had
    # label 5 by a and keeps 4 by b; p2 had 5 by c and keeps it.
    said = impact(app)
    assert "Retired “Why is it?”: <b>1</b> label falls, <b>1</b> system moves" in said
    assert "<b>two</b>" in said
    assert "(2 → 1)" in said
    assert "<s>Why is it?</s>" in page_html(app)


def test_undo_takes_it_back_and_redo_makes_it_again(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="retire").click().run()
    app.button(key="undo").click().run()
    assert state(hand_made, "q1/a")[0] == "kept"
    assert "No edit of yours stands in this query." in impact(app)
    app.button(key="redo").click().run()
    assert state(hand_made, "q1/a")[0] == "retired"


def test_restoring_keeps_the_question_again(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="retire").click().run()
    app.button(key="restore").click().run()
    assert state(hand_made, "q1/a")[0] == "kept"


def test_nothing_to_undo_is_one_line(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made)
    app.button(key="undo").click().run()
    assert "Nothing of yours to undo" in page_html(app)


def test_rewording_under_an_imported_grader_shows_bounds_and_no_arrows(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="reword").click().run()
    app.text_area(key=text_key("q1/a")).set_value("Why was it?")
    app.button(key="save_rewording").click().run()
    assert state(hand_made, "q1/a") == ("kept", "Why was it?")
    html = page_html(app)
    # q1 has two passages, and nobody has graded the new text on either.
    assert "2 grades missing" in html
    assert "bounds, 2 grades missing" in html
    assert 'class="c-up"' not in html


def test_a_stale_save_shows_both_texts_and_loses_neither(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="reword").click().run()
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", f"Ben’s {HOSTILE}"))
    app.text_area(key=text_key("q1/a")).set_value("Mine?")
    app.button(key="save_rewording").click().run()
    html = page_html(app)
    assert "<p>Mine?</p>" in html
    assert "<p>Ben’s &lt;script&gt;" in html
    assert "Both began from: Why is it?" in html
    assert state(hand_made, "q1/a")[1] == f"Ben’s {HOSTILE}"


@pytest.mark.parametrize(
    ("button", "text"), [("keep_mine", "Mine?"), ("keep_theirs", "Theirs?")]
)
def test_a_conflict_ends_with_the_text_that_was_chosen(
    open_app: OpenApp, hand_made: Path, button: str, text: str
) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="reword").click().run()
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Theirs?"))
    app.text_area(key=text_key("q1/a")).set_value("Mine?")
    app.button(key="save_rewording").click().run()
    app.button(key=button).click().run()
    assert state(hand_made, "q1/a")[1] == text
    assert not app.text_area


def test_combining_starts_from_my_text_on_top_of_theirs(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    app.button(key="reword").click().run()
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Theirs?"))
    app.text_area(key=text_key("q1/a")).set_value("Mine?")
    app.button(key="save_rewording").click().run()
    app.button(key="edit_mine").click().run()
    assert app.text_area(key=text_key("q1/a")).value == "Mine?"
    app.text_area(key=text_key("q1/a")).set_value("Mine and theirs?")
    app.button(key="save_rewording").click().run()
    assert state(hand_made, "q1/a")[1] == "Mine and theirs?"


def test_retiring_what_someone_else_has_changed_is_refused_in_one_line(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Retire("q1/a"))
    app.button(key="retire").click().run()
    assert "your edit began from 1" in page_html(app)


def test_an_added_question_is_kept_selected_and_its_box_is_empty(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made)
    app.text_input(key="add_text").set_value("Where is it?")
    app.button(key="add").click().run()
    assert app.text_input(key="add_text").value == ""
    assert "Where is it?" in page_html(app)
    assert app.button(key="retire")


def test_a_refused_addition_keeps_what_was_typed(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made)
    app.text_input(key="add_text").set_value("Why is it?")
    app.button(key="add").click().run()
    assert app.text_input(key="add_text").value == "Why is it?"
    assert "already asks" in page_html(app)


def test_done_ticks_the_query_and_opens_the_next(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made)
    app.button(key="done").click().run()
    assert app.query_params["query"] == "q2"
    assert "<b>1</b> of 2 done" in page_html(app)


def test_the_url_carries_what_is_shown(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(
        hand_made, query="q1", question="q1/b", passage="p2", measure="P@1", rating="5"
    )
    assert app.query_params == {
        "query": "q1",
        "question": "q1/b",
        "passage": "p2",
        "measure": "P@1",
        "rating": "5",
        "k": "20",
    }
    html = page_html(app)
    assert "Text of p2." in html
    assert "Influence on P@1" in html
    app.selectbox(key="measure").set_value("AP").run()
    assert app.query_params["measure"] == "AP"


def test_settings_stay_when_the_page_changes(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, measure="P@1")
    app.switch_page("screens/leaderboard.py").run()
    assert app.selectbox(key="measure").value == "P@1"
    assert f"P@1 · {GRADER} · rating ≥ 4" in page_html(app)


def test_a_search_keeps_the_open_query_open(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made, query="q1")
    app.text_input(key="search").set_value("who").run()
    html = page_html(app)
    assert 'data-pick="query:q2"' in html
    assert 'data-pick="query:q1"' not in html
    assert app.query_params["query"] == "q1"


def test_against_the_start_of_session_counts_every_edit_since(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a", against="session")
    assert "Nothing changed since start of session." in impact(app)
    app.button(key="retire").click().run()
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Retire("q2/d"))
    app.run()
    assert "2 edits since start of session: " in impact(app)
    assert app.query_params["start"] == "4"  # four questions were imported


def test_an_open_editor_stays_whatever_else_is_selected(
    open_app: OpenApp, hand_made: Path
) -> None:
    # What was typed into it is the browser's until saved; the browser test looks.
    app = open_app(hand_made, query="q1", question="q1/a")
    app.button(key="reword").click().run()

    # As a click on the row does; this runner has no way to click HTML.
    app.session_state.view = replace(app.session_state.view, question="q1/b")
    app.run()

    assert app.text_area(key=text_key("q1/a"))
    assert app.button(key="reword").disabled
    app.button(key="retire").click().run()
    assert state(hand_made, "q1/b")[0] == "retired"
    assert app.text_area(key=text_key("q1/a"))
