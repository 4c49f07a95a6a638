"""Two texts of one question: what each would do, worked out beside the page."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from curator.background.tasks import RewordPreviewTask
from curator.evaluation.settings import Settings
from curator.ui.curate.impact_words import reworded_sentences
from curator.ui.curate.page_state import PageState
from curator.ui.shared import session
from curator.verbs.curate.impact import IfReworded
from curator.workspace import Workspace


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
