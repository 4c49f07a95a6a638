"""The middle column: the query and its questions, drawn and edited in the browser.

The component under ``look/question_list.js`` gets everything as data and sends back
which question was selected and what is to be changed.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from streamlit.components.v2 import component

from curator.bank.edits import REASONS
from curator.ui import actions, scripts, session
from curator.ui.desk import Desk
from curator.ui.present import impact, questions, words
from curator.ui.present.parts import Sentence
from curator.ui.present.questions import QuestionRow
from curator.verbs.retiring import Retirement
from curator.verbs.what_ifs import WhatIf

EMPTY = "No questions yet. Type one, paste a list, or generate."

_mount = component(
    "curator_question_list",
    js=scripts.module(
        "elements",
        "drafts",
        "intents",
        "preview",
        "conflict",
        "writing",
        "question_list",
    ),
    isolate_styles=False,
)


def question_list(
    desk: Desk, judge: str, workspace_id: str, retirements: dict[str, Retirement]
) -> None:
    """Title, questions, editor and drafts; one element, whatever the query holds."""
    _mount(
        key=actions.LIST,
        data=list_data(desk, judge, workspace_id, retirements),
        on_intent_change=actions.intended,
        on_selected_change=actions.selected,
    )


def list_data(
    desk: Desk, judge: str, workspace_id: str, retirements: dict[str, Retirement]
) -> dict[str, Any]:
    """All that the component shows, as JSON; ``latest`` is the last event."""
    query = desk.query
    kept, others = questions.summary(desk.lines)
    groups = questions.question_groups(
        desk.lines,
        query,
        systems=len(desk.collection.systems),
        retirements=retirements,
    )
    what_ifs = {one.question_id: one for one in desk.what_ifs}
    return {
        "workspace": workspace_id,
        "health": session.health(),
        "latest": desk.baselines.latest,
        "query": query.query_id,
        "title": query.name,
        "background": query.background or "",
        "guidelines": bool(desk.collection.guidelines),
        "done": (query.query_id, judge) in desk.bank.done,
        "kept": kept,
        "others": others,
        "measure": desk.settings.measure if desk.settings else "",
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
                    row_data(row, judge, what_ifs.get(row.question_id), desk)
                    for row in group.rows
                ],
            }
            for group in groups
        ],
        "answers": [asdict(answer) for answer in session.answers()],
    }


def row_data(
    row: QuestionRow, judge: str, what_if: WhatIf | None, desk: Desk
) -> dict[str, Any]:
    """One question as JSON."""
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
        "what": None if what_if is None else what_if_data(what_if, desk),
    }


def what_if_data(what_if: WhatIf, desk: Desk) -> dict[str, Any]:
    """What retiring the question would do, in words and a few rows."""
    rows, more = impact.what_if_rows(what_if)
    return {
        "sentence": parts_data(impact.what_if_sentence(what_if)),
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
