"""ROUGE: how much a ranking's passages share with a query's ideal answers.

By name: ``rouge-su4-r``, ``rouge-1-f1(joined,gold)``. What is counted are concepts:
words and pairs of words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn, Self, cast

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.measure import (
    Documented,
    Measure,
    Name,
    Row,
    Scores,
)

Source = Literal["marked", "answers", "gold", "judged"]
SOURCES: tuple[Source, ...] = ("marked", "answers", "gold")
"""The ideal answers that count where a name says none."""
JUDGED: Source = "judged"
"""Passages judged relevant as ideal answers: only where a name says so."""
Part = Literal["p", "r", "f1"]
TABLE = 1 << 20  # keys up to which a table is quicker than a search
Concept = Literal["1", "2", "s4", "su4"]
Numbers = NDArray[np.int64]

# How far apart the words of a pair may stand: neighbours, or with up to 4 between.
REACH: dict[Concept, int] = {"1": 0, "2": 1, "s4": 5, "su4": 5}
ALONE: tuple[Concept, ...] = ("1", "su4")  # these count single words

PARTS: tuple[Part, ...] = ("p", "r", "f1")
NAMES = tuple(f"rouge-{concept}-{part}" for concept in REACH for part in PARTS)
# The order of the options in a name, whatever the order they were given in.
OPTIONS = (
    *("mean", "sets", "discounted", "joined"),
    *("gold", "answers", "marked", "judged"),
)

_NAME = re.compile(r"(?P<plain>rouge-[^()\s]+)\s*(?:\((?P<options>[^()]*)\))?")


@dataclass(frozen=True, slots=True)
class Rouge(Measure):
    """How much the first ``depth`` passages share with a query's ideal answers.

    A passage scores the maximum over the ideal answers, for precision, recall and F1
    separately (``mean``: their mean); a ranking the mean over the passages retrieved,
    where a gap is one that scores 0 (``discounted``: weighted by 1/log2(rank + 1)).
    ``joined``: the passages joined in their order are scored as one text. ``sets``:
    no concept counts twice in a text. ``sources`` are the ideal answers compared with;
    passages ``judged`` relevant are joined to one where the ranking is.

    It rests on texts, not on grades: no question moves it.

    Source: Keikha, Park & Croft 2014, section 3; ``joined`` is the baseline of Sander
    & Dietz 2021.
    """

    name: str
    concept: Concept
    part: Part
    depth: int | None
    mean: bool = False
    sets: bool = False
    discounted: bool = False
    joined: bool = False
    sources: tuple[Source, ...] = SOURCES

    place = 80
    names = tuple(
        Name(name, "words shared with the ideal answers that people marked")
        for name in NAMES
    )
    needs = "ideals"
    rests_on = "texts"
    offered = ("rouge-1-f1", "rouge-2-f1", "rouge-s4-f1", "rouge-su4-f1", "rouge-su4-r")
    compared = ("rouge-1-f1", "rouge-su4-f1")
    usage = (
        "rouge-1-f1, rouge-su4-r and the like, with options as in "
        '"rouge-1-f1(joined,gold)"'
    )
    listed = "rouge-1-f1 and its like"
    looks_at_k = True
    cited = (
        "M. Keikha, J. H. Park and W. B. Croft. Evaluating Answer Passages using "
        "Summarization Measures. SIGIR 2014."
    )
    documented = (
        Documented(
            "ROUGE-1, 2, S4, SU4",
            "words and pairs of words shared with ideal answers",
            "Keikha, Park & Croft 2014",
            "`rouge-score`; Python sets; [ROUGE](rouge.md)",
        ),
    )

    @classmethod
    def is_named(cls, family: str) -> bool:
        return family.strip().lower().startswith("rouge")

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        if not cls.is_named(name):
            return None
        found = _NAME.fullmatch(name.strip().lower())
        if not found or found["plain"] not in NAMES:
            raise UnknownNameError(
                f"Unknown measure '{name}'. ROUGE measures are {', '.join(NAMES)}, "
                f"each with options in brackets if wished: {', '.join(OPTIONS)}; such "
                "as rouge-1-f1(joined,gold)."
            )
        given = [one.strip() for one in (found["options"] or "").split(",")]
        asked = {one for one in given if one}
        strange = sorted(asked - set(OPTIONS))
        if strange:
            raise UnknownNameError(
                f"'{name}' has an option there is not, '{strange[0]}'. There are: "
                f"{', '.join(OPTIONS)}."
            )
        _, concept, part = found["plain"].split("-")
        options = [one for one in OPTIONS if one in asked]
        return cls(
            name=found["plain"] + (f"({','.join(options)})" if options else ""),
            concept=cast("Concept", concept),
            part=cast("Part", part),
            depth=k,
            mean="mean" in asked,
            sets="sets" in asked,
            discounted="discounted" in asked,
            joined="joined" in asked,
            sources=tuple(source for source in (*SOURCES, JUDGED) if source in asked)
            or SOURCES,
        )

    def row(self, graded: GradedQuery) -> NoReturn:
        """Raise EvaluationError: on questions this says nothing."""
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise EvaluationError: texts stand in no subtopic."""
        raise EvaluationError(
            f"{self.name} compares texts with ideal answers; it rests on no questions "
            "and has no scores by subtopic."
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """NaN: no question moves it."""
        return np.full((len(graded.item_ids), len(graded.pool.top)), np.nan)

    def of_texts(self, pool: Pool, texts: Words, at: Numbers, ideals: Words) -> Row:
        """The query's score of every system; a system that skipped the query scores 0.

        ``texts`` are passages of the pool, ``at`` (passages,) the row in it of the
        passage at each pool position; ``ideals`` one or more ideal answers.
        """
        rows = np.append(at, -1)[pool.top_k(self.depth)]  # GAP is −1: it reads the −1
        if self.joined:
            systems, _ = np.nonzero(rows >= 0)
            in_order = texts.of(rows[rows >= 0]).joined(systems, len(rows))
            score = self._best(in_order, ideals)
        else:
            best = np.append(self._best(texts, ideals), 0.0)[rows]  # −1 reads the 0
            ranks = np.arange(1, rows.shape[1] + 1)
            weights = 1 / np.log2(ranks + 1) if self.discounted else np.ones(len(ranks))
            counted = weights * (ranks <= pool.retrieved(self.depth)[:, None])
            whole = counted.sum(axis=1)
            score = (best * counted).sum(axis=1) / np.where(whole > 0, whole, 1)
        return Row(score, score, score)

    def _best(self, texts: Words, ideals: Words) -> Scores:
        """(texts,): the score of each against all ideal answers."""
        found = overlap(texts, ideals, self.concept, sets=self.sets).scores(self.part)
        return np.asarray(found.mean(axis=1) if self.mean else found.max(axis=1))


@dataclass(frozen=True, eq=False)
class Words:
    """Several texts, one after the other, each a row of numbered words.

    ``numbers`` is (words,), equal for words of one stem, never negative; ``lengths``
    is (texts,), how many words each has.
    """

    numbers: NDArray[np.int32]
    lengths: Numbers

    @property
    def texts(self) -> int:
        """How many texts these are."""
        return len(self.lengths)

    def owners(self) -> Numbers:
        """(words,): the text that each word stands in."""
        return np.repeat(np.arange(self.texts), self.lengths)

    def of(self, rows: Numbers) -> Words:
        """These texts alone, in this order; a text may come more than once."""
        starts = np.cumsum(self.lengths) - self.lengths
        lengths = self.lengths[rows]
        begins = np.cumsum(lengths) - lengths
        within = np.arange(int(lengths.sum())) - np.repeat(begins, lengths)
        return Words(self.numbers[np.repeat(starts[rows], lengths) + within], lengths)

    def and_also(self, others: Words) -> Words:
        """These texts, then the others."""
        return Words(
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.lengths, others.lengths]),
        )

    def joined(self, groups: Numbers, count: int) -> Words:
        """``count`` texts: those of one group joined, in order; groups ascend."""
        lengths = np.bincount(groups, weights=self.lengths, minlength=count)
        return Words(self.numbers, lengths.astype(np.int64))


