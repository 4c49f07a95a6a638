"""The card beside a model's weights."""

import json

import pytest

from grading.ava.card import CARD, Card, Data, Point, read_card
from grading.errors import InvalidSpecError

DATA = Data(("Müller.tsv",), 7, 42, 40, 2, 12, 11, left_out=1)
POINTS = (
    Point(epoch=1, step=50, loss=0.7),
    Point(epoch=1, step=100, loss=0.6, precision=0.5, recall=0.4, f1=4 / 9),
    Point(epoch=2, step=200, loss=0.5, precision=0.5, recall=0.25, f1=1 / 3),
)
CARD_OF_ALL = Card(
    name="ours",
    configuration="a2:r,qt+t,qr",
    data=DATA,
    encoder="roberta-base",
    seed=3,
    settings={"rate": 1e-6, "epochs": 2, "frozen": False, "inclusion": "printed"},
    curve=POINTS,
    best_epoch=1,
    threshold=0.25,
    tuned_on="dev.tsv",
    weights={"bias": -0.1},
)


def test_a_card_reads_back_as_it_was_written(tmp_path):
    CARD_OF_ALL.write(tmp_path)
    assert read_card(tmp_path) == CARD_OF_ALL
    assert [file.name for file in tmp_path.iterdir()] == [CARD]


def test_the_best_point_is_the_last_with_results_of_the_epoch_that_was_kept():
    assert CARD_OF_ALL.best == POINTS[1]
    assert Card("new", "a0", DATA).best is None


@pytest.mark.parametrize(
    "change",
    [
        {"format": "ava-card/99"},
        {"of_tomorrow": 1},
        {"curve": [{"epoch": 1}]},
        {"threshold": float("nan")},
    ],
    ids=lambda change: str(change)[:70],
)
def test_a_card_that_is_not_understood_is_refused(tmp_path, change):
    CARD_OF_ALL.write(tmp_path)
    stored = json.loads((tmp_path / CARD).read_text("utf-8")) | change
    kept = {name: value for name, value in stored.items() if value is not ...}
    (tmp_path / CARD).write_text(json.dumps(kept))
    with pytest.raises(InvalidSpecError, match="train the model again"):
        read_card(tmp_path)
