"""An AVA model's card in a few lines. PURE."""

from __future__ import annotations

from dataclasses import dataclass

from curator.ui.shared import words
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.ava_report import SavedReport
from grading.ava.card import Card


@dataclass(frozen=True, slots=True)
class ReportedSystems:
    """Systems of one data file by one measure, in words."""

    data: str
    measure: str
    systems: int
    tau: str
    p: str
    rmse: str


@dataclass(frozen=True, slots=True)
class ReportRows:
    """A saved report in words: single answers, and a row for each measure of systems.

    ``answers`` are data, precision, recall and F1; () where there were none.
    """

    answers: tuple[str, ...]
    answers_about: str
    systems: tuple[ReportedSystems, ...]
    systems_about: str


@dataclass(frozen=True, slots=True)
class CardRow:
    """A model in (heading, words) lines; ``why`` in their place where there is none.

    Where its report cannot be read, ``why`` stands beneath the lines.
    """

    name: str
    lines: tuple[tuple[str, str], ...]
    why: str = ""
    report: ReportRows | None = None


def card_row(model: AvaModel) -> CardRow:
    """What it is, on what it was trained, above which score it says right."""
    card = model.card
    if card is None:
        return CardRow(model.folder.name or str(model.folder), (), model.problem)
    lines = [
        ("Kind", " from ".join(x for x in (card.configuration, card.encoder) if x))
    ]
    lines += [("Trained on", _trained(card))]
    if card.best is not None and card.best.f1 is not None:
        lines += [("On dev", _results(card))]
    lines += [("Right above", _threshold(model, card))]
    if card.weights:
        said = " · ".join(f"{n} {words.score(w, 2)}" for n, w in card.weights.items())
        lines += [("Weights", said)]
    report = None if model.report is None else report_rows(model.report)
    return CardRow(card.name, tuple(lines), model.report_problem, report)


def report_rows(found: SavedReport) -> ReportRows:
    """What a report said of the model, with the thresholds it was at."""
    points = found.points
    tuned = f", tuned on {found.tuned_on}" if found.tuned_on else ""
    return ReportRows(
        ()
        if points is None
        else (
            points.data,
            words.score(points.found.precision),
            words.score(points.found.recall),
            words.score(points.found.f1),
        ),
        "" if points is None else f"right above {words.score(points.threshold, 2)}",
        tuple(
            ReportedSystems(
                split.data,
                one.measure,
                one.systems,
                words.score(one.kendall),
                words.score(one.p),
                f"{words.score(one.rmse)} ± {words.score(one.sigma)}",
            )
            for split in found.splits
            for one in split.agreements
        ),
        f"right above {words.score(found.threshold, 2)}{tuned}",
    )


def has_curve(model: AvaModel) -> bool:
    """Whether there is a curve to draw: more than one point of a training."""
    return model.card is not None and len(model.card.curve) > 1


def _trained(card: Card) -> str:
    data = card.data
    from_ = f"{', '.join(data.sources)}: " if data.sources else ""
    return (
        f"{from_}{words.count(data.train_questions, 'question')}, "
        f"{words.count(data.train_positives, 'positive')}, "
        f"{words.count(data.train_negatives, 'negative')}"
    )


def _results(card: Card) -> str:
    best = card.best
    if best is None:
        return ""
    on = words.count(card.data.dev_questions, "question")
    return (
        f"F1 {words.score(best.f1)} · P {words.score(best.precision)} · "
        f"R {words.score(best.recall)} on {on}"
    )


def _threshold(model: AvaModel, card: Card) -> str:
    at = card.threshold if model.threshold is None else model.threshold
    said = f"{words.score(at, 2)}, tuned on {card.tuned_on}" if card.tuned_on else ""
    said = said or words.score(at, 2)
    if at == card.threshold:
        return said
    return (
        f"{words.score(at, 2)}; the folder's card says {words.score(card.threshold, 2)}"
    )
