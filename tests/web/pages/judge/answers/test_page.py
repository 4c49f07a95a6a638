"""The Answers tab: disagreements with verdicts, tables, models; what is missing."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from curator.bank.edits import JudgeAnswer, Reword
from curator.bank.questions import Question
from curator.verbs.answers.answer_checks import STRING, AnswerCheck
from curator.verbs.answers.ava_grader import AvaModel
from curator.web.components import session
from curator.web.components.channel import handled, received
from curator.web.components.session import Session
from curator.web.components.view import View, from_params, to_params
from curator.web.pages.judge.answers import listed_answers, tables
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.samples.checked_answers import (
    ELDER,
    VERDICTS,
    answered_workspace,
    judged,
    scored,
)
from tests.web.conftest import OpenApp, page_html

PAGE = "judge/answers/page.py"


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    return answered_workspace(tmp_path / "answered")


def test_an_answer_on_which_a_model_and_strings_differ_is_listed_with_its_key(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert f"<q>{ELDER}</q>" in html
    assert "key: George H. W. Bush · in 2 passages" in html
    assert 'title="right .98"' in html
    assert "4 distinct answers of" in html
    assert "to 2 questions with a key, of 3 kept" in html
    assert '<kbd>y</kbd></button><button type="button" class="p-verdict"' in html
    # by hand: both 2, strings 0, model 1, neither 1
    assert "<td>2</td><td>0</td><td>1</td><td>1</td><td>75 %</td><td>.50</td>" in html
    assert "hand.tsv: 3 questions, 4 positives, 5 negatives" in html
    assert ">strings</b>" in html
    assert 'title="by-hand">by-hand</b>' in html
    assert ">people<" not in html  # who have said nothing


def test_with_verdicts_every_check_and_system_is_held_against_people(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert "<td>1.00</td><td>.67</td><td>.80</td>" in html  # strings: P, R, F1
    assert "<td>.408 ± .236</td>" in html
    assert "4</b> of 4 answers judged" in html
    assert html.count(">people<") == 2
    # Another judge, who has judged nothing, is told nothing.
    html = page_html(open_app(answered, PAGE, judge="bob"))
    assert ".408" not in html
    assert "0</b> of 4 answers judged" in html


def test_words_of_answers_are_shown_and_never_run(
    open_app: OpenApp, answered: Path
) -> None:
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert "<q>a &lt;b&gt;house&lt;/b&gt;</q>" in html
    assert "<b>house" not in html


def test_what_ties_with_another_judge_is_still_judged_by_me(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    with Workspace.open(answered, judge="bob") as workspace:
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert "4</b> of 4 answers judged" in html
    assert "use 3 of 4 answers: those with a majority" in html


def test_without_a_model_all_that_i_have_not_judged_is_listed(
    open_app: OpenApp, answered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed_answers, "LISTED", 2)
    with Workspace.open(answered, judge="ann") as workspace:
        workspace.apply(VERDICTS[0])
    app = open_app(answered, PAGE, judge="ann")
    html = page_html(app)
    assert "<b>Not judged by me</b>" in html
    assert "2 of 3, those in systems’ first passages first" in html
    assert "and 1 more answer, not listed here" in html
    assert 'data-key="y"' in html
    assert 'data-pick="set:within=" aria-current="true"' in html
    # Judged, it stays for as long as it is selected, so that it can be taken back.
    with Workspace.open(answered, judge="ann") as workspace:
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
    app.run()
    html = page_html(app)
    assert f"<q>{ELDER}</q>" in html
    assert "2</b> of 4 answers judged" in html
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert f"<q>{ELDER}</q>" not in html
    with Workspace.open(answered, judge="ann") as workspace:
        workspace.apply(VERDICTS[2:])
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert "No answer is left: you have judged every one." in html


def test_a_query_and_two_checks_narrow_the_list(
    open_app: OpenApp, answered: Path
) -> None:
    name = scored(answered)
    between = f"{STRING}|{name}"
    html = page_html(open_app(answered, PAGE, between=between, within="q"))
    assert 'data-pick="set:within=q" aria-current="true"' in html
    assert "<q>" in html
    html = page_html(open_app(answered, PAGE, between=f"{STRING}|people"))
    assert "Nobody differs" in html
    html = page_html(open_app(answered, PAGE, between="a|b", source="nobody"))
    assert "No checks &#39;a|b&#39; here." in html
    assert "No grader &#39;nobody&#39;" in html


def test_what_is_missing_is_said_with_what_to_do(
    open_app: OpenApp, answered: Path, hand_made: Path, tmp_path: Path
) -> None:
    html = page_html(open_app(answered, PAGE))
    assert "No AVA grader has scored these answers" in html
    assert "No answer has a majority of verdicts that you may see yet" in html
    assert "majority of people" not in html
    assert '<code class="c-inline">curator ava train</code>' in html
    html = page_html(open_app(hand_made, PAGE))
    assert "No answers yet" in html
    assert 'data-pick="goto:Grading">Choose a grader<' in html
    assert "`" not in html.partition("<style")[0]
    without = answered_workspace(tmp_path / "without", {"q/a": []})
    html = page_html(open_app(without, PAGE))
    assert "No answer keys yet" in html
    assert 'data-pick="goto:Import">Import…<' in html


def test_a_model_whose_folder_is_gone_says_so(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    shutil.rmtree(answered.parent / "by-hand")
    html = page_html(open_app(answered, PAGE))
    assert "<b>by-hand</b>" in html
    assert "does not exist. Its stored scores still count.</p>" in html


def test_a_press_on_a_verdict_is_saved_once(
    answered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(answered))
    monkeypatch.setattr(st, "session_state", State())
    st.session_state[session.KEY] = Session(View(judge="ann"))
    sent = {
        "nonce": "0123456789ab",
        "type": "verdict",
        "query": "q",
        "workspace": session.workspace_id(),
        "question": "q/a",
        "texts": [ELDER],
        "verdict": "right",
    }
    for _ in range(2):
        st.session_state["answer_list"] = SimpleNamespace(events=[sent])
        received("answer_list")
    assert [answer.ok for answer in session.current().answers] == [True]
    with Workspace.open(answered) as workspace:
        (verdict,) = workspace.bank().verdicts_of("q")
    assert (verdict.answer, verdict.judge, verdict.value) == (ELDER, "ann", "right")


def test_a_verdict_on_words_that_changed_meanwhile_is_refused_in_a_line(
    open_app: OpenApp, answered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = page_html(open_app(answered, PAGE, judge="ann"))
    assert 'data-revision="1"' in html
    assert 'data-answer="George Bush%2C the elder H. W."' in html
    with Workspace.open(answered, judge="bob") as workspace:
        workspace.apply(Reword("q/a", "Who lost?"))
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(answered))
    monkeypatch.setattr(st, "session_state", State())
    st.session_state[session.KEY] = Session(View(judge="ann"))
    sent = {"type": "verdict", "workspace": session.workspace_id(), "question": "q/a"}
    sent |= {"texts": [ELDER], "verdict": "right", "based_on": 1}
    answer = handled("0123456789ab", sent)
    line = "bob has changed 'Who lost?' meanwhile: look at it as it is now."
    assert (answer.ok, answer.line) == (False, line)
    with Workspace.open(answered) as workspace:
        assert workspace.bank().verdicts_of("q") == ()


class State(dict[str, Any]):
    """A session's state, without a session."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def test_the_url_carries_what_is_looked_at() -> None:
    view = View(source="a/b", between="x y|people", within="q", answer="0a")
    assert from_params(to_params(view)) == view
    assert from_params({"between": "", "within": ""}) == View()


