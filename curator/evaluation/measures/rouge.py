"""ROUGE: overlap of a ranking's passages with a query's ideal answers.

By name: ``rouge-su4-r``, ``rouge-1-f1(joined,gold)``. The units are concepts:
words and pairs of words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.errors import UnknownNameError
from curator.evaluation.measures.measure import Name, Row, Scores, TextMeasure

Source = Literal["marked", "answers", "gold", "judged"]
SOURCES: tuple[Source, ...] = ("marked", "answers", "gold")
"""The ideal answers that count by default."""
JUDGED: Source = "judged"
"""Passages judged relevant as ideal answers: only if named."""
Part = Literal["p", "r", "f1"]
MAX_TABLE = 1 << 20  # keys up to which a table is quicker than a search
Concept = Literal["1", "2", "s4", "su4"]
Numbers = NDArray[np.int64]

# Largest distance of the words of a pair: neighbours, or up to 4 words between.
REACH: dict[Concept, int] = {"1": 0, "2": 1, "s4": 5, "su4": 5}
SINGLE_WORDS: tuple[Concept, ...] = ("1", "su4")  # these count single words

PARTS: tuple[Part, ...] = ("p", "r", "f1")
NAMES = tuple(f"rouge-{concept}-{part}" for concept in REACH for part in PARTS)
# The fixed order of the options in a name.
OPTIONS = (
    "mean",
    "sets",
    "discounted",
    "joined",
    "gold",
    "answers",
    "marked",
    "judged",
)

_NAME = re.compile(r"(?P<plain>rouge-[^()\s]+)\s*(?:\((?P<options>[^()]*)\))?")


@dataclass(frozen=True)
class Rouge(TextMeasure):
    """Overlap of the first ``depth`` passages with a query's ideal answers.

    A passage scores the maximum over the ideal answers, for precision, recall and F1
    separately (``mean``: their mean); a ranking the mean over the passages retrieved,
    where a gap is one that scores 0 (``discounted``: weighted by 1/log2(rank + 1)).
    ``joined``: the passages joined in their order are scored as one text. ``sets``:
    no concept counts twice in a text. ``sources`` are the ideal answers compared with;
    passages ``judged`` relevant are joined to one where the ranking is.

    It uses texts, not grades, so no question moves it.

    Source: Keikha, Park & Croft 2014, section 3; ``joined`` is the baseline of Sander
    & Dietz 2021.
    """

    concept: Concept = "1"
    part: Part = "f1"
    mean: bool = False
    sets: bool = False
    discounted: bool = False
    joined: bool = False
    sources: tuple[Source, ...] = SOURCES

    place = 80
    names = tuple(
        Name(
            name,
            "words shared with the ideal answers that people marked",
            " ".join(name.upper().rsplit("-", 1)),
        )
        for name in NAMES
    )
    offered = ("rouge-1-f1", "rouge-2-f1", "rouge-s4-f1", "rouge-su4-f1", "rouge-su4-r")
    compared = ("rouge-1-f1", "rouge-su4-f1")
    listed = "rouge-1-f1 and its like"
    uses = "compares texts with ideal answers and uses no questions"
    cited = (
        "M. Keikha, J. H. Park and W. B. Croft. Evaluating Answer Passages using "
        "Summarization Measures. SIGIR 2014."
    )
    source = "Keikha, Park & Croft 2014"

    @classmethod
    def is_named(cls, family: str) -> bool:
        return family.strip().lower().startswith("rouge")

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        if not cls.is_named(name):
            return None
        match = _NAME.fullmatch(name.strip().lower())
        words = ((match and match["options"]) or "").split(",")
        chosen = {option.strip() for option in words} - {""}
        if not match or match["plain"] not in NAMES or chosen - {*OPTIONS}:
            raise UnknownNameError(
                f"Unknown measure '{name}'. ROUGE measures are {', '.join(NAMES)}, "
                f"each with optional settings in brackets: {', '.join(OPTIONS)}; such "
                "as rouge-1-f1(joined,gold)."
            )
        _, concept, part = match["plain"].split("-")
        options = [option for option in OPTIONS if option in chosen]
        return cls(
            name=match["plain"] + (f"({','.join(options)})" if options else ""),
            concept=cast("Concept", concept),
            part=cast("Part", part),
            threshold=0,
            depth=k,
            mean="mean" in chosen,
            sets="sets" in chosen,
            discounted="discounted" in chosen,
            joined="joined" in chosen,
            sources=tuple(source for source in (*SOURCES, JUDGED) if source in chosen)
            or SOURCES,
        )

    def score_texts(self, pool: Pool, texts: Words, at: Numbers, ideals: Words) -> Row:
        """Score every system on the query; a system that skipped the query scores 0.

        ``texts`` are passages of the pool, ``at`` (passages,) the row in it of the
        passage at each pool position; ``ideals`` one or more ideal answers.
        """
        rows = np.append(at, -1)[pool.top_k(self.depth)]  # GAP is −1: it reads the −1
        if self.joined:
            systems, _ = np.nonzero(rows >= 0)
            in_order = texts.select(rows[rows >= 0]).joined(systems, len(rows))
            score = self._best(in_order, ideals)
        else:
            best = np.append(self._best(texts, ideals), 0.0)[rows]  # −1 reads the 0
            ranks = np.arange(1, rows.shape[1] + 1)
            weights = 1 / np.log2(ranks + 1) if self.discounted else np.ones(len(ranks))
            counted = weights * (ranks <= pool.retrieved(self.depth)[:, None])
            total_weights = counted.sum(axis=1)
            score = (best * counted).sum(axis=1) / np.where(
                total_weights > 0, total_weights, 1
            )
        return Row(score, score, score)

    def _best(self, texts: Words, ideals: Words) -> Scores:
        """(texts,): the score of each against all ideal answers."""
        scores = overlap(texts, ideals, self.concept, sets=self.sets).scores(self.part)
        return np.asarray(scores.mean(axis=1) if self.mean else scores.max(axis=1))


@dataclass(frozen=True, eq=False)
class Words:
    """Several texts, one after the other, each a row of numbered words.

    ``numbers`` is (words,), equal for words of one stem, never negative; ``lengths``
    is (texts,), the number of words of each.
    """

    numbers: NDArray[np.int32]
    lengths: Numbers

    @property
    def texts(self) -> int:
        return len(self.lengths)

    def text_indices(self) -> Numbers:
        """(words,): the index of each word's text."""
        return np.repeat(np.arange(self.texts), self.lengths)

    def select(self, rows: Numbers) -> Words:
        """Select texts in this order; a text may occur more than once."""
        starts = np.cumsum(self.lengths) - self.lengths
        lengths = self.lengths[rows]
        begins = np.cumsum(lengths) - lengths
        within = np.arange(int(lengths.sum())) - np.repeat(begins, lengths)
        return Words(self.numbers[np.repeat(starts[rows], lengths) + within], lengths)

    def append(self, others: Words) -> Words:
        """Append the other texts."""
        return Words(
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.lengths, others.lengths]),
        )

    def joined(self, groups: Numbers, count: int) -> Words:
        """Join the texts of each of ``count`` groups, in order; groups ascend."""
        lengths = np.bincount(groups, weights=self.lengths, minlength=count)
        return Words(self.numbers, lengths.astype(np.int64))


