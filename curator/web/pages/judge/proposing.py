"""Beneath the questions: a model asked for more, what arrives, what became of it."""

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

WANTING = "Ask your organizer to set a model on Settings: it proposes questions."


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line on an asking, and whether it can be asked again."""

    line: str
    error: bool = False
    again: bool = True


def wanting(request: GenerationRequest) -> str:
    """What has to be set up before a model can be asked; "" for nothing."""
    ready = request.model and session.endpoint(request.endpoint)
    return "" if ready else WANTING


def result_line(result: CommandResult | None, model: str) -> ResultLine | None:
    """What there is to say of an asking that has ended; None for nothing."""
    if result is not None and result.line:
        return ResultLine(f"{result.line.rstrip('.')}.", error=True)
    if result is None or result.generated is None:
        return None
    summary = result.generated
    name = summary.model or model
    fruitless = summary.asked and not summary.proposed
    if not summary.asked and summary.elsewhere:
        return ResultLine(f"{name} is being asked about this already.", again=False)
    if not summary.asked and summary.had:
        return ResultLine(f"{name} has been asked about this before.")
    if summary.stopped:
        return ResultLine("Stopped; the questions that had arrived are proposed.")
    if summary.cut:
        return ResultLine(
            f"The answer of {name} breaks off; what was whole is proposed."
        )
    if fruitless and summary.repeated:
        texts = words.count(summary.repeated, "text stands", "texts stand")
        return ResultLine(f"{name} said nothing new: {texts} here already.")
    if summary.unreadable:
        reason = f": {summary.faults[0]}" if summary.faults else ""
        return ResultLine(f"{name} answered without a list of questions{reason}.")
    return ResultLine(f"{name} had nothing to propose.") if fruitless else None


def load(workspace: Workspace, page: PageState) -> dict[str, Any]:
    """What stands beneath the questions of a query, as JSON.

    ``gate`` says what a judge has to do before proposals are shown, ``wanting`` what
    has to be set up before a model can be asked, ``host`` where it is asked, ``going``
    that one is being asked, in any session. ``waiting`` counts proposals of all
    queries, ``said`` is the result of what this session asked last about the query.
    """
    query_id = page.query.query_id
    if workspace.abandoned():  # by a process that was killed; the next drawing shows it
        with suppress(WorkspaceError), session.workspace() as own:
            own.recover()
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
    model = request.model
    task = session.current().asked
    about = dict(task.about) if task else {}
    if task is not None and about.get("query") == query_id:
        said = result_line(session.service().result(task), model)
        of = {"subtopic": about.get("subtopic"), "passage": about.get("passage")}
        data["said"] = said and asdict(said) | of
    asking = workspace.generations(query_id=query_id, asking=True)
    return data | {
        "model": model,
        "host": session.endpoint_host(request.endpoint),
        "wanting": wanting(request),
        "waiting": sum(question.state == "proposed" for question in page.bank),
        "going": bool(session.is_asked(query_id) or asking),
        "arrived": sum(one.texts_read for one in asking),
    }


EVERY = 0.5  # seconds between two looks


@st.fragment(run_every=EVERY)
def arriving(query_id: str, model: str, drawn: int) -> None:
    """What is arriving; the page is drawn anew when more has than the ``drawn``."""
    try:
        with session.drawing() as workspace:
            found = workspace.generations(query_id=query_id, asking=True)
    except session.EXPECTED:
        return  # the page itself says what is wrong
    going = bool(found or session.is_asked(query_id))
    more = sum(one.texts_read for one in found) > drawn
    if more or not going:
        session.redraw()
    if not going:
        return
    with st.container(key="arriving", horizontal=True):
        st.html(arriving_html(found, model, datetime.now(UTC)))
        if found:
            cannot = session.why_not("stop_asking")
            st.button(
                "Stop",
                key="stop_asking",
                disabled=bool(cannot),
                help=cannot or "Questions that have arrived stay",
                on_click=stop,
                args=(query_id,),
            )


def stop(query_id: str) -> None:
    """End what is being asked about the query."""
    with session.noting() as workspace:
        workspace.stop_asking(query_id)


def arriving_html(prompts: Sequence[Generation], model: str, now: datetime) -> str:
    """Draw who is asked, for how long, and the texts that are no proposals yet."""
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
