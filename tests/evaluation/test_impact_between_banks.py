"""What differs between two banks: labels, scores, ranks."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.bank.edits import Add, Restore, Retire, Reword
from curator.bank.questions import Bank, Question
from curator.evaluation.grades import open_labels
from curator.evaluation.impact import (
    LabelChange,
    SystemMove,
    changed_labels,
    notable_changes,
)
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import (
    Exam,
    graded_on,
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


def test_a_query_whose_questions_are_all_retired_leaves_the_measure():
    after = EXAM.edited(BANK, Retire("b/3"))
    impact = EXAM.impact(BANK, after, COVER)
    # by hand: b's labels 4 and 0 are gone, they are not 0
    assert impact.labels == (
        LabelChange("b", "p0", 4, None),
        LabelChange("b", "p1", 0, None),
    )
    assert (impact.queries_before, impact.queries_after) == (2, 1)
    # by hand: what is left is query a, 1/2, 1/2, 0
    assert {m.system: m.score_after for m in impact.moves} == {
        "first": 0.5,
        "second": 0.5,
        "third": 0.0,
    }
    assert {m.system: m.rank_after for m in impact.moves} == {
        "first": 1,
        "second": 1,
        "third": 3,
    }


def test_retiring_everything_leaves_a_board_of_nobody():
    after = EXAM.edited(BANK, Retire("a/1"), Retire("a/2"), Retire("b/3"))
    impact = EXAM.impact(BANK, after, COVER)
    assert [(m.score_after, m.rank_after) for m in impact.moves] == [(None, None)] * 3
    assert [(m.places, m.change) for m in impact.moves] == [(0, 0.0)] * 3
    assert {label.after for label in impact.labels} == {None}
    assert impact.queries_after == 0
    assert impact.movers == ()


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


def test_a_rewording_asks_for_the_grades_of_its_new_text():
    after = EXAM.edited(BANK, Reword("a/1", "One, better?"))
    impact = EXAM.impact(BANK, after, COVER)
    assert impact.missing == 0
    assert impact.labels == (LabelChange("a", "p1", 4, 5),)


@pytest.mark.parametrize(
    ("edit", "inverse"),
    [
        (Retire("a/1"), Restore("a/1")),
        (Retire("b/3"), Restore("b/3")),
        (Reword("a/1", "One, better?"), Reword("a/1", "One?")),
        (Reword("a/1", "Not graded?"), Reword("a/1", "One?")),
    ],
)
@pytest.mark.parametrize("measure", ["cover", "P@2", "nDCG@2", "RR"])
def test_an_edit_and_its_inverse_have_no_impact(edit, inverse, measure):
    settings_ = Settings("tiny", measure)
    there_and_back = EXAM.edited(BANK, edit, inverse)
    impact = EXAM.impact(BANK, there_and_back, settings_)
    assert (impact.labels, impact.movers, impact.missing) == ((), (), 0)
    for move in impact.moves:
        assert move.score_before == move.score_after
        assert move.rank_before == move.rank_after


def test_impact_is_the_same_backwards_with_before_and_after_exchanged():
    after = EXAM.edited(BANK, Retire("a/1"), Retire("b/3"))
    forth, back = EXAM.impact(BANK, after, COVER), EXAM.impact(after, BANK, COVER)
    assert {
        (label.query_id, label.passage_id, label.after, label.before)
        for label in forth.labels
    } == {
        (label.query_id, label.passage_id, label.before, label.after)
        for label in back.labels
    }
    assert {m.system: (m.rank_after, m.score_after) for m in forth.moves} == {
        m.system: (m.rank_before, m.score_before) for m in back.moves
    }


def test_movers_come_with_the_largest_move_first():
    moves = (
        SystemMove("a", 0.9, 0.9, 1, 1),
        SystemMove("b", 0.5, 0.8, 4, 2),
        SystemMove("c", 0.8, 0.7, 2, 3),
        SystemMove("d", 0.7, 0.1, 3, 6),
    )
    impact = EXAM.impact(BANK, BANK, COVER)
    shown = type(impact)(COVER, 0, (), moves, 1, 1).movers
    assert [move.system for move in shown] == ["d", "b", "c"]


@given(graded_queries())
def test_nothing_differs_between_a_query_and_itself(graded):
    assert changed_labels(graded, graded) == ()


@given(graded_queries())
def test_a_query_that_leaves_loses_every_known_label(graded):
    gone = replace(graded, item_ids=(), ratings=graded.ratings[:0])
    lost = changed_labels(graded, gone)
    known = (graded.ratings >= 0).any(axis=0)
    assert [label.passage_id for label in lost] == [
        p for p, label in zip(graded.pool.passage_ids, known, strict=True) if label
    ]
    # One that a missing grade could raise was never certain.
    still_open = open_labels(graded).tolist()
    opened = dict(zip(graded.pool.passage_ids, still_open, strict=True))
    assert all(x.after is None for x in lost)
    assert all((x.before is None) == opened[x.passage_id] for x in lost)
    joined = changed_labels(gone, graded)
    assert [(x.passage_id, x.after) for x in joined] == [
        (x.passage_id, x.before) for x in lost
    ]


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


@settings(max_examples=40)
@given(st.data())
def test_a_batch_of_retirements_and_its_inverse_have_no_impact(data):
    exam, bank = exam_of(
        {q: data.draw(graded_queries(systems=3, query_id=q)) for q in ("a", "b")}
    )
    chosen = data.draw(st.sets(st.sampled_from([q.question_id for q in bank])))
    retired = exam.edited(bank, *(Retire(question_id) for question_id in chosen))
    restored = exam.edited(retired, *(Restore(question_id) for question_id in chosen))
    impact = exam.impact(bank, restored, COVER)
    assert (impact.labels, impact.movers) == ((), ())
    assert all(move.change == 0 for move in impact.moves)


def test_one_query_alone_moves_without_errors():
    graded = graded_on([[5, 0], [0, 4]], [[0], [1], []], query_id="a")
    exam, bank = exam_of({"a": graded})
    impact = exam.impact(bank, exam.edited(bank, Retire("a/0")), COVER)
    # by hand: 1/2, 1/2, 0 becomes 0, 1, 0
    assert {m.system: (m.rank_before, m.rank_after) for m in impact.moves} == {
        "s0": (1, 2),
        "s1": (1, 1),
        "s2": (3, 2),
    }


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
