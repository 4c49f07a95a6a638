"""Graders in words and as HTML: what each lacks, what was counted, what it misread."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from curator.background.tasks import CommandResult, CommandTask
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.ui.shared import words
from curator.ui.shared.channel import Component
from curator.ui.shared.settings import grader_labels
from curator.ui.shared.templates import macro
from curator.verbs.grading.missing import Unreadable
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.setup.status import GraderState
from grading.registry import grader_names

TEMPLATE = "grading/grading.html"
FORM = Component("grader_form", "grading/grader_form")
LISTED = 100  # responses
LONGEST = 400  # characters of one

ITEMS = {"question": "questions", "nugget": "nuggets", "query": "passages as a whole"}
SCALES = {"rated": "0–5", "answered": "answered or not", "keyed": "right or wrong"}


@dataclass(frozen=True, slots=True)
class GraderRow:
    """A grader in words. ``share`` of its grades are known, between 0 and 1.

    What it cannot give here is not among them: ``beyond`` says how many these are, or
    "". ``missing`` counts what it would be asked, ``unreadable`` what it was asked in
    vain. ``paid`` says that asking it costs something, so it is counted first.
    """

    name: str
    label: str
    rates: str
    model: str
    counts: str
    share: float
    missing: int
    unreadable: int
    state: str
    gradable: bool
    paid: bool = False
    beyond: str = ""

    @property
    def missing_words(self) -> str:
        """What it would be asked for."""
        return words.missing_grades(self.missing)


def grader_rows(
    graders: Sequence[GraderState], busy: Container[str]
) -> tuple[GraderRow, ...]:
    """Every grader in words; those ``busy`` are grading or about to."""
    labels = grader_labels(graders)
    return tuple(
        GraderRow(
            name=one.name,
            label=labels[one.name],
            rates=_rates(one),
            model=one.model or "–",
            counts=f"{one.known:,} of {_within_reach(one):,}",
            share=one.known / _within_reach(one) if _within_reach(one) else 0.0,
            missing=one.unasked,
            unreadable=one.unreadable,
            state=_state(one, busy),
            gradable=(one.can_grade or bool(one.source)) and one.name not in busy,
            paid=one.paid,
            beyond=_beyond(one),
        )
        for one in graders
    )


def offered() -> list[tuple[str, str]]:
    """(what to type, what it is) for every grader there could be."""
    return [(name.partition("<")[0], what) for name, what in grader_names().items()]


def counted_words(found: GradeSummary) -> tuple[str, ...]:
    """What a grader lacks, what asking it would take, and what it cannot grade."""
    if not found.asked:
        parts = [f"No grade is missing that {found.grader} could give."]
    else:
        queries = words.count(found.queries, "query", "queries")
        parts = [f"{words.missing_grades(found.asked)} in {queries}."]
    if found.prompts:
        parts.append(
            f"{words.count(found.prompts, 'prompt')}, about {found.tokens_in:,} tokens "
            f"in and {found.tokens_out:,} out."
        )
    if found.answers:
        parts.append(f"{words.count(found.answers, 'answer')} to score.")
    if found.texts:
        parts.append(f"{words.count(found.texts, 'text')} to read.")
    if found.dollars is not None:
        parts.append(f"About ${found.dollars:,.2f}.")
    if found.without_text:
        many = words.count(found.without_text, "question has", "questions have")
        parts.append(f"{many} no text here and cannot be graded.")
    if found.without_key:
        many = words.count(found.without_key, "question has", "questions have")
        parts.append(f"{many} no answer key to verify an answer by.")
    if found.without_answer:
        many = words.count(found.without_answer, "passage is", "passages are")
        parts.append(f"{many} without an answer to check.")
    return tuple(parts)


def _within_reach(one: GraderState) -> int:
    return max(one.known, one.needed - one.out_of_reach)


def _beyond(one: GraderState) -> str:
    number = one.needed - _within_reach(one)
    if not number:
        return ""
    what = "a text, a key or an answer" if one.source else "a text or a key"
    return f"{words.count(number, 'more grade')} cannot be given for want of {what}"


def _rates(one: GraderState) -> str:
    if one.source:
        return f"answers, {SCALES[one.kind]}"
    items, scale = ITEMS[one.item_kind], SCALES.get(one.kind)
    return f"{items}, {scale}" if scale else items


def _state(one: GraderState, busy: Container[str]) -> str:
    if not (one.can_grade or one.source):
        return "imported"
    if one.name in busy:
        return "grading"
    return "complete" if not one.unasked else ""


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A response that states no rating. ``place`` is what leads to its passage."""

    query: str
    question: str
    passage_id: str
    raw: str
    place: str


def unreadable_rows(
    found: Sequence[Unreadable], collection: Collection, bank: Bank
) -> tuple[UnreadableRow, ...]:
    """The first of them in words."""
    names = {query.query_id: query.name for query in collection.queries}
    listed = found[:LISTED]
    titles = {
        question.question_id: question.title
        for query_id in dict.fromkeys(one.query_id for one in listed)
        for question in bank.of_query(query_id)
    }
    return tuple(
        UnreadableRow(
            query=names.get(one.query_id, one.query_id),
            # A grader of whole passages is asked the query itself.
            question=titles.get(one.target_id, ""),
            passage_id=one.passage_id,
            raw=words.shortened(one.raw, LONGEST) or "(no words)",
            place=urlencode(
                {
                    "query": one.query_id,
                    "passage": one.passage_id,
                    "question": one.target_id if one.target_id in titles else "",
                }
            ),
        )
        for one in listed
    )


def graders_html(rows: Sequence[GraderRow], opened: str | None) -> Markup:
    """A row a grader; ``opened`` is the one whose unreadable responses are listed."""
    return macro(TEMPLATE, "graders")(rows, opened)


def unreadable_html(label: str, rows: Sequence[UnreadableRow], total: int) -> Markup:
    """The responses of one grader that state no rating; a click opens the passage."""
    return macro(TEMPLATE, "unreadable")(label, rows, total - len(rows))


def counted_html(task: CommandTask, result: CommandResult | None) -> Markup:
    """What was counted with the button that starts it, or why nothing could be."""
    found = " ".join(counted_words(result.counted)) if result and result.counted else ""
    return macro(TEMPLATE, "counted")(task.grader, result, found)
