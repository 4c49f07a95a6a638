"""How a model is asked: the form, what is typed in it, and saving that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from curator.errors import PromptError
from curator.ui.proposals.order_words import (
    Fields,
    fields_of,
    fields_told,
    form_data,
    order_of_fields,
)
from curator.ui.shared import scripts, session
from curator.verbs.proposals.request import GenerationRequest

FORM = "order_form"  # the component's key

_mount = component(
    "curator_order_form",
    js=scripts.module("shared/elements", "proposals/order_form"),
    isolate_styles=False,
)


def order_form(saved: GenerationRequest) -> None:
    """The form over what is saved; what is typed and not saved stays in it."""
    draft = _draft()
    if draft == fields_of(saved):
        draft = st.session_state.order_draft = None
    _mount(
        key=FORM,
        data={
            **form_data(),
            "saved": asdict(fields_of(saved)),
            "stored": bool(saved.model),
            "draft": None if draft is None else asdict(draft),
            "heard": st.session_state.get("order_heard", ""),
            "said": st.session_state.get("order_refused", ""),
        },
        on_told_change=told,
    )


def told() -> None:
    """Keep what is typed, or save it; why that cannot be is said in the form."""
    value: Any = st.session_state[FORM].told
    fields = fields_told(value) if isinstance(value, Mapping) else None
    if fields is None or value.get("nonce") == st.session_state.get("order_heard"):
        return
    st.session_state.order_draft = fields
    if value.get("save") is not True:
        return
    st.session_state.order_heard = value.get("nonce")
    st.session_state.order_refused = ""
    try:
        with session.workspace() as workspace:
            workspace.set_up(generation=order_of_fields(fields))
    except session.EXPECTED as error:
        st.session_state.order_refused = str(error)
    else:
        st.session_state.order_draft = None


def edited(saved: GenerationRequest) -> GenerationRequest | None:
    """The order as typed where it is not what is saved. Raises PromptError."""
    draft = _draft()
    if draft is None:
        return None
    try:
        typed = order_of_fields(draft)
    except PromptError:
        if draft == fields_of(saved):
            return None
        raise
    return None if typed == saved else typed


def _draft() -> Fields | None:
    kept: Fields | None = st.session_state.get("order_draft")
    return kept
