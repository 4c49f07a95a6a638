"""Settings: what the organizer decides for all who judge, and how models are asked."""

from __future__ import annotations

import streamlit as st

from curator.formats.templates import render
from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import endpoint_trial, session, shell
from curator.web.components.background_status import drawing, model_status
from curator.web.components.shell import around, framed
from curator.web.pages.judge.proposals.request_form import (
    noun_here,
    offered_first,
    request_form,
    typed_preview,
)
from curator.web.pages.settings import settings_form
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint, has_key

ABOUT = "what holds for all who judge; nothing here changes a question"


def page() -> None:
    """What is set in the middle; what it looks like at the right."""
    framed("Settings", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    drawing(workspace)
    around(workspace, columns)
    asked, now = offered_first(workspace), session.current()
    saved = settings_form.fields_of(workspace)
    with columns.middle:
        shell.title("General", ABOUT)
        shell.notes()
        settings_form.draw(saved)
        st.html(asked_html(asked))
        request_form(asked, noun_here(workspace))
        endpoint_trial.draw()
    guidelines = (now.settings_draft or saved)["guidelines"]
    with columns.right:
        if guidelines.strip():
            st.html('<div class="c-listhead"><b>Guidelines</b></div>')
            with st.container(key="guidelines_preview"):
                # Streamlit's Markdown shows HTML as text unless told otherwise.
                st.markdown(guidelines)
        if workspace.collection().queries:
            typed_preview(workspace, asked)


def asked_html(request: GenerationRequest) -> str:
    """Where the saved model is asked, and whether a key is there; never the key."""
    host = problem = ""
    key = None
    if session.endpoint(request.endpoint):
        try:
            found = Endpoint.from_url(request.endpoint)
            host, key = found.host, bool(found.key)
        except GradingError as error:
            problem = str(error)
    given = has_key()
    return render(
        "settings/settings.html", host=host, problem=problem, key=key, given=given
    )


page()
model_status()
