"""Whom the Curate page asks for questions, and what became of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from curator.background.tasks import CommandTask
from curator.errors import WorkspaceError
from curator.ui.curate import asking_words
from curator.ui.curate.asking_words import Said, Unread
from curator.ui.curate.page_state import Desk
from curator.ui.curate.proposal_rows import gate_words
from curator.ui.shared import session
from curator.workspace import Workspace


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


def load(workspace: Workspace, desk: Desk) -> Asking:
    """What is to be said of asking a model about the query."""
    query_id = desk.query.query_id
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
        said = asking_words.result_said(session.service().result(task), model)
    return Asking(
        gate="",
        model=model,
        wanting=asking_words.wanting(model=model, endpoint=session.endpoint()),
        subtopic_id=asking_words.first_without_questions(desk.lines, desk.query),
        going=being_asked(workspace, query_id),
        task=task,
        said=said,
        unread=asking_words.unread(unread, desk.query),
    )


def being_asked(workspace: Workspace, query_id: str) -> bool:
    """Whether a model is being asked about the query, by whomever."""
    return bool(
        session.asking(query_id)
        or workspace.generations(query_id=query_id, asking=True)
    )
