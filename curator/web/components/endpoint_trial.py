"""*Try it*: one prompt sent to a chat model from a page, and what came of it.

Settings, Proposals and Grading have the button where the model is named; the result
stands beneath it.
"""

from __future__ import annotations

import streamlit as st

from curator.background.tasks import EndpointTask
from curator.tables.grading import remedy
from curator.web.components import session, shell
from curator.web.components.channel import handles
from grading.models.endpoint import EndpointCheck


@handles("try_endpoint")
def try_endpoint(*, name: str, endpoint: str | None = None) -> None:
    """Send one prompt to this model, at this address where one is typed."""
    with session.workspace() as workspace:
        workspace.require("try_endpoint")
    task = EndpointTask(
        session.workspace_path(),
        session.judge(),
        name.strip().removeprefix("chat:"),
        None if endpoint is None else endpoint.strip(),
    )
    session.current().tried = task
    session.service().send(task)


def draw() -> None:
    """Show what came of the last test; nothing before the first."""
    task, service = session.current().tried, session.service()
    result = service.result(task)
    with st.container(key="endpoint_trial"):
        if service.is_running(task):
            shell.line("Sending one prompt about a made-up passage…")
        elif isinstance(result, EndpointCheck):
            shell.line(result_line(result), error=bool(result.problem))
        elif result:
            shell.line(result, error=True)


def result_line(check: EndpointCheck) -> str:
    """Say in one line what was answered, how it is read, and what to do."""
    parts = []
    if check.answer is not None:
        rating = "no rating" if check.rating is None else f"rating {check.rating}"
        tokens = "tokens unknown"
        if check.tokens_in is not None and check.tokens_out is not None:
            tokens = f"{check.tokens_in:,} tokens in, {check.tokens_out:,} out"
        parts.append(
            f"{check.model} at {check.host} answers “{check.answer}”: {rating}, "
            f"{tokens}, {check.seconds or 0:.1f} s."
        )
    return " ".join(filter(None, (*parts, remedy(check))))
