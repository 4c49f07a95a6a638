"""Questions with judged candidates, three systems and models whose scores are known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from curator.formats.answer_selection import Candidate, SelectionQuestion
from grading.ava.card import Card, Data
from grading.ava.linear import WEIGHTS
from grading.ava.model import Scores, Triple

DATA = Data(("train.tsv",), 2, 2, 2, 1, 1, 1)


@dataclass(frozen=True)
class KnownScores:
    """A model that looks a candidate's score up."""

    of: Callable[[Triple], float]
    threshold: float = 0.5
    fingerprint: str = "known"
    asked: list[Triple] = field(default_factory=list)

    @property
    def card(self) -> Card:
        return Card("known", "a0:r,t", DATA, threshold=self.threshold)

    def scores(self, triples: Sequence[Triple]) -> Scores:
        self.asked.extend(triples)
        return np.array([self.of(one) for one in triples], dtype=float)


def question(question_id: str, right: str, wrong: str) -> SelectionQuestion:
    """A question with these candidates, a word each; its id stands before theirs."""
    candidates = [
        Candidate(f"{question_id}-{word}", f"{word} of {question_id}", correct)
        for words, correct in ((right, True), (wrong, False))
        for word in words.split()
    ]
    return SelectionQuestion(
        question_id, f"which one is {question_id}?", tuple(candidates)
    )


def write_run(path: Path, system: str, rankings: dict[str, str]) -> None:
    """A TREC run; a ranking is the words of candidates as ``question`` names them."""
    path.write_text(
        "".join(
            f"{question_id} Q0 {question_id}-{word} {rank} {10 - rank} {system}\n"
            for question_id, words in rankings.items()
            for rank, word in enumerate(words.split(), start=1)
        )
    )


def write_linear(folder: Path, **changes: float) -> None:
    """A linear model: sim-text of reference and candidate, above .5 from .5 on."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {"sim-text(r,t)": 1.0, "bias": -0.5, "platt_a": -4.0} | changes
    weights = dict.fromkeys(WEIGHTS, 0.0) | numbers
    Card("overlap", "linear", DATA, weights=weights).write(folder)
