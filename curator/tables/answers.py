"""Checks on answers side by side, AVA models in the paper's tables, and their cards.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from curator.evaluation.answer_checking import MEASURES
from curator.formats.text.notices import counted
from curator.results import FILE, NOWHERE, to_json
from curator.tables.forms import UNKNOWN, Cell, percent, score
from curator.tables.table import Column, Table, columns, opened, record

if TYPE_CHECKING:
    from curator.verbs.answers.answer_checks import AnswerChecks, CheckedAnswer
    from curator.verbs.answers.ava_evaluation import AvaEvaluation
    from curator.verbs.answers.ava_report import (
        AnswerCheckingReport,
        Baseline,
        ModelReport,
    )
    from curator.verbs.answers.ava_training import (
        ExplainedScore,
        TrainingQuestions,
        TrainingStatus,
    )
    from grading.ava.card import Card, Data

PAIR = (
    Column("check", [0, "label"], title="Two checks", help="First and second check",
           page=lambda pair: f"{pair[0].label}, {pair[1].label}"),
    Column("and", [1, "label"], only=FILE),
    Column("first", [0, "name"], key="first", only=NOWHERE),
    Column("second", [1, "name"], key="second", only=NOWHERE),
    Column("answers", [-1, "answers"], key="answers", only=FILE),
    Column("both right", [-1, "true_positives"], title="Both", key="both",
           help="Right by both checks"),
    Column("only the first", [-1, "false_positives"], title="1st", key="only_first",
           help="Right only by the first check"),
    Column("only the second", [-1, "false_negatives"], title="2nd", key="only_second",
           help="Right only by the second check"),
    Column("neither", [-1, "true_negatives"], title="None", key="neither",
           help="Wrong by both checks"),
    Column("same", [-1, "agreement"], key="agreement",
           help="Share of answers on which both agree",
           page=lambda row: _percent(row[-1].agreement)),
    Column("Cohen's kappa", [-1, "kappa"], title="κ", key="kappa", digits=2,
           help="Cohen's kappa"),
)  # fmt: skip
ERROR = Column("RMSE", "rmse"), Column("sigma", only=FILE)
AGREEMENT = (
    Column("kendall", title=Markup("τ<sub>b</sub>")),
    Column("p", title="p"),
    Column("RMSE", "rmse", title="RMSE ± σ",
           page=lambda row: " ± ".join(score(c.value_in(row)) for c in ERROR)),
    ERROR[1],
)  # fmt: skip
TITLED = Markup('<span title="{}">{}</span>')
RIGHT = {True: "right", False: "wrong", None: "-"}
LABEL = Column("label", lambda answer: RIGHT[answer.correct])
STRINGS = "string check"
UNFINISHED = (
    "This training has not ended. If it was interrupted, continue it by the same "
    "`curator ava train` command with --resume."
)


def _quality(path: str, **words: Any) -> list[Column]:
    """Columns of precision, recall and F1 of the counts at this path."""
    precision = "Precision: share of the answers called right that are right"
    recall = "Recall: share of the right answers that are called right"
    f1 = "Harmonic mean of precision and recall"
    return [
        Column("precision", f"{path}.precision", title="P", help=precision, **words),
        Column("recall", f"{path}.recall", title="R", help=recall, **words),
        Column("F1", f"{path}.f1", help=f1, **words),
    ]


def _confusion() -> list[Column]:
    counts = {
        "TP": "true_positives",
        "FP": "false_positives",
        "FN": "false_negatives",
        "TN": "true_negatives",
    }
    layout = _quality("counts")
    for heading, name in counts.items():
        layout.append(Column(heading, f"counts.{name}", only=FILE))
    return layout


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else percent(share)


# Checks on the same answers


def answer_check_tables(
    result: AnswerChecks, answers: Sequence[CheckedAnswer], limit: int
) -> list[Table]:
    """A table of the checks, of pairs, of systems, of their error, of answers.

    ``answers`` are those on which not all say the same; ``limit`` are listed.
    """
    tables = check_tables(result)
    names = [check.name for check in result.checks]
    disagreements = []
    for answer in answers[:limit]:
        question = answer.question
        decided = zip(names, answer.right, answer.scores, strict=True)
        disagreements.append(
            record(question, "query_id", "question_id")
            | {"question": question.text, "key": question.answers}
            | record(answer, "answer", "passages", "passage_id", "people")
            | {"checks": {n: {"right": right, "score": x} for n, right, x in decided}}
        )
    value = to_json(result) | {
        "pairs": tables[1].records(),
        "disagreements": disagreements,
        "all_disagreements": len(answers),
    }
    tables[0] = replace(tables[0], value=value)
    tables += [listed_table(result, answers, limit)] if answers else []
    return [table for table in tables if table.rows]


def check_tables(result: AnswerChecks) -> list[Table]:
    """Checks, pairs, systems and their error, against people's verdicts if any."""
    labels = {check.name: check.label for check in result.checks}
    checks = [
        Column(
            "check", "label", key="check", page=lambda c: TITLED.format(c.name, c.label)
        ),
        Column("threshold", only=FILE),
        Column("answers", "checked", only=FILE),
        Column("right", only=FILE),
        Column("share", title="Right", page=lambda check: _percent(check.share)),
    ]
    names = dict(labels)
    if result.judged:
        majority = "Answers with a majority of people's verdicts"
        kappa = "Cohen's kappa with people"
        checks += [
            Column("with a majority", "people.answers", title="n", help=majority),
            *_quality("people", digits=2),
            Column("kappa", "people.kappa", title="κ", digits=2, help=kappa),
        ]
        names["people"] = "people"
    systems = [Column("system", link="system"), Column("questions", title="n")]
    for name, label in names.items():
        systems.append(Column(label, ["accuracy", name], title=label, help=label))
    accuracy = (
        "accuracy: share of the questions that the first passage answers right; empty "
        "if any of these answers is undecided"
    )
    return [
        Table(
            checks, result.checks, compared_words(result, result.source), result.notes
        ),
        Table(PAIR, result.pairs, "Agreement of two checks on the same answers"),
        Table(systems, result.systems, accuracy),
        Table(
            [
                Column("check", lambda row: labels[row.measure]),
                Column("systems"),
                *AGREEMENT,
            ],
            result.agreements,
            "Accuracy of systems, compared with people's verdicts",
            [row.note for row in result.agreements if row.note],
        ),
    ]


