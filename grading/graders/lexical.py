"""The lexical grader: how much of what an item needs stands in the passage, by words.

An item's *needed words* are those of its expected answer, of several the one found
best; a nugget's, and a question's without expected answers, are its own. The
value is the weight of the needed stems that stand in the text, divided by the weight of
all; the rarer in the collection, the heavier (``grading.frequencies``).
No model, no download. A question's own words say what it is about, not what answers it,
so without expected answers its grades are weak.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grading.cache import Cache
from grading.errors import InvalidPromptError, UngradableItemError
from grading.frequencies import NO_TEXTS, Frequencies
from grading.graders.client import Client, Probabilities
from grading.graders.computed import (
    WORDS,
    AnswerKeys,
    ComputedGrader,
    Encoder,
    mixed,
    pieces,
    scaled,
    unknown_reading,
)
from grading.items import AllOf, Item, answer_texts
from grading.responders import LEXICAL, GraderSpec, Reading, Responder
from grading.stems import Stems

READING_VERSION = "lexical/1"  # bump when a share would be computed otherwise
SENTENCES = "1"  # the version of how texts are cut; the words counted are English

_STEMS = Stems()  # words are stemmed once in a process


def spec(frequencies: Frequencies = NO_TEXTS) -> GraderSpec:
    """The lexical grader over a collection of these frequencies."""
    return GraderSpec(
        "lexical",
        Responder("lexical", "", "", (("stems", "porter/1"),)),
        Reading("rated", "any", READING_VERSION, frequencies=frequencies.key),
    )


def wordings(item: Item, answers: Sequence[str] = ()) -> Sequence[str]:
    """The texts of which one has to be found: the expected answers, else its own.

    All of them where the key is of all answers, and so are these.

    Raises UngradableItemError where the text is not published.
    """
    if item.text is None:
        raise UngradableItemError(
            f"The text of {item.kind} '{item.public_id}' is not published, and the "
            "lexical grader needs it; import the text or use its imported grades"
        )
    expected = () if item.kind == "nugget" else answer_texts(answers, item.choices)
    # An answer of stop words alone can be found nowhere.
    counted = [one for one in expected if _STEMS.numbered([one])[0].size]
    if counted and isinstance(answers, AllOf):
        return AllOf(counted)
    return counted or [item.text]


def shares(
    asked: Sequence[Sequence[str]], passages: Sequence[str], frequencies: Frequencies
) -> npt.NDArray[np.float64]:
    """Weighted share of needed words found, [items, passages], in [0, 1].

    That of the whole passage and of its best sentence, mixed. Each item is given by its
    wordings, of which the best counts, the worst where all are needed; NaN where they
    have no word that is needed.
    """
    if not (asked and passages):
        return np.zeros((len(asked), len(passages)))
    rows = [wording for one in asked for wording in one]
    value = mixed(*shares_found(rows, passages, frequencies))
    starts = np.cumsum([0, *map(len, asked)])[:-1]
    best: npt.NDArray[np.float64] = np.fmax.reduceat(value, starts, axis=0)
    if needs_all := [isinstance(one, AllOf) for one in asked]:
        best[needs_all] = np.fmin.reduceat(value, starts, axis=0)[needs_all]
    return best


def shares_found(
    needed: Sequence[str], passages: Sequence[str], frequencies: Frequencies
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """[needed, passages] twice: what stands in the passages, in their best sentences.

    NaN where a text has no word that is needed.
    """
    cut = [pieces(passage, SENTENCES) for passage in passages]
    texts = [*passages, *(piece for of_passage in cut for piece in of_passage)]
    share = _shares(needed, texts, frequencies)
    starts = np.cumsum([0, *map(len, cut)])[:-1]
    parts = np.maximum.reduceat(share[:, len(passages) :], starts, axis=1)
    return share[:, : len(passages)], parts


def _shares(
    needed: Sequence[str], texts: Sequence[str], frequencies: Frequencies
) -> npt.NDArray[np.float64]:
    """[needed, texts]: the share of the one's weight that stands in the other."""
    numbers, lengths = _STEMS.numbered([*needed, *texts])
    owners = np.repeat(np.arange(len(lengths)), lengths)
    of_needed = owners < len(needed)
    columns, at = np.unique(numbers[of_needed], return_inverse=True)
    if not len(columns):
        return np.full((len(needed), len(texts)), np.nan)
    names = _STEMS.names(columns.tolist())
    weights = np.zeros((len(needed), len(columns)))
    weights[owners[of_needed], at] = 1.0
    weights *= np.array([frequencies.weight(name) for name in names])
    said, where = numbers[~of_needed], owners[~of_needed] - len(needed)
    at = np.searchsorted(columns, said).clip(max=len(columns) - 1)
    hit = columns[at] == said
    found = np.zeros((len(texts), len(columns)))
    found[where[hit], at[hit]] = 1.0
    total = weights.sum(axis=1, keepdims=True)
    share: npt.NDArray[np.float64] = np.full((len(needed), len(texts)), np.nan)
    np.divide(weights @ found.T, total, out=share, where=total > 0)
    return share


class LexicalGrader(ComputedGrader):
    """Grades by the needed words that a passage holds.

    ``frequencies`` are those of the collection; without any all words weigh the same.
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
        """Scaled share of the needed words; unreadable where an item has none."""
        return scaled(self.values(items, passages, answers), WORDS)

    def values(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> npt.NDArray[np.float64]:
        """Shares of the needed words; NaN where an item has none."""
        keys = answers or [()] * len(items)
        asked = [wordings(*one) for one in zip(items, keys, strict=True)]
        return shares(asked, passages, self._frequencies)


def named(name: str, *, cache: Any = None, prompt: Any = None) -> LexicalGrader:
    """The grader of the name ``lexical``, over no collection yet.

    It asks nothing, so a prompt is an InvalidPromptError.
    """
    if prompt is not None:
        raise InvalidPromptError(f"{name} takes no prompt; it compares words")
    return LexicalGrader()


def computing(
    stored: GraderSpec,
    *,
    model: str | None = None,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
    frequencies: Frequencies = NO_TEXTS,
) -> LexicalGrader:
    """The grader of a stored description; see ``Client.computing``."""
    if stored.reading.parser != READING_VERSION:
        raise unknown_reading(stored)
    return LexicalGrader(frequencies, stored=stored)


CLIENT = Client(
    engine=LEXICAL,
    names={"lexical": "share of the expected answer's or nugget's words; no model"},
    extra="",
    paid=False,
    local=True,
    answers=False,
    grader=named,
    computing=computing,
)
