"""Checks on answers side by side, AVA models in the paper's tables, and their cards.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from curator.evaluation.answer_checking import MEASURES
from curator.formats.text.notices import counted
from curator.tables.forms import Cell
from curator.tables.table import Table

if TYPE_CHECKING:
    from curator.evaluation.answer_checking import Confusion, MeasureAgreement
    from curator.verbs.answers.answer_checks import AnswerChecks, CheckedAnswer
    from curator.verbs.answers.ava_evaluation import (
        CheckedPair,
        Evaluated,
        SplitReport,
    )
    from curator.verbs.answers.ava_report import (
        AnswerCheckingReport,
        ModelReport,
        SavedReport,
    )
    from curator.verbs.answers.ava_training import (
        Explained,
        Training,
        TrainingQuestions,
    )
    from grading.ava.card import Card, Data

# Columns: the heading, and the name of the value.
AGAINST_PEOPLE = {"precision": "precision", "recall": "recall", "F1": "f1"}
AGAINST_PEOPLE |= {"kappa": "kappa"}
CONFUSION = {
    **{"precision": "precision", "recall": "recall", "F1": "f1"},
    **{"TP": "true_positives", "FP": "false_positives"},
    **{"FN": "false_negatives", "TN": "true_negatives"},
}
AGREEMENT = {"kendall": "kendall", "p": "p", "RMSE": "rmse", "sigma": "sigma"}
# Of two checks: the heading, the name in JSON and that of the value.
PAIR = (
    ("answers", "answers", "answers"),
    ("both right", "both", "true_positives"),
    ("only the first", "only_first", "false_positives"),
    ("only the second", "only_second", "false_negatives"),
    ("neither", "neither", "true_negatives"),
    ("same", "agreement", "agreement"),
    ("Cohen's kappa", "kappa", "kappa"),
)
RIGHT = {True: "right", False: "wrong", None: "-"}
STRINGS = "string check"
UNFINISHED = (
    "This training has not ended: it still goes on, or was interrupted; then the same "
    "`curator ava train` command with --resume goes on."
)


def _cells(of: object, names: Iterable[str]) -> list[Cell]:
    return [getattr(of, name) for name in names]


# Checks on the same answers


def answer_check_tables(
    found: AnswerChecks, total: int, listed: Sequence[CheckedAnswer]
) -> list[Table]:
    """A table of the checks, of pairs, of systems, of their error, of answers.

    ``listed`` are the first of ``total`` answers on which not all say the same.
    """
    value = answer_checks_json(found, total, listed)
    tables = [replace(_checks(found), value=value)]
    if found.pairs:
        tables.append(_pairs(found))
    if found.systems:
        tables.append(_accuracies(found))
    if found.agreements:
        tables.append(_errors(found))
    if total:
        tables.append(_differing(found, total, listed))
    return tables


def _checks(found: AnswerChecks) -> Table:
    """A line for each check; against people where these have judged answers."""
    headings = ["check", "threshold", "answers", "right", "share"]
    rows: list[list[Cell]] = [
        [one.label, one.threshold, one.checked, one.right, one.share]
        for one in found.checks
    ]
    if found.judged:
        headings += ["with a majority", *AGAINST_PEOPLE]
        for row, one in zip(rows, found.checks, strict=True):
            row += _cells(one.people, ("answers", *AGAINST_PEOPLE.values()))
    caption = (
        f"{counted(found.answers, 'distinct answer')} of {found.source} to "
        f"{counted(found.questions, 'question')} with a key, of {found.kept:,} kept"
    )
    return Table.of(headings, rows, caption, found.notes)


def _pairs(found: AnswerChecks) -> Table:
    """What every two checks say of the answers that both have checked."""
    labels = {one.name: one.label for one in found.checks}
    rows: list[list[Cell]] = [
        [labels[first], labels[second], *_cells(counts, (name for *_, name in PAIR))]
        for first, second, counts in found.pairs
    ]
    headings = ["check", "and", *(heading for heading, *_ in PAIR)]
    return Table.of(headings, rows, "What two checks say of the same answers")


def _accuracies(found: AnswerChecks) -> Table:
    """Each system's accuracy by every check, and by people where they have judged."""
    rows: list[list[Cell]] = [
        [one.system, one.questions, *one.by_check]
        + ([one.by_people] if found.judged else [])
        for one in found.systems
    ]
    headings = ["system", "questions", *(one.label for one in found.checks)]
    headings += ["people"] if found.judged else []
    caption = (
        "accuracy: share of the questions that the first passage answers right; none "
        "where an answer is not decided on"
    )
    return Table.of(headings, rows, caption)


