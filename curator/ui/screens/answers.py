"""Answers: string matching, AVA models and people on the same answers."""

from __future__ import annotations

import streamlit as st

from curator.errors import CuratorError, UnknownNameError
from curator.rendering.drawn import training_figure
from curator.ui import session
from curator.ui.present import answer_checks as present
from curator.ui.present import ava_cards
from curator.ui.present.graders import grader_labels
from curator.ui.widgets import answer_list, answer_tables, html, shell
from curator.ui.widgets.answer_queries import query_counts
from curator.ui.widgets.figure import Make, figure
from curator.ui.widgets.page import around, framed
from curator.ui.widgets.steps import no_collection
from curator.verbs.answer_sources import NoAnswerKeysError, NoAnswersError
from curator.verbs.ava_models import AvaModel
from curator.verbs.ava_training import Training
from curator.verbs.compared_checks import NO_VERDICTS, AnswerChecks
from curator.workspace import Workspace

LISTED = 100  # answers; the rest is counted
NOBODY_DIFFERS = "Nobody differs: on every answer all who have decided say the same."


@st.fragment
def page() -> None:
    """Queries at the left, disagreements in the middle, tables and models right."""
    framed("Answers", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, or what is to be done first."""
    if not workspace.collection().queries:
        no_collection(columns, workspace)
        return
    st.session_state.shown = "Answers page; others' verdicts only after one's own"
    around(workspace, columns)
    problems: list[str] = []
    try:
        found = checks_for(workspace, problems)
    except NoAnswersError as error:
        nothing(columns, "No answers yet", error, grading(workspace))
    except NoAnswerKeysError as error:
        bank = f"curator import {workspace.path} --bank FILE"
        nothing(columns, "No answer keys yet", error, bank)
    else:
        compared(workspace, columns, found, problems)


def checks_for(workspace: Workspace, problems: list[str]) -> AnswerChecks:
    """The checks of the view's source, else of the first, with why in ``problems``."""
    try:
        return workspace.answer_checks(session.view().source)
    except UnknownNameError as error:
        problems.append(str(error))
        return workspace.answer_checks()


def nothing(
    columns: shell.Columns, title: str, error: CuratorError, command: str
) -> None:
    """What is missing, in the middle."""
    with columns.middle:
        shell.title("Answers", "")
        shell.empty(title, str(error), command)


def grading(workspace: Workspace) -> str:
    """The command that extracts answers."""
    return f"curator grade {workspace.path} --grader flan-t5-large/qa"


def compared(
    workspace: Workspace,
    columns: shell.Columns,
    found: AnswerChecks,
    problems: list[str],
) -> None:
    """Disagreements first, then what rests on all answers."""
    view = session.view()
    labels = present.check_labels(found.checks)
    between = (view.between[0], view.between[1]) if view.between else None
    if between and not set(between) <= labels.keys():
        problems.append(f"No checks '{' and '.join(between)}' here.")
        between = None
    queries = {one.query_id: one.name for one in workspace.collection().queries}
    within = view.within if view.within in queries else None
    with columns.left:
        counts = found.by_query(between)
        query_counts(queries, counts, within, found)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.notes()
        disagreements(workspace, found, labels, between, within)
    with columns.right:
        names = list(labels.values())
        st.html(
            answer_tables.checks_html(present.check_rows(found, labels), found.judged)
            + answer_tables.pairs_html(present.pair_rows(found, labels))
            + answer_tables.systems_html(
                present.system_rows(found), present.error_rows(found, labels), names
            )
        )
        for note in found.notes:
            if note == NO_VERDICTS:
                continue  # others' may be hidden; the table says what is seen
            st.html(f'<p class="c-note">{html.text(note)}</p>')
        models(workspace.ava_models())


def disagreements(
    workspace: Workspace,
    found: AnswerChecks,
    labels: dict[str, str],
    between: tuple[str, str] | None,
    within: str | None,
) -> None:
    """The settings and the list, most frequent answers first."""
    graders = grader_labels(workspace.graders())
    shell.title("Answers", present.about_words(found, graders[found.source]))
    options = present.between_options(labels)
    chosen = "|".join(between) if between else present.ANY
    st.html(
        answer_list.settings_html(
            workspace.answer_sources(), found.source, graders, chosen, options
        )
    )
    listed = found.disagreements(between, query_id=within, limit=LISTED)
    at = st.session_state.get("answer_at", 0)
    rows = present.answer_rows(
        listed.answers, workspace.bank(), workspace.judge, session.view().answer, at
    )
    if not rows:
        answer_list.answer_list(
            f'<p class="c-empty" role="status">{html.text(NOBODY_DIFFERS)}</p>'
        )
        return
    at = next(n for n, row in enumerate(rows) if row.selected)
    st.session_state.answer_at = at
    text = workspace.passage_texts([rows[at].passage_id]).get(rows[at].passage_id, "")
    answer_list.answer_list(
        answer_list.rows_html(
            rows,
            list(labels.values()),
            present.listed_words(len(rows), listed.total),
            present.passage_words(text, rows[at].answer),
        )
    )


def models(found: tuple[AvaModel, ...]) -> None:
    """A card for each model, with the curve of its training where there is one."""
    head = '<div class="c-listhead"><b>AVA models</b></div>'
    for number, one in enumerate(found):
        st.html(head * (not number) + answer_tables.card_html(ava_cards.card_row(one)))
        if ava_cards.has_curve(one):
            figure(f"ava_{number}", f"{one.folder.name}-training", curve_of(one))


def curve_of(model: AvaModel) -> Make:
    """How its training went, as a figure."""
    card = model.card
    training = Training(model.folder.name, card, card.curve if card else ())
    return lambda dark: training_figure(training, dark=dark)


page()
