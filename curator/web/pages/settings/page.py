"""General: what the organizer decides for all judges, and how models are asked."""

from __future__ import annotations

import streamlit as st

from curator.formats.templates import render
from curator.web.components import endpoint_trial, session, shell
from curator.web.components.background_status import model_status
from curator.web.components.shell import around
from curator.web.pages.frame import draw_page
from curator.web.pages.judge.proposals.request_form import (
    offered_first,
    request_form,
    typed_preview,
)
from curator.web.pages.settings import settings_form
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint, has_key


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the settings, and at the right what they look like."""
    around(workspace, columns)
    request, saved = offered_first(workspace), settings_form.fields_of(workspace)
    with columns.middle:
        shell.title("General", "what holds for all judges; no question changes")
        shell.notes()
        settings_form.draw(saved)
        st.html(endpoint_html(request.endpoint))
        request_form(request)
        endpoint_trial.draw()
    guidelines = (session.current().settings_draft or saved)["guidelines"]
    with columns.right:
        if guidelines.strip():
            st.html('<div class="c-listhead"><b>Guidelines</b></div>')
            with st.container(key="guidelines_preview"):
                # Streamlit's Markdown shows HTML as text unless told otherwise.
                st.markdown(guidelines)
        if workspace.collection().queries:
            typed_preview(workspace, request)


def endpoint_html(url: str) -> str:
    """Draw where chat models are asked, and if a key is there; never the key."""
    endpoint, problem = None, ""
    if session.endpoint(url):
        try:
            endpoint = Endpoint.from_url(url)
        except GradingError as error:
            problem = str(error)
    return render(
        "settings/settings.html", endpoint=endpoint, problem=problem, has_key=has_key()
    )


draw_page("Settings", draw, follows=True, first_screen=False)
model_status()
