"""The instant grader: vectors for questions, mostly words for nuggets.

An answer to a question uses other words than the question, so questions have the grades
of the embedding grader. A passage states a nugget in nearly the same words, so the
value of a nugget is mostly the lexical one, and for the rest the cosine with the
passage. A nugget of stop words alone has the grades of the embedding grader, too.
docs/validity.md describes how the weights were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

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
from grading.graders.lexical import LexicalGrader
from grading.items import Item
from grading.responders import INSTANT, GraderSpec, Reading
from grading.similarity import DECIMALS, Cache
from grading.stems import NO_TEXTS, Frequencies

LEXICAL_WEIGHT = 0.75  # in the value of a nugget; the rest is by vectors
READING_VERSION = "instant/2"  # bump when what is combined, or how, changes
READINGS = (READING_VERSION, "instant/1")  # the former with other sentences


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
) -> Probabilities:
    """Grades from cosines with passages and sentences and from lexical values.

    All are [items, passages]. Where the lexical value is NaN, cosines alone count.
    """
    by_vectors = to_probabilities(
        weighted_mean(of_passages, of_sentences), COSINE_SCALE
    )
    both = LEXICAL_WEIGHT * by_words + (1 - LEXICAL_WEIGHT) * of_passages.clip(0.0)
    return np.where(
        np.isnan(by_words),
        by_vectors,
        to_probabilities(both.round(DECIMALS), WORD_SCALE),
    )


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
        is_latest = self.spec.reading.parser == READING_VERSION
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
        by_words = np.full_like(of_passages, np.nan)
        nuggets = [at for at, item in enumerate(items) if item.kind == "nugget"]
        if nuggets:
            values = self._words.values([items[at] for at in nuggets], passages)
            by_words[nuggets] = values
        return combine(of_passages, of_sentences, by_words)

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
