"""The models behind a workspace's AVA graders, by the cards in their folders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from curator.engine.gradebook import plain_name
from curator.engine.state import State
from curator.verbs.answers.ava_saved_report import SavedReport, read_saved_report
from grading.ava.card import Card, read_card
from grading.ava.grader import FAMILY
from grading.errors import GradingError


@dataclass(frozen=True)
class AvaModel:
    """An AVA grader's model: where it lies, and its card.

    ``card`` is None where it cannot be read; ``why`` then says so. The card is that of
    the folder as it is now: ``threshold`` is the one by which the grader decides.
    ``report`` is what was saved there of a report, None without one; ``report_why``
    says why one cannot be read.
    """

    grader: str
    folder: Path
    threshold: float | None
    card: Card | None = None
    why: str = ""
    report: SavedReport | None = None
    report_why: str = ""


def ava_models(state: State) -> tuple[AvaModel, ...]:
    """One for each AVA grader of the workspace, in the order they came in."""
    return tuple(
        _model(
            record.name,
            [part.name for part in record.parts],
            next(iter(record.spec.reading.thresholds), None),
        )
        for record in state.gradebook.records
        if record.spec.checks_answers
    )


def _model(grader: str, sources: list[str], threshold: float | None) -> AvaModel:
    name = plain_name(grader)
    for source in sources:
        name = name.removesuffix(f"+{source}")
    folder = Path(name.removeprefix(FAMILY))
    try:
        return _reported(AvaModel(grader, folder, threshold, read_card(folder)))
    except (GradingError, OSError) as error:
        why = str(error)
        if not folder.is_dir():
            why = f"The folder '{folder}' is not here; what it scored still counts."
        return AvaModel(grader, folder, threshold, why=why.rstrip(".") + ".")


def _reported(model: AvaModel) -> AvaModel:
    try:
        return replace(model, report=read_saved_report(model.folder))
    except GradingError as error:
        return replace(model, report_why=f"{error}.")
