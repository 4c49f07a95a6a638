"""How a training went, as its folder tells it, and where none can begin."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from curator.verbs.answers.ava_training import (
    KINDS,
    Order,
    epochs_of,
    refuse_taken,
    training_in,
)
from grading.ava.card import CURVE, Point
from grading.errors import InvalidSpecError, MissingModelError, TrainingError

POINTS = (
    Point(1, 50, 0.6),
    Point(1, 60, 0.3, 0.5, 0.25, 1 / 3),
    Point(2, 100, 0.2),
)


def test_an_epochs_loss_is_the_mean_over_its_steps() -> None:
    first, second = epochs_of(POINTS)

    # by hand: (50 * 0.6 + 10 * 0.3) / 60
    assert first == Point(1, 60, pytest.approx(0.55), 0.5, 0.25, 1 / 3)
    assert second == Point(2, 100, pytest.approx(0.2))


def test_a_training_without_a_loss_has_none() -> None:
    assert epochs_of([Point(1, 1, None, 1, 1, 1)]) == (Point(1, 1, None, 1, 1, 1),)
    assert epochs_of([]) == ()


def test_a_training_that_has_not_ended_is_read_from_its_curve(tmp_path: Path) -> None:
    lines = [json.dumps(asdict(point)) + "\n" for point in POINTS]
    (tmp_path / CURVE).write_text("".join(lines) + '{"epoch": 2, "st')  # being written

    found = training_in(tmp_path)

    assert (found.card, found.curve, found.kept) == (None, POINTS, None)
    assert found.name == tmp_path.name
    (tmp_path / CURVE).write_text("")  # begun, and no point yet
    assert training_in(tmp_path).curve == ()


@pytest.mark.parametrize(
    "line", ["garbage", "{}", "[]", '{"epoch": 1, "step": 1, "loss": NaN}', "\xff"]
)
def test_a_curve_that_is_not_understood_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / CURVE).write_bytes(f"{line}\n".encode("latin-1"))
    with pytest.raises(InvalidSpecError, match=CURVE) as error:
        training_in(tmp_path)
    assert "\n" not in str(error.value)


def test_a_folder_without_a_training_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match="curator ava train"):
        training_in(tmp_path)


def test_a_model_is_written_where_nothing_is(tmp_path: Path) -> None:
    refuse_taken(tmp_path / "new", Order(), resume=False)
    refuse_taken(tmp_path, Order(), resume=False)  # an empty folder will do


@pytest.mark.parametrize(
    ("name", "resume", "said"),
    [
        ("file", False, "is a file"),
        ("card.json", False, "there is a model already"),
        ("card.json", True, "there is a model already"),
        ("notes.txt", False, "is not empty"),
        ("notes.txt", True, "holds no training"),
        (CURVE, False, "--resume"),
    ],
)
def test_a_folder_that_is_taken_is_refused(
    tmp_path: Path, name: str, resume: bool, said: str
) -> None:
    (tmp_path / name).write_text("")
    folder = tmp_path / "file" if name == "file" else tmp_path
    with pytest.raises(TrainingError, match=said):
        refuse_taken(folder, Order("a1"), resume=resume)


def test_a_training_that_was_interrupted_can_go_on(tmp_path: Path) -> None:
    (tmp_path / CURVE).write_text("")
    refuse_taken(tmp_path, Order("a1"), resume=True)
    with pytest.raises(TrainingError, match="one go"):
        refuse_taken(tmp_path, Order("linear"), resume=True)


def test_every_kind_is_known_and_a2_alone_is_the_best() -> None:
    assert Order("linear").configuration is None
    for kind in KINDS[1:]:
        found = Order(kind).configuration
        assert found is not None
        assert found.name == kind
    best = Order("a2").configuration
    assert best is not None
    assert best.name == "a2:r,qt+t,qr"


@pytest.mark.parametrize(
    ("kind", "near"), [("liner", "linear"), ("a1:q,tr", "a1:q,rt")]
)
def test_an_unknown_kind_names_the_nearest(kind: str, near: str) -> None:
    with pytest.raises(InvalidSpecError, match=f"Did you mean '{near}'"):
        _ = Order(kind).configuration
