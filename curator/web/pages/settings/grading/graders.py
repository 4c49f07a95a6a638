"""Graders in words and as HTML: their grades, what was counted, what was unreadable."""

from __future__ import annotations

from collections.abc import Container
from urllib.parse import urlencode

from markupsafe import Markup

from curator.background.tasks import CommandResult, CommandTask
from curator.formats.templates import macro
from curator.tables.grading import graded_table
from curator.verbs.grading.resolve_grader import BOTH, MEAN_OF
from curator.verbs.setup import GraderState
from curator.web.components import html, shell, words
from curator.web.components.settings import grader_labels
from curator.workspace import Workspace
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.registry import grader_names

TEMPLATE = "settings/grading/grading.html"
MAX_RESPONSES = 100
MAX_LENGTH = 400  # characters of a response

ITEMS = {
    "question": "questions",
    "nugget": "nuggets",
    "any": "questions and nuggets",
    "query": "passages as a whole",
}
SCALES = {"rated": "0–5", "answered": "answered or not", "keyed": "right or wrong"}


def grader_html(grader: GraderState, label: str, state: str) -> Markup:
    """Draw what a grader is, and its known of its possible grades."""
    items = "answers" if grader.source else ITEMS[grader.item_kind]
    rates = ", ".join(filter(None, (items, SCALES.get(grader.kind))))
    possible = max(grader.known, grader.needed - grader.out_of_reach)
    return macro(TEMPLATE, "grader")(grader, label, rates, possible, state)


def state_and_action(grader: GraderState, *, busy: bool) -> tuple[str, str]:
    """Return the state of a grader, and the event that continues it or "".

    ``busy`` graders are grading or about to.
    """
    if grader.learned:
        return "by checks", ""
    if grader.by_people:
        return "by verdicts", ""
    if not (grader.can_grade or grader.source):
        return "imported", ""
    if busy:
        return "grading", ""
    if grader.unasked:
        return "", "count" if grader.paid else "grade"
    return "complete", "again" if grader.unreadable else ""


def grader_list() -> list[tuple[str, str]]:
    """Return (what to type, what it is) for graders, then for prompts after a slash."""
    names = {f"/{name}": name for name in PROMPTS}
    names |= {f"/{name}": prompt for name, prompt in FORMER_NAMES.items()}
    prompts = ((name, PROMPTS[prompt]) for name, prompt in names.items())
    return [
        *((name.partition("<")[0], what) for name, what in grader_names().items()),
        *((n, f"{ITEMS[prompt.item_kind]}, {prompt.source}") for n, prompt in prompts),
    ]


def unreadable_html(workspace: Workspace, grader: str) -> Markup:
    """Draw the responses of a grader that state no rating; a click opens the passage.

    Raises UnknownNameError.
    """
    responses, bank = workspace.unreadable(grader), workspace.bank()
    names = workspace.collection().names
    rows = []
    for response in responses[:MAX_RESPONSES]:
        questions = bank.questions_of(response.query_id)
        titles = {question.question_id: question.title for question in questions}
        place = {"query": response.query_id, "passage": response.passage_id}
        # The target of a grader of whole passages is the query.
        if title := titles.get(response.target_id, ""):
            place["question"] = response.target_id
        text = words.shortened(response.raw, MAX_LENGTH) or "(no words)"
        about = (
            f"{response.reason} · {names[response.query_id]} · {response.passage_id}"
        )
        rows.append((text, title, about, urlencode(place)))
    label = grader_labels(workspace.graders())[grader]
    heading = f"{words.count(len(responses), 'response')} of {label}"
    return macro(TEMPLATE, "unreadable")(heading, rows, len(responses) - len(rows))


def counted_html(
    task: CommandTask,
    result: CommandResult | None,
    names: Container[str] = (),
    why_not: str = "",
) -> str:
    """Draw what was counted with the button that starts it, or an error.

    ``why_not`` is why the button is disabled. A grader that joins two others is started
    if it is not among the ``names``, though no grade is missing.
    """
    name = task.grader
    if result is None:
        return shell.line_html(f"Counting for {name}…")
    if (counted := result.counted) is None:
        return shell.line_html(result.line, error=True)
    joins = name.startswith((BOTH, MEAN_OF)) and name not in names
    table = graded_table(counted)
    notes = [html.coded(note) for note in table.notes]
    drawn, starts = html.table_html(table, "Counted", ""), counted.asked or joins
    return macro(TEMPLATE, "counted")(name, drawn, notes, starts, why_not)
