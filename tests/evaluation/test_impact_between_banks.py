"""What differs between two banks: labels, scores, ranks."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.bank.edits import Add, Retire
from curator.bank.questions import Bank, Question
from curator.evaluation.impact import (
    LabelChange,
    SystemMove,
    changed_labels,
    notable_changes,
)
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import (
    Exam,
    graded_queries,
    pool_of,
    without_item,
)

COVER = Settings("tiny", "cover", 4, 20)

# Query a: question 1 is answered by p0, question 2 by p1. Query b: one question.
# Each query has a system for p0, one for p1 and one for neither.
EXAM = Exam(
    pools={
        "a": pool_of([[0], [1], []], 2, query_id="a"),
        "b": pool_of([[0], [1], [0]], 2, query_id="b"),
    },
    grades={
        ("a", "One?"): [5, 0],
        ("a", "Two?"): [1, 4],
        ("b", "Three?"): [4, 0],
        ("a", "One, better?"): [5, 5],
    },
    systems=("first", "second", "third"),
)
BANK = Bank(
    {
        "a": (Question("a/1", "a", "One?"), Question("a/2", "a", "Two?")),
        "b": (Question("b/3", "b", "Three?"),),
    }
)


def test_retiring_a_question_moves_labels_scores_and_ranks():
    after = EXAM.edited(BANK, Retire("a/1"))
    impact = EXAM.impact(BANK, after, COVER)
    # by hand: p0 falls from 5 to 1 (question 2 rates it 1), p1 stays at 4
    assert impact.labels == (LabelChange("a", "p0", 5, 1),)
    # by hand, cover before: first (1/2 + 1)/2, second (1/2 + 0)/2, third (0 + 1)/2;
    # after: first (0 + 1)/2, second (1 + 0)/2, third (0 + 1)/2
    assert impact.moves == (
        SystemMove("first", 0.75, 0.5, 1, 1),
        SystemMove("second", 0.25, 0.5, 3, 1),
        SystemMove("third", 0.5, 0.5, 2, 1),
    )
    assert [move.places for move in impact.moves] == [0, 2, 1]
    assert [move.change for move in impact.moves] == [-0.25, 0.25, 0.0]
    assert [move.system for move in impact.movers] == ["second", "third"]
    assert (impact.queries_before, impact.queries_after) == (2, 2)
    assert impact.missing == 0


def test_a_new_question_has_unknown_grades_and_counts_them_missing():
    after = EXAM.edited(BANK, Add("a", "Brand new?"))
    impact = EXAM.impact(BANK, after, COVER)
    assert impact.missing == 2
    assert impact.labels == ()  # unknown is not 0
    # by hand: query a now has 3 questions, so 1/3 where 1/2 was
    assert {m.system: m.score_after for m in impact.moves} == {
        "first": pytest.approx((1 / 3 + 1) / 2),
        "second": pytest.approx(1 / 6),
        "third": 0.5,
    }


def exam_of(graded_by_query) -> tuple[Exam, Bank]:
    """An exam and a bank that make these graded queries."""
    grades, by_query = {}, {}
    for query_id, graded in graded_by_query.items():
        by_query[query_id] = tuple(
            Question(item, query_id, f"Text of {item}?") for item in graded.item_ids
        )
        for item, row in zip(graded.item_ids, graded.ratings.tolist(), strict=True):
            grades[query_id, f"Text of {item}?"] = row
    pools = {q: graded.pool for q, graded in graded_by_query.items()}
    return Exam(pools, grades, ("s0", "s1", "s2")), Bank(by_query)


@settings(max_examples=40)
@given(st.data(), st.sampled_from(["cover", "P@2", "RR", "Success@1", "nDCG@3"]))
def test_retiring_changes_no_other_querys_row(data, measure):
    exam, bank = exam_of(
        {q: data.draw(graded_queries(systems=3, query_id=q)) for q in ("a", "b", "c")}
    )
    retired = data.draw(st.sampled_from(list(bank)))
    after = exam.edited(bank, Retire(retired.question_id))
    chosen = Settings("tiny", measure)
    rows_before, rows_after = exam.rows(bank, chosen), exam.rows(after, chosen)
    for query_id in {"a", "b", "c"} - {retired.query_id}:
        assert after.questions_of(query_id) is bank.questions_of(query_id)
        before = rows_before[query_id]
        assert rows_after[query_id].score.tolist() == before.score.tolist()
    impact = exam.impact(bank, after, chosen)
    assert {label.query_id for label in impact.labels} <= {retired.query_id}
    for label in impact.labels:
        assert label.after is None or label.after < label.before


@given(
    graded_queries(systems=3, unknowns=0),
    st.sampled_from(["mean", "top3"]),
)
def test_of_means_those_are_listed_that_cross_or_answer_others(graded, label):
    assume(len(graded.item_ids) > 1)
    chosen = Settings("tiny", "nDCG@3", label=label)
    after = without_item(graded, 0)
    changes = changed_labels(graded, after, chosen.rule)
    expected = []
    for one in changes:
        at = after.pool.passage_ids.index(one.passage_id)
        answered = graded.ratings[0, at] >= 4
        if answered or (one.before >= 4) != (one.after >= 4):
            expected.append(one)
    assert notable_changes(graded, after, changes, chosen) == expected
