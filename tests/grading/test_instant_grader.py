"""The instant grader: questions by vectors, nuggets by words; of sentences, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grading.graders import embedding
from grading.graders.embedding import EmbeddingGrader
from grading.graders.instant import InstantGrader
from grading.graders.lexical import LexicalGrader
from grading.items import AllOf, Item
from grading.keys import text_key
from grading.registry import computed_grader
from grading.responders import Reading
from grading.similarity import MemoryCache
from grading.stems import Frequencies
from tests.samples.workspaces import FakeEncoder

QUESTION, NUGGET = Item("question", "Do cats sleep?"), Item("nugget", "Cats sleep.")
PASSAGES = ["Cats sleep. Dogs eat.", "Fish swim."]
WORDS = Frequencies.from_texts(PASSAGES)
MIXED = embedding.spec(reading=embedding.LATEST_READING)


class Turned:
    """Stands for the model: a direction for each text it knows."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts):
        self.texts += texts
        known = {
            "Do cats sleep?": [1, 0],
            "Cats sleep.": [1, 0],
            "Dogs eat.": [0, 1],
            "Cats sleep. Dogs eat.": [3, 4],
            "Fish swim.": [0, 1],
        }
        return [np.array([known[text]], dtype=np.float16) for text in texts]


def test_the_value_is_of_the_passage_and_of_its_best_sentence():
    # by hand: cosine .6 with the whole, 1 with the first sentence: .8 x .6 + .2 x 1
    grader = EmbeddingGrader(encoder=Turned(), stored=MIXED)
    wholes, parts = grader.cosines([QUESTION], PASSAGES)
    assert (wholes.tolist(), parts.tolist()) == ([[0.6, 0.0]], [[1.0, 0.0]])
    # by hand: the value is .68: .8 + .2 x (.68 - .65) / .35
    np.testing.assert_allclose(
        grader.grade([QUESTION], PASSAGES), [[0.8 + 0.2 * 0.03 / 0.35, 0]], rtol=1e-6
    )


def test_a_question_goes_by_vectors_and_a_nugget_three_quarters_by_words():
    grader = InstantGrader(encoder=Turned(), frequencies=WORDS)
    items = [QUESTION, NUGGET, Item("nugget", "Dogs eat.")]
    grades = grader.grade(items, PASSAGES)
    by_vectors = EmbeddingGrader(encoder=Turned(), stored=MIXED)
    assert grades[0].tolist() == by_vectors.grade([QUESTION], PASSAGES)[0].tolist()
    # by hand: every word stands in the first passage, the cosine is .6: a value of .9
    assert grades[1].tolist() == [1, 0]
    # by hand: no word of the last stands in the second, the cosine is 1: .25 / .875
    np.testing.assert_allclose(grades[2, 1], 2 / 7, rtol=1e-6)
    assert LexicalGrader(WORDS).grade(items[1:], PASSAGES)[:, 1].tolist() == [0, 0]


def test_a_question_with_a_key_goes_by_the_key():
    grader = InstantGrader(encoder=Turned(), frequencies=WORDS)
    keys = [["Dogs eat.", "Cats"]]
    grades = grader.grade([QUESTION], [*PASSAGES, "Cats sleep."], keys)
    # by hand, of the first: of the key Dogs eat every word is in it, half of its words
    # in the key, and all letters: .7 x .75 + .3; the cosine's probability is .817
    by_vectors = 0.8 + 0.2 * 0.03 / 0.35
    value = 0.75 * (0.7 * 0.75 + 0.3) + 0.25 * by_vectors
    np.testing.assert_allclose(grades[0, 0], value / 0.875, rtol=1e-3)
    # of the last: all of the key Cats, which is half of it, and all letters; cosine 1
    np.testing.assert_allclose(grades[0, 2], (0.75 * 0.825 + 0.25) / 0.875, rtol=1e-3)
    assert grades[0, 1] < 0.35
    assert (
        grades[0].tolist()
        != grader.grade([QUESTION], [*PASSAGES, "Cats sleep."])[0].tolist()
    )


def test_a_long_passage_may_say_more_than_the_key():
    grader = InstantGrader(encoder=FakeEncoder(), frequencies=WORDS)
    long = "Paris is where " + " ".join(f"word{n}" for n in range(20)) + " meet."
    short, alone = grader.grade(
        [QUESTION], ["Paris Rome Oslo Bern", long], [["Paris"]]
    )[0]
    assert alone > short


@pytest.mark.parametrize("key", [["Yes"], ["no"], ["True", "yes"], ["the"], []])
def test_yes_and_no_are_no_words_to_look_for(key):
    grader = InstantGrader(encoder=Turned(), frequencies=WORDS)
    by_vectors = grader.grade([QUESTION], PASSAGES)
    assert grader.grade([QUESTION], PASSAGES, [key]).tolist() == by_vectors.tolist()


def test_of_answers_that_are_all_needed_one_is_not_enough():
    grader = InstantGrader(encoder=Turned(), frequencies=WORDS)
    either, both = (
        grader.grade([QUESTION], ["Fish swim."], [keys])[0, 0]
        for keys in (["Fish", "Cats"], AllOf(["Fish", "Cats"]))
    )
    assert both < either


def test_a_grader_stored_before_looks_at_no_key():
    spec = replace(InstantGrader().spec, reading=Reading("rated", "any", "instant/2"))
    assert not spec.reading.reads_answer_keys
    grader = computed_grader(spec, encoder=Turned())
    keyed = grader.grade([QUESTION], PASSAGES, [["Dogs eat."]])
    assert keyed.tolist() == grader.grade([QUESTION], PASSAGES).tolist()


@pytest.mark.parametrize(
    ("parser", "parts"),
    [
        *(("cosine/2", 2), ("cosine/3", 3)),
        *(("instant/1", 2), ("instant/2", 3), ("instant/3", 3)),
    ],
)
def test_a_grader_stored_before_goes_on_cutting_sentences_as_it_did(parser, parts):
    text, cache = "هل تنام؟ نعم تنام. حقا.", MemoryCache()
    spec = replace(embedding.spec(), reading=Reading("rated", "any", parser))
    grader = computed_grader(spec, cache=cache, encoder=FakeEncoder())
    assert grader.spec == spec
    grader.grade([QUESTION], [text])
    (kept,) = cache.sentence_cache(spec.sentences).get_many([text_key(text)]).values()
    assert len(kept) == parts
    _, of_sentences = spec.responders
    assert of_sentences.decoding[-1] == ("sentences", "1" if parts == 2 else "2")