def _errors(found: AnswerChecks) -> Table:
    """How far each check's accuracies are from people's (Table 9's form)."""
    labels = {one.name: one.label for one in found.checks}
    rows: list[list[Cell]] = [
        [labels[one.measure], one.systems, *_cells(one, AGREEMENT.values())]
        for one in found.agreements
    ]
    headings = ["check", "systems", "tau_b", "p", "RMSE", "sigma"]
    notes = [one.note for one in found.agreements if one.note]
    return Table.of(headings, rows, "Accuracy of systems against people's", notes)


def _differing(
    found: AnswerChecks, total: int, listed: Sequence[CheckedAnswer]
) -> Table:
    rows: list[list[Cell]] = [
        [
            one.question.query_id,
            one.question.title,
            " | ".join(one.question.answers),
            one.answer,
            one.passages,
            *map(_verdict_words, one.right, one.scores),
            *([RIGHT[one.people]] if found.judged else []),
        ]
        for one in listed
    ]
    headings = ["query", "question", "key", "answer", "passages"]
    headings += [one.label for one in found.checks]
    headings += ["people"] if found.judged else []
    caption = f"{counted(total, 'answer')} on which not all say the same"
    if len(rows) < total:
        caption += f", the first {len(rows):,}"
    return Table.of(headings, rows, caption)


def _verdict_words(right: bool | None, score: float | None) -> str:
    """``right .83``, ``wrong``, ``-``."""
    with_score = right is not None and score is not None
    return f"{RIGHT[right]} {score:.2f}" if with_score else RIGHT[right]


def answer_checks_json(
    found: AnswerChecks, total: int, listed: Sequence[CheckedAnswer]
) -> dict[str, object]:
    """Everything of the tables, by name."""
    names = [one.name for one in found.checks]
    against_people = ("answers", *AGAINST_PEOPLE.values())
    return {
        "source": found.source,
        "questions": found.questions,
        "kept_questions": found.kept,
        "answers": found.answers,
        "judged": found.judged,
        "checks": [
            {
                "check": one.name,
                "threshold": one.threshold,
                "checked": one.checked,
                "right": one.right,
                "share": one.share,
                "people": {name: getattr(one.people, name) for name in against_people},
            }
            for one in found.checks
        ],
        "pairs": [
            {"first": first, "second": second}
            | {key: getattr(counts, name) for _, key, name in PAIR}
            for first, second, counts in found.pairs
        ],
        "systems": [
            {
                "system": one.system,
                "questions": one.questions,
                "accuracy": dict(zip(names, one.by_check, strict=True)),
                "people": one.by_people,
            }
            for one in found.systems
        ],
        "agreements": [asdict(one) for one in found.agreements],
        "disagreements": [_answer_json(one, names) for one in listed],
        "all_disagreements": total,
        "notes": list(found.notes),
    }


def _answer_json(one: CheckedAnswer, names: list[str]) -> dict[str, object]:
    return {
        "query_id": one.question.query_id,
        "question_id": one.question.question_id,
        "question": one.question.text,
        "key": list(one.question.answers),
        "answer": one.answer,
        "passages": one.passages,
        "passage_id": one.passage_id,
        "checks": {
            name: {"right": right, "score": score}
            for name, right, score in zip(names, one.right, one.scores, strict=True)
        },
        "people": one.people,
    }


# A model on pairs of answers


def evaluation_table(found: Evaluated) -> Table:
    """The model and the string check on the same pairs."""
    rows: list[list[Cell]] = [
        [found.model, *_cells(found.ava, CONFUSION.values())],
        [STRINGS, *_cells(found.strings, CONFUSION.values())],
    ]
    headings = ["", *CONFUSION]
    value, caption = _evaluated_json(found), _evaluation_words(found)
    return Table.of(headings, rows, caption, _evaluation_notes(found), value=value)


