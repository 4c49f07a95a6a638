"""Checks on answers side by side, AVA models in the paper's tables, and their cards.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from curator.evaluation.answer_checking import MEASURES
from curator.formats.text.notices import counted
from curator.results import FILE, NOWHERE, to_json
from curator.tables.forms import UNKNOWN, Cell, percent, score
from curator.tables.table import Column, Table, columns, opened, record

if TYPE_CHECKING:
    from curator.verbs.answers.answer_checks import (
        AnswerChecks,
        CheckedAnswer,
    )
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

AGAINST_PEOPLE = (
    Column("with a majority", "people.answers", title="n",
           help="Answers with a majority of people's verdicts"),
    Column("precision", "people.precision", title="P", digits=2,
           help="Precision: share of the answers called right that are right"),
    Column("recall", "people.recall", title="R", digits=2,
           help="Recall: share of the right answers that are called right"),
    Column("F1", "people.f1", digits=2,
           help="Harmonic mean of precision and recall"),
    Column("kappa", "people.kappa", title="κ", digits=2,
           help="Cohen's kappa with people"),
)  # fmt: skip
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
# The counts stand last in the row.
CONFUSION = (
    Column("precision", [-1, "precision"], title="P"),
    Column("recall", [-1, "recall"], title="R"),
    Column("F1", [-1, "f1"]),
    Column("TP", [-1, "true_positives"], only=FILE),
    Column("FP", [-1, "false_positives"], only=FILE),
    Column("FN", [-1, "false_negatives"], only=FILE),
    Column("TN", [-1, "true_negatives"], only=FILE),
)
ERROR = Column("RMSE", [-1, "rmse"]), Column("sigma", [-1, "sigma"], only=FILE)
AGREEMENT = (
    Column("kendall", [-1, "kendall"], title=Markup("τ<sub>b</sub>")),
    Column("p", [-1, "p"], title="p"),
    Column("RMSE", [-1, "rmse"], title="RMSE ± σ",
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


def _leading(*headings: str) -> list[Column]:
    """The first columns of rows that are cells there."""
    return [Column(heading, [at]) for at, heading in enumerate(headings)]


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else percent(share)


# Checks on the same answers


def answer_check_tables(
    result: AnswerChecks, total: int, answers: Sequence[CheckedAnswer]
) -> list[Table]:
    """A table of the checks, of pairs, of systems, of their error, of answers.

    ``answers`` are the first of ``total`` on which not all say the same.
    """
    tables = check_tables(result)
    names = [check.name for check in result.checks]
    disagreements = [
        record(answer.question, "query_id", "question_id")
        | {"question": answer.question.text, "key": answer.question.answers}
        | record(answer, "answer", "passages", "passage_id", "people")
        | {
            "checks": {
                name: {"right": right, "score": score}
                for name, right, score in zip(
                    names, answer.right, answer.scores, strict=True
                )
            }
        }
        for answer in answers
    ]
    value = to_json(result) | {
        "pairs": tables[1].records(),
        "disagreements": disagreements,
        "all_disagreements": total,
    }
    tables[0] = replace(tables[0], value=value)
    tables += [listed_table(result, total, answers)] if total else []
    return [table for table in tables if table.rows]


def check_tables(result: AnswerChecks) -> list[Table]:
    """Checks, pairs, systems and their error, against people's verdicts if any."""
    checks = [
        Column(
            "check", "label", key="check", page=lambda c: TITLED.format(c.name, c.label)
        ),
        Column("threshold", only=FILE),
        Column("answers", "checked", only=FILE),
        Column("right", only=FILE),
        Column("share", title="Right", page=lambda check: _percent(check.share)),
        *(AGAINST_PEOPLE if result.judged else ()),
    ]
    systems = [Column("system", link="system"), Column("questions", title="n")]
    labels = {check.name: check.label for check in result.checks}
    for name, label in (
        labels | ({"people": "people"} if result.judged else {})
    ).items():
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
            [*_leading("check", "systems"), *AGREEMENT],
            [(labels[row.measure], row.systems, row) for row in result.agreements],
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
    checks: AnswerChecks, total: int, listed: Sequence[CheckedAnswer]
) -> Table:
    """Make a table of answers with what each check and people say of them."""
    layout = [
        *columns("question.query_id question=question.title"),
        Column("key", lambda answer: " | ".join(answer.question.answers)),
        Column("answer", page=lambda row: _link_to_judge(row, checks.source)),
        Column("passages"),
    ]
    for at, check in enumerate(checks.checks):
        layout.append(Column(check.label, _verdict_of(at), title=check.label))
    if checks.judged:
        layout.append(Column("people", lambda answer: RIGHT[answer.people]))
    caption = f"{counted(total, 'answer')} on which the checks differ"
    if len(listed) < total:
        caption += f", the first {len(listed):,}"
    return Table(layout, listed, caption)


