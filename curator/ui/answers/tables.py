"""The right column of the Answers page: checks, pairs, systems, and the models. PURE.

A table is its name, what it is about, its (heading, explanation) pairs and its rows: a
heading, its explanation and the cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from curator.evaluation.answer_checking import MeasureAgreement
from curator.ui.answers.verdicts import TEMPLATE
from curator.ui.shared import html, words
from curator.ui.shared.templates import macro
from curator.verbs.answers.answer_checks import AnswerChecks
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.ava_report import SavedReport
from grading.ava.card import Card

WITHOUT_VERDICTS = (
    "No answer has a majority of verdicts that you may see yet: give some with y and "
    "w, and every check is held against people’s here."
)
AGAINST_PEOPLE = (
    ("n", "Answers with a majority of people's verdicts"),
    ("P", "Precision: of what the check calls right, the share that is"),
    ("R", "Recall: of what is right, the share that the check calls so"),
    ("F1", "Harmonic mean of the two"),
    ("κ", "Cohen's kappa with people"),
)
PAIR = (
    ("Two checks", "The first, and the second"),
    ("Both", "Right to both"),
    ("1st", "Right to the first alone"),
    ("2nd", "Right to the second alone"),
    ("None", "Wrong to both"),
    ("Same", "Share of answers on which they say the same"),
    ("κ", "Cohen's kappa"),
)
TAU = Markup("τ<sub>b</sub>")

Row = tuple[str, str, Sequence[str]]
Table = tuple[str, str, Sequence[tuple[str, str]], Sequence[Row]]


def checks_html(found: AnswerChecks, labels: Mapping[str, str]) -> str:
    """What each check says; against people where there are verdicts."""
    heads = [("Check", ""), ("Right", "")]
    rows: list[Row] = []
    for one in found.checks:
        people = one.people
        against = (people.precision, people.recall, people.f1, people.kappa)
        cells = [words.ratio(one.share)]
        if found.judged:
            cells += [f"{people.answers:,}", *(words.score(x, 2) for x in against)]
        rows.append((labels[one.name], one.name, cells))
    if found.judged:
        return _table(
            "Checks", "against people’s verdicts", [*heads, *AGAINST_PEOPLE], rows
        )
    drawn = _table("Checks", "share of answers called right", heads, rows)
    return f'{drawn}<p class="c-note">{html.text(WITHOUT_VERDICTS)}</p>'


def pairs_html(found: AnswerChecks, labels: Mapping[str, str]) -> str:
    """Every two checks on the same answers; nothing of one check."""
    rows: list[Row] = [
        (
            f"{labels[first]}, {labels[second]}",
            "",
            (
                f"{counts.true_positives:,}",
                f"{counts.false_positives:,}",
                f"{counts.false_negatives:,}",
                f"{counts.true_negatives:,}",
                words.ratio(counts.agreement),
                words.score(counts.kappa, 2),
            ),
        )
        for first, second, counts in found.pairs
    ]
    if not rows:
        return ""
    return _table("Two by two", "answers that both have checked", PAIR, rows)


def systems_html(
    found: AnswerChecks, labels: Mapping[str, str], columns: Sequence[str]
) -> str:
    """Accuracy of each system by each check and by people, and the error of checks."""
    if not found.systems:
        return ""
    heads = [(one, one) for one in ("System", "n", *columns)]
    rows: list[Row] = []
    for system in found.systems:
        shares = (*system.by_check, *([system.by_people] if found.judged else []))
        cells = (f"{system.questions:,}", *map(words.score, shares))
        rows.append((Markup(html.system(system.system)), "", cells))
    drawn = _table("Systems", "share of questions the first passage gets right", heads,
                   rows)  # fmt: skip
    if not found.agreements:
        return drawn
    heads = [(one, "") for one in ("Check", "Systems", TAU, "p", "RMSE ± σ")]
    rows = [(labels[one.measure], "", agreement_cells(one)) for one in found.agreements]
    return drawn + _table("Error", "accuracies against people’s", heads, rows)


def agreement_cells(one: MeasureAgreement) -> tuple[str, str, str, str]:
    """How many systems, tau and its p-value, and the error."""
    rmse = f"{words.score(one.rmse)} ± {words.score(one.sigma)}"
    return f"{one.systems:,}", words.score(one.kendall), words.score(one.p), rmse


def _table(
    name: str,
    about: str,
    heads: Sequence[tuple[str, str]],
    rows: Sequence[Row],
) -> str:
    return str(macro(TEMPLATE, "table")(name, about, heads, rows))


def card_html(model: AvaModel) -> str:
    """A model's card, or why there is none, and what was saved of a report."""
    card = model.card
    name = card.name if card else model.folder.name or str(model.folder)
    problem = model.report_problem if card else model.problem
    lines = card_lines(model, card) if card else ()
    tables = report_tables(model.report) if card and model.report else ()
    return str(
        macro(TEMPLATE, "card")(name, lines, Markup(html.coded(problem)), tables)
    )


def card_lines(model: AvaModel, card: Card) -> list[tuple[str, str]]:
    """What it is, on what it was trained, above which score it says right."""
    lines = [
        ("Kind", " from ".join(x for x in (card.configuration, card.encoder) if x)),
        ("Trained on", _trained(card)),
    ]
    if (best := card.best) is not None and best.f1 is not None:
        on = words.count(card.data.dev_questions, "question")
        results = (
            f"F1 {words.score(best.f1)} · P {words.score(best.precision)} · "
            f"R {words.score(best.recall)} on {on}"
        )
        lines.append(("On dev", results))
    lines.append(("Right above", _threshold(model, card)))
    if card.weights:
        weights = (f"{n} {words.score(w, 2)}" for n, w in card.weights.items())
        lines.append(("Weights", " · ".join(weights)))
    return lines


def report_tables(found: SavedReport) -> list[Table]:
    """What a saved report says, with the thresholds it was at.

    On single answers, and on systems by measure.
    """
    tables: list[Table] = []
    if (points := found.points) is not None:
        ratios = (points.found.precision, points.found.recall, points.found.f1)
        heads = [(one, "") for one in ("Data", "P", "R", "F1")]
        about = f"right above {words.score(points.threshold, 2)}"
        rows: list[Row] = [(points.data, "", [*map(words.score, ratios)])]
        tables.append(("Report: answers", about, heads, rows))
    rows = [
        (split.data, "", (one.measure, *agreement_cells(one)))
        for split in found.splits
        for one in split.agreements
    ]
    if rows:
        tuned = f", tuned on {found.tuned_on}" if found.tuned_on else ""
        about = f"right above {words.score(found.threshold, 2)}{tuned}"
        heads = [(x, "") for x in ("Data", "Measure", "n", TAU, "p", "RMSE ± σ")]
        tables.append(("Report: systems", about, heads, rows))
    return tables


def _trained(card: Card) -> str:
    data = card.data
    from_ = f"{', '.join(data.sources)}: " if data.sources else ""
    return (
        f"{from_}{words.count(data.train_questions, 'question')}, "
        f"{words.count(data.train_positives, 'positive')}, "
        f"{words.count(data.train_negatives, 'negative')}"
    )


def _threshold(model: AvaModel, card: Card) -> str:
    at = card.threshold if model.threshold is None else model.threshold
    if at != card.threshold:
        now = words.score(card.threshold, 2)
        return f"{words.score(at, 2)}; the folder's card says {now}"
    tuned = f", tuned on {card.tuned_on}" if card.tuned_on else ""
    return f"{words.score(at, 2)}{tuned}"
