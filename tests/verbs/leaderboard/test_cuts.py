"""The rating from which graders of every kind call a passage relevant."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curator.evaluation.agreement import level_agreement
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import graded_file, graded_passage

PASSAGES = [f"p{at}" for at in range(12)]
LABELS = [3, 3, 2, 2, 1, 1, 0, 0, 3, 2, 1, 0]
JUDGMENTS = [3, 2, 3, 1, 1, 0, 0, 2, 3, 2, 0, 0]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve passages of one query, judged 0 to 3 and labelled 0 to 3 by a model."""
    folder = tmp_path_factory.mktemp("judged")
    passages = [
        graded_passage(
            *(name, "q", {}),
            ranks={"a": at + 1, "b": len(LABELS) - at},
            judgment=JUDGMENTS[at],
            llm="umbrela",
            direct=LABELS[at],
        )
        for at, name in enumerate(PASSAGES)
    ]
    with Workspace.open(folder / "w.db", create=True) as workspace:
        graded = graded_file(folder / "graded.jsonl", {"q": passages})
        workspace.import_(autograder=graded, min_relevance=2)
    return folder / "w.db"


@pytest.mark.parametrize("cut", [None, 0, 2])
def test_every_command_cuts_labels_alike(
    judged: Path, tmp_path: Path, cut: int | None
) -> None:
    given = [] if cut is None else ["--min-rating", cut]
    held = 1 if cut is None else cut
    found = json_of("agreement", judged, *given)
    ours, theirs = np.array(LABELS) >= held, np.array(JUDGMENTS) >= 2
    assert found["settings"]["min_rating"] == held
    assert found["table"][1] == [
        int((ours & ~theirs).sum()),
        int((ours & theirs).sum()),
    ]
    if 0 < ours.sum() < len(ours):
        assert found["kappa"] == pytest.approx(cohen_kappa_score(ours, theirs))
    run("export", judged, "--qrels", tmp_path / "b.qrels", "--binary", *given)
    qrels = [*ir_measures.read_trec_qrels(str(tmp_path / "b.qrels"))]
    assert [one.relevance for one in qrels] == [
        int(label >= held) for _, label in sorted(zip(PASSAGES, LABELS, strict=True))
    ]
    board = json_of("leaderboard", judged, "-m", "P@5", *given)
    assert board["settings"]["min_rating"] == held
    runs = {"a": PASSAGES[:5], "b": PASSAGES[:-6:-1]}
    for one in board["systems"]:
        relevant = [LABELS[PASSAGES.index(p)] >= held for p in runs[one["system"]]]
        assert one["score"] == pytest.approx(sum(relevant) / 5)


@pytest.mark.parametrize(
    "command",
    ["leaderboard -m P@5", "agreement --tables", "export --binary --qrels x.qrels"],
)
def test_a_cut_outside_the_levels_is_refused(judged: Path, command: str) -> None:
    name, *options = command.split()
    result = run(name, judged, *options, "--min-rating", 4, code=1)
    assert "min-rating is 4; umbrela/Direct gives ratings from 0 to 3" in result.stderr


LEVELS = st.integers(0, 4)


@given(st.lists(st.tuples(LEVELS, LEVELS), min_size=2, max_size=40))
def test_agreement_over_levels_is_that_of_scikit_learn_and_krippendorff(
    pairs: list[tuple[int, int]],
) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({*first, *second}) > 1)
    assume(len({*first}) > 1 or len({*second}) > 1)
    table = np.zeros((5, 5))
    np.add.at(table, (np.array(first), np.array(second)), 1)
    found = level_agreement(table)
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa_score(first, second, labels=range(5), weights=weights)
        assert getattr(found, f"{weights}_kappa") == pytest.approx(expected)
    assert found.ordinal_alpha == pytest.approx(
        krippendorff.alpha(
            reliability_data=[first, second], level_of_measurement="ordinal"
        )
    )
