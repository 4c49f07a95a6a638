"""The ROUGE measures as values: what is counted, and how a ranking's score is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.rouge.overlap import Part, overlap
from curator.evaluation.measures.rouge.words import Concept, Numbers, Words
from curator.evaluation.rows import Row

Source = Literal["marked", "answers", "gold"]
SOURCES: tuple[Source, ...] = ("marked", "answers", "gold")


@dataclass(frozen=True, slots=True)
class Rouge:
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

    def of_texts(self, pool: Pool, texts: Words, at: Numbers, ideals: Words) -> Row:
        """The query's score of every system; a system that skipped the query scores 0.

        ``texts`` are passages of the pool, ``at`` (passages,) the row in it of the
        passage at each pool position; ``ideals`` one or more ideal answers.
        """
        top = pool.top_k(self.depth)
        rows = np.append(at, -1)[top]  # GAP is −1, so it reads the −1
        score = (
            self._joined(rows, texts, ideals)
            if self.joined
            else self._ranked(rows, pool.retrieved(self.depth), texts, ideals)
        )
        return Row(score, score, score)

    def row(self, graded: GradedQuery) -> NoReturn:
        """Refused: what this compares are texts."""
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise EvaluationError: on questions this says nothing."""
        raise EvaluationError(
            f"{self.name} compares texts with ideal answers; it rests on no questions "
            "and has no scores by subtopic."
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """NaN: no question moves it."""
        return np.full((len(graded.item_ids), len(graded.pool.top)), np.nan)

    def flips(self, graded: GradedQuery) -> None:
        """Nothing: no label moves it."""

    def _best(self, texts: Words, ideals: Words) -> NDArray[np.float64]:
        """(texts,): the score of each against all ideal answers."""
        found = overlap(texts, ideals, self.concept, sets=self.sets).scores(self.part)
        return np.asarray(found.mean(axis=1) if self.mean else found.max(axis=1))

    def _ranked(
        self,
        rows: NDArray[np.int64],
        retrieved: NDArray[np.int64],
        texts: Words,
        ideals: Words,
    ) -> NDArray[np.float64]:
        scores = np.append(self._best(texts, ideals), 0.0)[rows]  # −1 reads the 0
        ranks = np.arange(1, rows.shape[1] + 1)
        weights = 1 / np.log2(ranks + 1) if self.discounted else np.ones(len(ranks))
        counted = weights * (ranks <= retrieved[:, None])
        whole = counted.sum(axis=1)
        return np.asarray(
            (scores * counted).sum(axis=1) / np.where(whole > 0, whole, 1)
        )

    def _joined(
        self, rows: NDArray[np.int64], texts: Words, ideals: Words
    ) -> NDArray[np.float64]:
        systems, _ = np.nonzero(rows >= 0)
        return self._best(texts.of(rows[rows >= 0]).joined(systems, len(rows)), ideals)
