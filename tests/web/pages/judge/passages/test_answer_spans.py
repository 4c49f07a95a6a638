"""Under a grader that answers, its own words are marked and quoted."""

from __future__ import annotations

from pathlib import Path

from curator.workspace import Workspace
from tests.samples.hand_made import HOSTILE
from tests.samples.local_grader import ANSWERING, grade
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
