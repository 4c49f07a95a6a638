"""The right column of the Answers tab: checks, systems, and the models. PURE."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from curator.formats.templates import macro
from curator.tables.answers import check_tables, part_words, saved_tables
from curator.verbs.answers.answer_checks import AnswerChecks
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.ava_report import SavedReport
from curator.web.components import html, words
from curator.web.components.html import table_html
from curator.web.pages.judge.answers.verdicts import TEMPLATE
from grading.ava.card import Card

WITHOUT_VERDICTS = (
    "No answer has a majority of verdicts that you may see yet: give some with y and "
    "w, and every check is compared with people’s here."
)


def checks_html(found: AnswerChecks, labels: Mapping[str, str]) -> Markup:
    """What each check says, against people and each other, and of each system."""
    checks, pairs, systems, errors = check_tables(found, labels)
    about = "share of answers called right"
    note = Markup('<p class="c-note">{}</p>').format(WITHOUT_VERDICTS)
    if found.judged:
        about, note = "against people’s verdicts", Markup()
    return (
        table_html(checks, "Checks", about)
        + note
        + table_html(pairs, "Two by two", "answers that both have checked")
        + table_html(
            systems, "Systems", "share of questions the first passage gets right"
        )
        + table_html(errors, "Error", "accuracies against people’s")
    )


def card_html(model: AvaModel) -> str:
    """A model's card, or why there is none, and what was saved of a report."""
    card = model.card
    name = card.name if card else model.folder.name or str(model.folder)
    problem = model.report_problem if card else model.problem
    lines = card_lines(model, card) if card else ()
    tables = report_html(model.report) if card and model.report else ""
    return macro(TEMPLATE, "card")(name, lines, Markup(html.coded(problem)), tables)


def card_lines(model: AvaModel, card: Card) -> list[tuple[str, str]]:
    """What it is, on what it was trained, above which score it says right."""
    sources = ", ".join(card.data.sources)
    trained = filter(None, (sources, part_words(card.data)["train"]))
    lines = [
        ("Kind", " from ".join(filter(None, (card.configuration, card.encoder)))),
        ("Trained on", ": ".join(trained)),
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


def report_html(found: SavedReport) -> Markup:
    """What a saved report says, with the thresholds it was at."""
    tables = saved_tables(found)
    drawn = Markup()
    if (points := found.points) is not None:
        about = f"right above {words.score(points.threshold, 2)}"
        drawn += table_html(tables.pop(0), "Report: answers", about)
    tuned = f", tuned on {found.tuned_on}" if found.tuned_on else ""
    about = f"right above {words.score(found.threshold, 2)}{tuned}"
    for table in tables:
        drawn += table_html(table, "Report: systems", about)
    return drawn


def _threshold(model: AvaModel, card: Card) -> str:
    at = card.threshold if model.threshold is None else model.threshold
    if at != card.threshold:
        now = words.score(card.threshold, 2)
        return f"{words.score(at, 2)}; the folder's card says {now}"
    tuned = f", tuned on {card.tuned_on}" if card.tuned_on else ""
    return f"{words.score(at, 2)}{tuned}"
