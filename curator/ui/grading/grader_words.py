"""Graders as rows, what a new one may be called, and what was counted of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from curator.ui.shared import words
from curator.ui.shared.grader_names import grader_labels
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.setup.status import GraderState
from grading.registry import grader_names

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


def grader_rows(
    graders: Sequence[GraderState], busy: Collection[str]
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
        said = [f"No grade is missing that {found.grader} could give."]
    else:
        queries = words.count(found.queries, "query", "queries")
        said = [f"{words.missing_grades(found.asked)} in {queries}."]
    if found.prompts:
        said.append(
            f"{words.count(found.prompts, 'prompt')}, about {found.tokens_in:,} tokens "
            f"in and {found.tokens_out:,} out."
        )
    if found.answers:
        said.append(f"{words.count(found.answers, 'answer')} to score.")
    if found.texts:
        said.append(f"{words.count(found.texts, 'text')} to read.")
    if found.dollars is not None:
        said.append(f"About ${found.dollars:,.2f}.")
    if found.without_text:
        many = words.count(found.without_text, "question has", "questions have")
        said.append(f"{many} no text here and cannot be graded.")
    if found.without_key:
        many = words.count(found.without_key, "question has", "questions have")
        said.append(f"{many} no answer key to verify an answer by.")
    if found.without_answer:
        many = words.count(found.without_answer, "passage is", "passages are")
        said.append(f"{many} without an answer to check.")
    return tuple(said)


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


def _state(one: GraderState, busy: Iterable[str]) -> str:
    if not (one.can_grade or one.source):
        return "imported"
    if one.name in busy:
        return "grading"
    return "complete" if not one.unasked else ""
