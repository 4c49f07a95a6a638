"""A grader by name, and the button that counts what it would be asked."""

from __future__ import annotations

from curator.background.tasks import CommandResult, CommandTask
from curator.ui.grading.grader_words import counted_words, offered
from curator.ui.shared import html, session
from curator.ui.shared.channel import Component
from grading.registry import paid_names

FORM = Component("grader_form", "grading/grader_form")


def grader_form() -> None:
    """The field with all names there are, prices where they matter, and Count."""
    counting = session.service().running(session.current().counted)
    FORM.draw(offered=offered(), paid=paid_names(), counting=counting)


def counted_html(task: CommandTask, result: CommandResult | None) -> str:
    """What was counted with the button that starts it, or why nothing could be."""
    name = html.text(task.grader)
    if result is None:
        return f'<p class="g-counted" role="status">Counting for <b>{name}</b>…</p>'
    if result.counted is None:
        return f'<p class="c-line c-error" role="alert">{html.text(result.line)}</p>'
    said = html.text(" ".join(counted_words(result.counted)))
    act = (
        f'<button type="button" data-pick="{html.text(f"grade:{task.grader}")}" '
        f'title="In a job beside this page">Start {name}</button>'
        if result.counted.asked
        else ""
    )
    return (
        f'<div class="g-counted" role="status"><p><b>{html.text(task.grader)}</b> '
        f"{said}</p>{act}</div>"
    )
