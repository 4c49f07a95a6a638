"""AVA models answer by answer and on systems, in the layout of the paper's tables.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.evaluation.answers.systems import MEASURES
from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.evaluation.answers.error import MeasureAgreement
    from curator.evaluation.answers.pointwise import Confusion
    from curator.verbs.answers.ava_evaluate import CheckedPair, Evaluated
    from curator.verbs.answers.ava_report import ModelReport, Report
    from curator.verbs.answers.ava_systems import SplitReport

RIGHT = {True: "right", False: "wrong"}
CONFUSION = ["precision", "recall", "F1", "TP", "FP", "FN", "TN"]
AGREEMENT = ["kendall", "p", "RMSE", "sigma"]
STRINGS = "string check"


def evaluation(found: Evaluated) -> Shown:
    """The model and the string check on the same pairs."""
    rows: list[list[Cell]] = [
        [found.model, *confusion_cells(found.ava)],
        [STRINGS, *confusion_cells(found.strings)],
    ]
    caption = f"{_model_said(found)} · {_pairs_said(found)}"
    return Shown(
        _evaluated_json(found),
        ["", *CONFUSION],
        rows,
        caption,
        _evaluation_notes(found),
    )


def checked_pairs(found: Evaluated) -> Shown:
    """Every pair with its score, and a linear model's contributions by feature."""
    features = list(found.pairs[0].contributions) if found.pairs else []
    headings = ["question", "reference", "candidate", "label", "score", "called"]
    headings += [STRINGS, *features]
    rows: list[list[Cell]] = [
        [
            one.example.triple.question,
            one.example.triple.reference,
            one.example.triple.candidate,
            RIGHT[one.example.correct],
            one.score,
            RIGHT[one.called_right],
            RIGHT[one.matched],
            *(one.contributions[name] for name in features),
        ]
        for one in found.pairs
    ]
    value = {
        **_evaluated_json(found),
        "checked": [_checked_json(one) for one in found.pairs],
    }
    caption = f"{_model_said(found)} · {_pairs_said(found)}"
    return Shown(value, headings, rows, caption, _evaluation_notes(found))


def ava_report(found: Report) -> list[Shown]:
    """Tables 6 to 10 of whatever there is; the first one's value is all of it."""
    shown = [_pointwise(found)]
    if any(one.splits for one in found.models):
        shown.append(_agreements(found))
    for one in found.models:
        if one.splits:
            shown.append(_systems(one))
        if one.disagreements:
            shown.append(_disagreements(one))
    return shown


def _pointwise(found: Report) -> Shown:
    rows: list[list[Cell]] = []
    for one in found.models:
        known = one.pointwise
        cells = [None] * len(CONFUSION) if known is None else confusion_cells(known.ava)
        threshold = None if known is None else known.threshold
        rows.append([one.model, one.configuration, threshold, *cells])
    first = found.models[0].pointwise if found.models else None
    if first is not None:
        rows.append([STRINGS, "", None, *confusion_cells(first.strings)])
    of_pairs = "" if first is None else f" · {_pairs_said(first)}"
    caption = (
        f"Answer by answer (Table 6) · {found.data[-1].data}{of_pairs} · each model at "
        "its card's threshold"
    )
    headings = ["model", "configuration", "threshold", *CONFUSION]
    pairs = () if first is None else _pair_notes(first)
    notes = [*found.notes, *(f"{found.data[-1].data}: {note}" for note in pairs)]
    notes += [
        f"{one.model}: {one.pointwise.ava.note}"
        for one in found.models
        if one.pointwise and one.pointwise.ava.note
    ]
    return Shown(_report_json(found), headings, rows, caption, notes)


def _agreements(found: Report) -> Shown:
    rows: list[list[Cell]] = []
    notes = []
    for model in found.models:
        for split in model.splits:
            for one in split.agreements:
                row: list[Cell] = [model.model, model.threshold, split.data]
                row += [one.measure, one.systems, *agreement_cells(one)]
                rows.append(row)
                if one.note:
                    notes.append(f"{split.data}, {one.measure}: {one.note}")
    data = "; ".join(
        f"{one.data}: {counted(one.questions, 'question')}" for one in found.data
    )
    how = " and ".join(dict.fromkeys(_how(one) for one in found.models))
    caption = (
        f"Systems by the model and by gold labels (Table 7) · {data} · thresholds {how}"
    )
    return Shown(
        None,
        ["model", "threshold", "data", "measure", "systems", *AGREEMENT],
        rows,
        caption,
        list(dict.fromkeys(notes)),
    )


