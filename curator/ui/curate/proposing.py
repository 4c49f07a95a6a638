"""Beneath the questions: a model asked for more, what arrives, what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from curator.background.tasks import CommandResult, CommandTask
from curator.collection.queries import Query
from curator.errors import WorkspaceError
from curator.generation.responses import listed_texts
from curator.store.generations import Generation
from curator.ui.curate.page_state import PageState
from curator.ui.curate.proposals import gate_words
from curator.ui.shared import html, session, words
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.proposals.request import GenerateSummary
from curator.workspace import Workspace

ENDPOINT = "set OPENAI_BASE_URL (and OPENAI_API_KEY)"
MODEL = "choose a model on Proposals"
UNREAD_SHOWN = 3  # the Proposals page shows them all
LONGEST_SHOWN = 20_000  # characters of a response


@dataclass(frozen=True, slots=True)
class Said:
    """A line on an asking, and whether it can be asked again."""

    line: str
    error: bool = False
    again: bool = True


@dataclass(frozen=True, slots=True)
class Unread:
    """A response from which nothing could be read, as it came."""

    line: str
    raw: str
    subtopic_id: str | None
    passage_id: str | None


def wanting(*, model: str, endpoint: bool) -> str:
    """What has to be set up before a model can be asked; "" for nothing."""
    steps = [] if endpoint else [ENDPOINT]
    steps += [] if model else [MODEL]
    return f"To have questions proposed, {', and '.join(steps)}." if steps else ""


def first_without_questions(lines: Sequence[QuestionLine], query: Query) -> str | None:
    """The query's first subtopic that nobody asks about; None without one."""
    asked = {
        line.question.subtopic_id for line in lines if line.question.state != "retired"
    }
    return next(
        (s.subtopic_id for s in query.subtopics if s.subtopic_id not in asked), None
    )


def result_said(result: CommandResult | None, model: str) -> Said | None:
    """What there is to say of an asking that has ended; None for nothing."""
    if result is None:
        return None
    if result.line:
        return Said(f"{result.line.rstrip('.')}.", error=True)
    return None if result.asked is None else _summary_said(result.asked, model)


def _summary_said(summary: GenerateSummary, model: str) -> Said | None:
    name = summary.model or model
    if not summary.asked and summary.elsewhere:
        return Said(f"{name} is being asked about this already.", again=False)
    if not summary.asked and summary.had:
        return Said(f"{name} has been asked about this before.")
    if summary.cut:
        return Said(f"The answer of {name} breaks off; what was whole is proposed.")
    if summary.asked and not summary.proposed and summary.repeated:
        stand = "stand" if summary.repeated > 1 else "stands"
        texts = words.count(summary.repeated, "text")
        return Said(f"{name} said nothing new: {texts} {stand} here already.")
    if summary.unreadable:
        return Said(f"{name} answered without a list of questions.")
    if summary.asked and not summary.proposed:
        return Said(f"{name} had nothing to propose.")
    return None


def unread_responses(asked: Sequence[Generation], query: Query) -> tuple[Unread, ...]:
    """The latest responses that could not be read, with what each was about."""
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    came = [one for one in asked if one.raw.strip()]
    return tuple(
        Unread(
            _why_unread(one, names),
            one.raw[:LONGEST_SHOWN],
            one.subtopic_id,
            one.passage_id,
        )
        for one in came[:UNREAD_SHOWN]
    )


def _why_unread(asked: Generation, names: Mapping[str, str]) -> str:
    about = ""
    if asked.passage_id is not None:
        about = f" about passage {words.shortened(asked.passage_id)}"
    elif asked.subtopic_id is not None:
        about = f" about {words.shortened(names.get(asked.subtopic_id, ''))}"
    why = f" {asked.error}" if asked.error else ""
    return f"Not to be read: what {asked.model} said{about}.{why}"


@dataclass(frozen=True)
class Asking:
    """What stands beneath the questions of a query.

    ``gate`` says what a judge has to do before proposals are shown, ``wanting`` what
    has to be set up before a model can be asked. ``subtopic_id`` is the one to ask
    about where none is chosen. ``task`` is what this session asked last about the
    query, with what there is to ``said`` of it.
    """

    gate: str
    model: str = ""
    wanting: str = ""
    subtopic_id: str | None = None
    going: bool = False
    task: CommandTask | None = None
    said: Said | None = None
    unread: tuple[Unread, ...] = ()


def load(workspace: Workspace, page: PageState) -> Asking:
    """What is to be said of asking a model about the query."""
    query_id = page.query.query_id
    if workspace.abandoned():  # by a process that was killed; the next drawing shows it
        with suppress(WorkspaceError), session.workspace() as own:
            own.recover()
    gate = workspace.gate(query_id)
    if gate.closed:
        return Asking(gate_words(gate.left))
    model = workspace.default_request().model
    unread = workspace.generations(query_id=query_id, unread=True)
    task, said = session.current().asked, None
    if task is not None and ("query", query_id) not in task.about:
        task = None
    if task is not None:
        said = result_said(session.service().result(task), model)
    return Asking(
        gate="",
        model=model,
        wanting=wanting(model=model, endpoint=session.endpoint()),
        subtopic_id=first_without_questions(page.lines, page.query),
        going=being_asked(workspace, query_id),
        task=task,
        said=said,
        unread=unread_responses(unread, page.query),
    )


def being_asked(workspace: Workspace, query_id: str) -> bool:
    """Whether a model is being asked about the query, by whomever."""
    return bool(
        session.asking(query_id)
        or workspace.generations(query_id=query_id, asking=True)
    )


EVERY = 0.5  # seconds between two looks


@st.fragment(run_every=EVERY)
def arriving(query_id: str, model: str) -> None:
    """What has arrived by now; the page is drawn anew when all has."""
    try:
        with session.drawing() as workspace:
            found = workspace.generations(query_id=query_id, asking=True)
    except session.EXPECTED:
        return  # the page itself says what is wrong
    if not found and not session.asking(query_id):
        if not session.current().dialog:
            session.redraw()
        return
    with st.container(key="arriving"):
        st.html(arriving_html(found, model))


def arriving_html(asked: Sequence[Generation], model: str) -> str:
    """Whom is asked, and the questions that are there already."""
    models = dict.fromkeys(one.model for one in asked) or {model or "a model": None}
    texts = [text for one in asked for text in listed_texts(one.raw).texts]
    lines = "".join(f"<li>{html.text(text)}</li>" for text in texts)
    return (
        f'<div class="c-arriving" role="status"><p>Asking '
        f"{html.text(', '.join(models))}…</p>"
        f"{f'<ul>{lines}</ul>' if lines else ''}</div>"
    )
