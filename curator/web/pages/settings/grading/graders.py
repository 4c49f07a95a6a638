"""Graders in words and as HTML: what each lacks, what was counted, what it misread."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from curator.background.tasks import CommandResult, CommandTask
from curator.formats.templates import macro
from curator.tables.grading import budget_words
from curator.verbs.grading.resolve_grader import BOTH, MEAN_OF
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.setup.status import GraderState
from curator.web.components import words
from curator.web.components.channel import Component
from curator.web.components.settings import grader_labels
from curator.workspace import Workspace
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.registry import grader_names

TEMPLATE = "settings/grading/grading.html"
FORM = Component("grader_form", "pages/settings/grading/grader_form", verb="grade")
LISTED = 100  # responses
LONGEST = 400  # characters of one

ITEMS = {
    "question": "questions",
    "nugget": "nuggets",
    "any": "questions and nuggets",
    "query": "passages as a whole",
}
SCALES = {"rated": "0–5", "answered": "answered or not", "keyed": "right or wrong"}


def grader_rows(
    graders: Sequence[GraderState], busy: Container[str]
) -> list[dict[str, Any]]:
    """Every grader in words; those ``busy`` are grading or about to.

    ``share`` of its grades are known, between 0 and 1. What it cannot give here is not
    among them: ``beyond`` says how many these are, or "".
    """
    labels = grader_labels(graders)
    return [_row(one, labels[one.name], one.name in busy) for one in graders]


def _row(one: GraderState, label: str, busy: bool) -> dict[str, Any]:
    within_reach = max(one.known, one.needed - one.out_of_reach)
    beyond = ""
    if number := one.needed - within_reach:
        what = "a text, a key or an answer" if one.source else "a text or a key"
        more = words.count(number, "more grade")
        beyond = f"{more} cannot be given for want of {what}"
    if one.left_out:
        left_out = f"{one.left_out:,} of the missing left out by a budget"
        beyond = "; ".join(filter(None, (left_out, beyond)))
    items = "answers" if one.source else ITEMS[one.item_kind]
    grades_here = (one.can_grade or bool(one.source)) and not one.learned
    if one.learned:
        state = "by checks"
    elif one.by_people:
        state = "by verdicts"
    elif not grades_here:
        state = "imported"
    elif busy:
        state = "grading"
    else:
        state = "" if one.unasked else "complete"
    return {
        "name": one.name,
        "label": label,
        "rates": ", ".join(filter(None, (items, SCALES.get(one.kind)))),
        "model": one.model or "–",
        "counts": f"{one.known:,} of {within_reach:,}",
        "share": one.known / within_reach if within_reach else 0.0,
        "missing": one.unasked,
        "missing_words": words.missing_grades(one.unasked),
        "unreadable": one.unreadable,
        "state": state,
        "gradable": grades_here and not busy,
        "paid": one.paid,
        "beyond": beyond,
    }


def offered() -> list[tuple[str, str]]:
    """(what to type, what it is) for every grader there could be."""
    return [(name.partition("<")[0], what) for name, what in grader_names().items()]


def prompts() -> list[tuple[str, str]]:
    """(a prompt as a name may have it after a slash, what it asks and whose it is)."""
    names = {name: name for name in PROMPTS} | FORMER_NAMES
    of_name = ((name, PROMPTS[prompt]) for name, prompt in names.items())
    return [(name, f"{ITEMS[one.item_kind]}, {one.source}") for name, one in of_name]


def counted_words(found: GradeSummary) -> tuple[str, ...]:
    """What a grader lacks, what asking it would take, and what it cannot grade."""
    missing = f"No grade is missing that {found.grader} could give."
    if found.asked:
        queries = words.count(found.queries, "query", "queries")
        missing = f"{words.missing_grades(found.asked)} in {queries}."
    prompts = words.count(found.prompts, "prompt")
    tokens_in, tokens_out = found.tokens_in or 0, found.tokens_out or 0
    tokens = f"about {tokens_in:,} tokens in and {tokens_out:,} out"
    no_text = words.count(found.without_text, "question has", "questions have")
    no_key = words.count(found.without_key, "question has", "questions have")
    no_answer = words.count(found.without_answer, "passage is", "passages are")
    restricted = words.count(
        found.restricted, "restricted query is", "restricted queries are"
    )
    left_out = words.count(found.left_out, "more is", "more are")
    parts = {
        missing: True,
        found.languages: found.languages,
        f"{left_out} left out by the budget.": found.left_out,
        budget_words(found, "taking the tick at “judged” away"): found.judged_only,
        f"{prompts}, {tokens}.": found.prompts,
        f"They would be sent to {found.host}.": found.host,
        f"{found.missing_model}.": found.missing_model,
        f"{words.count(found.answers, 'answer')} to score.": found.answers,
        f"{words.count(found.texts, 'text')} to read.": found.texts,
        f"About ${found.dollars or 0:,.2f}.": found.dollars is not None,
        f"{no_text} no text here and cannot be graded.": found.without_text,
        f"{restricted} left out: the model is on another machine.": found.restricted,
        f"{no_key} no answer key to verify an answer by.": found.without_key,
        f"{no_answer} without an answer to check.": found.without_answer,
    }
    return tuple(part for part, holds in parts.items() if holds)


def unreadable_html(workspace: Workspace, grader: str) -> Markup:
    """The responses of a grader that state no rating; a click opens the passage.

    Raises UnknownNameError.
    """
    found = workspace.unreadable(grader)
    listed, bank = found[:LISTED], workspace.bank()
    names = {query.query_id: query.name for query in workspace.collection().queries}
    titles = {
        question.question_id: question.title
        for query_id in dict.fromkeys(one.query_id for one in listed)
        for question in bank.questions_of(query_id)
    }
    rows = []
    for one in listed:
        # A grader of whole passages is asked the query itself.
        question_id = one.target_id if one.target_id in titles else ""
        place = {"query": one.query_id, "passage": one.passage_id}
        rows.append(
            {
                "query": names.get(one.query_id, one.query_id),
                "question": titles.get(question_id, ""),
                "passage_id": one.passage_id,
                "raw": words.shortened(one.raw, LONGEST) or "(no words)",
                "reason": one.reason,
                "place": urlencode(place | {"question": question_id}),
            }
        )
    label = grader_labels(workspace.graders())[grader]
    heading = f"{words.count(len(found), 'response')} of {label}"
    return macro(TEMPLATE, "unreadable")(heading, rows, len(found) - len(rows))


def counted_html(
    task: CommandTask,
    result: CommandResult | None,
    names: Container[str] = (),
    why_not: str = "",
) -> Markup:
    """What was counted with the button that starts it, or why nothing could be.

    ``why_not`` is why it is closed. One that joins two graders lacks no grade that they
    have, and is yet to be made where it is not among the ``names``.
    """
    joins = task.grader.startswith((BOTH, MEAN_OF)) and task.grader not in names
    found = " ".join(counted_words(result.counted)) if result and result.counted else ""
    return macro(TEMPLATE, "counted")(task.grader, result, found, joins, why_not)
