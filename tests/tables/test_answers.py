"""What is said of a training that ended early or not at all, and of a zero."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.tables.answers import (
    card_json,
    card_tables,
    explained_table,
    training_tables,
)
from curator.tables.table import text_of
from curator.verbs.answers.ava_training import TrainingStatus, explain
from grading.ava.card import Card, Data, Point
from grading.ava.model import Triple
from tests.samples.ava_samples import write_linear

DATA = Data(("train.tsv",), 2, 2, 2, 1, 1, 1)
CURVE = tuple(Point(epoch, epoch * 3, 0.5, 0.5, 0.5, 0.5) for epoch in (1, 2, 3))


@pytest.mark.parametrize(
    ("asked", "said"), [(10, ["Stopped early, after 3 of 10 epochs"]), (3, [])]
)
def test_a_training_that_early_stopping_ended_says_so(
    asked: int, said: list[str]
) -> None:
    of = Card("m", "a0", DATA, settings={"epochs": asked}, curve=CURVE, best_epoch=2)
    for tables in (
        training_tables(TrainingStatus("m", of, CURVE)),
        card_tables(TrainingStatus("m", of, CURVE)),
    ):
        notes = [note for table in tables for note in table.notes]
        assert [note.partition(":")[0] for note in notes] == said


def test_a_training_that_has_not_ended_says_how_to_go_on() -> None:
    (table,) = card_tables(TrainingStatus("m", None, CURVE))
    assert "--resume" in " ".join(table.notes)


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
