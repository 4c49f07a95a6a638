"""Requests for proposals beneath the questions: arriving texts and results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from curator.background.tasks import CommandResult
from curator.errors import WorkspaceError
from curator.formats.templates import render
from curator.generation.responses import listed_texts
from curator.store.generations import Generation
from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import session, words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.rows import gate_words
from curator.workspace import Workspace

NO_MODEL = "Ask your organizer to set a model on Settings: it proposes questions."


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line on a request that has ended, and whether it can be sent again."""

    line: str
    error: bool = False
    again: bool = True


def setup_hint(request: GenerationRequest) -> str:
    """Return what has to be set up before a model can be asked, or ""."""
    ready = request.model and session.endpoint(request.endpoint)
    return "" if ready else NO_MODEL


def result_line(result: CommandResult | None, model: str) -> ResultLine | None:
    """Return the result of a request in a line, None if it needs none."""
    if result is not None and result.line:
        return ResultLine(f"{result.line.rstrip('.')}.", error=True)
    if result is None or result.generated is None:
        return None
    summary = result.generated
    name = summary.model or model
    if not summary.asked and summary.elsewhere:
        return ResultLine(f"{name} is being asked about this already.", again=False)
    if not summary.asked:
        again = ResultLine(f"{name} has been asked about this before.")
        return again if summary.had else None
    if summary.stopped or summary.cut:
        return ResultLine("The answer broke off; complete questions are proposed.")
    if summary.proposed:
        return None
    if summary.unreadable:
        reason = f": {summary.faults[0]}" if summary.faults else ""
        return ResultLine(f"{name} answered without a list of questions{reason}.")
    return ResultLine(f"{name} had nothing new to propose.")


def load(workspace: Workspace, page: PageState) -> dict[str, Any]:
    """Return the data on proposals beneath the questions, as JSON.

    ``gate`` is what a judge has to do before proposals are shown, ``wanting`` what has
    to be set up, ``host`` where a model is asked, ``going`` True while one is, in any
    session. ``waiting`` counts proposals of all queries, ``said`` is the result of this
    session's latest request about the query.
    """
    query_id = page.query.query_id
    if workspace.abandoned():  # by a process that was killed
        with suppress(WorkspaceError), session.workspace() as writable:
            writable.recover()
    gate = workspace.gate(query_id)
    data: dict[str, Any] = {
        "gate": gate_words(gate.remaining) if gate.closed else "",
        "model": "",
        "host": "",
        "wanting": "",
        "waiting": 0,
        "going": False,
        "said": None,
        "arrived": 0,
    }
    if gate.closed:
        return data
    request = workspace.default_request()
    task = session.current().request
    about = dict(task.about) if task else {}
    if task is not None and about.get("query") == query_id:
        result = result_line(session.service().result(task), request.model)
        place = {"subtopic": about.get("subtopic"), "passage": about.get("passage")}
        data["said"] = result and asdict(result) | place
    generations = workspace.generations(query_id=query_id, asking=True)
    return data | {
        "model": request.model,
        "host": session.endpoint_host(request.endpoint),
        "wanting": setup_hint(request),
        "waiting": sum(question.state == "proposed" for question in page.bank),
        "going": bool(session.is_asked(query_id) or generations),
        "arrived": sum(generation.texts_read for generation in generations),
    }


EVERY = 0.5  # seconds between two looks


@st.fragment(run_every=EVERY)
def arriving(query_id: str, model: str, drawn: int) -> None:
    """Draw arriving texts; redraw the page once more than ``drawn`` are proposals."""
    try:
        with session.drawing() as workspace:
            generations = workspace.generations(query_id=query_id, asking=True)
    except session.EXPECTED:
        return  # the page itself says what is wrong
    is_running = bool(generations or session.is_asked(query_id))
    if (
        not is_running
        or sum(generation.texts_read for generation in generations) > drawn
    ):
        session.redraw()
    with st.container(key="arriving", horizontal=True):
        st.html(arriving_html(generations, model, datetime.now(UTC)))
        if generations:
            why_not = session.why_not("stop_asking")
            st.button(
                "Stop",
                key="stop_asking",
                disabled=bool(why_not),
                help=why_not or "Questions that have arrived stay",
                on_click=stop,
                args=(query_id,),
            )


def stop(query_id: str) -> None:
    """Stop the requests about the query."""
    with session.noting() as workspace:
        workspace.stop_asking(query_id)


def arriving_html(prompts: Sequence[Generation], model: str, now: datetime) -> str:
    """Draw the models, the time, and the texts that are no proposals yet."""
    models = dict.fromkeys(prompt.model for prompt in prompts) or [model or "a model"]
    facts: list[str] = []
    if prompts:
        began = min(datetime.fromisoformat(prompt.at) for prompt in prompts)
        arrived = sum(prompt.texts_read for prompt in prompts)
        facts = [
            f"{max(0, (now - began).total_seconds()):.0f} s",
            f"{words.count(arrived, 'question')} so far",
            *([f"{len(prompts)} prompts left"] if len(prompts) > 1 else []),
        ]
    texts = [
        text
        for prompt in prompts
        for text in listed_texts(prompt.raw, prompt.kind).texts[prompt.texts_read :]
    ]
    return render("judge/arriving.html", models=models, facts=facts, texts=texts)
