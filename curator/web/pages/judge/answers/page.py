"""Answers: string matching, AVA models and people on the same answers."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from curator.bank.edits.verdict import Judged, Words
from curator.errors import UnknownNameError
from curator.formats.templates import macro
from curator.tables.answers import about_words
from curator.tables.figures import training_figure
from curator.verbs.answers.answer_checks import NO_VERDICTS, PEOPLE, AnswerChecks
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.ava_training import TrainingStatus
from curator.verbs.answers.extracted import NoAnswerKeysError, NoAnswersError
from curator.web.components import html, session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.channel import Component
from curator.web.components.downloads import Make, figure
from curator.web.components.settings import grader_labels
from curator.web.components.shell import around, choice_html, framed
from curator.web.pages.judge.answers import listed_answers, tables
from curator.web.pages.judge.answers.listed_answers import Listing
from curator.web.pages.judge.answers.verdicts import TEMPLATE
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

# Python draws the answers; this listens to the two controls of each.
ANSWERS = Component(
    "answer_list",
    "components/drafts",
    "components/edits",
    "pages/judge/answers/verdicts",
    "pages/judge/answers/answer_list",
    verb="apply",
)
NO_ANSWERS = (
    "No grader here answers questions, so there are no answers to check. "
    "A grader that answers extracts them, or they are imported with grades."
)
NO_KEYS = (
    "No kept question has an answer key, so no answer can be checked. Import a bank "
    "with answer keys, or write them beneath the questions."
)


@st.fragment
def page() -> None:
    """Queries at the left, disagreements in the middle, tables and models right."""
    framed("Answers", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, or what is to be done first."""
    drawing(workspace)
    if not workspace.collection().queries:
        no_collection(columns, workspace)
        return
    session.current().seen = "Answers tab; others' verdicts only after one's own"
    around(workspace, columns)
    problems: list[str] = []
    try:
        try:
            found = workspace.answer_checks(session.view().source)
        except UnknownNameError as error:
            problems.append(str(error))
            found = workspace.answer_checks()
    except NoAnswersError:
        act = ("Choose a grader", "goto:Grading")
        nothing(columns, "No answers yet", NO_ANSWERS, act)
    except NoAnswerKeysError:
        act = ("Write answer keys", "goto:Judge")
        nothing(columns, "No answer keys yet", NO_KEYS, act)
    else:
        compared(workspace, columns, found, problems)


def nothing(columns: shell.Columns, title: str, why: str, act: tuple[str, str]) -> None:
    """What is not there yet, and the way to it."""
    with columns.middle:
        shell.title("Answers", "")
        shell.empty(title, why, act, shell.IMPORT)


def compared(
    workspace: Workspace,
    columns: shell.Columns,
    found: AnswerChecks,
    problems: list[str],
) -> None:
    """Disagreements first, then what rests on all answers."""
    view = session.view()
    labels = listed_answers.check_labels(found.checks)
    listing = listing_for(workspace, found, labels, problems)
    queries = {one.query_id: one.name for one in workspace.collection().queries}
    within = view.within if view.within in queries else None
    names = [name for one, name in labels.items() if found.judged or one != PEOPLE]
    with columns.left:
        query_counts(queries, listing, within)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.notes()
        answers(workspace, listing, labels, names, within)
    with columns.right:
        st.html(tables.checks_html(found, labels))
        for note in found.notes:
            if note == NO_VERDICTS:
                continue  # others' may be hidden; the table says what is seen
            st.html(f'<p class="c-note">{html.coded(note)}</p>')
        models(workspace.ava_models())


def listing_for(
    workspace: Workspace,
    found: AnswerChecks,
    labels: dict[str, str],
    problems: list[str],
) -> Listing:
    """What the view asks for, else what is usual, with why in ``problems``."""
    usual = listed_answers.usual_option(found)
    option = session.view().between or usual
    if option not in listed_answers.options(labels):
        problems.append(f"No checks '{option}' here.")
        option = usual
    between = listed_answers.pairs_by_option(labels).get(option)
    judged = Judged.places(workspace.bank(), workspace.judge)
    return Listing(found, option, between, judged, kept())


