"""A passage's label under each rule, against plain loops."""

from dataclasses import replace

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.errors import EvaluationError
from curator.evaluation.grades import (
    NO_LABEL,
    graded_labels,
    labels_without_each,
    open_labels,
)
from curator.evaluation.measures import measure_for
from curator.evaluation.settings import LabelRule, Settings
from tests.evaluation.test_bounds_hold_every_completion import completions
from tests.samples.tiny_exams import (
    graded_on,
    graded_queries,
    measure_named,
    without_item,
)

# Passage 3 has two unknown grades, passage 4 only unknown ones.
RATINGS = [
    [5, 0, 3, 0, None],
    [0, 1, 3, None, None],
    [4, 4, 3, None, None],
    [4, 0, 3, 2, None],
]
RULES = [
    LabelRule("max"),
    LabelRule("max", min_answered=2),
    LabelRule("mean"),
    LabelRule("top3"),
    *(LabelRule("answered", min_rating=least) for least in (1, 4)),
]


def label_by_loops(values, known, rule):
    """One passage's label from its values on the label's scale."""
    if not any(known):
        return NO_LABEL
    values = [max(one, 0) for one in values]
    if rule.label == "max":
        return [*sorted(values, reverse=True), 0, 0][rule.min_answered - 1]
    if rule.label == "answered":
        return sum(
            one >= rule.min_rating for one, k in zip(values, known, strict=True) if k
        )
    best = sorted(values, reverse=True)
    best = best[:3] if rule.label == "top3" else best
    return sum(best) / len(best)


def by_loops(graded, rule):
    """Every passage's label."""
    return [
        label_by_loops(column, [one >= 0 for one in column], rule)
        for column in graded.ratings.T.tolist()
    ]


# By hand, down the columns of RATINGS; what is missing counts 0.
@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        (LabelRule("max"), [5, 4, 3, 2, NO_LABEL]),
        (LabelRule("max", min_answered=2), [4, 1, 3, 0, NO_LABEL]),
        (LabelRule("mean"), [13 / 4, 5 / 4, 3, 2 / 4, NO_LABEL]),
        (LabelRule("top3"), [13 / 3, 5 / 3, 3, 2 / 3, NO_LABEL]),
        (LabelRule("answered"), [3, 1, 0, 0, NO_LABEL]),
        (LabelRule("answered", min_rating=1), [3, 2, 4, 1, NO_LABEL]),
        (LabelRule("answered", min_rating=0), [4, 4, 4, 2, NO_LABEL]),
    ],
)
def test_a_label_by_hand(rule, labels):
    assert graded_labels(graded_on(RATINGS, []), rule).tolist() == labels


@given(graded_queries(items=6), st.sampled_from(RULES))
def test_labels_are_those_of_plain_loops(graded, rule):
    assert graded_labels(graded, rule).tolist() == by_loops(graded, rule)


@given(graded_queries(items=6), st.sampled_from(RULES))
def test_labels_without_each_item_are_those_of_a_bank_without_it(graded, rule):
    without = labels_without_each(graded, rule)
    assert without.shape == graded.ratings.shape
    for item in range(len(graded.item_ids)):
        expected = graded_labels(without_item(graded, item), rule)
        assert without[item].tolist() == expected.tolist()


@given(graded_queries(items=4, passages=2, unknowns=2), st.sampled_from(RULES))
def test_a_label_is_open_where_completions_differ_from_it(graded, rule):
    label = graded_labels(graded, rule)
    others = [graded_labels(one, rule) != label for one in completions(graded)]
    assert open_labels(graded, rule).tolist() == np.any(others, axis=0).tolist()