def _link_to_judge(answer: CheckedAnswer, grader: str) -> Markup:
    question = answer.question
    place = {
        "query": question.query_id,
        "question": question.question_id,
        "passage": answer.passage_id,
        "grader": grader,
    }
    return opened("on-curate", urlencode(place), answer.answer)


def _verdict_of(check: int) -> Callable[[CheckedAnswer], str]:

    def words(answer: CheckedAnswer) -> str:
        right, score = answer.right[check], answer.scores[check]
        with_score = right is not None and score is not None
        return f"{RIGHT[right]} {score:.2f}" if with_score else RIGHT[right]

    return words


# A model on pairs of answers


def evaluation_table(result: AvaEvaluation) -> Table:
    """The model and the string check on the same pairs."""
    rows = [(result.model, result.ava), (STRINGS, result.strings)]
    return _evaluated(result, [*_leading(""), *CONFUSION], rows)


def pair_table(result: AvaEvaluation) -> Table:
    """Every pair with its score, and a linear model's contributions by feature."""
    features = result.pairs[0].contributions if result.pairs else ()
    layout = [
        *columns("question=triple.question reference=triple.reference"),
        Column("candidate", "triple.candidate"),
        LABEL,
        Column("score"),
        Column("called", lambda pair: RIGHT[pair.called_right]),
        Column(STRINGS, lambda pair: RIGHT[pair.matched]),
        *(Column(feature, ["contributions", feature]) for feature in features),
    ]
    return _evaluated(result, layout, result.pairs)


def _evaluated(
    result: AvaEvaluation, columns: Sequence[Column], rows: Sequence[Any]
) -> Table:
    """A table of what was evaluated, with what is odd about it."""
    caption = (
        f"{result.model} · {result.configuration} · score > {result.threshold:.4g} · "
        f"{_pairs_words(result)}"
    )
    return Table(columns, rows, caption, _pair_notes(result), to_json(result))


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
    rows: list[tuple[object, ...]] = [
        (each.model, each.configuration, each.threshold, each.ava) for each in results
    ]
    rows += [(STRINGS, "", None, each.strings) for each in results[:1]]
    notes = [f"{test}: {note}" for each in results[:1] for note in _pair_notes(each)]
    caption = (
        f"Answer by answer (Table 6) · {test} · {_pairs_words(results[0])} · each "
        "model at its card's threshold"
    )
    leading = [*_leading("model", "configuration", "threshold"), *CONFUSION]
    return Table(leading, rows, caption, [*result.notes, *notes], to_json(result))


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
        (model.model, model.threshold, *row)
        for model in result.models
        for row in _agreement_rows(to_json(model.splits))
    ]
    leading = _leading("model", "threshold", "data", "measure", "systems")
    return Table([*leading, *AGREEMENT], rows, caption, _agreement_notes(rows))