def _systems(model: ModelReport) -> Shown:
    """Table 8's rows, or Table 9's where every system gives one answer a question."""
    systems = list(dict.fromkeys(r.system for s in model.splits for r in s.systems))
    one_answer = all(row.one_answer for s in model.splits for row in s.systems)
    rows: list[list[Cell]] = []
    for split in model.splits:
        for labels in ("gold", "AVA"):
            for measure in MEASURES[:1] if one_answer else MEASURES:
                values = _values(split, labels, measure)
                row: list[Cell] = [split.data, labels, measure]
                row += [values.get(system) for system in systems]
                if one_answer:
                    known = split.agreements[0]
                    row += agreement_cells(known) if labels == "AVA" else [None] * 4
                rows.append(row)
    headings = ["data", "labels", "measure", *systems]
    headings += AGREEMENT if one_answer else []
    caption = (
        f"Every system (Table {9 if one_answer else 8}) · {model.model} · "
        f"{_threshold_said(model)}"
    )
    return Shown(None, headings, rows, caption)


def _values(split: SplitReport, labels: str, measure: str) -> dict[str, Cell]:
    return {
        row.system: (row.gold if labels == "gold" else row.ava).value(measure)
        for row in split.systems
    }


def agreement_cells(one: MeasureAgreement) -> list[Cell]:
    """What stands under ``AGREEMENT``."""
    return [one.kendall, one.p, one.rmse, one.sigma]


def _disagreements(model: ModelReport) -> Shown:
    rows: list[list[Cell]] = [
        [
            one.question,
            one.candidate,
            RIGHT[one.matched],
            one.reference,
            one.score,
            RIGHT[one.correct],
        ]
        for one in model.disagreements
    ]
    caption = (
        f"Model and string check differ (Table 10) · {model.model} · "
        f"{_threshold_said(model)} · "
        f"{len(model.disagreements):,} of {counted(model.disagreeing, 'candidate')}"
    )
    headings = ["question", "candidate", STRINGS, "reference", "score", "label"]
    return Shown(None, headings, rows, caption)


def _threshold_said(model: ModelReport) -> str:
    return f"score > {model.threshold:.4g}, {_how(model)}"


def _how(model: ModelReport) -> str:
    if model.tuned is None:
        return "the card's"
    return f"tuned on {model.splits[0].data}"


def _model_said(found: Evaluated) -> str:
    return f"{found.model} · {found.configuration} · score > {found.threshold:.4g}"


def _pairs_said(found: Evaluated) -> str:
    pairs = counted(found.positives + found.negatives, "pair")
    return (
        f"{pairs} ({found.positives:,} right, {found.negatives:,} wrong) of "
        f"{counted(found.questions, 'question')}"
    )


def _evaluation_notes(found: Evaluated) -> list[str]:
    notes = _pair_notes(found)
    if found.ava.note:
        notes.append(f"{found.model}: {found.ava.note}")
    if found.strings.note:
        notes.append(f"{STRINGS}: {found.strings.note}")
    return notes


def _pair_notes(found: Evaluated) -> list[str]:
    """What makes no pairs."""
    notes = []
    if found.left_out:
        few = counted(found.left_out, "question has", "questions have")
        notes.append(f"{few} fewer than two correct answers, and no pairs.")
    if found.contradictions:
        both = counted(found.contradictions, "answer stands", "answers stand")
        notes.append(f"{both} as correct and as incorrect, and in no pair.")
    return notes


def confusion_cells(one: Confusion) -> list[Cell]:
    """What stands under ``CONFUSION``."""
    counts = [one.true_positives, one.false_positives]
    counts += [one.false_negatives, one.true_negatives]
    return [one.precision, one.recall, one.f1, *counts]


def _confusion_json(one: Confusion) -> dict[str, object]:
    ratios = {"precision": one.precision, "recall": one.recall, "f1": one.f1}
    return {**ratios, **asdict(one), "note": one.note}


def _evaluated_json(found: Evaluated) -> dict[str, object]:
    return {
        "model": found.model,
        "configuration": found.configuration,
        "threshold": found.threshold,
        "questions": found.questions,
        "left_out": found.left_out,
        "contradictions": found.contradictions,
        "positives": found.positives,
        "negatives": found.negatives,
        "ava": _confusion_json(found.ava),
        "strings": _confusion_json(found.strings),
    }


def _checked_json(one: CheckedPair) -> dict[str, object]:
    return {
        **asdict(one.example.triple),
        "correct": one.example.correct,
        "score": one.score,
        "called_right": one.called_right,
        "matched": one.matched,
        "contributions": dict(one.contributions),
    }


def _report_json(found: Report) -> dict[str, object]:
    return {
        "references": found.references,
        "data": [asdict(one) for one in found.data],
        "models": [_model_json(one) for one in found.models],
        "notes": list(found.notes),
    }


def _model_json(one: ModelReport) -> dict[str, object]:
    return {
        "model": one.model,
        "configuration": one.configuration,
        "threshold": one.threshold,
        "tuned": None if one.tuned is None else asdict(one.tuned),
        "pointwise": None if one.pointwise is None else _evaluated_json(one.pointwise),
        "splits": [asdict(split) for split in one.splits],
        "disagreements": [asdict(two) for two in one.disagreements],
        "disagreeing": one.disagreeing,
    }
