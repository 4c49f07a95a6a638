"""REALSumm through the whole program: a bank of nuggets, each pair judged by people.

The file is read here with dicts and fractions, which share no code with curator.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from curator import Workspace
from grading.highlight import sentences
from grading.models.embedding import EmbeddingModel
from tests.conftest import MadeOnce

pytestmark = pytest.mark.real_data

HUMAN = "human-majority/HumanNuggetCheck"
QUERY = "cnndm1017"


@pytest.fixture(scope="session")
def realsumm(shared_data: Path) -> Path:
    """The published files; skipped where they are not beside the checkout."""
    folder = shared_data / "realsumm"
    if not folder.is_dir():
        pytest.skip(f"no REALSumm at {folder}")
    return folder


@pytest.fixture(scope="session")
def built(realsumm: Path, made_once: MadeOnce) -> Path:
    """A workspace of them, one query graded by embedding."""

    def make(path: Path) -> None:
        with Workspace.open(path, create=True, judge="ann") as workspace:
            workspace.import_(
                autograder=realsumm / "graded.jsonl.gz",
                bank=realsumm / "nuggets.jsonl.gz",
                official=realsumm / "human_leaderboard.json",
            )
            workspace.grade("embedding", query_id=QUERY)

    return made_once("realsumm.db", make)


@pytest.fixture
def workspace(built: Path, tmp_path: Path) -> Iterator[Workspace]:
    path = Path(shutil.copy(built, tmp_path / "realsumm.db"))
    with Workspace.open(path, judge="ann") as opened:
        yield opened


def test_the_board_of_its_judges_is_the_official_one_and_recomputed(
    realsumm, workspace
):
    present: defaultdict[str, list[Fraction]] = defaultdict(list)
    with gzip.open(realsumm / "graded.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            _, passages = json.loads(line)
            for one in passages:
                (grades,) = (
                    g for g in one["exam_grades"] if g["llm"] == "human-majority"
                )
                rated = [r["self_rating"] for r in grades["self_ratings"]]
                for entry in one["paragraph_data"]["rankings"]:
                    share = Fraction(sum(r >= 4 for r in rated), len(rated))
                    present[entry["method"]].append(share)
    board = workspace.leaderboard(grader=HUMAN, measure="cover")
    assert (board.known, board.needed, board.queries) == (26_400, 26_400, 100)
    expected = {s: float(sum(shares) / 100) for s, shares in present.items()}
    assert board.scores() == pytest.approx(expected, abs=1e-12)
    official = json.loads((realsumm / "human_leaderboard.json").read_text())
    assert {one.system: one.rank for one in board.standings} == official


def test_its_nuggets_are_graded_by_their_nearness_to_the_responses(workspace):
    snapshot = workspace.current_snapshot()
    graded = snapshot.matrix("embedding", QUERY, snapshot.bank)
    texts = workspace.passage_texts(graded.pool.passage_ids)
    nuggets = [one.text for one in snapshot.bank.questions_of(QUERY)]
    encode = EmbeddingModel(None).encode

    def nearest(responses: list[list[str]]) -> np.ndarray:
        """The cosine of each nugget and each response's nearest vector."""
        # Each vector is of unit length; a long text has several.
        ours = [np.asarray(one, dtype=np.float64) for one in encode(nuggets)]
        theirs = [np.vstack(encode(one)).astype(np.float64) for one in responses]
        return np.array([[(n @ r.T).max() for r in theirs] for n in ours])

    wholes = [texts[p] for p in graded.pool.passage_ids]
    cut = [[text[a:b] for a, b in sentences(text)] or [text] for text in wholes]
    value = 0.8 * nearest([[text] for text in wholes]) + 0.2 * nearest(cut)
    above = 0.8 + 0.2 * (value - 0.65) / 0.35
    expected = np.where(value < 0.65, 0.8 * value.clip(0) / 0.65, above)
    np.testing.assert_allclose(graded.probabilities, expected, atol=2e-3)
    np.testing.assert_array_equal(graded.ratings, np.floor(5 * graded.probabilities))