def test_every_two_checks_have_an_option_whatever_their_names() -> None:
    names = ("a", "b|c", "a|b", "c", "a%7Cb", "any", "unjudged")
    found = listed_answers.pairs_by_option(names)
    assert len(found) == 21  # by hand: 7 * 6 / 2
    assert set(found.values()) >= {("a", "b|c"), ("a|b", "c")}
    offered = listed_answers.options(dict.fromkeys(names, "x"))
    assert len(offered) == 23  # and any two, and what is not judged


def test_models_are_named_by_their_folders_unless_two_share_one() -> None:
    nobody: Any = None
    checks = [
        AnswerCheck(STRING, STRING, None, 0, 0, nobody),
        *(
            AnswerCheck(f"{n}+s", n, 0.5, 0, 0, nobody)
            for n in ("ava:/a/m", "ava:/b/n")
        ),
    ]
    assert list(listed_answers.check_labels(checks).values()) == [
        *("strings", "m"),
        *("n", "people"),
    ]
    twin = AnswerCheck("ava:/c/m+s", "ava:/c/m", 0.5, 0, 0, nobody)
    labels = listed_answers.check_labels([*checks, twin])
    assert labels["ava:/a/m+s"] == "ava:/a/m"


def test_the_passage_is_shown_around_the_answer() -> None:
    text = "word " * 200 + "the Answer itself " + "word " * 200
    shown = listed_answers.passage_words(text, "The answer")
    assert "the Answer itself" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert listed_answers.passage_words("short", "no such words") == "short"


def test_answers_have_ids_of_their_own() -> None:
    one, other = Question("q/a", "q", "A?"), Question("q/b", "q", "B?")
    ids = {listed_answers.answer_id(q, a) for q in (one, other) for a in ("x", "y")}
    assert len(ids) == 4


def right_above(model: AvaModel) -> str:
    assert model.card is not None
    return dict(tables.card_lines(model, model.card))["Right above"]


def test_a_threshold_tuned_since_is_told_apart(answered: Path) -> None:
    scored(answered)
    with Workspace.open(answered) as workspace:
        (model,) = workspace.ava_models()
    assert right_above(model) == ".50"
    assert model.card is not None
    tuned = AvaModel("g", model.folder, 0.5, model.card.tuned(0.3, "dev.tsv"))
    said = right_above(tuned)
    assert said == ".50; the folder's card says .30"


def test_a_saved_report_that_cannot_be_read_leaves_the_card(answered: Path) -> None:
    scored(answered)
    with Workspace.open(answered) as workspace:
        (model,) = workspace.ava_models()
        (model.folder / "report.json").write_text("{}")
        (broken,) = workspace.ava_models()
    assert (model.report, model.report_problem, broken.card) == (None, "", model.card)
    assert "is not a report" in broken.report_problem