@given(graded_queries(items=5, unknowns=3), st.data())
def test_means_are_of_probabilities_where_a_grader_gives_them(graded, data):
    shape = graded.ratings.shape
    drawn = st.lists(st.floats(0, 1, width=32), min_size=shape[1], max_size=shape[1])
    rows = data.draw(st.lists(drawn, min_size=shape[0], max_size=shape[0]))
    shares = np.array(rows, dtype=np.float32).reshape(shape)
    known = graded.ratings >= 0
    shares = np.where(known, shares, np.float32(-1))
    graded = replace(
        graded,
        probabilities=shares,
        ratings=np.where(known, np.floor(5 * shares + 0.5), -1).astype(np.int8),
    )
    for rule in (LabelRule("mean"), LabelRule("top3")):
        expected = [
            label_by_loops([5 * one for one in column], rated, rule)
            for column, rated in zip(shares.T.tolist(), known.T.tolist(), strict=True)
        ]
        assert graded_labels(graded, rule).tolist() == pytest.approx(expected)
        without = labels_without_each(graded, rule)
        for item in range(shape[0]):
            left = graded_labels(graded.without(item), rule)
            assert without[item].tolist() == pytest.approx(left.tolist())
    # The best rating, and how many are answered, rest on ratings alone.
    for rule in (LabelRule("max"), LabelRule("answered")):
        assert graded_labels(graded, rule).tolist() == by_loops(graded, rule)


# From where a passage is relevant


# By hand: the labels of RATINGS stand above, three answers reach 4 in the first.
@pytest.mark.parametrize(
    ("label", "name", "score"),
    [
        ("max", "P@4", 2 / 4),  # 5 4 3 2
        ("mean", "P(rel=4)@4", 0),  # 3.25 1.25 3 0.5
        ("mean", "P(rel=3)@4", 2 / 4),
        ("answered", "P@4", 2 / 4),  # from one
        ("answered", "Success(rel=3)@1", 1),
    ],
)
def test_a_passage_is_relevant_from_the_minimum_rating_or_from_one_answer(
    label, name, score
):
    graded = graded_on(RATINGS, [[0, 1, 2, 3]])
    measure = measure_for(Settings("tiny", name, label=label), "rated")
    assert measure.row(graded).score.tolist() == [score]


# Against ir_measures, on labels made whole


@settings(max_examples=40, deadline=None)
@given(
    graded_queries(items=5, systems=2),
    st.sampled_from(["mean", "top3", "answered"]),
    st.sampled_from(["nDCG@3", "nDCG", "AP", "Rprec", "R@2", "Judged@3"]),
)
def test_scores_are_those_of_ir_measures_on_the_same_labels(graded, label, name):
    theirs = ir_measures.parse_measure(name)
    if label == "mean" and "rel" in theirs.SUPPORTED_PARAMS:
        name = str(theirs(rel=2))  # it takes means by a threshold of its own
    chosen = Settings("g", name, 2, label=label)
    ours = measure_for(chosen, "rated").row(graded).score
    labels = by_loops(graded, chosen.rule)
    threshold = 1 if label == "answered" else 2
    if "rel" in theirs.SUPPORTED_PARAMS:
        theirs = theirs(rel=1)
        levels = [int(one >= threshold) for one in labels]
    else:
        # 60 is a multiple of every number of items here, and nDCG knows no unit.
        levels = [round(60 * one) for one in labels]
    known = [i for i, one in enumerate(labels) if one != NO_LABEL]
    qrels = {"q": {str(i): levels[i] for i in known}}
    for system, slots in enumerate(graded.pool.top.tolist()):
        ranked = {
            str(slot) if slot >= 0 else f"nothing-{rank}": -float(rank)
            for rank, slot in enumerate(slots)
            if max(slots[rank:]) >= 0  # a ranking ends with a passage
        }
        expected = 0.0
        if qrels["q"] and any(slot >= 0 for slot in slots):
            expected = ir_measures.calc_aggregate([theirs], qrels, {"q": ranked})[
                theirs
            ]
        assert ours[system] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label", ["mean", "top3"])
@pytest.mark.parametrize("name", ["ERR@10", "nDCG(dcg='exp-log2')@10", "Compat(p=0.9)"])
def test_what_takes_whole_labels_alone_is_refused_in_a_line(label, name):
    with pytest.raises(EvaluationError, match=f"under '{label}'.*nDCG@10.*--label max"):
        measure_named(name, label=label)
