"""Previews of keeping and retiring equal the impact of doing so."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.bank.edits import Keep, Retire
from curator.bank.questions import Bank, proposed
from curator.evaluation.grades import GradedQuery
from curator.evaluation.impact import (
    nearest_overtake,
)
from curator.evaluation.influence import Preview, keep_previews, retire_previews
from curator.evaluation.measures import accepts_label, measure_for
from curator.evaluation.settings import Label, Settings
from tests.evaluation.test_impact_between_banks import exam_of
from tests.samples.tiny_exams import assert_says, graded_queries

OFFICIAL = {"s0": 2.0, "s1": 1.0, "s2": 3.0}
MEASURES = ["cover", "P@2", "P(rel=2)@3", "RR", "Success@1", "nDCG@3"]


def graded_proposals(exam, bank, query_id) -> GradedQuery:
    """The grades of what waits, looked up by text as the exam does for the kept."""
    kept = tuple(
        replace(question, state="kept")
        for question in proposed(bank.questions_of(query_id), "question")
    )
    return exam.graded(Bank({query_id: kept}), query_id)


def found_of(exam, bank, query_id, chosen, official=OFFICIAL):
    """What keeping would do, by question id."""
    found = keep_previews(
        exam.graded(bank, query_id),
        graded_proposals(exam, bank, query_id),
        exam.board(bank, chosen),
        exam.systems,
        measure_for(chosen, "rated"),
        threshold=chosen.min_rating,
        official=official,
    )
    return {one.question_id: one for one in found}


def with_proposals(exam, bank, query_id, waiting):
    """The bank with the query's questions at these places proposed."""
    questions = tuple(
        replace(question, state="proposed") if at in waiting else question
        for at, question in enumerate(bank.questions_of(query_id))
    )
    return Bank({**bank.by_query, query_id: questions})


def reach_by_hand(exam, bank, query_id, question, chosen):
    """(passages that answer it, systems with one in their top k), counted singly."""
    ratings = exam.grades[query_id, question.text]
    answers = {at for at, rating in enumerate(ratings) if rating >= chosen.min_rating}
    depth = measure_for(chosen, "rated").depth
    reached = [
        any(at in answers for at in top[:depth].tolist())
        for top in exam.pools[query_id].top
    ]
    return len(answers), sum(reached)


def assert_same(one: Preview, impact, official=OFFICIAL):
    """What is said is what this impact says; no rating is the lowest."""
    labels = [(label.before, label.after) for label in impact.labels]
    labels = [[-1 if one is None else one for one in pair] for pair in labels]
    changes = [before < after for before, after in labels]
    assert one.labels_rise == changes.count(True)
    assert one.labels_fall == changes.count(False)
    assert_says(one, impact, official)


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.sampled_from(MEASURES),
    st.integers(1, 3),
    st.sampled_from(get_args(Label)),
)
def test_it_equals_the_impact_of_keeping_each(data, name, queries, label):
    assume(accepts_label(name, label))
    exam, bank = exam_of(
        {
            f"q{i}": data.draw(graded_queries(systems=3, unknowns=0, query_id=f"q{i}"))
            for i in range(queries)
        }
    )
    number = len(bank.questions_of("q0"))
    waiting = data.draw(st.sets(st.integers(0, number - 1), min_size=1))
    bank = with_proposals(exam, bank, "q0", waiting)
    chosen = Settings("tiny", name, label=label)
    found = found_of(exam, bank, "q0", chosen)
    assert list(found) == [f"q0/{at}" for at in sorted(waiting)]
    for question_id, one in found.items():
        after = exam.edited(bank, Keep(question_id))
        assert one.missing == 0
        assert_same(one, exam.impact(bank, after, chosen))
        question = bank.question(question_id)
        assert (one.passages, one.systems) == reach_by_hand(
            exam, bank, "q0", question, chosen
        )
        if exam.graded(bank, "q0").item_ids:
            rows = [exam.rows(b, chosen)["q0"].score for b in (bank, after)]
            influence = float(np.abs(rows[1] - rows[0]).mean())
            assert one.influence == pytest.approx(influence, abs=1e-12)
        else:
            assert one.influence is None  # nothing is there to be changed


# Missing grades


@settings(max_examples=60, deadline=None)
@given(graded_queries(systems=3, items=3), st.sampled_from(MEASURES))
def test_where_its_own_grades_are_missing_nothing_else_is_said(graded, name):
    exam, bank = exam_of({"q": graded})
    whole = range(len(bank.questions_of("q")))
    bank = with_proposals(exam, bank, "q", set(whole))
    for at, one in enumerate(
        found_of(exam, bank, "q", Settings("tiny", name)).values()
    ):
        missing = int((graded.ratings[at] < 0).sum())
        assert one.missing == missing
        if missing:
            assert one == Preview(one.question_id, missing)
        else:
            assert one.movers is not None


# Retirements


def retirements_of(exam, bank, query_id, chosen, official=OFFICIAL):
    """What-ifs by question id."""
    graded = exam.graded(bank, query_id)
    measure = measure_for(chosen, "rated")
    found = retire_previews(
        graded,
        exam.board(bank, chosen),
        exam.systems,
        row=measure.row(graded).score,
        without_each=measure.without_each(graded),
        official=official,
    )
    return {one.question_id: one for one in found}


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.sampled_from(MEASURES),
    st.integers(1, 3),
    st.sampled_from(get_args(Label)),
)
def test_they_equal_the_impact_of_each_retirement(data, name, queries, label):
    assume(accepts_label(name, label))
    exam, bank = exam_of(
        {
            f"q{i}": data.draw(graded_queries(systems=3, unknowns=0, query_id=f"q{i}"))
            for i in range(queries)
        }
    )
    chosen = Settings("tiny", name, label=label)
    found = retirements_of(exam, bank, "q0", chosen)
    assert list(found) == [q.question_id for q in bank.questions_of("q0")]
    for question_id, what_if in found.items():
        after = exam.edited(bank, Retire(question_id))
        impact = exam.impact(bank, after, chosen)
        assert_same(what_if, impact)
        if label in ("max", "answered"):
            assert not what_if.labels_rise


@settings(max_examples=40, deadline=None)
@given(graded_queries(systems=3), st.sampled_from(MEASURES))
def test_where_grades_are_missing_no_retirement_moves(graded, name):
    exam, bank = exam_of({"q": graded})
    for one in retirements_of(exam, bank, "q", Settings("tiny", name)).values():
        assert one.missing == graded.needed - graded.known
        assert (one.movers is None) == bool(one.missing)


# The nearest overtake


def overtake(before, after):
    return nearest_overtake(
        [f"s{i}" for i in range(len(after))],
        None if before is None else np.array(before),
        np.array(after),
    )


def test_the_nearest_overtake_is_the_smallest_gap_that_shrank():
    # by hand: s1 came from .2 to .1 below s0; s2 was and is .05 below s1
    found = overtake([0.6, 0.4, 0.35], [0.6, 0.5, 0.45])
    assert (found.behind, found.ahead) == ("s1", "s0")
    assert found.gap == pytest.approx(0.1)
