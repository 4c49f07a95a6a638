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
from curator.bank.questions import RESTRICTED, Question, kind_of_new
from curator.edit_words import RETIRE
from curator.evaluation.influence import Preview
from curator.evaluation.settings import Settings
from curator.formats.guidelines import first_sentence
from curator.verbs.curate.impact import IfAdded, IfReworded
from curator.verbs.next.next_steps import NextStep
from curator.web.components import session, words
from curator.web.components.channel import Component
from curator.web.components.words import Sentence
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
    """Title, questions, editor and drafts; one element, whatever the query holds.

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
    lines, known = page.lines, page.proposals or Proposals()
    if page.collection.human_first:
        lines = shuffled(lines, judge)
    by = known.by or page.by
    would = {}
    for preview in page.what_ifs:
        said = impact_words.preview_sentence(preview, page.by, ungraded=page.ungraded)
        would[preview.question_id] = would_data(f"If {RETIRE.past}", said, preview)
    for preview in known.if_kept.values():
        said = impact_words.preview_sentence(preview, by, kept=True)
        would[preview.question_id] = would_data("If kept", said, preview)
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
        measure=influence_on(page),
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
            proposals=known,
            would=would,
            item_kind=page.item_kind,
            alike=near_duplicates(page.bank.questions_of(query.query_id)),
            votes=votes,
        ),
        asking=asking,
        weighed=weighed_texts(workspace, page),
        reach=reach_of_new(workspace, page),
        next=next_data(workspace, page),
    )


def influence_on(page: PageState) -> str:
    """``cover``, with the grader where it is not the selected one; "" without any."""
    under = page.shown_settings
    if under is None:
        return ""
    return f"{under.measure}, by {page.by}" if page.by else under.measure


def would_data(label: str, sentence: Sentence, preview: Preview) -> dict[str, Any]:
    """A sentence, and the systems that would move."""
    movers = preview.movers or ()
    more = len(movers) - MOVERS
    return {
        "label": label,
        "sentence": [asdict(part) for part in sentence],
        "movers": [
            {
                "rank": str(one.rank_after),
                "move": asdict(words.move(one.places)),
                "system": one.system,
                "score": words.score(one.score_after),
                "change": words.change(one.change),
            }
            for one in movers[:MOVERS]
        ],
        "more": words.count(more, "more system", "more systems") if more > 0 else "",
    }


def weighing_settings(page: PageState) -> Settings | None:
    """The settings in sight, under a grader that can say at once what new text does."""
    under, computed = page.shown_settings, [g.name for g in page.graders if g.computed]
    if under is None or page.instant not in computed or not page.instant_reads:
        return None
    return under if under.grader in computed else replace(under, grader=page.instant)


def weighed_texts(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """Return the effects of the texts that the page asked about, as JSON.

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
            both = impact_words.reworded_sentences(result, page.labels[under.grader])
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


def next_data(workspace: Workspace, page: PageState) -> list[dict[str, Any]]:
    """The first steps of the open query, under what the page shows."""
    found = workspace.next_steps(
        page.shown_settings, query_id=page.query.query_id, limit=STEPS
    )
    question = {line.question.question_id: line.question for line in page.lines}
    return [
        _step(one, page.numbers, [question[q] for q in one.question_ids])
        for one in found
    ]


def _step(
    step: NextStep, numbers: Mapping[str, int], about: list[Question]
) -> dict[str, Any]:
    question, other = (*step.question_ids, None, None)[:2]
    key, reason = PRESSED.get(step.kind, "l"), None
    if step.edits and isinstance(step.edits[0], Keep):
        key = "a"
    elif step.edits and isinstance(step.edits[0], Retire):
        key, reason = "x", step.edits[0].reason
    return {
        "key": step.key,
        "state": step.state,
        "question": question,
        "other": other,
        "number": str(numbers.get(question, "")) if question else "",
        "passage": step.passage_id if not question else None,
        "subtopic": step.subtopic_id,
        "why": step.why,
        "remedy": step.remedy,
        "press": key,
        "reason": reason,
        "page": PAGES.get(step.place),
        "halves": split_compound(about[0]) if step.kind == "compound" else None,
    }
