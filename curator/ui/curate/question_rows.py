"""A query's questions as rows: what each reaches, what it moves, what to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.bank.near_duplicates import near_duplicates
from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.evaluation.influence import Influence
from curator.ui.curate import proposal_rows
from curator.ui.curate.proposal_rows import Proposals
from curator.ui.shared import words
from curator.verbs.curate.question_rows import QuestionLine
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
        passage_id=proposal_rows.passage_of(question),
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
    near = proposal_rows.near_words(told.near.get(question_id), like, number)
    origin = told.origins.get(question_id, proposal_rows.Origin())
    value = _influence(line, told)
    known = if_kept is not None and not if_kept.missing
    return QuestionRow(
        number=number[question_id],
        question_id=question_id,
        text=question.title,
        state=question.state,
        revision=question.revision,
        subtopic_id=question.subtopic_id,
        meta=" · ".join(filter(None, (_kind(question), proposal_rows.reach(if_kept)))),
        reason=proposal_rows.reason(if_kept, near, systems),
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
