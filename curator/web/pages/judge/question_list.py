"""The middle column: the query and its questions, drawn and edited in the browser.

The component under ``curate/question_list.js`` gets everything as data.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from curator.background.tasks import AdditionPreviewTask, RewordPreviewTask
from curator.bank.edits import REASONS, Keep, Retire
from curator.bank.near_duplicates import near_duplicates
from curator.bank.question_words import split_compound
from curator.bank.questions import RESTRICTED, kind_of_new
from curator.edit_words import RETIRE
from curator.evaluation.influence import Preview
from curator.evaluation.settings import Settings
from curator.formats.guidelines import first_sentence
from curator.verbs.curate.impact import IfAdded, IfReworded
from curator.verbs.next import NextStep
from curator.web.components import session, words
from curator.web.components.channel import Component
from curator.web.pages.judge import impact_words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.query_list import done_words
from curator.web.pages.judge.rows import (
    Proposals,
    figures_mean,
    question_groups,
    row_votes,
    shuffled,
    summary,
)
from curator.workspace import Workspace

EMPTY = "No questions yet. Type one, paste a list, or generate."

MOVERS = 4  # that are named; the others are counted
UNNOTICED = 0.15  # seconds
STEPS = 20  # that `.` goes through; the page shows three of them
DIFFERENCES = "Check?queue=disagreements"
PAGES = {"judges": DIFFERENCES, "checks": "Check", "answers": DIFFERENCES}
PRESSED = {
    "uncovered-passage": "n",
    "empty-subtopic": "n",
    "empty-query": "n",
    "compound": "e",
    "flagged": "m",
    "done": "D",
}
"""The key that a remedy without an edit of a question is on."""

LIST = Component(
    "question_list",
    "components/drafts",
    "components/edits",
    "pages/judge/preview",
    "components/conflict",
    "pages/judge/writing",
    "components/look_timer",
    "components/drawn",
    "pages/judge/question_row",
    "pages/judge/question_words",
    "pages/judge/question_filter",
    "pages/judge/question_adder",
    "pages/judge/what_next",
    "pages/judge/passages/verdicts",
    "pages/judge/passages/reader",
    "pages/judge/question_list",
    verb="apply",
)


def question_list(
    page: PageState, workspace: Workspace, asking: Mapping[str, Any]
) -> None:
    """Draw title, questions, editor and drafts as one element.

    ``asking`` is whom the page asks for questions, and what became of it.
    """
    query, view, judge = page.query, session.view(), workspace.judge
    restricted = RESTRICTED if query.query_id in page.collection.restricted else ""
    restricting = ""
    if workspace.standing().role == "organizer":  # listed as one
        restricting = "lift" if restricted else "restrict"
    kept, others = summary(page.lines)
    votes = row_votes(page.bank, query.query_id, judge)
    if voted := sum(bool(row["vote"]) for row in votes.values()):
        others = " · ".join(filter(None, [others, f"{voted} voted on"]))
    lines, proposals = page.lines, page.proposals or Proposals()
    if page.collection.human_first:
        lines = shuffled(lines, judge)
    by = proposals.by or page.by
    previews = {
        **{p.question_id: preview_data(p, page.by) for p in page.what_ifs},
        **{
            question_id: preview_data(preview, by, kept=True)
            for question_id, preview in proposals.if_kept.items()
        },
    }
    settings = page.displayed_settings
    measure = settings.measure if settings else ""
    LIST.draw(
        latest=page.baselines.latest,  # the last event
        query=query.query_id,
        title=query.name,
        background=" · ".join(filter(None, (restricted, query.background))),
        restricting=restricting,
        why_not=words.why_withheld(query),
        guidelines=first_sentence(page.collection.guidelines or ""),
        done=(query.query_id, judge) in page.bank.done,
        marked=done_words(page.done_marks.get(query.query_id, ()), judge),
        finished=all((each, judge) in page.bank.done for each in page.collection.names),
        kept=kept,
        others=others,
        measure=f"{measure}, by {page.by}" if page.by else measure,
        by=by,
        means=figures_mean(page.settings, by, judged=bool(page.judgments)),
        empty=EMPTY,
        selected=view.question,
        solo=view.solo,
        reasons=REASONS,
        kind=kind_of_new(page.item_kind, (line.question for line in page.lines)),
        subtopics=[[s.subtopic_id, s.text or s.subtopic_id] for s in query.subtopics],
        groups=question_groups(
            lines,
            query,
            systems=len(page.collection.systems),
            judge=judge,
            changes={
                **workspace.rewordings(query.query_id),
                **workspace.retirements(query.query_id),
            },
            proposals=proposals,
            previews=previews,
            item_kind=page.item_kind,
            alike=near_duplicates(page.bank.questions_of(query.query_id)),
            votes=votes,
        ),
        asking=asking,
        weighed=weighed_texts(workspace, page),
        reach=reach_of_new(workspace, page),
        next=next_data(workspace, page),
    )


def preview_data(preview: Preview, by: str, *, kept: bool = False) -> dict[str, Any]:
    """Return the effect of retiring or keeping a question, with the largest moves."""
    movers = preview.movers or ()
    more = len(movers) - MOVERS
    sentence = impact_words.preview_sentence(preview, by, kept=kept)
    return {
        "label": "If kept" if kept else f"If {RETIRE.past}",
        "sentence": [asdict(part) for part in sentence],
        "movers": [
            {
                "rank": str(mover.rank_after),
                "move": asdict(words.move(mover.places)),
                "system": mover.system,
                "score": words.score(mover.score_after),
                "change": words.change(mover.change),
            }
            for mover in movers[:MOVERS]
        ],
        "more": words.count(more, "more system", "more systems") if more > 0 else "",
    }


def preview_settings(page: PageState) -> Settings | None:
    """Return the settings under a grader that can grade new text at once, or None."""
    settings = page.displayed_settings
    computed = [grader.name for grader in page.graders if grader.computed]
    if settings is None or page.instant not in computed or not page.instant_reads:
        return None
    if settings.grader in computed:
        return settings
    return replace(settings, grader=page.instant)


def weighed_texts(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """Return the effects of rewordings that the page has asked for, as JSON.

    ``now`` is about the question's current text, ``then`` about the new one.
    """
    this, service = session.current(), session.service()
    settings = preview_settings(page)
    if settings is None:
        return []
    this.weighing = tuple(
        RewordPreviewTask(
            *(session.workspace_path(), workspace.judge, question_id, text, settings),
            page.baselines.latest,
        )
        for question_id, text in this.weighed
        if question_id in page.numbers
    )
    effects = []
    for task in this.weighing:
        result = service.result(task)
        if isinstance(result, IfReworded):
            label = page.labels[settings.grader]
            now, then = (
                [asdict(part) for part in sentence]
                for sentence in impact_words.reworded_sentences(result, label)
            )
            about = {"question": task.question_id, "text": task.text}
            effects.append(about | {"now": now, "then": then})
        elif result is None and service.model.state == "ready":
            service.send(task)
    return effects


def reach_of_new(workspace: Workspace, page: PageState) -> dict[str, str] | None:
    """Return the text of the new question being typed, and its reach in words.

    Waits a moment for the result; a later one redraws the page.
    """
    this, service = session.current(), session.service()
    settings, (query_id, text) = preview_settings(page), this.adding
    if settings is None or query_id != page.query.query_id:
        return None
    about = session.workspace_path(), workspace.judge, query_id, text, settings
    task = AdditionPreviewTask(*about, page.baselines.latest)
    before, this.reaching = this.reaching, task
    result: IfAdded | str | None = service.result(task)
    if result is None and service.model.state == "ready":
        service.send(task)
        until = time.monotonic() + UNNOTICED
        if before is None or before.text != text:
            with session.resting():
                while result is None and time.monotonic() < until:
                    time.sleep(0.01)
                    result = service.result(task)
    if result is None:
        return None
    if isinstance(result, IfAdded):
        result = _reach_words(result, page)
    return {"text": task.text, "words": result}


def _reach_words(result: IfAdded, page: PageState) -> str:
    passages = words.count(result.passages, "passage")
    reach = f"Reaches {passages} of {words.count(result.systems, 'system')}."
    if not result.passages:
        reach = "Reaches no passage."
    if result.nearest is None:
        return reach
    number = page.numbers.get(result.nearest.question_id, "")
    return f"{reach} Nearest: {number} {result.nearest.text}"


def next_data(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """Return the first steps of the open query as JSON."""
    steps = workspace.next_steps(
        page.displayed_settings, query_id=page.query.query_id, limit=STEPS
    )
    return [_step(step, page) for step in steps]


def _step(step: NextStep, page: PageState) -> dict[str, Any]:
    question, other = (*step.question_ids, None, None)[:2]
    key, reason = PRESSED.get(step.kind, "l"), None
    if step.edits and isinstance(step.edits[0], Keep):
        key = "a"
    elif step.edits and isinstance(step.edits[0], Retire):
        key, reason = "x", step.edits[0].reason
    halves = None
    if step.kind == "compound" and question:
        halves = split_compound(page.bank.question(question))
    return {
        "key": step.key,
        "state": step.state,
        "question": question,
        "other": other,
        "number": str(page.numbers.get(question, "")) if question else "",
        "passage": step.passage_id if not question else None,
        "subtopic": step.subtopic_id,
        "why": step.why,
        "remedy": step.remedy,
        "press": key,
        "reason": reason,
        "page": PAGES.get(step.place),
        "halves": halves,
    }