def compared_words(result: AnswerChecks, source: str) -> str:
    """Describe the compared answers; ``source`` is the answering grader's name."""
    answers = counted(result.answers, "distinct answer")
    with_key = counted(result.questions, "question")
    return (
        f"{answers} of {source} to {with_key} with a key, "
        f"of {result.kept:,} kept questions"
    )


def listed_table(
    checks: AnswerChecks, answers: Sequence[CheckedAnswer], limit: int
) -> Table:
    """Make a table of the first answers with what each check and people say of them."""

    def link(row: CheckedAnswer) -> Markup:
        place = {
            "query": row.question.query_id,
            "question": row.question.question_id,
            "passage": row.passage_id,
            "grader": checks.source,
        }
        return opened("on-curate", urlencode(place), row.answer)

    def verdict(number: int) -> Callable[[CheckedAnswer], str]:
        def words(row: CheckedAnswer) -> str:
            right, score = row.right[number], row.scores[number]
            with_score = right is not None and score is not None
            return f"{RIGHT[right]} {score:.2f}" if with_score else RIGHT[right]

        return words

    layout = [
        *columns("question.query_id question=question.title"),
        Column("key", lambda row: " | ".join(row.question.answers)),
        Column("answer", page=link),
        Column("passages"),
    ]
    for number, check in enumerate(checks.checks):
        layout.append(Column(check.label, verdict(number), title=check.label))
    if checks.judged:
        layout.append(Column("people", lambda row: RIGHT[row.people]))
    caption = f"{counted(len(answers), 'answer')} on which the checks differ"
    if limit < len(answers):
        caption += f", the first {limit:,}"
    return Table(layout, answers[:limit], caption)


