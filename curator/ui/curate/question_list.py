"""The middle column: the query and its questions, drawn and edited in the browser.

The component under ``curate/question_list.js`` gets everything as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from curator.bank.edits import REASONS
from curator.bank.near_duplicates import near_duplicates
from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.evaluation.impact import Move
from curator.evaluation.influence import IfKept, Influence
from curator.ui.curate import impact_words, proposals
from curator.ui.curate.page_state import PageState
from curator.ui.curate.proposals import Proposals
from curator.ui.curate.proposing import Asking
from curator.ui.shared import session, words
from curator.ui.shared.channel import Component
from curator.ui.shared.words import Sentence
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.curate.what_ifs import WhatIf
from curator.verbs.history.history import Retirement


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question. ``reason`` is why a judge may want to look at it, or "".

    ``bar`` is its influence as a share of the query's largest, None without one; for
    a retired question both say what they were, for a proposal what they would be.
    ``why`` is the reason it was retired for, ``passage_id`` the passage that it was
    proposed from or "". Of a proposal, ``model`` has written it, ``near`` and
    ``unanswered`` say that it is a near-duplicate and that nothing answers it.
    """

    number: int
    question_id: str
    text: str
    state: str
    revision: int
    subtopic_id: str | None
    meta: str
    reason: str
    influence: str
    bar: float | None
    editable: bool
    retired_by: str = ""
    why: str = ""
    model: str = ""
    passage_id: str = ""
    near: bool = False
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """The questions of one subtopic; no heading where the query has none."""

    heading: str
    rows: tuple[QuestionRow, ...]


def question_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    *,
    systems: int,
    retirements: Mapping[str, Retirement] | None = None,
    proposals: Proposals | None = None,
) -> tuple[QuestionGroup, ...]:
    """Rows by subtopic, in the query's order; those without a subtopic first.

    Within one, proposals stand last.
    """
    told = proposals or Proposals()
    largest = max((_influence(line, told) or 0.0 for line in lines), default=0.0)
    near = near_duplicates(tuple(line.question for line in lines))
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    number = numbers(lines, query)
    return tuple(
        QuestionGroup(
            "" if subtopic_id is None else names.get(subtopic_id, subtopic_id),
            tuple(
                _row(
                    number,
                    line,
                    systems=systems,
                    largest=largest,
                    like=number.get(near.get(line.question.question_id, "")),
                    told=told,
                    retirement=(retirements or {}).get(line.question.question_id),
                )
                for line in group
            ),
        )
        for subtopic_id, group in _grouped(lines, query).items()
        if group
    )


def summary(lines: Sequence[QuestionLine]) -> tuple[str, str]:
    """``9 kept`` and ``2 proposed · 1 retired``, the latter empty without any."""
    states = [line.question.state for line in lines]
    others = [
        f"{states.count(state)} {state}"
        for state in ("proposed", "retired")
        if state in states
    ]
    return f"{states.count('kept')} kept", " · ".join(others)


def numbers(lines: Sequence[QuestionLine], query: Query) -> dict[str, int]:
    """The number each question stands under, by its id: from 1, down the page."""
    in_order = [line for group in _grouped(lines, query).values() for line in group]
    return {line.question.question_id: n for n, line in enumerate(in_order, 1)}


def _grouped(
    lines: Sequence[QuestionLine], query: Query
) -> dict[str | None, list[QuestionLine]]:
    groups: dict[str | None, list[QuestionLine]] = {None: []}
    groups |= {subtopic.subtopic_id: [] for subtopic in query.subtopics}
    for line in lines:
        groups.setdefault(line.question.subtopic_id, []).append(line)
    for group in groups.values():
        group.sort(key=lambda line: line.question.state == "proposed")
    return groups


def _row(
    number: Mapping[str, int],
    line: QuestionLine,
    *,
    systems: int,
    largest: float,
    like: int | None,
    told: Proposals,
    retirement: Retirement | None,
) -> QuestionRow:
    question = line.question
    if question.state == "proposed":
        return _proposed_row(number, line, systems, largest, like, told)
    value = _influence(line, told)
    influence = words.influence(value)
    retired = question.state == "retired"
    return QuestionRow(
        number=number[question.question_id],
        question_id=question.question_id,
        text=question.title,
        state=question.state,
        revision=question.revision,
        subtopic_id=question.subtopic_id,
        meta=_meta(question, line.influence),
        reason=_reason(line.influence, systems, like),
        influence=f"was {influence}" if retired and influence else influence,
        bar=min(value / largest, 1.0) if value and largest else None,
        editable=question.text is not None,
        retired_by=retirement.by if retirement and retired else "",
        why=(retirement.reason or "") if retirement and retired else "",
        passage_id=proposals.passage_of(question),
    )


