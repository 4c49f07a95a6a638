"""Weights of the next steps of a judge.

Weights of all kinds are on one scale: the change of a query's score that is at stake.
docs/curate.md describes each kind and its weight.
"""

from __future__ import annotations

import math

from curator.bank.marks import StepKind

TRUST: dict[StepKind, float] = {
    "near-duplicate": 0.15,
    "only-non-relevant": 0.4,
    "no-answer": 0.05,
    "every-system": 0.05,
    "uncovered-passage": 1.0,
    "empty-subtopic": 0.5,
    "empty-query": 0.5,
    "unanswerable": 0.1,
    "compound": 0.1,
    "flagged": 0.9,
    "disagreement": 0.5,
    "proposal": 0.5,
    "check": 0.05,
    "done": 1.0,
}
"""Factor of the stake: how often a step of the kind is worth doing."""

UNJUDGED_RELEVANT = 0.4
"""The share of retrieved passages that are relevant, of those not judged."""

MIN_WEIGHT = 0.0001
"""A query is done once no step of it weighs more."""


def weight(kind: StepKind, stake: float | None) -> float:
    """Return the weight of a step, 0 or more; 0 for an unknown stake."""
    return TRUST[kind] * (stake or 0.0)


def passage_stake(
    judged: float | None, votes: float, covered: float, influence: float
) -> float:
    """Return the stake of a question about a passage that few questions cover.

    ``judged`` is its judgment over the highest of the collection, None without one;
    ``votes`` the mean over systems of 1/rank, ``covered`` the share of the query's
    questions that it answers, ``influence`` the mean of theirs. By the root of votes,
    so that a high judgment comes before many votes.
    """
    relevant = UNJUDGED_RELEVANT if judged is None else judged
    return relevant * influence * math.sqrt(votes) * (1 - covered)