# A model on pairs of answers


def evaluation_table(result: AvaEvaluation) -> Table:
    """The model and the string check on the same pairs; or each pair, if kept.

    A pair has its score, and a linear model's contributions by feature.
    """
    layout = [Column("", "check"), *_confusion()]
    rows: Sequence[Any] = [
        {"check": result.model, "counts": result.ava},
        {"check": STRINGS, "counts": result.strings},
    ]
    if result.pairs:
        rows = result.pairs
        layout = [
            *columns("question=triple.question reference=triple.reference"),
            Column("candidate", "triple.candidate"),
            LABEL,
            Column("score"),
            Column("called", lambda pair: RIGHT[pair.called_right]),
            Column(STRINGS, lambda pair: RIGHT[pair.matched]),
        ]
        for feature in result.pairs[0].contributions:
            layout.append(Column(feature, ["contributions", feature]))
    caption = (
        f"{result.model} · {result.configuration} · score > {result.threshold:.4g} · "
        f"{_pairs_words(result)}"
    )
    return Table(layout, rows, caption, _pair_notes(result), to_json(result))


def _pairs_words(result: AvaEvaluation) -> str:
    pairs = counted(result.positives + result.negatives, "pair")
    return (
        f"{pairs} ({result.positives:,} right, {result.negatives:,} wrong) of "
        f"{counted(result.questions, 'question')}"
    )


def _pair_notes(result: AvaEvaluation) -> list[str]:
    few = counted(result.left_out, "question has", "questions have")
    note = f"{few} fewer than two correct answers, so no pairs."
    return [note] if result.left_out else []


# A report: models on answers and on systems


def report_tables(result: AnswerCheckingReport) -> list[Table]:
    """Tables 6 to 10 of whatever there is; the first one's value is all of it."""
    tables = [_pointwise(result)]
    if any(model.splits for model in result.models):
        tables.append(_agreements(result))
    for model in result.models:
        if model.splits:
            tables.append(_systems(model))
        if model.disagreements:
            tables.append(_disagreements(model))
        if model.baseline is not None:
            tables += _baseline(model, model.baseline)
    return tables


def _pointwise(result: AnswerCheckingReport) -> Table:
    test, results = result.data[-1].name, [model.pointwise for model in result.models]
    rows = [
        {**record(each, "model", "configuration", "threshold"), "counts": each.ava}
        for each in results
    ]
    strings = {"configuration": "", "threshold": None, "counts": results[0].strings}
    rows.append({"model": STRINGS, **strings})
    notes = [*result.notes, *(f"{test}: {note}" for note in _pair_notes(results[0]))]
    caption = (
        f"Answer by answer (Table 6) · {test} · {_pairs_words(results[0])} · each "
        "model at its card's threshold"
    )
    layout = [*columns("model configuration threshold"), *_confusion()]
    return Table(layout, rows, caption, notes, to_json(result))


def _agreements(result: AnswerCheckingReport) -> Table:
    data = "; ".join(
        f"{used.name}: {counted(len(used.questions), 'question')}"
        for used in result.data
    )
    how = " and ".join(dict.fromkeys(map(_threshold_source, result.models)))
    caption = (
        f"Systems by the model and by gold labels (Table 7) · {data} · thresholds {how}"
    )
    rows = [
        {**record(model, "model", "threshold"), **row}
        for model in result.models
        for row in _agreement_rows(to_json(model.splits))
    ]
    layout = [*columns("model threshold data measure systems"), *AGREEMENT]
    return Table(layout, rows, caption, _agreement_notes(rows))