def _agreement_rows(splits: Iterable[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Rows of (data, measure, systems, agreement), from the JSON of ``SplitReport``."""
    return [
        (split["data"], agreement["measure"], agreement["systems"], agreement)
        for split in splits
        for agreement in split["agreements"]
    ]


def _agreement_notes(rows: Iterable[Sequence[Any]]) -> list[str]:
    notes = (
        f"{row[-4]}, {row[-3]}: {note}" for row in rows if (note := row[-1]["note"])
    )
    return list(dict.fromkeys(notes))


def _systems(model: ModelReport) -> Table:
    """Table 8's rows, or Table 9's where every system gives one answer a question."""
    named = [row for split in model.splits for row in split.systems]
    systems = dict.fromkeys(row.system for row in named)
    one_answer = all(row.gold.keys() == {"P@1"} for row in named)
    rows: list[list[Cell]] = []
    for split in model.splits:
        agreement = [column.cell(split.agreements[:1]) for column in AGREEMENT]
        for labels, of in (("gold", attrgetter("gold")), ("AVA", attrgetter("ava"))):
            for measure in MEASURES[:1] if one_answer else MEASURES:
                values = {row.system: of(row).get(measure) for row in split.systems}
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
    layout = [*columns("question candidate"), matched, *columns("reference score")]
    return Table(
        [*layout, LABEL],
        model.disagreements,
        f"Model and string check differ (Table 10) · {_threshold_words(model)} · "
        f"{len(model.disagreements):,} of {counted(model.disagreeing, 'candidate')}",
    )


def _baseline(model: ModelReport, baseline: Baseline) -> list[Table]:
    """The system's own score and the model as checks, and where the two differ."""
    own_score = f"{baseline.system}'s own score"
    answers = counted(baseline.own_counts.answers, "first answer")
    checks = Table(
        [*_leading("check"), *CONFUSION],
        [(own_score, baseline.own_counts), (model.model, baseline.model_counts)],
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
    rows = _card_rows(result.card)
    card = Table.of(["of the model", "value"], rows, value=card_json(result))
    report = saved_tables(result.report) if result.report else []
    return [card, *training_tables(result), *report]


def training_tables(result: TrainingStatus) -> list[Table]:
    """Make tables of a training by epoch, and of a linear model's weights."""
    tables = [_epochs(result)] if result.epochs else []
    if result.card and result.card.weights:
        rows = list(result.card.weights.items())
        tables.append(Table.of(["feature", "weight"], rows))
    return tables


def card_json(result: TrainingStatus) -> dict[str, Any]:
    """Return the card in the model's folder, and whether training has ended.

    With the figures that were saved there, if any were.
    """
    if result.card is None:
        return {"name": result.name, "finished": False, "curve": to_json(result.curve)}
    reported = {"report": to_json(result.report)} if result.report else {}
    return {"finished": True, **to_json(result.card), **reported}


def saved_tables(report: dict[str, Any]) -> list[Table]:
    """The model on single answers and on systems, as a report had it."""
    points = report["points"]
    caption = (
        f"Answer by answer · {counted(points['questions'], 'question')} · at the "
        "card's threshold at that time"
    )
    layout = [*_leading("data"), Column("threshold", [1], only=FILE), *CONFUSION]
    row = (points["data"], points["threshold"], points["found"])
    tables = [Table(layout, [row], caption)]
    if rows := _agreement_rows(report["splits"]):
        how = report["tuned_on"]
        caption = (
            f"Systems · score > {report['threshold']:.4g}, "
            f"{f'tuned on {how}' if how else 'the card’s'}"
        )
        layout = [*_leading("data", "measure"), Column("systems", [2], title="n")]
        notes = _agreement_notes(rows)
        tables.append(Table([*layout, *AGREEMENT], rows, caption, notes))
    return tables


def explained_table(result: ExplainedScore) -> Table:
    """The score, and under a linear model every number that it comes from."""
    threshold, terms = result.card.threshold, result.explanation
    value: dict[str, Any] = {
        "model": result.card.name,
        "threshold": threshold,
        **record(result, "score", "correct"),
        **asdict(result.triple),
    }
    word, sign = RIGHT[result.correct], ">" if result.correct else "≤"
    caption = f"{word}: score {result.score:.4f} {sign} {threshold:.4f}"
    if terms is None:
        headings = ["score", "threshold", "candidate"]
        cells: list[Sequence[Cell]] = [(result.score, threshold, word)]
        return Table.of(headings, cells, caption, value=value)
    headings = ["feature", "value", "weight", "contribution"]
    rows: list[Sequence[Cell]] = list(terms.terms)
    value |= {
        "features": [dict(zip(headings, row, strict=True)) for row in rows],
        **record(terms, "bias", "decision", "platt_a", "platt_b"),
    }
    sums = {"bias": terms.bias, "decision value": terms.decision, "score": terms.score}
    rows += [(name, None, None, number) for name, number in sums.items()]
    note = (
        f"score = 1 / (1 + exp(A · decision value + B)), A = {terms.platt_a:.4f}, "
        f"B = {terms.platt_b:.4f}"
    )
    return Table.of(headings, rows, caption, [note], value=value)


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
    spec = "P=precision R=recall F1=f1"
    kept = []
    if not result.is_linear:  # which is trained in one go, without a loss to watch
        best = result.card.best_epoch if result.card else None
        spec = f"epoch steps=step loss {spec}"
        kept = [Column("weights", lambda at: "kept" if at.epoch == best else "")]
    caption = f"{result.name} · P, R and F1 on dev at a score of .5"
    layout = [*columns(spec), *kept]
    return Table(layout, result.epochs, caption, notes, card_json(result))


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
