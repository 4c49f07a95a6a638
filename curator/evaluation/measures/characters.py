"""Character MAP: average precision where every highlighted character is relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.evaluation.measures.measure import (
    Name,
    Row,
    TextMeasure,
)
from curator.evaluation.measures.rouge import Source

NAME = "char-map"


class CharacterMap(TextMeasure):
    """Average precision over characters of the first ``depth`` passages, in [0, 1].

    A ranking is read character by character; those marked as an ideal answer of any
    grade are relevant. The precision at each relevant character read is summed and
    divided by the number of relevant characters of the query.

    Source: Keikha, Park & Croft 2014, section 4.
    """

    sources: ClassVar[tuple[Source, ...]] = ("marked",)
    place = 81
    names = (Name(NAME, "MAP over the characters that people marked", "character MAP"),)
    offered = (NAME,)
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