def count_concepts(lengths: Numbers, concept: Concept) -> Numbers:
    """(texts,): the number of concepts, with repetitions, in texts of these lengths."""
    alone = lengths if concept in SINGLE_WORDS else np.zeros_like(lengths)
    pairs = (np.maximum(lengths - d, 0) for d in range(1, REACH[concept] + 1))
    return np.asarray(alone + sum(pairs), dtype=np.int64)


def list_concepts(words: Words, concept: Concept, size: int) -> tuple[Numbers, Numbers]:
    """List (owners, keys) of every concept; ``size`` exceeds the largest number.

    A pair's key is its first word's number * size + the second's; keys of single words
    come after those. Words with negative numbers are left out.
    """
    numbers, owners = words.numbers.astype(np.int64), words.text_indices()
    numbered = numbers >= 0
    concepts = []
    if concept in SINGLE_WORDS:
        concepts.append((owners[numbered], numbers[numbered] + size * size))
    for distance in range(1, REACH[concept] + 1):
        firsts, seconds = slice(None, -distance), slice(distance, None)
        paired = (
            (owners[firsts] == owners[seconds]) & numbered[firsts] & numbered[seconds]
        )
        keys = numbers[firsts][paired] * size + numbers[seconds][paired]
        concepts.append((owners[firsts][paired], keys))
    return (
        np.concatenate([owner for owner, _ in concepts]),
        np.concatenate([key for _, key in concepts]),
    )


@dataclass(frozen=True, eq=False)
class Overlap:
    """Counts: ``shared`` (texts, ideals), ``text_counts`` and ``ideal_counts``.

    Concepts, counted with repetitions or as sets. A concept that a text has three
    times and the ideal answer twice is shared twice.
    """

    shared: NDArray[np.float64]
    text_counts: Numbers
    ideal_counts: Numbers

    def scores(self, part: Part) -> NDArray[np.float64]:
        """(texts, ideals): precision, recall or F1; 0 without concepts.

        Source: Keikha, Park & Croft 2014, section 3. F1 = 2PR / (P + R), which is
        twice what is shared over what both have.
        """
        text, ideal = self.text_counts[:, None], self.ideal_counts[None, :]
        totals = {"p": text, "r": ideal, "f1": (text + ideal) / 2}
        total = totals[part]
        return np.asarray(self.shared / np.where(total > 0, total, 1))


