"""Texts that are not saved: what each would do, computed in the background."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import Any

from curator.background.tasks import AdditionPreviewTask, RewordPreviewTask
from curator.evaluation.settings import Settings
from curator.verbs.curate.impact import IfAdded, IfReworded
from curator.web.components import session, words
from curator.web.pages.judge.impact_words import reworded_sentences
from curator.web.pages.judge.page_state import PageState
from curator.workspace import Workspace

UNNOTICED = 0.15  # seconds


def weighing_settings(page: PageState) -> Settings | None:
    """The settings in sight, under a grader that can say at once what new text does."""
    under, computed = page.shown_settings, [g.name for g in page.graders if g.computed]
    if under is None or page.instant not in computed or not page.instant_reads:
        return None
    return under if under.grader in computed else replace(under, grader=page.instant)


def load(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """What is known of the texts that were asked about here, as JSON.

    ``now`` is said of the words that the question has, ``then`` of the other text.
    """
    this, service, under = session.current(), session.service(), weighing_settings(page)
    if under is None:
        return []
    here = {line.question.question_id for line in page.lines}
    this.weighing = tuple(
        RewordPreviewTask(
            *(session.workspace_path(), workspace.judge, question_id, text, under),
            page.baselines.latest,
        )
        for question_id, text in this.weighed
        if question_id in here
    )
    found = []
    for task in this.weighing:
        result = service.result(task)
        if isinstance(result, IfReworded):
            both = reworded_sentences(result, page.labels[under.grader])
            now, then = ([asdict(part) for part in said] for said in both)
            about = {"question": task.question_id, "text": task.text}
            found.append(about | {"now": now, "then": then})
        elif result is None and service.model.state == "ready":
            service.send(task)
    return found


def reach_of_new(workspace: Workspace, page: PageState) -> dict[str, str] | None:
    """Return the new question that is typed, and its reach and nearest in words.

    The page waits a moment for the result; a later one has the page drawn again.
    """
    this, service, under = session.current(), session.service(), weighing_settings(page)
    query_id, text = this.adding
    if under is None or query_id != page.query.query_id:
        return None
    about = session.workspace_path(), workspace.judge, query_id, text, under
    task = AdditionPreviewTask(*about, page.baselines.latest)
    before, this.reaching = this.reaching, task
    result = service.result(task)
    if result is None and service.model.state == "ready":
        service.send(task)
        if before is None or before.text != text:
            result = _soon(task)
    if result is None:
        return None
    return {"text": task.text, "words": _reach_words(result, page)}


def _soon(task: AdditionPreviewTask) -> IfAdded | str | None:
    service, until = session.service(), time.monotonic() + UNNOTICED
    result: IfAdded | str | None = None
    with session.resting():
        while result is None and time.monotonic() < until:
            time.sleep(0.01)
            result = service.result(task)
    return result


def _reach_words(result: IfAdded | str, page: PageState) -> str:
    if isinstance(result, str):
        return result
    passages = words.count(result.passages, "passage")
    reach = f"Reaches {passages} of {words.count(result.systems, 'system')}."
    if not result.passages:
        reach = "Reaches no passage."
    if result.nearest is None:
        return reach
    number = page.numbers.get(result.nearest.question_id, "")
    return f"{reach} Nearest: {number} {result.nearest.text}"