def pair_table(found: Evaluated) -> Table:
    """Every pair with its score, and a linear model's contributions by feature."""
    features = list(found.pairs[0].contributions) if found.pairs else []
    headings = ["question", "reference", "candidate", "label", "score", "called"]
    headings += [STRINGS, *features]
    rows: list[list[Cell]] = [
        [
            *_cells(one.example.triple, ("question", "reference", "candidate")),
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
    caption = _evaluation_words(found)
    return Table.of(headings, rows, caption, _evaluation_notes(found), value=value)


def _evaluation_words(found: Evaluated) -> str:
    return (
        f"{found.model} · {found.configuration} · score > {found.threshold:.4g} · "
        f"{_pairs_words(found)}"
    )


def _pairs_words(found: Evaluated) -> str:
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


def _evaluated_json(found: Evaluated) -> dict[str, object]:
    checks = {"ava": _confusion_json(found.ava)}
    checks["strings"] = _confusion_json(found.strings)
    stored = {name: value for name, value in vars(found).items() if name != "pairs"}
    return stored | checks


def _confusion_json(one: Confusion) -> dict[str, object]:
    ratios = {"precision": one.precision, "recall": one.recall, "f1": one.f1}
    return {**ratios, **asdict(one), "note": one.note}


def _checked_json(one: CheckedPair) -> dict[str, object]:
    return {
        **asdict(one.example.triple),
        "correct": one.example.correct,
        "score": one.score,
        "called_right": one.called_right,
        "matched": one.matched,
        "contributions": dict(one.contributions),
    }


# A report: models on answers and on systems


def report_tables(found: AnswerCheckingReport) -> list[Table]:
    """Tables 6 to 10 of whatever there is; the first one's value is all of it."""
    tables = [_pointwise(found)]
    if any(one.splits for one in found.models):
        tables.append(_agreements(found))
    for one in found.models:
        if one.splits:
            tables.append(_systems(one))
        if one.disagreements:
            tables.append(_disagreements(one))
    return tables


def _pointwise(found: AnswerCheckingReport) -> Table:
    rows: list[list[Cell]] = []
    test, notes = found.data[-1].name, list(found.notes)
    for one in found.models:
        known = one.pointwise
        row: list[Cell] = [one.model, one.configuration]
        if known is None:
            row += [None] * (1 + len(CONFUSION))
        else:
            row += [known.threshold, *_cells(known.ava, CONFUSION.values())]
        rows.append(row)
    first, of_pairs = found.models[0].pointwise if found.models else None, ""
    if first is not None:
        cells = _cells(first.strings, CONFUSION.values())
        rows.append([STRINGS, "", None, *cells])
        notes += [f"{test}: {note}" for note in _pair_notes(first)]
        of_pairs = f" · {_pairs_words(first)}"
    caption = (
        f"Answer by answer (Table 6) · {test}{of_pairs} · each model at its card's "
        "threshold"
    )
    notes += [
        f"{one.model}: {one.pointwise.ava.note}"
        for one in found.models
        if one.pointwise and one.pointwise.ava.note
    ]
    headings = ["model", "configuration", "threshold", *CONFUSION]
    return Table.of(headings, rows, caption, notes, value=_report_json(found))


def _agreements(found: AnswerCheckingReport) -> Table:
    rows: list[list[Cell]] = []
    notes = []
    for model in found.models:
        for split in model.splits:
            for row in _agreement_rows(split.data, split.agreements):
                rows.append([model.model, model.threshold, *row])
            notes += _agreement_notes(split.data, split.agreements)
    data = "; ".join(
        f"{one.name}: {counted(len(one.questions), 'question')}" for one in found.data
    )
    how = " and ".join(dict.fromkeys(_threshold_source(one) for one in found.models))
    caption = (
        f"Systems by the model and by gold labels (Table 7) · {data} · thresholds {how}"
    )
    headings = ["model", "threshold", "data", "measure", "systems", *AGREEMENT]
    return Table.of(headings, rows, caption, list(dict.fromkeys(notes)))


def _agreement_rows(data: str, found: Iterable[MeasureAgreement]) -> list[list[Cell]]:
    return [
        [data, one.measure, one.systems, *_cells(one, AGREEMENT.values())]
        for one in found
    ]


def _agreement_notes(data: str, found: Iterable[MeasureAgreement]) -> list[str]:
    return [f"{data}, {one.measure}: {one.note}" for one in found if one.note]


def _systems(model: ModelReport) -> Table:
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
                    known = _cells(split.agreements[0], AGREEMENT.values())
                    row += known if labels == "AVA" else [None] * len(known)
                rows.append(row)
    headings = ["data", "labels", "measure", *systems]
    headings += AGREEMENT if one_answer else []
    caption = (
        f"Every system (Table {9 if one_answer else 8}) · {model.model} · "
        f"{_threshold_words(model)}"
    )
    return Table.of(headings, rows, caption)


def _values(split: SplitReport, labels: str, measure: str) -> dict[str, Cell]:
    return {
        row.system: (row.gold if labels == "gold" else row.ava).value(measure)
        for row in split.systems
    }


def _disagreements(model: ModelReport) -> Table:
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
        f"{_threshold_words(model)} · "
        f"{len(model.disagreements):,} of {counted(model.disagreeing, 'candidate')}"
    )
    headings = ["question", "candidate", STRINGS, "reference", "score", "label"]
    return Table.of(headings, rows, caption)


def _threshold_words(model: ModelReport) -> str:
    return f"score > {model.threshold:.4g}, {_threshold_source(model)}"


def _threshold_source(model: ModelReport) -> str:
    if model.tuned is None:
        return "the card's"
    return f"tuned on {model.splits[0].data}"


def _report_json(found: AnswerCheckingReport) -> dict[str, object]:
    models = []
    for one in found.models:
        known = one.pointwise
        pointwise = None if known is None else _evaluated_json(known)
        models.append(asdict(one) | {"pointwise": pointwise})
    return {
        "references": found.references,
        "data": [one.counts() for one in found.data],
        "models": models,
        "notes": list(found.notes),
    }


# A trained model's card, how its training went, and how it scores an answer


def card_tables(found: Training) -> list[Table]:
    """What a model is and was trained on, how that went, and a linear one's weights.

    Then what was saved of a report about it.
    Of a training that has not ended there is only how it went so far.
    """
    if found.card is None:
        return [_epochs(found, notes=[UNFINISHED])]
    rows = _card_rows(found.card)
    about = Table.of(["of the model", "value"], rows, value=card_json(found))
    reported = [] if found.report is None else _saved_tables(found.report)
    return [about, *training_tables(found), *reported]


def training_tables(found: Training) -> list[Table]:
    """How a training went, by epoch, and the weights of a linear model."""
    tables = [_epochs(found, notes=_ended_early(found))] if found.epochs else []
    if found.card and found.card.weights:
        rows: list[list[Cell]] = [list(one) for one in found.card.weights.items()]
        tables.append(Table.of(["feature", "weight"], rows))
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


def _saved_tables(found: SavedReport) -> list[Table]:
    """The model on single answers and on systems, as a report had it."""
    tables = []
    rows: list[list[Cell]]
    if (points := found.points) is not None:
        cells = _cells(points.found, CONFUSION.values())
        rows = [[points.data, points.threshold, *cells]]
        caption = (
            f"Answer by answer · {counted(points.questions, 'question')} · at the "
            "card's threshold of then"
        )
        tables.append(Table.of(["data", "threshold", *CONFUSION], rows, caption))
    if found.splits:
        rows, notes = [], []
        for split in found.splits:
            rows += _agreement_rows(split.data, split.agreements)
            notes += _agreement_notes(split.data, split.agreements)
        how = f"tuned on {found.tuned_on}" if found.tuned_on else "the card's"
        caption = f"Systems · score > {found.threshold:.4g}, {how}"
        headings = ["data", "measure", "systems", *AGREEMENT]
        tables.append(Table.of(headings, rows, caption, notes))
    return tables


def explained_table(found: Explained) -> Table:
    """The score, and under a linear model every number that it comes from."""
    triple, card = found.triple, found.card
    value: dict[str, Any] = {
        "model": card.name,
        **asdict(triple),
        "score": found.score,
        "threshold": card.threshold,
        "correct": found.correct,
    }
    word = RIGHT[found.correct]
    sign = ">" if found.correct else "≤"
    caption = f"{word}: score {found.score:.4f} {sign} {card.threshold:.4f}"
    if (sum_ := found.explanation) is None:
        row: list[Cell] = [found.score, card.threshold, word]
        return Table.of(
            ["score", "threshold", "candidate"], [row], caption, value=value
        )
    columns = ["feature", "value", "weight", "contribution"]
    rows = [_cells(one, columns) for one in sum_.contributions]
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
    return Table.of(columns, rows, caption, [note], value=value)


def training_words(parts: TrainingQuestions) -> list[str]:
    """What was found to train on, a line each."""
    data = parts.data()
    lines = [f"{part}: {words}" for part, words in _part_words(data).items()]
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


def _part_words(data: Data) -> dict[str, str]:
    """How much there is to train on, and to check on meanwhile."""
    counts = {
        "train": (data.train_questions, data.train_positives, data.train_negatives),
        "dev": (data.dev_questions, data.dev_positives, data.dev_negatives),
    }
    return {
        part: f"{counted(questions, 'question')}, {counted(positives, 'positive')}, "
        f"{counted(negatives, 'negative')}"
        for part, (questions, positives, negatives) in counts.items()
    }


def _epochs(found: Training, notes: Sequence[str] = ()) -> Table:
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
    return Table.of(headings, rows, caption, notes, card_json(found))


def _ended_early(found: Training) -> list[str]:
    asked = found.card.settings.get("epochs") if found.card else None
    ran = found.epochs[-1].epoch
    if not isinstance(asked, int) or ran >= asked:
        return []
    return [
        f"Stopped early, after {ran} of {asked} epochs: F1 on dev did not rise further."
    ]


def _card_rows(card: Card) -> list[list[Cell]]:
    data = card.data
    tuned = f" (tuned on {card.tuned_on})" if card.tuned_on else ""
    rows: dict[str, str | None] = {
        "name": card.name,
        "kind": card.configuration,
        "encoder": card.encoder or None,
        "trained on": ", ".join(data.sources) or None,
        **_part_words(data),
        "left out": counted(data.left_out, "question"),
        "seed": str(card.seed),
    }
    settings = [(name.replace("_", " "), str(v)) for name, v in card.settings.items()]
    lines = [*rows.items(), *settings, ("right above", f"{card.threshold:g}{tuned}")]
    return [[name, words] for name, words in lines if words is not None]