def overlap(texts: Words, ideals: Words, concept: Concept, *, sets: bool) -> Overlap:
    """Count the concepts that every text shares with every ideal answer.

    With ``sets`` every concept counts once per text.
    """
    size, texts_here, ideals_here = _renumbered(texts, ideals)
    owners, keys = list_concepts(ideals_here, concept, size)
    ideal_keys, places = np.unique(keys, return_inverse=True)
    in_ideals = np.zeros((ideals.texts, len(ideal_keys)), dtype=np.int64)
    np.add.at(in_ideals, (owners, places), 1)
    text, place, times = _counts_in(texts_here, concept, size, ideal_keys)
    if sets:
        in_ideals = np.minimum(in_ideals, 1)
        times = np.minimum(times, 1)
    shared = np.empty((texts.texts, ideals.texts))
    for i, ideal_counts in enumerate(in_ideals):
        both = np.minimum(times, ideal_counts[place])
        shared[:, i] = np.bincount(text, weights=both, minlength=texts.texts)
    if sets:
        return Overlap(shared, _distinct(texts, concept), in_ideals.sum(axis=1))
    return Overlap(
        shared,
        count_concepts(texts.lengths, concept),
        count_concepts(ideals.lengths, concept),
    )


def _renumbered(texts: Words, ideals: Words) -> tuple[int, Words, Words]:
    """Number the words of ideal answers from 0, all others -1."""
    kept = np.unique(ideals.numbers)
    largest = max(int(texts.numbers.max(initial=-1)), int(kept.max(initial=-1)))
    new_number = np.full(largest + 2, -1, dtype=np.int32)
    new_number[kept] = np.arange(len(kept), dtype=np.int32)
    return (
        len(kept),
        Words(new_number[texts.numbers], texts.lengths),
        Words(new_number[ideals.numbers], ideals.lengths),
    )


def _counts_in(
    texts: Words, concept: Concept, size: int, ideal_keys: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """(text, place in ``ideal_keys``, count) of concepts shared with ideal answers."""
    owners, keys = list_concepts(texts, concept, size)
    key_count = size * size + size
    if not len(ideal_keys):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    if key_count <= MAX_TABLE:
        table = np.full(key_count, -1, dtype=np.int32)
        table[ideal_keys] = np.arange(len(ideal_keys), dtype=np.int32)
        places = table[keys].astype(np.int64)
    else:
        places = np.searchsorted(ideal_keys, keys).clip(max=len(ideal_keys) - 1)
        places = np.where(ideal_keys[places] == keys, places, -1)
    present = places >= 0
    cells = owners[present] * len(ideal_keys) + places[present]
    if texts.texts * len(ideal_keys) <= 4 * MAX_TABLE:
        counted = np.bincount(cells, minlength=1)
        filled = np.flatnonzero(counted)
        times = counted[filled]
    else:
        filled, times = np.unique(cells, return_counts=True)
    return filled // len(ideal_keys), filled % len(ideal_keys), times.astype(np.int64)


@lru_cache(maxsize=1024)  # of every query's passages, for several kinds of concept
def _distinct(texts: Words, concept: Concept) -> Numbers:
    """(texts,): the number of distinct concepts of each text."""
    size = int(texts.numbers.max(initial=0)) + 1
    owners, keys = list_concepts(texts, concept, size)
    key_count = size * size + size
    text = np.unique(owners * key_count + keys) // key_count
    return np.bincount(text, minlength=texts.texts)


class CharacterMap(TextMeasure):
    """Average precision over characters of the first ``depth`` passages, in [0, 1].

    A ranking is read character by character; those marked as an ideal answer of any
    grade are relevant. The precision at each relevant character read is summed and
    divided by the number of relevant characters of the query.

    Source: Keikha, Park & Croft 2014, section 4.
    """

    sources: ClassVar[tuple[Source, ...]] = ("marked",)
    place = 81
    names = (
        Name("char-map", "MAP over the characters that people marked", "character MAP"),
    )
    offered = ("char-map",)
    uses = "uses marked passages, not questions"
    source = "Keikha, Park & Croft 2014"

    def character_row(
        self,
        pool: Pool,
        marked: Mapping[int, NDArray[np.bool_]],
        lengths: Mapping[int, int],
    ) -> Row:
        """Score every system by the marked characters of its ranking.

        ``marked`` has a (characters,) mask for each passage with a mark, by pool
        position, ``lengths`` the number of characters of every passage ranked.
        """
        total = sum(int(flags.sum()) for flags in marked.values())
        score = np.zeros(len(pool.top))
        for system, ranked in enumerate(pool.top_k(self.depth).tolist()):
            read = relevant = 0
            for position in ranked:
                if position < 0:
                    continue
                if position in marked:
                    at = np.flatnonzero(marked[position]) + 1
                    counts = np.arange(relevant + 1, relevant + len(at) + 1)
                    score[system] += (counts / (read + at)).sum() / total
                    relevant += len(at)
                read += lengths[position]
        return Row(score, score, score)
