"""A grader by name, and the button that counts what it would be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from curator.background.tasks import CommandResult, CommandTask
from curator.ui.grading.grader_words import counted_words, offered
from curator.ui.shared import html, scripts, session
from grading.registry import paid_names

FORM = "grader_form"  # the component's key

_mount = component(
    "curator_grader_form",
    js=scripts.module("shared/elements", "grading/grader_form"),
    isolate_styles=False,
)


def grader_form() -> None:
    """The field with all names there are, prices where they matter, and Count."""
    _mount(
        key=FORM,
        data={
            "offered": offered(),
            "paid": paid_names(),
            "heard": st.session_state.get("form_heard", ""),
            "counting": session.service().running(session.counted()),
        },
        on_asked_change=asked,
    )


def asked() -> None:
    """Count what the grader named lacks, once; what cannot be meant does nothing."""
    told: Any = st.session_state[FORM].asked
    if not isinstance(told, Mapping):
        return
    said = {n: v.strip() for n, v in told.items() if isinstance(v, str)}
    if not said.get("grader") or said.get("nonce") == st.session_state.get(
        "form_heard"
    ):
        return
    st.session_state.form_heard = said.get("nonce")
    session.send("count", said["grader"], said.get("prices", ""))


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
