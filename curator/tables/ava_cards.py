"""A trained AVA model's card, how its training went, and how it scores an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.tables.ava import AGREEMENT, CONFUSION, agreement_cells, confusion_cells
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.verbs.answers.ava_questions import Parts
    from curator.verbs.answers.ava_saved_report import SavedReport
    from curator.verbs.answers.ava_training import Explained, Training
    from grading.ava.card import Card

UNFINISHED = (
    "This training has not ended: it still goes on, or was interrupted; then the same "
    "`curator ava train` command with --resume goes on."
)


def card(found: Training) -> list[Shown]:
    """What a model is and was trained on, how that went, and a linear one's weights.

    Then what was saved of a report about it.
    Of a training that has not ended there is only how it went so far.
    """
    if found.card is None:
        return [_epochs(found, notes=[UNFINISHED])]
    about = Shown(card_json(found), ["of the model", "value"], _card_rows(found.card))
    reported = [] if found.report is None else saved_report(found.report)
    return [about, *trained(found), *reported]


def trained(found: Training) -> list[Shown]:
    """How a training went, by epoch, and the weights of a linear model."""
    tables = [_epochs(found, notes=_ended_early(found))] if found.epochs else []
    if found.card and found.card.weights:
        tables.append(_weights(found.card))
    return tables


def card_json(found: Training) -> dict[str, Any]:
    """The card as it stands in the model's folder, and whether training has ended.

    With the figures that were saved there, if any were.
    """
    if found.card is None:
        curve = [asdict(point) for point in found.curve]
        return {"name": found.name, "finished": False, "curve": curve}
    reported = {} if found.report is None else {"report": asdict(found.report)}
    return {"finished": True, **asdict(found.card), **reported}


def saved_report(found: SavedReport) -> list[Shown]:
    """The model on single answers and on systems, as a report had it."""
    tables = []
    if (points := found.points) is not None:
        row: list[Cell] = [
            points.data,
            points.threshold,
            *confusion_cells(points.found),
        ]
        caption = (
            f"Answer by answer · {counted(points.questions, 'question')} · at the "
            "card's threshold of then"
        )
        tables.append(Shown({}, ["data", "threshold", *CONFUSION], [row], caption))
    if found.splits:
        how = f"tuned on {found.tuned_on}" if found.tuned_on else "the card's"
        rows: list[list[Cell]] = [
            [split.data, one.measure, one.systems, *agreement_cells(one)]
            for split in found.splits
            for one in split.agreements
        ]
        notes = [
            f"{split.data}, {one.measure}: {one.note}"
            for split in found.splits
            for one in split.agreements
            if one.note
        ]
        caption = f"Systems · score > {found.threshold:.4g}, {how}"
        headings = ["data", "measure", "systems", *AGREEMENT]
        tables.append(Shown({}, headings, rows, caption, notes))
    return tables


def explained(found: Explained) -> Shown:
    """The score, and under a linear model every number that it comes from."""
    triple, card = found.triple, found.card
    value: dict[str, Any] = {
        "model": card.name,
        **asdict(triple),
        "score": found.score,
        "threshold": card.threshold,
        "correct": found.correct,
    }
    word = "right" if found.correct else "wrong"
    sign = ">" if found.correct else "≤"
    caption = f"{word}: score {found.score:.4f} {sign} {card.threshold:.4f}"
    if (sum_ := found.explanation) is None:
        row: list[Cell] = [found.score, card.threshold, word]
        return Shown(value, ["score", "threshold", "candidate"], [row], caption)
    rows: list[list[Cell]] = [
        [one.feature, one.value, one.weight, one.contribution]
        for one in sum_.contributions
    ]
    rows += [
        ["bias", None, None, sum_.bias],
        ["decision value", None, None, sum_.decision],
        ["score", None, None, sum_.score],
    ]
    value |= {
        "features": [
            asdict(one) | {"contribution": one.contribution}
            for one in sum_.contributions
        ],
        "bias": sum_.bias,
        "decision": sum_.decision,
        "platt_a": sum_.platt_a,
        "platt_b": sum_.platt_b,
    }
    note = (
        f"score = 1 / (1 + exp(A · decision value + B)), A = {sum_.platt_a:.4f}, "
        f"B = {sum_.platt_b:.4f}"
    )
    headings = ["feature", "value", "weight", "contribution"]
    return Shown(value, headings, rows, caption, [note])


def found_words(parts: Parts) -> list[str]:
    """What was found to train on, a line each."""
    data = parts.data()
    lines = [
        _pairs("train", data.train_questions, data.train_positives,
               data.train_negatives),
        _pairs("dev", data.dev_questions, data.dev_positives, data.dev_negatives),
    ]  # fmt: skip
    if data.left_out:
        lines.append(
            f"left out: {counted(data.left_out, 'question')} with fewer than two "
            "correct answers"
        )
    if parts.contradictions:
        lines.append(
            f"left out: {counted(parts.contradictions, 'answer')} given as correct "
            "and as incorrect"
        )
    return lines + [f"note: {note}" for note in parts.notes]


def _epochs(found: Training, notes: Sequence[str] = ()) -> Shown:
    rows: list[list[Cell]] = []
    best = found.card.best_epoch if found.card else None
    for at in found.epochs:
        kept = "kept" if at.epoch == best else ""
        results: list[Cell] = [at.precision, at.recall, at.f1]
        # A linear model is trained in one go, without a loss to watch.
        rows.append(
            results if found.is_linear else [at.epoch, at.step, at.loss, *results, kept]
        )
    headings = ["P", "R", "F1"]
    if not found.is_linear:
        headings = ["epoch", "steps", "loss", *headings, "weights"]
    caption = f"{found.name} · P, R and F1 on dev at a score of .5"
    return Shown(card_json(found), headings, rows, caption, notes)


def _ended_early(found: Training) -> list[str]:
    asked = found.card.settings.get("epochs") if found.card else None
    ran = found.epochs[-1].epoch
    if not isinstance(asked, int) or ran >= asked:
        return []
    return [
        f"Stopped early, after {ran} of {asked} epochs: F1 on dev did not rise further."
    ]


def _weights(card: Card) -> Shown:
    rows: list[list[Cell]] = [[name, weight] for name, weight in card.weights.items()]
    return Shown({}, ["feature", "weight"], rows)


def _card_rows(card: Card) -> list[list[Cell]]:
    data = card.data
    tuned = f" (tuned on {card.tuned_on})" if card.tuned_on else ""
    settings: list[list[Cell]] = [
        [name.replace("_", " "), str(value)] for name, value in card.settings.items()
    ]
    rows: list[list[Cell]] = [
        ["name", card.name],
        ["kind", card.configuration],
        ["encoder", card.encoder or None],
        ["trained on", ", ".join(data.sources) or None],
        ["train", _counts(data.train_questions, data.train_positives,
                          data.train_negatives)],
        ["dev", _counts(data.dev_questions, data.dev_positives, data.dev_negatives)],
        ["left out", counted(data.left_out, "question")],
        ["seed", str(card.seed)],
        *settings,
        ["right above", f"{card.threshold:g}{tuned}"],
    ]  # fmt: skip
    return [row for row in rows if row[1] is not None]


def _pairs(part: str, questions: int, positives: int, negatives: int) -> str:
    return f"{part}: {_counts(questions, positives, negatives)}"


def _counts(questions: int, positives: int, negatives: int) -> str:
    return (
        f"{counted(questions, 'question')}, {counted(positives, 'positive')}, "
        f"{counted(negatives, 'negative')}"
    )
