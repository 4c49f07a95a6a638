"""Answers: string matching, AVA models and people on the same answers, and the models.

Verdicts are given on Judge, where each answer of the list opens.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import streamlit as st

from curator.bank.marks.verdict import Judged
from curator.tables.answers import (
    card_tables,
    check_tables,
    compared_words,
    listed_table,
)
from curator.tables.figures import training_figure
from curator.verbs.answers.answer_checks import PEOPLE, AnswerChecks
from curator.verbs.answers.ava_grader import AvaModel
from curator.verbs.answers.extracted import NoAnswerKeysError
from curator.web.components import html, shell, words
from curator.web.components.downloads import figure
from curator.web.components.settings import grader_labels
from curator.workspace import Workspace

LISTED = 100  # answers
ANY, UNJUDGED = "where any two differ", "not judged by me"
Listed = str | tuple[str, str]
"""ANY, UNJUDGED, or two checks that differ."""
TABLES = ("Checks", "Two by two", "Systems", "Error")


@st.fragment
def answers_section() -> None:
    """Draw the checks of answers and the AVA models; nothing where there are none."""
    with st.container(key="answers", gap="small"):
        shell.draw_part(draw)


def draw(workspace: Workspace) -> None:
    """Draw the whole section."""
    sources, models = workspace.answer_sources(), workspace.ava_models()
    if not sources and not models:
        return
    st.html('<div class="c-listhead"><b>Answers</b></div>')
    if sources:
        names = grader_labels(workspace.graders())
        source = sources[0]
        if len(sources) > 1:
            source = st.selectbox("Answers of", sources, format_func=names.__getitem__)
        try:
            draw_checks(workspace, workspace.answer_checks(source), names[source])
        except NoAnswerKeysError as error:
            shell.note(str(error))
    for number, model in enumerate(models):
        draw_model(number, model)


def draw_checks(workspace: Workspace, checks: AnswerChecks, source: str) -> None:
    """Draw the tables of the checks, then the answers that are listed."""
    labels = {check.name: check.label for check in checks.checks}
    labels[PEOPLE] = PEOPLE
    shell.note(compared_words(checks, source))
    for table, name in zip(check_tables(checks), TABLES, strict=True):
        st.html(html.table_html(table, name) or "<i></i>")
    for note in checks.notes:
        shell.note(note)
    names = [name for name in labels if checks.judged or name != PEOPLE]
    with st.container(horizontal=True):
        options: list[Listed] = [ANY, *combinations(names, 2), UNJUDGED]
        # Strings alone differ from nobody before a verdict.
        listed = st.selectbox(
            "Listed",
            options,
            index=len(options) - 1 if len(checks.checks) == 1 else 0,
            format_func=lambda option: listed_words(option, labels),
            key="answers_listed",
        )
        judged = Judged.places(workspace.bank(), workspace.judge)
        if listed == UNJUDGED:
            answers = checks.unjudged(judged)
        else:
            answers = checks.differing(None if isinstance(listed, str) else listed)
        counts = Counter(answer.question.query_id for answer in answers)
        queries = workspace.collection().names
        query_ids = dict.fromkeys(
            answer.question.query_id for answer in checks.checked_answers
        )
        query_id = st.selectbox(
            "Query",
            ["", *query_ids],
            format_func=lambda query_id: (
                f"{queries[query_id]} ({counts[query_id]:,})"
                if query_id
                else "all queries"
            ),
            key="answers_query",
        )
    if query_id:
        answers = [each for each in answers if each.question.query_id == query_id]
    possible, to_do = (len(checks.unjudged(by)) for by in ((), judged))
    shell.note(
        f"{possible - to_do:,} of {words.count(possible, 'answer')} judged by me. "
        "Open an answer to judge it."
    )
    total = len(answers)
    about = f"{total:,}" if total <= LISTED else f"{LISTED:,} of {total:,}"
    table = listed_table(checks, answers, LISTED)
    st.html(html.table_html(table, "Answers", about) or "<p>No answers.</p>")


def listed_words(listed: Listed, labels: dict[str, str]) -> str:
    """Describe which answers are listed: "where strings and people differ"."""
    if isinstance(listed, str):
        return listed
    first, second = listed
    return f"where {labels[first]} and {labels[second]} differ"


def draw_model(number: int, model: AvaModel) -> None:
    """Draw a model's card, its training and its saved report."""
    name, training = model.folder.name or str(model.folder), model.training
    with st.expander(f"AVA model {training.name if training else name}"):
        if model.problem:
            shell.note(model.problem)
        if training is None:
            return
        if training.card and model.threshold not in (None, training.card.threshold):
            shell.note(
                f"Scores are right above {words.score(model.threshold, 2)}; "
                f"the folder's card says {words.score(training.card.threshold, 2)}."
            )
        for table in card_tables(training):
            st.html(html.table_html(table, about=table.caption) or "<i></i>")
        if len(training.curve) > 1:
            figure(f"ava_{number}", f"{name}-training", training_figure(training))
