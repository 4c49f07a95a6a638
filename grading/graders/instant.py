"""The instant grader: vectors for questions, words for nuggets, in a moment.

A question is about what answers it, in other words: its grades are the embedding's. A
nugget is what a passage has to say, in these words or nearly: its value is mostly the
lexical one, and for the rest the cosine with the passage, which tells whether it is
about the same thing at all. Where a nugget has no word that could be looked for, its
grades are the embedding's, too. docs/validity.md says how the weights were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grading.cache import Cache
from grading.errors import InvalidPromptError
from grading.frequencies import NO_TEXTS, Frequencies
from grading.graders import embedding
from grading.graders.client import Client, Probabilities
from grading.graders.computed import (
    COSINES,
    WORDS,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    OwnEncoder,
    mixed,
    scaled,
    unknown_reading,
)
from grading.graders.embedding import EmbeddingGrader
from grading.graders.lexical import LexicalGrader
from grading.items import Item
from grading.responders import INSTANT, GraderSpec, Reading
from grading.similarity import DECIMALS

NUGGETS_BY_WORDS = 0.75  # the rest of a nugget's value is by vectors
READING_VERSION = "instant/2"  # bump when what is combined, or how, changes
READINGS = (READING_VERSION, "instant/1")  # with sentences as they were cut before


def spec(model: str | None = None, frequencies: Frequencies = NO_TEXTS) -> GraderSpec:
    """The instant grader over this model and a collection of these frequencies."""
    by_vectors = embedding.spec(model)
    return replace(
        by_vectors,
        name=by_vectors.name.replace("embedding", INSTANT, 1),
        reading=Reading("rated", "any", READING_VERSION, frequencies=frequencies.key),
    )


def combined(
    wholes: npt.NDArray[np.float64],
    parts: npt.NDArray[np.float64],
    by_words: npt.NDArray[np.float64],
) -> Probabilities:
    """The grades from the cosines with passages and sentences, and the lexical values.

    All are [items, passages]; what has no lexical value, NaN, is graded by cosines.
    """
    by_vectors = scaled(mixed(wholes, parts), COSINES)
    both = NUGGETS_BY_WORDS * by_words + (1 - NUGGETS_BY_WORDS) * wholes.clip(0.0)
    return np.where(np.isnan(by_words), by_vectors, scaled(both.round(DECIMALS), WORDS))


class InstantGrader(ComputedGrader):
    """Grades by vectors and by words, as ``combined`` weighs them."""

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
        reading = embedding.MIXED if is_latest else embedding.MIXED_BEFORE
        read = replace(self.spec, reading=reading)
        self._vectors = EmbeddingGrader(
            model, encoder=encoder, cache=cache, stored=read
        )
        self._words = LexicalGrader(frequencies)

    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Probabilities:
        """The grade of every passage for every item, all known; errors as both."""
        if not (items and passages):
            return np.zeros((len(items), len(passages)), dtype=np.float32)
        wholes, parts = self._vectors.cosines(items, passages)
        by_words = np.full_like(wholes, np.nan)
        nuggets = [at for at, one in enumerate(items) if one.kind == "nugget"]
        if nuggets:
            found = self._words.values([items[at] for at in nuggets], passages)
            by_words[nuggets] = found
        return combined(wholes, parts, by_words)

    def read(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        """Which items, then which passages, have the vectors they need."""
        return self._vectors.read(items, passages)


def named(name: str, *, cache: Any = None, prompt: Any = None) -> InstantGrader:
    """The grader of this name, ``instant`` or ``instant:<model>``, over no collection.

    It asks nothing, so a prompt is an InvalidPromptError.
    """
    if prompt is not None:
        raise InvalidPromptError(f"{name} takes no prompt; it compares vectors, words")
    return InstantGrader(name.partition(":")[2] or None, cache=cache)


def computing(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> InstantGrader:
    """The grader of a stored description; see ``Client.computing``."""
    if stored.reading.parser not in READINGS:
        raise unknown_reading(stored)
    own = isinstance(encoder, OwnEncoder)
    if stored.responder != embedding.spec().responder and not own:
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
    extra="embedding",
    paid=False,
    local=True,
    answers=False,
    grader=named,
    computing=computing,
)
