"""ROUGE: how much a ranking's passages share with a query's ideal answers.

By name: ``rouge-su4-r``, ``rouge-1-f1(joined,gold)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.errors import UnknownNameError
from curator.evaluation.measures.measure import (
    SOURCES,
    Documented,
    Name,
    Row,
    Scores,
    Source,
    TextMeasure,
)
from curator.evaluation.measures.rouge_overlap import (
    REACH,
    Concept,
    Numbers,
    Part,
    Words,
    overlap,
)

PARTS: tuple[Part, ...] = ("p", "r", "f1")
NAMES = tuple(f"rouge-{concept}-{part}" for concept in REACH for part in PARTS)
# The order of the options in a name, whatever the order they were given in.
OPTIONS = ("mean", "sets", "discounted", "joined", "gold", "answers", "marked")

_NAME = re.compile(r"(?P<plain>rouge-[^()\s]+)\s*(?:\((?P<options>[^()]*)\))?")


@dataclass(frozen=True, slots=True)
class Rouge(TextMeasure):
    """How much the first ``depth`` passages share with a query's ideal answers.

    A passage scores the maximum over the ideal answers, for precision, recall and F1
    separately (``mean``: their mean); a ranking the mean over the passages retrieved,
    where a gap is one that scores 0 (``discounted``: weighted by 1/log2(rank + 1)).
    ``joined``: the passages joined in their order are scored as one text. ``sets``:
    no concept counts twice in a text. ``sources`` are the ideal answers compared with.

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
            sources=tuple(one for one in SOURCES if one in asked) or SOURCES,
        )

    def of_texts(self, pool: Pool, texts: Words, at: Numbers, ideals: Words) -> Row:
        rows = np.append(at, -1)[pool.top_k(self.depth)]  # GAP is −1: it reads the −1
        if self.joined:
            systems, _ = np.nonzero(rows >= 0)
            in_order = texts.of(rows[rows >= 0]).joined(systems, len(rows))
            score = self._best(in_order, ideals)
        else:
            retrieved = pool.retrieved(self.depth)
            score = self._ranked(rows, retrieved, self._best(texts, ideals))
        return Row(score, score, score)

    def _best(self, texts: Words, ideals: Words) -> Scores:
        """(texts,): the score of each against all ideal answers."""
        found = overlap(texts, ideals, self.concept, sets=self.sets).scores(self.part)
        return np.asarray(found.mean(axis=1) if self.mean else found.max(axis=1))

    def _ranked(
        self, rows: NDArray[np.int64], retrieved: NDArray[np.int64], best: Scores
    ) -> Scores:
        scores = np.append(best, 0.0)[rows]  # −1 reads the 0
        ranks = np.arange(1, rows.shape[1] + 1)
        weights = 1 / np.log2(ranks + 1) if self.discounted else np.ones(len(ranks))
        counted = weights * (ranks <= retrieved[:, None])
        whole = counted.sum(axis=1)
        return np.asarray(
            (scores * counted).sum(axis=1) / np.where(whole > 0, whole, 1)
        )
