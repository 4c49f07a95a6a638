"""Flips change scores as recomputing with that one label or grade would."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.evaluation.grades import graded_labels
from curator.evaluation.measures import accepts_label
from curator.evaluation.measures.flips import distinct_sets, packed
from curator.evaluation.settings import Label, Settings
from tests.samples.tiny_exams import graded_queries, measure_named

BINARY = ["P@2", "P(rel=2)@3", "Success@2", "RR", "RR@2"]
MIN_RATING = 4


def readings(graded, name, label="max"):
    """The query once for each label (for Cover each grade) read the other way.

    Labels stand for themselves here: one item that rates every passage its label.
    """
    if name == "cover":
        for index in np.ndindex(graded.ratings.shape):
            ratings = graded.ratings.copy()
            ratings[index] = 0 if ratings[index] >= MIN_RATING else 5
            yield replace(graded, ratings=ratings)
        return
    chosen = Settings("tiny", name, MIN_RATING, label=label)
    labels = graded_labels(graded, chosen.rule)
    threshold = 2 if "rel=2" in name else chosen.relevant_from("rated")
    highest = len(graded.item_ids) if label == "answered" else 5
    for position, own in enumerate(labels):
        others = (0, highest)
        if "nDCG" not in name:
            others = (0 if own >= threshold else 5,)
        for other in others:
            read = labels.copy()
            read[position] = other
            yield replace(graded, item_ids=("q/label",), ratings=read[None])


def distinct(rows):
    """The rows that change something, each once."""
    return {tuple(row) for row in np.round(rows, 9).tolist() if any(row)}


@settings(max_examples=100)
@given(
    graded_queries(unknowns=0),
    st.sampled_from([*BINARY, "cover", "nDCG", "nDCG@2"]),
    st.sampled_from(get_args(Label)),
)
def test_the_flips_of_a_query_are_every_change_that_one_other_reading_makes(
    graded, name, label
):
    assume(accepts_label(name, label))
    measure = measure_named(name, MIN_RATING, label=label)
    score = measure.row(graded).score
    # Labels that stand for themselves are counted as they are.
    threshold = Settings("tiny", name, MIN_RATING, label=label).relevant_from("rated")
    plain = measure_named(name, MIN_RATING if name == "cover" else threshold)
    expected = [plain.row(one).score - score for one in readings(graded, name, label)]
    found = measure.flips(graded)
    assert distinct(found) == distinct(np.array(expected).reshape(-1, len(score)))


@pytest.mark.parametrize("systems", [1, 37, 64, 65, 130])
def test_sets_of_any_number_of_systems_come_back_once_each(systems):
    random = np.random.default_rng(systems)
    rows = random.random((40, systems)) < 0.3
    rows = np.concatenate([rows, rows[:10], np.zeros((3, systems), dtype=bool)])
    found = distinct_sets(packed(rows), systems)
    assert found.shape[1] == systems
    some = {tuple(row) for row in rows.tolist() if any(row)}
    assert len(found) == len(some)
    assert {tuple(row) for row in found.astype(bool).tolist()} == some
