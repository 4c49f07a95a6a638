"""Answers on Grading: checks of answers side by side, what is listed, AVA models."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import JudgeAnswer
from curator.verbs.answers.answer_checks import STRING
from curator.web.pages.settings.grading.answers import UNJUDGED
from curator.workspace import Workspace
from tests.samples.checked_answers import (
    ELDER,
    VERDICTS,
    answered_workspace,
    judged,
    scored,
)
from tests.web.conftest import OpenApp, page_html

PAGE = "settings/grading/page.py"


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    return answered_workspace(tmp_path / "answered")


def opened(open_app: OpenApp, path: Path, judge: str = "ann") -> AppTest:
    return open_app(path, PAGE, judge=judge)


def test_an_answer_on_which_a_model_and_strings_differ_opens_on_judge(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    html = page_html(opened(open_app, answered))
    assert f">{ELDER}</button>" in html
    assert 'data-pick="on-curate:query=q&amp;question=q%2Fa&amp;passage=' in html
    assert "<td>George H. W. Bush</td>" in html
    assert "<td>right 0.98</td>" in html
    assert "4 distinct answers of" in html
    # by hand: both 2, strings 0, model 1, neither 1
    assert "<td>2</td><td>0</td><td>1</td><td>1</td><td>75 %</td><td>.50</td>" in html
    assert "<td>3 questions, 4 positives, 5 negatives</td>" in html
    assert html.count(">People<") == 1  # a tab; people have said nothing


def test_with_verdicts_every_check_and_system_is_held_against_people(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    html = page_html(opened(open_app, answered))
    assert "<td>1.00</td><td>.67</td><td>.80</td>" in html  # strings: P, R, F1
    assert "<td>.408 ± .236</td>" in html
    assert "4 of 4 answers judged by me" in html
    # Another judge, who has judged nothing, is told nothing.
    html = page_html(opened(open_app, answered, "bob"))
    assert ".408" not in html
    assert "0 of 4 answers judged by me" in html


def test_what_ties_with_another_judge_is_still_judged_by_me(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    with Workspace.open(answered, judge="bob") as workspace:
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
    html = page_html(opened(open_app, answered))
    assert "4 of 4 answers judged by me" in html
    assert "use 3 of 4 answers: those with a majority" in html


def test_without_a_model_all_that_i_have_not_judged_is_listed(
    open_app: OpenApp, answered: Path
) -> None:
    with Workspace.open(answered, judge="ann") as workspace:
        workspace.apply(VERDICTS[0])
    app = opened(open_app, answered)
    assert app.selectbox(key="answers_listed").value == UNJUDGED
    html = page_html(app)
    assert "<b>Answers</b>3<" in html
    assert "a &lt;b&gt;house&lt;/b&gt;" in html
    assert "<b>house" not in html
    with Workspace.open(answered, judge="ann") as workspace:
        workspace.apply(VERDICTS[1:])
    assert "<p>No answers.</p>" in page_html(app.run())


def test_a_query_and_two_checks_narrow_the_list(
    open_app: OpenApp, answered: Path
) -> None:
    name = scored(answered)
    app = opened(open_app, answered)
    app.selectbox(key="answers_listed").set_value((STRING, name)).run()
    assert ELDER in page_html(app)
    query = app.selectbox(key="answers_query")
    assert [option.rpartition(" ")[2] for option in query.options][1:] == ["(1)"]
    query.set_value("q").run()
    assert ELDER in page_html(app)


def test_nothing_is_drawn_where_there_are_no_answers(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    assert "<b>Answers</b>" not in page_html(opened(open_app, hand_made))
    without = answered_workspace(tmp_path / "without", {"q/a": []})
    html = page_html(opened(open_app, without))
    assert "<b>Answers</b>" in html
    assert "answer key" in html


def test_a_model_says_what_is_wrong_with_its_folder(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    with Workspace.open(answered) as workspace:
        (model,) = workspace.ava_models()
    (model.folder / "report.json").write_text("{}")
    assert "is not a report" in page_html(opened(open_app, answered))
    shutil.rmtree(model.folder)
    assert "does not exist" in page_html(opened(open_app, answered))
