"""The instant grader: vectors for questions, mostly words for nuggets and answers.

An answer to a question uses other words than the question, so questions have the grades
of the embedding grader. A passage states a nugget in nearly the same words, so the
value of a nugget is mostly the lexical one, and for the rest the cosine with the
passage. A nugget of stop words alone has the grades of the embedding grader, too.

If a question has an answer key, its value is mostly that of the key: the share of its
words in the passage, and if the passage is a short answer also the share of the
answer's words in the key, and the similarity of the letters. docs/validity.md describes
how the weights were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

from grading.graders import embedding
from grading.graders.client import Client, Probabilities
from grading.graders.computed import (
    COSINE_SCALE,
    WORD_SCALE,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    GraderEncoder,
    to_probabilities,
    unknown_reading,
    weighted_mean,
)
from grading.graders.embedding import EmbeddingGrader
from grading.graders.lexical import LexicalGrader, unique_stems, wordings
from grading.items import AllOf, Item, answer_texts
from grading.responders import INSTANT, WITHOUT_KEYS, GraderSpec, Reading
from grading.similarity import DECIMALS, Cache
from grading.stems import NO_TEXTS, Frequencies

LEXICAL_WEIGHT = 0.75  # in the value of a nugget or key; the rest is by vectors
LETTERS_WEIGHT = 0.3  # of letters, in what words and letters say of a short answer
SHORT = 10  # most different words of a short answer
YES_OR_NO = ("yes", "no", "true", "false")
READING_VERSION = "instant/3"  # bump when what is combined, or how, changes
READINGS = (READING_VERSION, *WITHOUT_KEYS)  # instant/1 had other sentences


def spec(model: str | None = None, frequencies: Frequencies = NO_TEXTS) -> GraderSpec:
    """Spec of the instant grader with this model and these word frequencies."""
    by_vectors = embedding.spec(model)
    return replace(
        by_vectors,
        name=by_vectors.name.replace("embedding", INSTANT, 1),
        reading=Reading("rated", "any", READING_VERSION, frequencies=frequencies.key),
    )


def combine(
    of_passages: npt.NDArray[np.float64],
    of_sentences: npt.NDArray[np.float64],
    by_words: npt.NDArray[np.float64],
    by_keys: npt.NDArray[np.float64] | None = None,
) -> Probabilities:
    """Grades from cosines with passages and sentences, and from words and keys.

    All are [items, passages]. Where values by words and keys are NaN, cosines alone
    count.
    """
    by_vectors = to_probabilities(
        weighted_mean(of_passages, of_sentences), COSINE_SCALE
    )
    both = LEXICAL_WEIGHT * by_words + (1 - LEXICAL_WEIGHT) * of_passages.clip(0.0)
    grades = np.where(
        np.isnan(by_words),
        by_vectors,
        to_probabilities(both.round(DECIMALS), WORD_SCALE),
    )
    if by_keys is None:
        return grades
    keyed = LEXICAL_WEIGHT * by_keys + (1 - LEXICAL_WEIGHT) * by_vectors
    return np.where(
        np.isnan(by_keys),
        grades,
        to_probabilities(keyed.round(DECIMALS), WORD_SCALE),
    )


def has_key(item: Item, answers: Sequence[str]) -> bool:
    """Return True for a question with an answer that a passage would contain.

    Passages do not say yes or no to a question.
    """
    expected = () if item.kind == "nugget" else answer_texts(answers, item.choices)
    return any(
        unique_stems(text) and text.strip().lower() not in YES_OR_NO
        for text in expected
    )


def with_short_answers(
    by_words: npt.NDArray[np.float64],
    needed: Sequence[Sequence[str]],
    passages: Sequence[str],
) -> npt.NDArray[np.float64]:
    """Values by key, [items, passages], in which short passages are whole answers.

    Such a passage has to say nothing beyond the key: its value is the mean of both
    shares, of the key's words in it and of its words in the key, and partly the
    similarity of its letters with the most similar part of the key, or the other way
    round. ``needed`` are the wordings of each key, of which the best counts.
    """
    words = [unique_stems(passage) for passage in passages]
    short = [at for at, stems in enumerate(words) if 0 < len(stems) <= SHORT]
    if not short:
        return by_words
    values = by_words.copy()
    texts = [passages[at].lower() for at in short]
    for row, texts_of_key in enumerate(needed):
        if isinstance(texts_of_key, AllOf) or np.isnan(by_words[row]).all():
            continue
        letters = process.cdist(
            [text.lower() for text in texts_of_key], texts, scorer=fuzz.partial_ratio
        )
        keys = [unique_stems(text) for text in texts_of_key]
        shares = [
            max(
                (
                    len(key & words[at]) / len(key)
                    + len(key & words[at]) / len(words[at])
                )
                / 2
                for key in keys
                if key
            )
            for at in short
        ]
        values[row, short] = (1 - LETTERS_WEIGHT) * np.array(
            shares
        ) + LETTERS_WEIGHT * letters.max(axis=0) / 100
    return values


class InstantGrader(ComputedGrader):
    """Grades by vectors and by words (``combine``)."""

    def __init__(
        self,
        model: str | None = None,
        *,
        cache: Cache | None = None,
        encoder: Encoder | None = None,
        frequencies: Frequencies = NO_TEXTS,
        stored: GraderSpec | None = None,
    ) -> None:
        self.spec = spec(model, frequencies) if stored is None else stored
        is_latest = self.spec.reading.parser != "instant/1"
        reading = embedding.LATEST_READING if is_latest else embedding.COSINE_2
        self._vectors = EmbeddingGrader(
            model,
            encoder=encoder,
            cache=cache,
            stored=replace(self.spec, reading=reading),
        )
        self._words = LexicalGrader(frequencies)

    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Probabilities:
        """Grade every passage for every item; raises the errors of both graders."""
        if not (items and passages):
            return np.zeros((len(items), len(passages)), dtype=np.float32)
        of_passages, of_sentences = self._vectors.cosines(items, passages)
        by_words, by_keys = (np.full_like(of_passages, np.nan) for _ in range(2))
        nuggets = [at for at, item in enumerate(items) if item.kind == "nugget"]
        if nuggets:
            values = self._words.values([items[at] for at in nuggets], passages)
            by_words[nuggets] = values
        keys = answers if answers and self.spec.reading.reads_answer_keys else ()
        keyed = [at for at, key in enumerate(keys) if has_key(items[at], key)]
        if keyed:
            of_keys = [items[at] for at in keyed], [keys[at] for at in keyed]
            needed = [wordings(*pair) for pair in zip(*of_keys, strict=True)]
            values = self._words.values(of_keys[0], passages, of_keys[1])
            by_keys[keyed] = with_short_answers(values, needed, passages)
        return combine(of_passages, of_sentences, by_words, by_keys)

    def has_vectors(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        return self._vectors.has_vectors(items, passages)


def from_spec(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> InstantGrader:
    """Open a stored grader; see ``Client.from_spec``."""
    if stored.reading.parser not in READINGS:
        raise unknown_reading(stored)
    is_default = stored.responder == embedding.spec().responder
    if not is_default and not isinstance(encoder, GraderEncoder):
        encoder = None
    return InstantGrader(
        model, cache=cache, encoder=encoder, frequencies=frequencies, stored=stored
    )


CLIENT = Client(
    engine=INSTANT,
    names={
        "instant": "questions by vectors, nuggets by words; milliseconds an item",
        "instant:<model name or folder>": "instant, by another model of vectors",
    },
    paid=False,
    local=True,
    takes_prompts=False,
    from_name=lambda name, cache=None: InstantGrader(
        name.partition(":")[2] or None, cache=cache
    ),
    from_spec=from_spec,
)
