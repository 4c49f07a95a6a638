"""Cosines cut into ratings, the same however texts are batched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.graders.embedding import COSINE_1, EmbeddingGrader, rate, spec
from grading.items import Item
from grading.similarity import cosines

QUESTION = Item("question", "What does an AML surveillance analyst do?")
ON_TOPIC = "An AML surveillance analyst monitors accounts for money laundering."
OFF_TOPIC = "Bake the bread at 220 degrees for forty minutes."


def vectors(*rows):
    return np.array(rows, dtype=np.float16)


X = vectors([1, 0, 0, 0])


@pytest.mark.parametrize(
    ("passage", "cosine", "rating"),
    [
        # by hand: cosine with (1, 0, 0, 0) is x / length
        ([0, 1, 0, 0], 0.0, 0),
        ([-1, 0, 0, 0], -1.0, 0),
        ([1, 2, 0, 0], 0.447214, 0),
        ([1, 1, 1, 1], 0.5, 1),  # exactly on a threshold: reached
        ([4, 5, 3, 0], 0.565685, 2),
        ([3, 4, 0, 0], 0.6, 3),  # on a threshold
        ([1, 1, 0, 0], 0.707107, 4),
        ([4, 3, 0, 0], 0.8, 5),
        ([7, 0, 0, 0], 1.0, 5),
        ([0, 0, 0, 0], 0.0, 0),  # no direction: like nothing
    ],
)
def test_a_cosine_is_cut_at_the_thresholds_it_reaches(passage, cosine, rating):
    assert cosines([X], [vectors(passage)]) == [[cosine]]
    assert rate([X], [vectors(passage)]) == [[rating]]


rows = st.lists(
    st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3
)


@given(rows, rows, rows)
def test_another_window_never_lowers_a_rating(item, passage, more):
    before = rate([vectors(*item)], [vectors(*passage)])
    assert rate([vectors(*item)], [vectors(*passage, *more)]) >= before


def test_any_batching_of_random_vectors_gives_equal_cosines():
    draw = np.random.default_rng(0)
    pool = [draw.normal(size=(n % 3 + 1, 384)).astype(np.float16) for n in range(60)]
    items = [draw.normal(size=(1, 384)).astype(np.float16) for _ in range(7)]
    whole = cosines(items, pool)
    one_by_one = np.hstack(
        [np.vstack([cosines([i], [p]) for i in items]) for p in pool]
    )
    in_parts = np.hstack([cosines(items, pool[n : n + 17]) for n in range(0, 60, 17)])
    np.testing.assert_array_equal(one_by_one, whole)
    np.testing.assert_array_equal(in_parts, whole)


def test_a_passage_that_answers_is_rated_above_one_that_does_not(minilm):
    passages = [ON_TOPIC, OFF_TOPIC]
    # reference: SentenceTransformer.encode and util.cos_sim, version 6.2.0
    stored = EmbeddingGrader(encoder=minilm, stored=spec(reading=COSINE_1))
    assert stored.grade([QUESTION], passages).tolist() == [[5, 0]]
    # by hand: passages of one sentence, cosine .7517: .8 + .2 x (.7517 - .65) / .35
    grades = EmbeddingGrader(encoder=minilm).grade([QUESTION], passages)
    np.testing.assert_allclose(grades, [[0.8581, 0]], atol=2e-3)
