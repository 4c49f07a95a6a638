"""Scores of queries by systems: what every comparison of measures is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from curator.errors import UnknownNameError
from curator.evaluation.measures.measure import Row


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """``scores`` is (queries, systems), in the order of the two tuples of names."""

    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    scores: NDArray[np.float64]

    def of_queries(self, query_ids: Sequence[str]) -> ScoreMatrix:
        """The rows of these queries, in this order."""
        at = {query_id: i for i, query_id in enumerate(self.query_ids)}
        chosen = [at[query_id] for query_id in query_ids]
        return ScoreMatrix(tuple(query_ids), self.systems, self.scores[chosen])

    def of_system(self, system: str) -> NDArray[np.float64]:
        """(queries,): one system's scores. Raises UnknownNameError."""
        return np.asarray(self.scores[:, self.position(system)])

    def position(self, system: str) -> int:
        """The system's column. Raises UnknownNameError with the systems there are."""
        if system in self.systems:
            return self.systems.index(system)
        raise UnknownNameError(unknown_system(system, self.systems))


def score_matrix(rows: Mapping[str, Row], systems: Sequence[str]) -> ScoreMatrix:
    """The scores of these queries' rows, without what missing grades leave open."""
    scores = (
        np.stack([row.score for row in rows.values()])
        if rows
        else np.zeros((0, len(systems)))
    )
    return ScoreMatrix(tuple(rows), tuple(systems), scores)


def common_queries(matrices: Sequence[ScoreMatrix]) -> tuple[str, ...]:
    """The queries that every one of them scores, in the order of the first."""
    if not matrices:
        return ()
    shared = set.intersection(*(set(one.query_ids) for one in matrices))
    return tuple(q for q in matrices[0].query_ids if q in shared)


def unknown_system(system: str, systems: Sequence[str]) -> str:
    """One line that says which systems there are, or how to get some."""
    if not systems:
        return (
            f"No system '{system}': no runs are imported yet. "
            "`curator import WORKSPACE --runs FOLDER` brings them."
        )
    near = get_close_matches(system, systems, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    listed = ", ".join(systems[:8]) + (", …" if len(systems) > 8 else "")
    return f"No system '{system}' in this workspace.{hint} There are: {listed}."