def kept() -> frozenset[Words]:
    """The answer that was selected when last drawn, if it still is.

    It stays in the list of what is not judged until one goes on: so its verdict can be
    seen, and taken back.
    """
    at, selected = session.current().answer_kept
    return selected if at == session.view().answer else frozenset()


def query_counts(
    names: Mapping[str, str], listing: Listing, within: str | None
) -> None:
    """All queries, then each that has answers with its number of those listed.

    A click shows the answers of one query alone, "" those of all. Beneath: how many
    answers this judge has judged, of how many.
    """
    counts = listing.counts()
    rows = [("", "All queries", f"{sum(counts.values()):,}")]
    rows += [(one, names[one], f"{count:,}") for one, count in counts.items()]
    judged, total = listing.found.progress(listing.judged)
    width = f"{100 * (judged / total if total else 0.0):.1f}"
    with st.container(key="query_rows"):
        _, about, _ = listing.words
        st.html(macro(TEMPLATE, "queries")(rows, within or "", about))
    with st.container(key="query_progress"):
        answers = words.count(total, "answer")
        st.html(macro(TEMPLATE, "progress")(f"{judged:,}", answers, width))


def answers(
    workspace: Workspace,
    listing: Listing,
    labels: dict[str, str],
    names: list[str],
    within: str | None,
) -> None:
    """The settings and the list."""
    found = listing.found
    graders = grader_labels(workspace.graders())
    shell.title("Answers", about_words(found, graders[found.source]))
    sources = {name: graders[name] for name in workspace.answer_sources()}
    lists = choice_html("Answers of", "source", sources, found.source)
    options = listed_answers.options(labels)
    lists += choice_html("Listed", "between", options, listing.option)
    st.html(f'<div class="c-toolbar a-settings">{lists}</div>')
    total, listed = listing.answers(within)
    ANSWERS.draw()
    name, _, nothing_is = listing.words
    if not listed:
        st.html(f'<p class="c-empty" role="status">{html.text(nothing_is)}</p>')
        return
    current = session.current()
    opened = session.view().answer
    at = current.answer_at = listed_answers.selected(listed, opened, current.answer_at)
    one = listed[at]
    current.answer_kept = (opened, frozenset([one.words]))
    text = workspace.passage_texts([one.passage_id]).get(one.passage_id, "")
    bank, judge = workspace.bank(), workspace.judge
    rows = [
        listed_answers.answer_row(
            each,
            bank,
            judge,
            people=found.judged > 0,
            number=workspace.question_numbers(each.question.query_id).get(
                each.question.question_id, 0
            ),
            passage=text if place == at else None,
        )
        for place, each in enumerate(listed)
    ]
    shown = listed_answers.listed_words(len(rows), total, listing.option)
    more = words.count(total - len(rows), "more answer")
    rest = f"and {more}, not listed here" if total > len(rows) else ""
    st.html(macro(TEMPLATE, "answers")(rows, names, name, shown, rest))


def models(found: tuple[AvaModel, ...]) -> None:
    """A card for each model, with the curve of its training where there is one."""
    head = Markup('<div class="c-listhead"><b>AVA models</b></div>')
    for number, one in enumerate(found):
        st.html(head * (not number) + tables.card_html(one))
        if one.card is not None and len(one.card.curve) > 1:
            figure(f"ava_{number}", f"{one.folder.name}-training", curve_of(one))


def curve_of(model: AvaModel) -> Make:
    """How its training went, as a figure."""
    card = model.card
    training = TrainingStatus(model.folder.name, card, card.curve if card else ())
    return lambda dark: training_figure(training, dark=dark)


page()
model_status()
