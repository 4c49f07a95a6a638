"""What is said of a proposal before anyone decides, and of asking for some."""

from __future__ import annotations

from typing import Any

import pytest

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.evaluation.influence import Preview
from curator.verbs.curate.question_rows import QuestionLine
from curator.web.pages.judge import rows as question_rows
from curator.web.pages.judge.rows import Proposals

QUERY = Query("q", "Who?", subtopics=(Subtopic("s", "Some"), Subtopic("t", "Other")))
REACHES = Preview("q/p", passages=4, systems=3, labels_rise=2, influence=0.012)


def line(name: str, state: str = "kept", **more: object) -> QuestionLine:
    given = {"text": f"What of {name}?"} | more
    question = Question(f"q/{name}", "q", state=state, **given)  # type: ignore[arg-type]
    return QuestionLine(question, None, number=ord(name[0]) - 96)  # a is 1


def rows(
    *lines: QuestionLine, systems: int = 6, **known: object
) -> dict[str, dict[str, Any]]:
    groups = question_rows.question_groups(
        lines,
        QUERY,
        systems=systems,
        proposals=Proposals(**known),  # type: ignore[arg-type]
    )
    return {row["id"]: row for group in groups for row in group["rows"]}


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


def test_a_row_says_what_a_proposal_would_reach_and_where_it_comes_from() -> None:
    found = rows(
        line("a"),
        line("p", "proposed", provenance='{"generation": 1, "passage": "p12"}'),
        if_kept={"q/p": REACHES},
        models={1: "m"},
    )
    row = found["q/p"]
    assert row["meta"] == "would reach 4 passages · 3 systems · 2 labels rise"
    assert (row["influence"], row["model"], row["passage"]) == (".012", "m", "p12")
    assert (row["reason"], row["near"], row["unanswered"]) == ("", False, False)


@pytest.mark.parametrize(
    ("provenance", "origin"),
    [
        ('{"generation": 7, "passage": "p1"}', ("m", "p1")),
        ('{"generation": 8}', ("", "")),
        ('{"generation": [7], "passage": 3}', ("", "")),
        ("[]", ("", "")),
        ("no JSON", ("", "")),
    ],
)
def test_an_origin_is_read_from_whatever_provenance_says(
    provenance: str, origin: tuple[str, str]
) -> None:
    question = Question("q/p", "q", "Why?", provenance=provenance)
    assert question_rows.origin_of(question, {7: "m"}) == origin


def test_each_judge_has_an_order_of_proposals_that_stays() -> None:
    lines = (*(line(f"p{n}", "proposed") for n in range(8)), line("a"))
    ann, ben = (question_rows.shuffled(lines, judge) for judge in ("ann", "ben"))
    assert ann[0].question.question_id == ben[0].question.question_id == "q/a"
    assert set(ann) == set(ben) == set(lines)
    assert ann != ben
    assert ann == question_rows.shuffled(tuple(reversed(lines)), "ann")
