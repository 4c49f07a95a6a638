"""The answers quoted beneath a passage, each with the controls for a verdict on it."""

from __future__ import annotations

from collections.abc import Sequence

from curator.bank.marks import CORRECTNESSES, Correctness
from curator.ui.answers.verdict_rows import QuotedAnswer
from curator.ui.shared import html

KEYS: dict[Correctness, str] = {"right": "y", "wrong": "w"}


def quoted_html(answers: Sequence[QuotedAnswer]) -> str:
    """One line per answer; nothing without any."""
    if not answers:
        return ""
    return (
        '<div class="p-quoted" role="group" aria-label="Answers in this passage">'
        f"{''.join(map(_answer_html, answers))}</div>"
    )


def _answer_html(one: QuotedAnswer) -> str:
    meant = ' data-meant="true"' if one.meant else ""
    notes = " · ".join(filter(None, (one.remark, one.others)))
    said = f"<i>{html.text(notes)}</i>" if notes else ""
    controls = "".join(_control_html(one, value) for value in CORRECTNESSES)
    return (
        f'<div class="p-answer"{meant} data-question="{html.text(one.question_id)}" '
        f'data-revision="{one.revision}" data-answer="{html.encoded(one.answer)}" '
        f'data-mine="{one.mine or ""}">'
        f'<span class="c-number" title="{html.text(one.asked)}">{one.number}</span>'
        f"<q>{html.text(one.answer)}</q>{said}<span>{controls}</span></div>"
    )


def _control_html(one: QuotedAnswer, value: Correctness) -> str:
    pressed = "true" if one.mine == value else "false"
    title = f"Call the answer to {one.number} {value}; again to take that back"
    key = shown = ""
    if one.meant:
        title = f"{title} ({KEYS[value]})"
        key = f' data-key="{KEYS[value]}"'
        shown = f"<kbd>{KEYS[value]}</kbd>"
    return (
        f'<button type="button" class="p-verdict" data-verdict="{value}"{key} '
        f'aria-pressed="{pressed}" title="{title}">{value}{shown}</button>'
    )
