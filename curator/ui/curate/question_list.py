"""The middle column: the query and its questions, drawn and edited in the browser.

The component under ``curate/question_list.js`` gets everything as data and sends back
which question was selected and what is to be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from curator.bank.edits import REASONS
from curator.evaluation.impact import Move
from curator.evaluation.influence import IfKept
from curator.ui.curate import proposal_rows, question_rows, what_if_words
from curator.ui.curate.asking import Asking
from curator.ui.curate.page_state import Desk
from curator.ui.curate.proposal_rows import Proposals
from curator.ui.curate.question_rows import QuestionRow
from curator.ui.shared import session, words
from curator.ui.shared.channel import Component
from curator.ui.shared.parts import Sentence
from curator.verbs.curate.what_ifs import WhatIf
from curator.verbs.history.history import Retirement

EMPTY = "No questions yet. Type one, paste a list, or generate."

LIST = Component(
    "question_list",
    "shared/drafts",
    "shared/edits",
    "curate/preview",
    "shared/conflict",
    "shared/writing",
    "shared/looking",
    "curate/faces",
    "curate/showing",
    "curate/adding",
    "curate/question_list",
)


def question_list(
    desk: Desk, judge: str, retirements: dict[str, Retirement], asking: Asking
) -> None:
    """Title, questions, editor and drafts; one element, whatever the query holds."""
    LIST.draw(**list_data(desk, judge, retirements, asking))


def list_data(
    desk: Desk, judge: str, retirements: dict[str, Retirement], asking: Asking
) -> dict[str, Any]:
    """All that the component shows, as JSON; ``latest`` is the last event."""
    query = desk.query
    kept, others = question_rows.summary(desk.lines)
    lines, told = desk.lines, desk.proposals or Proposals()
    if desk.collection.human_first:
        lines = proposal_rows.shuffled(lines, judge)
    groups = question_rows.question_groups(
        lines,
        query,
        systems=len(desk.collection.systems),
        retirements=retirements,
        proposals=told,
    )
    would = {one.question_id: what_if_data(one) for one in desk.what_ifs}
    would |= {
        question_id: if_kept_data(one, told.by)
        for question_id, one in told.if_kept.items()
    }
    return {
        "latest": desk.baselines.latest,
        "query": query.query_id,
        "title": query.name,
        "background": query.background or "",
        "guidelines": bool(desk.collection.guidelines),
        "done": (query.query_id, judge) in desk.bank.done,
        "kept": kept,
        "others": others,
        "measure": desk.settings.measure if desk.settings else "",
        "by": told.by,
        "empty": EMPTY,
        "selected": session.view().question,
        "solo": session.view().solo,
        "reasons": REASONS,
        "subtopics": [
            [s.subtopic_id, s.text or s.subtopic_id] for s in query.subtopics
        ],
        "groups": [
            {
                "heading": group.heading,
                "rows": [
                    row_data(row, judge, would.get(row.question_id))
                    for row in group.rows
                ],
            }
            for group in groups
        ],
        "asking": asking_data(asking),
    }


def asking_data(asking: Asking) -> dict[str, Any]:
    """Whom the page asks for questions, and what became of it, as JSON."""
    about = dict(asking.task.about) if asking.task else {}
    said = None
    if asking.said is not None:
        said = asdict(asking.said) | {
            "subtopic": about.get("subtopic"),
            "passage": about.get("passage"),
        }
    return {
        "gate": asking.gate,
        "model": asking.model,
        "wanting": asking.wanting,
        "subtopic": asking.subtopic_id,
        "said": said,
        "unread": [
            {
                "line": one.line,
                "raw": one.raw,
                "subtopic": one.subtopic_id,
                "passage": one.passage_id,
            }
            for one in asking.unread
        ],
    }


def row_data(
    row: QuestionRow, judge: str, would: dict[str, Any] | None
) -> dict[str, Any]:
    """One question as JSON; ``would`` is what deciding on it would do."""
    return {
        "id": row.question_id,
        "number": row.number,
        "text": row.text,
        "state": row.state,
        "revision": row.revision,
        "subtopic": row.subtopic_id,
        "meta": row.meta,
        "reason": row.reason,
        "influence": row.influence,
        "bar": None if row.bar is None else round(100 * row.bar, 1),
        "editable": row.editable,
        "retired_by": "" if row.retired_by == judge else row.retired_by,
        "mine": row.retired_by == judge,
        "why": row.why,
        "model": row.model,
        "passage": row.passage_id,
        "near": row.near,
        "unanswered": row.unanswered,
        "what": would,
    }


def what_if_data(one: WhatIf) -> dict[str, Any]:
    """What retiring the question would do, in words and a few rows."""
    return would_data("If retired", what_if_words.what_if_sentence(one), one.movers)


def if_kept_data(one: IfKept, by: str) -> dict[str, Any]:
    """What keeping the proposal would do, likewise."""
    return would_data("If kept", what_if_words.if_kept_sentence(one, by), one.movers)


def would_data(
    label: str, sentence: Sentence, movers: Sequence[Move] | None
) -> dict[str, Any]:
    """A sentence, and the systems that would move."""
    rows, more = what_if_words.what_if_rows(movers)
    return {
        "label": label,
        "sentence": parts_data(sentence),
        "movers": [
            {
                "rank": row.rank,
                "move": asdict(row.move),
                "system": row.system,
                "score": row.score,
                "change": row.change,
            }
            for row in rows
        ],
        "more": words.count(more, "more system", "more systems") if more else "",
    }


def parts_data(sentence: Sentence) -> list[dict[str, str]]:
    """A sentence's parts as JSON."""
    return [asdict(part) for part in sentence]
