"""The lexical grader: weighted share of an item's needed words found in a passage.

The *needed words* of a question are those of its expected answer (of several, the one
found best); those of a nugget, and of a question without expected answers, are its own
words. The value is the weight of the needed stems in the text divided by the weight of
all; rarer words weigh more (``grading.stems``). It needs no model. A question's
own words are not those of its answer, so without expected answers its grades are weak.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from grading.errors import UngradableItemError
from grading.graders.client import Client, Probabilities
from grading.graders.computed import (
    WORD_SCALE,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    passage_sentences,
    to_probabilities,
    unknown_reading,
    weighted_mean,
)
from grading.items import AllOf, Item, answer_texts
from grading.responders import LEXICAL, GraderSpec, Reading, Responder
from grading.similarity import Cache
from grading.stems import NO_TEXTS, Frequencies, Stems

READING_VERSION = "lexical/1"  # bump when a share would be computed differently
SENTENCES = "1"  # version of sentence splitting; only English words are counted

_STEMS = Stems()  # every word is stemmed once per process


def spec(frequencies: Frequencies = NO_TEXTS) -> GraderSpec:
    """Spec of the lexical grader with these word frequencies."""
    return GraderSpec(
        "lexical",
        Responder("lexical", "", "", (("stems", "porter/1"),)),
        Reading("rated", "any", READING_VERSION, frequencies=frequencies.key),
    )


def wordings(item: Item, answers: Sequence[str] = ()) -> Sequence[str]:
    """Return the texts of which one has to be found: expected answers, or its own text.

    An ``AllOf`` if all answers are needed. Raises UngradableItemError if the text is
    not published.
    """
    if item.text is None:
        raise UngradableItemError(
            f"The text of {item.kind} '{item.public_id}' is not published, and the "
            "lexical grader needs it; import the text or use its imported grades"
        )
    expected = () if item.kind == "nugget" else answer_texts(answers, item.choices)
    # An answer of stop words alone is never found.
    counted = [text for text in expected if _STEMS.stem_numbers([text])[0].size]
    if counted and isinstance(answers, AllOf):
        return AllOf(counted)
    return counted or [item.text]


def unique_stems(text: str) -> frozenset[int]:
    """Numbers of the different stems of a text, stop words left out."""
    return frozenset(_STEMS.stem_numbers([text])[0].tolist())


def shares(
    items: Sequence[Sequence[str]], passages: Sequence[str], frequencies: Frequencies
) -> npt.NDArray[np.float64]:
    """Weighted share of needed words found, [items, passages], in [0, 1].

    Combines the shares in the whole passage and in its best sentence. An item is given
    as its wordings, of which the best counts, or the worst if all are needed. NaN for
    an item without needed words.
    """
    if not (items and passages):
        return np.zeros((len(items), len(passages)))
    rows = [wording for wordings_of_item in items for wording in wordings_of_item]
    value = weighted_mean(*passage_and_sentence_shares(rows, passages, frequencies))
    starts = np.cumsum([0, *map(len, items)])[:-1]
    best: npt.NDArray[np.float64] = np.fmax.reduceat(value, starts, axis=0)
    if needs_all := [isinstance(needed, AllOf) for needed in items]:
        best[needs_all] = np.fmin.reduceat(value, starts, axis=0)[needs_all]
    return best


def passage_and_sentence_shares(
    needed: Sequence[str], passages: Sequence[str], frequencies: Frequencies
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Shares in passages, and in their best sentences, [needed, passages] each.

    NaN for a text without needed words.
    """
    split = [passage_sentences(passage, SENTENCES) for passage in passages]
    texts = [*passages, *chain(*split)]
    share = _shares(needed, texts, frequencies)
    starts = np.cumsum([0, *map(len, split)])[:-1]
    parts = np.maximum.reduceat(share[:, len(passages) :], starts, axis=1)
    return share[:, : len(passages)], parts


def _shares(
    needed: Sequence[str], texts: Sequence[str], frequencies: Frequencies
) -> npt.NDArray[np.float64]:
    """Share of the weight of each needed text found in each text, [needed, texts]."""
    numbers, lengths = _STEMS.stem_numbers([*needed, *texts])
    owners = np.repeat(np.arange(len(lengths)), lengths)
    of_needed = owners < len(needed)
    columns, at = np.unique(numbers[of_needed], return_inverse=True)
    if not len(columns):
        return np.full((len(needed), len(texts)), np.nan)
    names = _STEMS.names(columns.tolist())
    weights = np.zeros((len(needed), len(columns)))
    weights[owners[of_needed], at] = 1.0
    weights *= np.array([frequencies.weight(name) for name in names])
    in_texts, where = numbers[~of_needed], owners[~of_needed] - len(needed)
    at = np.searchsorted(columns, in_texts).clip(max=len(columns) - 1)
    hit = columns[at] == in_texts
    is_present = np.zeros((len(texts), len(columns)))
    is_present[where[hit], at[hit]] = 1.0
    total = weights.sum(axis=1, keepdims=True)
    share: npt.NDArray[np.float64] = np.full((len(needed), len(texts)), np.nan)
    np.divide(weights @ is_present.T, total, out=share, where=total > 0)
    return share


class LexicalGrader(ComputedGrader):
    """Grades by the share of needed words in a passage.

    ``frequencies`` are those of the collection; without them all words weigh the same.
    """

    def __init__(
        self, frequencies: Frequencies = NO_TEXTS, *, stored: GraderSpec | None = None
    ) -> None:
        self.spec = spec(frequencies) if stored is None else stored
        self._frequencies = frequencies

    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Probabilities:
        """Grade by shares of needed words; unreadable for an item without any."""
        return to_probabilities(self.values(items, passages, answers), WORD_SCALE)

    def values(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> npt.NDArray[np.float64]:
        """Shares of needed words; NaN for an item without needed words."""
        keys = answers or [()] * len(items)
        needed = [wordings(*pair) for pair in zip(items, keys, strict=True)]
        return shares(needed, passages, self._frequencies)


def from_spec(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> LexicalGrader:
    """Open a stored grader; see ``Client.from_spec``."""
    if stored.reading.parser != READING_VERSION:
        raise unknown_reading(stored)
    return LexicalGrader(frequencies, stored=stored)


CLIENT = Client(
    engine=LEXICAL,
    names={"lexical": "share of the expected answer's or nugget's words; no model"},
    paid=False,
    local=True,
    takes_prompts=False,
    from_name=lambda name, cache=None: LexicalGrader(),
    from_spec=from_spec,
)