def _proposed_row(
    number: Mapping[str, int],
    line: QuestionLine,
    systems: int,
    largest: float,
    like: int | None,
    told: Proposals,
) -> QuestionRow:
    question, question_id = line.question, line.question.question_id
    if_kept = told.if_kept.get(question_id)
    near = proposals.near_words(told.near.get(question_id), like, number)
    origin = told.origins.get(question_id, proposals.Origin())
    value = _influence(line, told)
    known = if_kept is not None and not if_kept.missing
    return QuestionRow(
        number=number[question_id],
        question_id=question_id,
        text=question.title,
        state=question.state,
        revision=question.revision,
        subtopic_id=question.subtopic_id,
        meta=" · ".join(filter(None, (_kind(question), proposals.reach(if_kept)))),
        reason=proposals.reason(if_kept, near, systems),
        influence=words.influence(value),
        bar=min(value / largest, 1.0) if value and largest else None,
        editable=question.text is not None,
        model=origin.model,
        passage_id=origin.passage_id,
        near=bool(near),
        unanswered=known and if_kept is not None and not if_kept.passages,
    )


def _kind(question: Question) -> str:
    return "nugget" if question.kind == "nugget" else ""


def _meta(question: Question, influence: Influence | None) -> str:
    parts = ["nugget"] if question.kind == "nugget" else []
    if influence is not None:
        if influence.known:
            parts.append(words.count(influence.passages, "passage"))
            parts.append(words.count(influence.systems, "system"))
            if influence.nonrelevant_share is not None:
                share = words.percent(influence.nonrelevant_share)
                parts.append(f"{share} judged non-relevant")
        else:
            parts.append("no passages yet" if not influence.needed else "not graded")
    if question.choices:
        parts.append(words.count(len(question.choices), "choice"))
    return " · ".join(parts)


def _reason(influence: Influence | None, systems: int, like: int | None) -> str:
    """The one reason that says most, or ""."""
    if influence is None:
        return ""
    if influence.known < influence.needed:
        if not influence.known:
            return "not graded"
        return words.missing_grades(influence.needed - influence.known)
    if not influence.passages:
        return "nothing answers it"
    if like is not None:
        return f"near-duplicate of {like}"
    if influence.nonrelevant_share == 1:
        return "only non-relevant passages answer it"
    if systems > 1 and influence.systems == systems:
        return "every system answers it"
    return ""


def _influence(line: QuestionLine, told: Proposals) -> float | None:
    if line.question.state == "proposed":
        if_kept = told.if_kept.get(line.question.question_id)
        return None if if_kept is None else if_kept.influence
    if line.influence is None:
        return line.was
    return line.influence.influence if line.influence.known else None


EMPTY = "No questions yet. Type one, paste a list, or generate."

MOVERS = 4  # that are named; the others are counted

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
    page: PageState, judge: str, retirements: dict[str, Retirement], asking: Asking
) -> None:
    """Title, questions, editor and drafts; one element, whatever the query holds."""
    LIST.draw(**list_data(page, judge, retirements, asking))


def list_data(
    page: PageState, judge: str, retirements: dict[str, Retirement], asking: Asking
) -> dict[str, Any]:
    """All that the component shows, as JSON; ``latest`` is the last event."""
    query = page.query
    kept, others = summary(page.lines)
    lines, told = page.lines, page.proposals or Proposals()
    if page.collection.human_first:
        lines = proposals.shuffled(lines, judge)
    groups = question_groups(
        lines,
        query,
        systems=len(page.collection.systems),
        retirements=retirements,
        proposals=told,
    )
    would = {one.question_id: what_if_data(one) for one in page.what_ifs}
    would |= {
        question_id: if_kept_data(one, told.by)
        for question_id, one in told.if_kept.items()
    }
    return {
        "latest": page.baselines.latest,
        "query": query.query_id,
        "title": query.name,
        "background": query.background or "",
        "guidelines": bool(page.collection.guidelines),
        "done": (query.query_id, judge) in page.bank.done,
        "kept": kept,
        "others": others,
        "measure": page.settings.measure if page.settings else "",
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
    return would_data("If retired", impact_words.what_if_sentence(one), one.movers)


def if_kept_data(one: IfKept, by: str) -> dict[str, Any]:
    """What keeping the proposal would do, likewise."""
    return would_data("If kept", impact_words.if_kept_sentence(one, by), one.movers)


def would_data(
    label: str, sentence: Sentence, movers: Sequence[Move] | None
) -> dict[str, Any]:
    """A sentence, and the systems that would move."""
    movers = movers or ()
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