def concepts_each(lengths: Numbers, concept: Concept) -> Numbers:
    """(texts,): how many concepts texts of these lengths hold, repetitions counted."""
    alone = lengths if concept in ALONE else np.zeros_like(lengths)
    pairs = (np.maximum(lengths - d, 0) for d in range(1, REACH[concept] + 1))
    return np.asarray(alone + sum(pairs), dtype=np.int64)


def concepts_of(
    words: Words,
    concept: Concept,
    size: int,
    *,
    among: NDArray[np.bool_] | None = None,
) -> tuple[Numbers, Numbers]:
    """(owners, keys) of every concept; ``size`` is one more than the largest number.

    A pair's key is its first word's number * size + the second's, a word's own comes
    after those. A word whose number is negative is in none. With ``among`` (words,)
    only the concepts that hold one of those.
    """
    numbers, owners = words.numbers.astype(np.int64), words.owners()
    known = numbers >= 0
    wanted = known if among is None else among
    found = []
    if concept in ALONE:
        alone = known & wanted
        found.append((owners[alone], numbers[alone] + size * size))
    for apart in range(1, REACH[concept] + 1):
        left, right = slice(None, -apart), slice(apart, None)
        paired = (owners[left] == owners[right]) & known[left] & known[right]
        paired &= wanted[left] | wanted[right]
        keys = numbers[left][paired] * size + numbers[right][paired]
        found.append((owners[left][paired], keys))
    return (
        np.concatenate([owner for owner, _ in found]),
        np.concatenate([key for _, key in found]),
    )


