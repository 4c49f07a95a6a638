"""What is said of a proposal before anyone decides, and of asking for some."""

from __future__ import annotations

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.verbs.curate.question_rows import QuestionLine
from curator.web.pages.judge import rows as question_rows

QUERY = Query("q", "Who?", subtopics=(Subtopic("s", "Some"), Subtopic("t", "Other")))


def line(name: str, state: str = "kept", **more: object) -> QuestionLine:
    given = {"text": f"What of {name}?"} | more
    question = Question(f"q/{name}", "q", state=state, **given)  # type: ignore[arg-type]
    return QuestionLine(question, None, number=ord(name[0]) - 96)  # a is 1


def test_proposals_stand_after_the_others_of_their_subtopic() -> None:
    lines = (
        line("p", "proposed", subtopic_id="s"),
        line("a", subtopic_id="s"),
        line("r", "retired", subtopic_id="s"),
        line("b", subtopic_id="t"),
    )
    groups = question_rows.question_groups(lines, QUERY, systems=2)
    found = [[row["id"] for row in group["rows"]] for group in groups]
    assert found == [["q/a", "q/r", "q/p"], ["q/b"]]
    # Whatever their order on the page: p is the 16th letter, r the 18th.
    assert [row["number"] for g in groups for row in g["rows"]] == [1, 18, 16, 2]


def test_each_judge_has_an_order_of_proposals_that_stays() -> None:
    lines = (*(line(f"p{n}", "proposed") for n in range(8)), line("a"))
    ann, ben = (question_rows.shuffled(lines, judge) for judge in ("ann", "ben"))
    assert ann[0].question.question_id == ben[0].question.question_id == "q/a"
    assert set(ann) == set(ben) == set(lines)
    assert ann != ben
    assert ann == question_rows.shuffled(tuple(reversed(lines)), "ann")
