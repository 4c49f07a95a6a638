"""The ranking through app.py, and the evidence for it."""

from __future__ import annotations

import re
from pathlib import Path

from curator.bank.edits import Add
from curator.web.components import session
from curator.workspace import Workspace
from tests.samples.hand_made import GRADER
from tests.web.conftest import OpenApp, page_html, picks, settings


def test_ranks_are_ranges_and_rows_have_intervals_where_grades_are_missing(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Add("q1", "And when?"))
    html = page_html(open_app(hand_made, "results/page.py", measure="cover"))
    # By hand: one answers 2 or 3 of 4, two 1 or 2, so that both may be first.
    assert html.count("<td>1–2</td>") == 2
    assert '<th scope="col">Bounds</th>' in html
    html = page_html(open_app(hand_made, "results/page.py", measure="AP@10"))
    assert "<td>≈ 1</td>" in html
    assert html.count('class="c-mark"') == 2
    assert '<th scope="col">Bounds</th>' not in html


def test_an_event_says_what_the_judge_could_see_and_blind_that_it_was_masked(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, judge="ann")
    assert app.session_state[session.KEY].settings_seen == (
        f"cover · {GRADER} · rating ≥ 4 · top 20; "
        "with system names, judgments, official ranks"
    )
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(blind=True)
    app = open_app(hand_made, judge="ann")
    assert app.session_state[session.KEY].settings_seen == (
        f"cover · {GRADER} · rating ≥ 4 · top 20; "
        "blind: system names masked, judgments and official ranks hidden"
    )


def test_the_cut_of_a_grader_of_passages_is_chosen_among_its_own_levels(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    (tmp_path / "labels.qrels").write_text("q1 0 p1 3\nq1 0 p2 1\nq2 0 p3 0\n")
    with Workspace.open(hand_made) as workspace:
        workspace.import_(labels={"umbrela": tmp_path / "labels.qrels"})
    page = "results/page.py"
    app = open_app(hand_made, page, grader="umbrela", measure="P@1")
    choices = re.search(r'data-setting="rating">(.*?)</select>', page_html(app), re.S)
    assert re.findall(r'value="(\d)"', choices[1]) == ["1", "2", "3"]
    assert settings(app)["rating"] == "1"
    picks(app, "set:rating=2")
    app.run()
    assert settings(app)["rating"] == "2"
    assert "rating ≥ 2" in page_html(app)
    # A rating that this grader does not give leaves its own.
    app = open_app(hand_made, page, grader="umbrela", measure="P@1", rating="5")
    assert settings(app)["rating"] == "1"
    app = open_app(hand_made, page, grader=GRADER, measure="P@1", rating="5")
    assert settings(app)["rating"] == "5"
