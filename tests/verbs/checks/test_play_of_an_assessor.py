"""Checks of somebody who knows the truth, recorded through the library."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.checks import Board, Game, Played, answers, play
from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage, write_lines

QUERIES, PASSAGES, SYSTEMS = 12, 14, 8


def collection(folder: Path, noise: float) -> Path:
    """Systems from good to bad, judgments, and a judge who is off by so much.

    The official ranks are those by nDCG@10 of the judgments.
    """
    rng = np.random.default_rng(7)
    graded, judge, truth = {}, [], dict[str, float]()
    for query in range(QUERIES):
        grades = rng.choice(4, PASSAGES, p=[0.4, 0.25, 0.2, 0.15])
        ranks = np.array(
            [
                np.argsort(np.argsort(-grades - rng.normal(0, 0.4 + 0.4 * s, PASSAGES)))
                for s in range(SYSTEMS)
            ]
        )
        graded[f"q{query}"] = [
            graded_passage(
                f"p{query}-{at}",
                f"q{query}",
                {},
                ranks={f"s{s}": int(ranks[s, at]) + 1 for s in range(SYSTEMS)},
                judgment=int(grades[at]),
            )
            for at in range(PASSAGES)
        ]
        said = np.round(grades + rng.normal(0, noise, PASSAGES)).clip(0, 3)
        judge += [
            f"q{query} 0 p{query}-{at} {int(one)}\n" for at, one in enumerate(said)
        ]
        ideal = math.fsum(
            g / math.log2(2 + i) for i, g in enumerate(sorted(grades)[::-1][:10])
        )
        for s in range(SYSTEMS):
            gains = grades / np.log2(2 + ranks[s]) * (ranks[s] < 10)
            truth[f"s{s}"] = truth.get(f"s{s}", 0) + gains.sum() / ideal
    (folder / "judge.qrels").write_text("".join(judge))
    bank = write_lines(
        folder / "bank.jsonl",
        [
            {
                "query_id": f"q{at}",
                "items": [
                    {
                        "query_id": f"q{at}",
                        "question_id": f"q{at}/a",
                        "question_text": "?",
                    }
                ],
                "query_text": f"Query {at}",
            }
            for at in range(QUERIES)
        ],
    )
    order = sorted(truth, key=lambda one: -truth[one])
    official = folder / "official.json"
    official.write_text(
        "{" + ", ".join(f'"{one}": {rank + 1}' for rank, one in enumerate(order)) + "}"
    )
    path = folder / "made.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            bank=bank,
            autograder=graded_file(folder / "graded.jsonl", graded),
            official=official,
            labels={"judge": folder / "judge.qrels"},
        )
    return path


def played(path: Path, choice: str) -> Played:
    game = Game("made", "", "passages", ("judge",), (Board("nDCG@10"),), (20, 80, 160))
    return play(game, path, answers(path, "passages"), choice, 1)


@pytest.mark.parametrize("choice", ["ours", "random"])
def test_checks_mend_a_weak_judge_and_harm_no_strong_one(
    tmp_path: Path, choice: str
) -> None:
    for name, noise in (("weak", 2.5), ("strong", 0.4)):
        (tmp_path / name).mkdir()
        taus: dict[str, list[float]] = {}
        for read in played(collection(tmp_path / name, noise), choice).reads:
            taus.setdefault(read.estimator, []).append(read.tau)
        (alone,), learned = taus["judge alone"], taus["learned"]
        if name == "weak":
            assert learned[-1] > alone + 0.1
        else:
            assert alone > 0.8
            assert min(learned) >= alone - 2 / 28  # of 28 pairs of systems one turned
        # With all but 8 of the 168 passages checked the board is that of the judgments.
        assert learned[-1] > 0.9


@pytest.mark.long
@pytest.mark.real_data
def test_ten_passages_a_query_tell_whether_a_grade_is_high(built_dl19: Path) -> None:
    boards = (Board("nDCG@10", "mean"), Board("P(rel=2)@10", "mean"))
    game = Game("dl19", "dl19", "passages", ("flan",), boards, (430,))
    truth = answers(built_dl19, "passages")
    reads = [
        read
        for seed in range(3)
        for read in play(game, built_dl19, truth, "ours", seed).reads
    ]

    def mean(estimator: str, board: Board) -> float:
        last = 0 if estimator.endswith(" alone") else 430
        taus = [
            one.tau
            for one in reads
            if (one.estimator, one.board, one.at) == (estimator, board, last)
        ]
        return sum(taus) / len(taus)

    # nDCG hardly moves, from .902; the threshold's measure gains most, from .716.
    assert mean("learned", boards[0]) > mean("flan alone", boards[0]) - 0.01
    assert mean("learned", boards[1]) > mean("flan alone", boards[1]) + 0.08
