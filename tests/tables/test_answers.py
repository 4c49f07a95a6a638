"""What is said of a training that ended early or not at all, and of a zero."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.tables.answers import (
    card_json,
    explained_table,
)
from curator.tables.table import text_of
from curator.verbs.answers.ava_training import TrainingStatus, explain
from grading.ava.card import Card, Data, Point
from grading.ava.model import Triple
from tests.samples.ava_samples import write_linear

DATA = Data(("train.tsv",), 2, 2, 2, 1, 1, 1)
CURVE = tuple(Point(epoch, epoch * 3, 0.5, 0.5, 0.5, 0.5) for epoch in (1, 2, 3))


def test_a_contribution_of_nothing_is_zero_without_a_sign(tmp_path: Path) -> None:
    write_linear(tmp_path, **{"sim-text(q,t)": -2.0, "sim-text(r,q)": -1e-9})
    found = explain(tmp_path, Triple("who ran?", "ann ran", "it rained"))
    contributions = {row[0]: row[3] for row in explained_table(found).rows}
    # by hand: no word is shared but "ran", so the third is -1e-9 / 2
    assert str(contributions["sim-text(q,t)"]) == "0.0"
    assert contributions["sim-text(r,q)"] == pytest.approx(-5e-10)
    printed = text_of(explained_table(found), "table").splitlines()
    assert not any(line.endswith("-0.0000") for line in printed)


def test_a_model_without_a_saved_report_says_nothing_of_one() -> None:
    assert "report" not in card_json(TrainingStatus("m", Card("m", "a0", DATA), ()))
