"""The Passages tab through app.py: what it shows, filters, empty states, adding.

In the hand-made collection's q1, p1 answers a and b and is judged 2, p2 answers c and
is judged 0; 2 and more is relevant.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Retire
from curator.bank.questions import kind_of_new
from curator.web.components.channel import Answer
from curator.web.components.view import View
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.samples.hand_made import HOSTILE, HOSTILE_QUESTION
from tests.samples.workspaces import (
    demo_workspace,
    graded_file,
    graded_passage,
    one_graded,
    question_bank,
    write_lines,
)
from tests.web.conftest import OpenApp, page_html, picks, remember, sent

PAGE = "judge/passages/page.py"


def passages(app: AppTest) -> list[str]:
    """The ids of the passages shown."""
    return re.findall(r'aria-label="Passage ([^"]+)"', page_html(app))


def choices(app: AppTest) -> dict[str, int]:
    """How many passages each filter says it leaves."""
    found = re.findall(r'data-filter="show:([\w-]+)".*?<b>([\d,]+)</b>', page_html(app))
    return {show: int(count) for show, count in found}


def test_each_passage_says_label_judgment_answers_and_systems(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, PAGE)
    assert passages(app) == ["p1", "p2"]
    html = page_html(app)
    assert "<b>label 5</b>" in html
    assert "official 2 · relevant" in html
    assert "official 0 · not relevant: the label disagrees" in html
    assert "Answers <b>2 of 3: 1 rated 5 · 2 rated 4</b>" in html
    assert "Answers <b>1 of 3: 3 rated 5</b>" in html
    assert "Retrieved by one at 1" in html
    assert "2 passages" in html


@pytest.mark.parametrize("label", ["mean", "top3"])
def test_a_mean_is_shown_and_never_said_to_disagree(
    open_app: OpenApp, hand_made: Path, label: str
) -> None:
    # By hand: p1 is rated 5, 4 and 0, p2 0, 0 and 5; three questions make both rules
    # one. Neither mean reaches 4.
    app = open_app(hand_made, PAGE, label=label)
    html = page_html(app)
    for said in ("label 3.00", "official 2 · relevant<", "label 1.67", "official 0 · "):
        assert said in html
    assert "disagrees" not in html
    assert 'class="c-warning"' not in html
    assert "A mean label seldom reaches the minimum rating" in html
    app = open_app(hand_made, label=label, passage="p1")
    html = page_html(app)
    assert "official 2 · relevant<" in html
    assert "disagrees" not in html


def test_filters_say_how_many_passages_they_leave(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, PAGE)
    # By hand: p1 is relevant and answered, p2 is neither relevant nor unanswered.
    assert choices(app) == {
        "all": 2,
        "changed": 0,
        "relevant-unanswered": 0,
        "nonrelevant-answered": 1,
        "uncovered": 0,
    }


def test_the_url_carries_the_filters(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made, PAGE, show="nonrelevant-answered")
    assert passages(app) == ["p2"]
    assert app.query_params["show"] == "nonrelevant-answered"
    assert passages(open_app(hand_made, PAGE, question="q1/a")) == ["p1"]
    assert passages(open_app(hand_made, PAGE, system="two")) == ["p2"]
    app = open_app(hand_made, PAGE, system="two", question="q1/a")
    assert passages(app) == []
    assert "answers question 1 and was retrieved by two." in page_html(app)


def test_the_url_carries_order_and_search(open_app: OpenApp, hand_made: Path) -> None:
    # By hand: p1 is judged 2, p2 0; both have label 5, p2 answers one question, p1 two.
    assert passages(open_app(hand_made, PAGE, sort="judgment")) == ["p1", "p2"]
    app = open_app(hand_made, PAGE, sort="judgment", reverse="yes")
    assert passages(app) == ["p2", "p1"]
    assert (app.query_params["sort"], app.query_params["reverse"]) == (
        "judgment",
        "yes",
    )
    app = open_app(hand_made, PAGE, words="p2")
    assert passages(app) == ["p2"]
    html = page_html(app)
    assert "1 of 2 passages" in html
    assert 'data-filter="words:" data-key="Escape"' in html
    assert choices(app)["all"] == 1
    app = open_app(hand_made, PAGE, words=HOSTILE)
    assert passages(app) == ["p1"]
    assert HOSTILE not in page_html(app)


def test_an_edit_does_not_move_what_is_being_read(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, PAGE, sort="covered")
    assert passages(app) == ["p1", "p2"]
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply([Retire("q1/a"), Retire("q1/b")])  # all that p1 answers
    assert passages(app.run()) == ["p1", "p2"]
    assert "order again" in page_html(app)
    picks(app, "filter:again:")
    app.run()
    assert passages(app) == ["p2", "p1"]
    assert "order again" not in page_html(app)


def test_u_takes_an_ideal_answer_back_and_says_so(
    monkeypatch: pytest.MonkeyPatch, hand_made: Path
) -> None:
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(hand_made))
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.mark_ideals("q1", "p1")
    now = remember(View(query="q1", judge="ann", passage="p2", question="q1/a"))
    answer = sent("undo", query="q1", stay=True)
    assert answer.line == "Undone: marked as an ideal answer · passage p1"
    assert (now.view.passage, now.view.question) == ("p2", "q1/a")
    with Workspace.open(hand_made) as workspace:
        assert workspace.ideals("q1") == ()


def test_a_filter_that_is_not_there_is_none(open_app: OpenApp, hand_made: Path) -> None:
    app = open_app(hand_made, PAGE, show="best", question="q9/x", system="nobody")
    assert passages(app) == ["p1", "p2"]


def test_the_passage_of_the_url_is_marked(open_app: OpenApp, hand_made: Path) -> None:
    html = page_html(open_app(hand_made, PAGE, passage="p2"))
    (current,) = re.findall(r'aria-label="Passage (\w+)" aria-current', html)
    assert current == "p2"
    assert 'data-key="[" data-pick="passage:p1"' in html


def test_changed_passages_show_both_labels_with_arrow_and_sign(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Retire("q1/a"))
    app = open_app(hand_made, PAGE, judge="ann", show="changed")
    assert passages(app) == ["p1"]
    html = page_html(app)
    # By hand: without a, b's 4 is the best that p1 has left.
    assert "<b>5 → 4</b>" in html
    assert '<i role="img" aria-label="down">▼</i>−1' in html


def test_html_in_passages_and_questions_is_shown_as_text(
    open_app: OpenApp, hand_made: Path
) -> None:
    html = page_html(open_app(hand_made, PAGE))
    assert "&lt;script&gt;window.hurt=1&lt;/script&gt;" in html
    assert HOSTILE not in html
    assert HOSTILE_QUESTION not in html
    assert "<script" not in html
    assert "<img" not in html


def test_questions_stand_beside_the_passages_with_what_they_reach(
    open_app: OpenApp, hand_made: Path
) -> None:
    html = page_html(open_app(hand_made, PAGE, question="q1/c"))
    assert "<h2>3 kept</h2>" in html
    assert 'aria-pressed="true" data-filter="question:q1/c"' in html
    assert 'title="When is it?"' in html  # on the chip that lets it go


@pytest.mark.parametrize(
    ("show", "sentence"),
    [
        ("relevant-unanswered", "is judged relevant but unanswered."),
        ("changed", "You have no edits in this query"),
    ],
)
def test_nothing_that_matches_is_a_sentence(
    open_app: OpenApp, hand_made: Path, show: str, sentence: str
) -> None:
    app = open_app(hand_made, PAGE, show=show)
    assert passages(app) == []
    assert sentence in page_html(app)


def test_a_workspace_without_queries_says_what_to_import(
    open_app: OpenApp, empty_workspace: Path
) -> None:
    html = page_html(open_app(empty_workspace, PAGE))
    assert "import" in html.lower()


def test_a_query_without_passages_says_what_to_import(
    open_app: OpenApp, tmp_path: Path
) -> None:
    queries = write_lines(tmp_path / "q.jsonl", [{"query_id": "q", "text": "Who?"}])
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(queries=queries)
    html = page_html(open_app(path, PAGE))
    assert "No passages imported for this query." in html
    assert 'data-pick="goto:Import">Import…<' in html


def test_without_grades_a_button_makes_some(
    open_app: OpenApp, tmp_path: Path, demo_folder: Path
) -> None:
    demo_workspace(tmp_path / "demo.db", demo_folder).close()
    html = page_html(open_app(tmp_path / "demo.db", PAGE))
    assert "Grade with embedding</button>" in html
    assert "Why are leaves green in summer?" in html
    assert "not graded" in html
    assert "no label" in html


def test_without_judgments_nothing_is_compared_with_them_and_a_line_says_why(
    open_app: OpenApp, tmp_path: Path
) -> None:
    graded = one_graded(tmp_path / "graded.jsonl", "p", "q", {"q/a": 5})
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(autograder=graded)
    app = open_app(path, PAGE)
    assert list(choices(app)) == ["all", "changed", "uncovered"]
    html = page_html(app)
    assert "Without judgments of this query" in html
    assert "unjudged" not in html
    assert "Retrieved by" not in html  # there are no runs


def test_a_direct_grader_has_labels_and_no_questions(
    open_app: OpenApp, tmp_path: Path
) -> None:
    graded = one_graded(tmp_path / "graded.jsonl", "p", "q", {}, direct=2, judgment=0)
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(autograder=graded, min_relevance=2)
    app = open_app(path, PAGE, measure="P@10")
    html = page_html(app)
    assert "grades passages as a whole: no question stands behind a label." in html
    assert "<b>label 2</b>" in html
    assert "Answers <b>" not in html
    assert choices(app)["nonrelevant-answered"] == 1
    assert "judged non-relevant, graded relevant" in html


def test_blind_judging_shows_neither_judgments_nor_names(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(blind=True)
    html = page_html(open_app(hand_made, PAGE))
    assert "official 2" not in html
    assert "Retrieved by one" not in html
    assert "Retrieved by System 1 at 1" in html
    assert "Judging is blind" in html


def add(query: str, passage: str, text: str) -> Answer:
    """What becomes of a question written from a passage."""
    return sent("add", query=query, passage=passage, texts=[text], subtopic=None)


def test_a_question_added_is_an_edit_of_this_judge_and_sent_twice_saved_once(
    open_app: OpenApp, judging: Path
) -> None:
    now = remember(View(judge="ben"))
    first, again = (add("q1", "p1", "Where is it?") for _ in range(2))
    assert first == again
    assert now.added == (first.question, "p1")
    assert now.to_grade == "q1"
    assert now.view == View(judge="ben")  # where the judge was
    with Workspace.open(judging) as workspace:
        added = [q for q in workspace.bank().questions_of("q1") if "Where" in q.title]
        assert len(added) == 1
        assert workspace.history(limit=1)[0].by == "ben"


def test_an_empty_question_is_refused_in_one_line(judging: Path) -> None:
    now = remember()
    came = add("q1", "p1", " ")
    assert not came.ok
    assert came.line
    assert now.added is None
    assert add("q9", "p1", "Why?").line == "No query 'q9' in this workspace."


def test_under_a_nugget_grader_what_is_added_is_a_nugget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = question_bank(
        tmp_path / "bank.jsonl", {"q": {"q/n": "A fact"}}, kind="nugget"
    )
    one = graded_passage("p", "q", {"q/n": 5})
    for grade in one["exam_grades"]:  # type: ignore[attr-defined]
        grade["prompt_info"]["prompt_class"] = "NuggetSelfRatedPrompt"
        grade["prompt_type"] = "nugget"
        for rating in grade["self_ratings"]:
            rating["nugget_id"] = rating.pop("question_id")
    graded = graded_file(tmp_path / "graded.jsonl", {"q": [one]})
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(bank=bank, autograder=graded)
        assert workspace.graders()[0].item_kind == "nugget"
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
    remember()
    # The page says what it offers to add.
    payload = {"query": "q", "passage": "p", "texts": ["Another fact"]}
    added = sent("add", **payload, subtopic=None, item_kind="nugget").question
    with Workspace.open(path) as workspace:
        assert kind_of_new("nugget", ()) == "nugget"
        assert kind_of_new("any", workspace.bank()) == "nugget"
        assert workspace.bank().question(str(added)).kind == "nugget"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("show", "changed", View("q1", show="changed")),
        ("show", "everything", View("q1", passage="p2", page=3)),
        ("question", "q1/a", View("q1", question="q1/a")),
        ("system", "one", View("q1", system="one")),
        ("grader", "x", View("q1", passage="p2", page=3)),
    ],
)
def test_a_filter_begins_at_its_first_page(
    name: str, value: str, expected: View
) -> None:
    now = remember(View("q1", passage="p2", page=3))
    assert sent("filter", name=f"{name}:{value}").ok
    assert now.view == expected


def test_a_question_chosen_again_is_let_go() -> None:
    now = remember(View("q1", question="q1/a"))
    assert sent("filter", name="question:q1/a").ok
    assert now.view == View("q1")
