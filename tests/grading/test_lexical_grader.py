"""The share of an answer's words that a passage holds, each weighed by its rarity."""

from __future__ import annotations

from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grading.graders.computed import COSINE_SCALE, to_probabilities
from grading.graders.computed import WORD_SCALE as SHARES
from grading.graders.lexical import LexicalGrader, shares, wordings
from grading.items import AllOf, Item
from grading.ratings import UNREADABLE
from grading.stems import Frequencies

TEXTS = ["Cats sleep.", "Cats eat fish. Dogs eat.", "The dog sleeps.", "Cats sleep."]
WORDS = Frequencies.from_texts(TEXTS)


def test_a_stem_counts_once_a_text_and_an_equal_text_once():
    # by hand: three distinct texts; stems cat, sleep, eat, fish, dog
    assert WORDS.texts == 3
    assert dict(WORDS.by_stem) == {"cat": 2, "sleep": 2, "eat": 1, "fish": 1, "dog": 2}


def test_the_share_is_that_of_the_whole_and_of_the_best_sentence():
    # by hand: cat and fish are needed, of weight log 1.6 and log 2.667; the first text
    # has cat alone, the second both in one sentence, the third both in two sentences
    cat, fish = log(4 / 2.5), log(4 / 1.5)
    passages = ["A cat.", "Cats like fish. Yes.", "A cat. A fish.", "Nothing."]
    found = shares([["The cats' fish"]], passages, WORDS)
    np.testing.assert_allclose(
        found, [[cat / (cat + fish), 1, 0.8 + 0.2 * fish / (cat + fish), 0]], atol=1e-6
    )


def test_of_several_expected_answers_the_one_found_best_counts():
    question = Item("question", "Who sleeps?", (("A", "the dogs"), ("B", "fish")))
    assert wordings(question, ("A", "cats")) == ["the dogs", "cats"]
    grades = LexicalGrader(WORDS).grade([question], ["Cats."], [("A", "cats")])
    assert grades.tolist() == [[1.0]]


def test_where_all_answers_are_needed_the_one_found_worst_counts():
    items = [Item("question", "Who sleeps?")] * 2
    keys = [AllOf(("cats", "dogs")), ("cats", "dogs")]
    passages = ["Cats.", "Cats and dogs.", "Fish."]
    grades = LexicalGrader(WORDS).grade(items, passages, keys)
    assert grades.tolist() == [[0, 1, 0], [1, 1, 0]]


def test_what_needs_no_word_is_unknown_and_never_0():
    items = [Item("nugget", "It is."), Item("nugget", "Cats")]
    grades = LexicalGrader(WORDS).grade(items, ["Cats.", "Dogs."])
    assert grades.dtype == np.float32
    assert grades.tolist() == [[UNREADABLE] * 2, [1, 0]]


def test_a_cosine_of_65_and_a_share_of_70_are_a_probability_of_80():
    # by hand: .325 is half of .65, .825 half way from there to 1
    np.testing.assert_allclose(
        to_probabilities(
            np.array([-0.1, 0, 0.325, 0.65, 0.825, 1, np.nan]), COSINE_SCALE
        ),
        [0, 0, 0.4, 0.8, 0.9, 1, UNREADABLE],
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        to_probabilities(np.array([0, 0.35, 0.7, 0.875, 1, np.nan]), SHARES),
        [0, 0.4, 0.8, 1, 1, UNREADABLE],
        rtol=1e-6,
    )


WORD = st.sampled_from(["cat", "dog", "fish", "eat", "sleep", "the", "7"])
words = st.lists(WORD, max_size=6)


@given(words, words, words)
def test_another_sentence_never_lowers_a_share_and_batches_change_nothing(
    needed, passage, more
):
    one, longer = " ".join(passage), f"{' '.join(passage)}.\n\n{' '.join(more)}"
    both = shares([[" ".join(needed)], ["fish"]], [one, longer], WORDS)
    alone = shares([[" ".join(needed)]], [longer], WORDS)
    np.testing.assert_array_equal(alone[0], both[0, 1:])
    if not np.isnan(both[0]).any():
        assert 0 <= both[0, 0] <= both[0, 1] <= 1