def _agreement_rows(splits: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Agreements with their data, from the JSON of ``SplitReport``."""
    return [
        {"data": split["data"], **agreement}
        for split in splits
        for agreement in split["agreements"]
    ]


def _agreement_notes(rows: Iterable[dict[str, Any]]) -> list[str]:
    with_note = [row for row in rows if row["note"]]
    notes = ("{data}, {measure}: {note}".format(**row) for row in with_note)
    return list(dict.fromkeys(notes))


def _systems(model: ModelReport) -> Table:
    """Table 8's rows, or Table 9's where every system gives one answer a question."""
    named = [row for split in model.splits for row in split.systems]
    systems = dict.fromkeys(row.system for row in named)
    one_answer = all(row.gold.keys() == {"P@1"} for row in named)
    rows: list[list[Cell]] = []
    for split in model.splits:
        agreement = [column.cell(split.agreements[0]) for column in AGREEMENT]
        for labels in ("gold", "AVA"):
            for measure in MEASURES[:1] if one_answer else MEASURES:
                values = {
                    row.system: getattr(row, labels.lower()).get(measure)
                    for row in split.systems
                }
                row: list[Cell] = [split.data, labels, measure]
                row += [values.get(system) for system in systems]
                if one_answer:
                    row += agreement if labels == "AVA" else [None] * len(AGREEMENT)
                rows.append(row)
    headings = ["data", "labels", "measure", *systems]
    headings += [entry.heading for entry in AGREEMENT] if one_answer else []
    table = "Every system (Table 9)" if one_answer else "Every system (Table 8)"
    return Table.of(headings, rows, f"{table} · {_threshold_words(model)}")


def _disagreements(model: ModelReport) -> Table:
    matched = Column(STRINGS, lambda answer: RIGHT[answer.other_check])
    return Table(
        [*columns("question candidate"), matched, *columns("reference score"), LABEL],
        model.disagreements,
        f"Model and string check differ (Table 10) · {_threshold_words(model)} · "
        f"{len(model.disagreements):,} of {counted(model.disagreeing, 'candidate')}",
    )


def _baseline(model: ModelReport, baseline: Baseline) -> list[Table]:
    """The system's own score and the model as checks, and where the two differ."""
    own_score = f"{baseline.system}'s own score"
    answers = counted(baseline.own_counts.answers, "first answer")
    checks = Table(
        [Column("check"), *_confusion()],
        [
            {"check": own_score, "counts": baseline.own_counts},
            {"check": model.model, "counts": baseline.model_counts},
        ],
        f"{answers} of {baseline.system} · its own score > 0.5 · "
        f"{_threshold_words(model)}",
    )
    layout = [*columns("question candidate"), Column(baseline.system, "other_check")]
    layout += [Column("reference"), Column(model.model, "score"), LABEL]
    differing = Table(
        layout,
        baseline.differing,
        f"{own_score} and the model differ (Table 10) · "
        f"{len(baseline.differing):,} of {answers}",
    )
    return [checks, differing]


def _threshold_words(model: ModelReport) -> str:
    return f"{model.model} · score > {model.threshold:.4g}, {_threshold_source(model)}"


def _threshold_source(model: ModelReport) -> str:
    return f"tuned on {model.tuned_on}" if model.tuned_on else "the card's"


# A trained model's card, how its training went, and how it scores an answer


def card_tables(result: TrainingStatus) -> list[Table]:
    """Make tables of a model's card, its training and a saved report about it.

    Of a training that has not ended there is only how it went so far.
    """
    if result.card is None:
        return [_epochs(result, [UNFINISHED])]
    card = Table.of(["of the model", "value"], _card_rows(result.card))
    report = saved_tables(result.report) if result.report else []
    return [replace(card, value=to_json(result)), *training_tables(result), *report]


def training_tables(result: TrainingStatus) -> list[Table]:
    """Make tables of a training by epoch, and of a linear model's weights."""
    tables = [_epochs(result)] if result.epochs else []
    if result.card and result.card.weights:
        rows = list(result.card.weights.items())
        tables.append(Table.of(["feature", "weight"], rows, value=to_json(result)))
    return tables


def saved_tables(report: dict[str, Any]) -> list[Table]:
    """The model on single answers and on systems, as a report had it."""
    points = report["points"]
    caption = (
        f"Answer by answer · {counted(points['questions'], 'question')} · at the "
        "card's threshold at that time"
    )
    row = {**points, "counts": points["found"]}
    layout = [Column("data"), Column("threshold", only=FILE), *_confusion()]
    tables = [Table(layout, [row], caption)]
    if rows := _agreement_rows(report["splits"]):
        how = report["tuned_on"]
        caption = (
            f"Systems · score > {report['threshold']:.4g}, "
            f"{f'tuned on {how}' if how else 'the card’s'}"
        )
        layout = [*columns("data measure"), Column("systems", title="n"), *AGREEMENT]
        tables.append(Table(layout, rows, caption, _agreement_notes(rows)))
    return tables


def explained_table(result: ExplainedScore) -> Table:
    """The score, and under a linear model every number that it comes from."""
    word, sign = RIGHT[result.correct], ">" if result.correct else "≤"
    caption = f"{word}: score {result.score:.4f} {sign} {result.threshold:.4f}"
    sums = result.explanation
    if sums is None:
        rows: list[Sequence[Cell]] = [(result.score, result.threshold, word)]
        headings = ["score", "threshold", "candidate"]
        return Table.of(headings, rows, caption, value=to_json(result))
    layout = columns("feature value weight contribution")
    steps = {"bias": sums.bias, "decision value": sums.decision, "score": result.score}
    rows = [[column.cell(term) for column in layout] for term in sums.features]
    rows += [(name, None, None, number) for name, number in steps.items()]
    note = (
        f"score = 1 / (1 + exp(A · decision value + B)), A = {sums.platt_a:.4f}, "
        f"B = {sums.platt_b:.4f}"
    )
    headings = [column.heading for column in layout]
    return Table.of(headings, rows, caption, [note], to_json(result))


def training_words(parts: TrainingQuestions) -> list[str]:
    """Describe the training data, one line per part."""
    lines = [f"{part}: {words}" for part, words in _part_words(parts.data()).items()]
    if parts.left_out:
        few = counted(parts.left_out, "question")
        lines.append(f"left out: {few} with fewer than two correct answers")
    return [*lines, *(f"note: {note}" for note in parts.notes)]


def _part_words(data: Data) -> dict[str, str]:
    return {
        part: ", ".join(
            counted(getattr(data, f"{part}_{what}s"), what)
            for what in ("question", "positive", "negative")
        )
        for part in ("train", "dev")
    }


def _epochs(result: TrainingStatus, notes: Sequence[str] = ()) -> Table:
    layout = columns("P=precision R=recall F1=f1")
    if not result.is_linear:  # which is trained in one go, without a loss to watch
        best = result.card.best_epoch if result.card else None
        kept = Column("weights", lambda point: "kept" if point.epoch == best else "")
        layout = [*columns("epoch steps=step loss"), *layout, kept]
    caption = f"{result.name} · P, R and F1 on dev at a score of .5"
    return Table(layout, result.epochs, caption, notes, to_json(result))


def _card_rows(card: Card) -> list[tuple[str, str]]:
    tuned = f" (tuned on {card.tuned_on})" if card.tuned_on else ""
    rows = {
        "name": card.name,
        "kind": card.configuration,
        "encoder": card.encoder,
        "trained on": ", ".join(card.data.sources),
        **_part_words(card.data),
        "left out": counted(card.data.left_out, "question"),
        "seed": str(card.seed),
    }
    settings = [(name.replace("_", " "), str(v)) for name, v in card.settings.items()]
    systems = [(name, words) for name, words in rows.items() if words]
    return [*systems, *settings, ("right above", f"{card.threshold:g}{tuned}")]