@dataclass(frozen=True, eq=False)
class Overlap:
    """``shared`` is (texts, ideals); ``of_text`` (texts,) and ``of_ideal`` (ideals,).

    Concepts, counted with repetitions or as sets. A concept that a text has three
    times and the ideal answer twice is shared twice.
    """

    shared: NDArray[np.float64]
    of_text: Numbers
    of_ideal: Numbers

    def scores(self, part: Part) -> NDArray[np.float64]:
        """(texts, ideals): precision, recall or F1; 0 where there are no concepts.

        Source: Keikha, Park & Croft 2014, section 3. F1 = 2PR / (P + R), which is
        twice what is shared over what both have.
        """
        text, ideal = self.of_text[:, None], self.of_ideal[None, :]
        wholes = {"p": text, "r": ideal, "f1": (text + ideal) / 2}
        whole = wholes[part]
        return np.asarray(self.shared / np.where(whole > 0, whole, 1))


def overlap(texts: Words, ideals: Words, concept: Concept, *, sets: bool) -> Overlap:
    """What every text shares with every ideal answer.

    With ``sets`` every concept counts once in a text, however often it stands there.
    """
    size, texts_here, ideals_here = _numbered_anew(texts, ideals)
    owners, keys = concepts_of(ideals_here, concept, size)
    known, places = np.unique(keys, return_inverse=True)
    in_ideals = np.zeros((ideals.texts, len(known)), dtype=np.int64)
    np.add.at(in_ideals, (owners, places), 1)
    text, place, times = _found_in(texts_here, concept, size, known)
    if sets:
        in_ideals = np.minimum(in_ideals, 1)
        times = np.minimum(times, 1)
    shared = np.empty((texts.texts, ideals.texts))
    for i, wanted in enumerate(in_ideals):
        both = np.minimum(times, wanted[place])
        shared[:, i] = np.bincount(text, weights=both, minlength=texts.texts)
    if sets:
        return Overlap(shared, _distinct(texts, concept), in_ideals.sum(axis=1))
    return Overlap(
        shared,
        concepts_each(texts.lengths, concept),
        concepts_each(ideals.lengths, concept),
    )


def _numbered_anew(texts: Words, ideals: Words) -> tuple[int, Words, Words]:
    """The words that ideal answers hold numbered from 0, all others -1."""
    kept = np.unique(ideals.numbers)
    largest = max(int(texts.numbers.max(initial=-1)), int(kept.max(initial=-1)))
    anew = np.full(largest + 2, -1, dtype=np.int32)
    anew[kept] = np.arange(len(kept), dtype=np.int32)
    return (
        len(kept),
        Words(anew[texts.numbers], texts.lengths),
        Words(anew[ideals.numbers], ideals.lengths),
    )


def _found_in(
    texts: Words, concept: Concept, size: int, known: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """(text, place in ``known``, times) of each text's concepts that are known."""
    owners, keys = concepts_of(texts, concept, size)
    keys_there_are = size * size + size
    if not len(known):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    if keys_there_are <= TABLE:
        table = np.full(keys_there_are, -1, dtype=np.int32)
        table[known] = np.arange(len(known), dtype=np.int32)
        places = table[keys].astype(np.int64)
    else:
        places = np.searchsorted(known, keys).clip(max=len(known) - 1)
        places = np.where(known[places] == keys, places, -1)
    held = places >= 0
    cells = owners[held] * len(known) + places[held]
    if texts.texts * len(known) <= 4 * TABLE:
        counted = np.bincount(cells, minlength=1)
        filled = np.flatnonzero(counted)
        times = counted[filled]
    else:
        filled, times = np.unique(cells, return_counts=True)
    return filled // len(known), filled % len(known), times.astype(np.int64)


@lru_cache(maxsize=1024)  # of every query's passages, for several kinds of concept
def _distinct(texts: Words, concept: Concept) -> Numbers:
    """(texts,): how many different concepts each text holds."""
    size = int(texts.numbers.max(initial=0)) + 1
    cells = texts.owners() * size + texts.numbers
    _, place, times = np.unique(cells, return_inverse=True, return_counts=True)
    # A concept can only come again where one of its words does, which is seldom.
    owners, keys = concepts_of(texts, concept, size, among=times[place] > 1)
    different = np.unique(owners * (size * size + size) + keys)
    of = different // (size * size + size)
    once = np.bincount(owners, minlength=texts.texts)
    left = np.bincount(of, minlength=texts.texts)
    return np.asarray(concepts_each(texts.lengths, concept) - once + left)
