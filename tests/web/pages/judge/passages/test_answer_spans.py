"""Under a grader that answers, its own words are marked and quoted."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import Retire
from curator.web.pages.judge.passages.highlights import answer_spans
from curator.workspace import Workspace
from tests.samples.hand_made import HOSTILE
from tests.samples.local_grader import ANSWERING, LOCAL, grade
from tests.samples.workspaces import graded_file, graded_passage
from tests.web.components.test_untrusted_text import ESCAPED
from tests.web.conftest import OpenApp, page_html

SAID = {
    ("q1/a", "p1"): "Because",
    ("q1/b", "p1"): f"no such words {HOSTILE}",
    ("q1/c", "p1"): "unanswerable",
}


def test_an_answer_is_marked_where_it_stands_and_quoted(
    open_app: OpenApp, hand_made: Path
) -> None:
    grade(hand_made, ANSWERING, SAID)
    app = open_app(hand_made, query="q1", passage="p1", grader=ANSWERING)
    html = page_html(app)
    assert "<mark>Because</mark><sup>1</sup>" in html
    assert "<q>Because</q>" in html
    assert "<q>no such words &lt;script&gt;" in html
    assert html.count(ESCAPED) == 3  # the passage, its answer and the question
    assert HOSTILE not in html


def test_a_retired_question_keeps_its_answer(
    open_app: OpenApp, hand_made: Path
) -> None:
    grade(hand_made, ANSWERING, SAID)
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Retire("q1/a"))
    html = page_html(open_app(hand_made, query="q1", passage="p1", grader=ANSWERING))
    assert "1, retired" in html


def test_a_grader_that_rates_has_no_answers(open_app: OpenApp, hand_made: Path) -> None:
    grade(hand_made, LOCAL, {("q1/a", "p1"): "5"})
    with Workspace.open(hand_made) as workspace:
        assert workspace.answers("q1", ["p1", "p2"], LOCAL) == {}
    html = page_html(open_app(hand_made, query="q1", passage="p1", grader=LOCAL))
    assert "1 rated 5" in html


def test_answers_come_by_passage_and_question(hand_made: Path) -> None:
    grade(hand_made, ANSWERING, SAID)
    with Workspace.open(hand_made) as workspace:
        found = workspace.answers("q1", ["p1", "p2", "gone"], ANSWERING)
        # "unanswerable" is none; "4" is what the others say.
        assert found == {
            "p1": {"q1/a": "Because", "q1/b": SAID["q1/b", "p1"]},
            "p2": {"q1/a": "4", "q1/b": "4", "q1/c": "4"},
        }
        assert workspace.answers("q1", [], ANSWERING) == {}


def test_answers_of_an_imported_grader_are_its_raw_responses(tmp_path: Path) -> None:
    passage = graded_passage("p", "q", {}, text="Skin is what the epidermis covers.")
    passage["exam_grades"] = [
        {
            "correctAnswered": ["q/a", "q/b"],
            "wrongAnswered": ["q/c"],
            "answers": [
                ["q/a", "epidermis"],
                ["q/b", "covers the skin"],
                ["q/c", "The context does not provide the answer"],
            ],
            "llm": "llm",
            "llm_options": {},
            "exam_ratio": 0.5,
            "prompt_info": {"prompt_class": "Answers", "check_answer_key": False},
        }
    ]
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        # Known by their ids only, as in LLMJudge.
        workspace.import_(
            autograder=graded_file(tmp_path / "g.jsonl", {"q": [passage]})
        )
        (grader,) = workspace.graders()
        assert grader.kind == "answered"
        found = workspace.answers("q", ["p"], grader.name)
    assert found["p"]["q/a"] == "epidermis"
    assert found["p"]["q/b"] == "covers the skin"


def test_only_answers_that_are_found_are_marked() -> None:
    answers = {"a": "the epidermis", "b": "nowhere at all"}
    text = "Skin: the epidermis."
    assert answer_spans(text, answers, ["a", "b", "c"]) == {"a": (6, 19)}
    assert answer_spans(text, answers, ["b"]) == {}
