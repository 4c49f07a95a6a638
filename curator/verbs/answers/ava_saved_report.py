"""A report's part about one model, kept in the model's folder as ``report.json``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.evaluation.answer_checking import (
    MEASURES,
    Confusion,
    MeasureAgreement,
)
from grading.ava.card import NOT_UNDERSTOOD, is_number, read_card, readable, writable
from grading.errors import InvalidSpecError

if TYPE_CHECKING:
    from curator.verbs.answers.ava_report import ModelReport, Report

REPORT = "report.json"
FORMAT = "ava-report/1"
RATIOS = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class SavedPoints:
    """The model on single answers of ``data``, at the threshold of its card then."""

    data: str
    threshold: float
    questions: int
    found: Confusion


@dataclass(frozen=True, slots=True)
class SavedSplit:
    """The systems of ``data`` by the model and by gold labels, measure by measure."""

    data: str
    questions: int
    agreements: tuple[MeasureAgreement, ...]


@dataclass(frozen=True, slots=True)
class SavedReport:
    """What a model's folder says of how well it stands in for people.

    ``threshold`` is that of the systems, tuned on the data ``tuned_on``, or the
    card's where that is "". ``references`` says what a correct answer was held
    against; ``points`` is None where the data made no pairs.
    """

    references: str
    threshold: float
    tuned_on: str
    points: SavedPoints | None
    splits: tuple[SavedSplit, ...]


def saved_part(found: ModelReport, within: Report) -> SavedReport:
    """What is to be kept of a report about one of its models."""
    questions = {one.data: one.questions for one in within.data}
    known = found.pointwise
    return SavedReport(
        within.references,
        found.threshold,
        "" if found.tuned is None else found.splits[0].data,
        None
        if known is None
        else SavedPoints(
            within.data[-1].data, known.threshold, known.questions, known.ava
        ),
        tuple(
            SavedSplit(one.data, questions[one.data], one.agreements)
            for one in found.splits
        ),
    )


def save_report(folder: Path, found: ModelReport, within: Report) -> None:
    """Write a model's part of a report into its folder, whole or not at all.

    Raises MissingModelError where there is no model, TrainingError where the folder
    cannot be written.
    """
    read_card(folder)
    kept = saved_part(found, within)
    stored: dict[str, Any] = {"format": FORMAT, **asdict(kept)}
    if kept.points is not None:  # follow from the counts; for whoever reads the file
        ratios = {name: getattr(kept.points.found, name) for name in RATIOS}
        stored["points"]["found"] |= ratios
    text = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    part = folder / f"{REPORT}.part"
    with writable(folder):
        part.write_text(text, encoding="utf-8")
        part.replace(folder / REPORT)


def read_saved_report(folder: Path) -> SavedReport | None:
    """The report in a model's folder, None where none was saved.

    Raises InvalidSpecError for one that is not understood, MissingModelError for one
    that cannot be read.
    """
    file = folder / REPORT
    with readable(folder):
        if not file.is_file():
            return None
        written = file.read_bytes()
    try:
        stored: dict[str, Any] = json.loads(written.decode())
        if stored.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        points = stored.pop("points")
        splits = stored.pop("splits")
        found = SavedReport(
            points=None if points is None else _points_of(points),
            splits=tuple(_split_of(one) for one in splits),
            **stored,
        )
        _check(isinstance(found.references, str), "its references")
        _check(is_number(found.threshold), "its threshold")
        _check(isinstance(found.tuned_on, str), "what it was tuned on")
        return found
    except NOT_UNDERSTOOD as error:
        raise InvalidSpecError(
            f"'{file}' is not a report that this program writes ({error}); delete it, "
            "or save one again with `curator ava report … --save`"
        ) from error


def _points_of(stored: Any) -> SavedPoints:
    counts = {k: v for k, v in stored["found"].items() if k not in RATIOS}
    points = SavedPoints(**{**stored, "found": Confusion(**counts)})
    _check(isinstance(points.data, str), "the name of its data")
    _check(is_number(points.threshold), "a threshold")
    for count in (points.questions, *asdict(points.found).values()):
        _check_count(count)
    return points


def _split_of(stored: Any) -> SavedSplit:
    agreements = tuple(MeasureAgreement(**one) for one in stored["agreements"])
    split = SavedSplit(**{**stored, "agreements": agreements})
    _check(isinstance(split.data, str), "the name of its data")
    _check_count(split.questions)
    for one in agreements:
        _check(one.measure in MEASURES, "a measure")
        _check(isinstance(one.note, str), "a note")
        _check_count(one.systems)
        for value in (one.kendall, one.p, one.rmse, one.sigma):
            _check(value is None or is_number(value), f"a number of {one.measure}")
    return split


def _check_count(value: object) -> None:
    right = isinstance(value, int) and is_number(value) and value >= 0
    _check(right, "a count")


def _check(right: bool, what: str) -> None:
    if not right:
        raise ValueError(f"{what} is of another kind")
