"""Rows of the question list as JSON: what a judge sees of each question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curator.bank.answer_keys import key_lines, key_words
from curator.bank.marks import IMPORTANCES, Note
from curator.bank.near_duplicates import near_duplicates
from curator.bank.questions import Bank, Question
from curator.collection.pools import Query
from curator.edit_words import RETIRE, REWORD, STATES
from curator.evaluation.influence import Influence, Preview
from curator.evaluation.settings import Settings
from curator.store.question_history import LatestChange
from curator.verbs.curate.near_duplicates import NearDuplicate
from curator.verbs.curate.question_rows import QuestionLine, numbers_of
from curator.verbs.judges.ballots import Ballot, ballots
from curator.web.components import words
from curator.workspace import Workspace

NOT_COUNTED = "does not count under this grader"
WARNINGS = {
    "missing": (
        "So many passages have no grade for it yet, so its figures may still rise. "
        "Grade them by the button at the bottom."
    ),
    "near": (
        "It asks almost what that question asks, so the same counts twice. Keep the "
        f"better one and {RETIRE.base} the other (x), or {REWORD.base} one (e)."
    ),
    "non-relevant": (
        "Every passage that answers it was officially judged not relevant. Read one, "
        f"then {REWORD.base} (e) or {RETIRE.base} it (x)."
    ),
    "nothing": (
        "No passage of the pool answers it, so it cannot tell one system from another. "
        f"{REWORD.base.capitalize()} (e) or {RETIRE.base} it (x)."
    ),
    "every": (
        "Every system retrieves a passage that answers it, so it tells none from "
        "another. Ask for something narrower (e), or leave it."
    ),
}
"""Explanations of the warnings of rows, for the pointer or the focus."""


@dataclass(frozen=True)
class Proposals:
    """Effects, near duplicates and origins of a query's proposals, by question id.

    ``origins`` are the model that wrote each and the passage it was asked about, ""
    for none. ``by`` names the grader that says so where it is not the one selected.
    """

    if_kept: Mapping[str, Preview] = field(default_factory=dict)
    near: Mapping[str, NearDuplicate] = field(default_factory=dict)
    origins: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    by: str = ""

    @property
    def ungraded(self) -> bool:
        """True if a grade of a proposal is missing."""
        return any(one.missing for one in self.if_kept.values())


def load(
    workspace: Workspace,
    query_id: str,
    questions: Iterable[Question],
    settings: Settings | None,
    labels: Mapping[str, str],
) -> Proposals | None:
    """Load the query's proposals, None if there are none.

    ``labels`` are short names of graders.
    """
    proposals = [one for one in questions if one.state == "proposed"]
    if not proposals:
        return None
    models = {
        asked.generation_id: asked.model
        for asked in workspace.generations(query_id=query_id)
    }
    origins = {one.question_id: origin_of(one, models) for one in proposals}
    near = workspace.near(query_id)
    if settings is None:
        return Proposals(near=near, origins=origins)
    found = workspace.if_kept(query_id, settings)
    grader = found.settings.grader
    return Proposals(
        if_kept={one.question_id: one for one in found.proposals},
        near=near,
        origins=origins,
        by="" if grader == settings.grader else labels.get(grader, grader),
    )


def origin_of(question: Question, models: Mapping[int, str]) -> tuple[str, str]:
    """Model and passage by the question's provenance; ``models`` are of each asking."""
    if question.provenance == "{}":  # most questions: by people, or out of files
        return "", ""
    try:
        given = json.loads(question.provenance)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return "", ""
    number, passage = given.get("generation"), given.get("passage")
    return (
        models.get(number, "") if isinstance(number, int) else "",
        passage if isinstance(passage, str) else "",
    )


def shuffled(lines: Sequence[QuestionLine], judge: str) -> tuple[QuestionLine, ...]:
    """The lines with the proposals last, in an order that is this judge's own.

    What a machine listed first is looked at longest; no two judges begin with it.
    """

    def place(line: QuestionLine) -> str:
        if line.question.state != "proposed":
            return ""
        own = f"{judge}\0{line.question.question_id}"
        return hashlib.sha256(own.encode()).hexdigest()

    return tuple(sorted(lines, key=place))


def question_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    *,
    systems: int,
    judge: str = "",
    changes: Mapping[str, LatestChange] | None = None,
    proposals: Proposals | None = None,
    would: Mapping[str, dict[str, Any]] | None = None,
    item_kind: str = "any",
    alike: Mapping[str, str] | None = None,
    votes: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Rows by subtopic as JSON, in the query's order; those without one last.

    Within one, proposals stand last; no heading where the query has no subtopics.
    ``would`` is what deciding on a question would do, by its id, ``item_kind`` what
    the grader is asked about, ``alike`` the near-duplicates by their words.

    Of a row, ``reason`` is why a judge may want to look at it and ``means`` explains
    that, ``why`` what it was retired or reworded for and ``by`` whom, "" for me, where
    ``mine`` says so, ``passage`` the one it was proposed from, ``reach`` the systems
    reached and all systems, ``bar`` its share of the largest influence in percent. Of a
    proposal, ``model`` has written it, ``near`` and ``unanswered`` say that it is a
    near-duplicate, that nothing answers.
    """
    known = proposals or Proposals()
    largest = max((_influence(line, known) or 0.0 for line in lines), default=0.0)
    if alike is None:
        alike = near_duplicates(tuple(line.question for line in lines))
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    numbers = numbers_of(lines)

    def row(line: QuestionLine) -> dict[str, Any]:
        question = line.question
        question_id, state = question.question_id, question.state
        is_proposed, meta = state == "proposed", _meta(question, line.influence)
        last = None if is_proposed else (changes or {}).get(question_id)
        if_kept = known.if_kept.get(question_id)
        model, passage = known.origins.get(question_id) or origin_of(question, {})
        number = numbers.get(alike.get(question_id, ""))
        like = "" if number is None else f"near-duplicate of {number}"
        if is_proposed:
            kind = ["nugget"] if question.kind == "nugget" else []
            meta = " · ".join([*kind, reach(if_kept)])
            like = near_words(known.near.get(question_id), numbers) or like
        elif state == "kept" and item_kind in {"question", "nugget"} - {question.kind}:
            meta = " · ".join([meta, NOT_COUNTED]).strip(" ·")
        effect = if_kept if is_proposed else line.influence
        code, reason = warning(question, effect, systems, like)
        value = _influence(line, known)
        influence = words.influence(value)
        if state == "retired" and influence:
            influence = f"would be {influence}"
        return {
            "id": question_id,
            "number": line.number,
            "text": question.title,
            "state": state,
            "revision": question.revision,
            "subtopic": question.subtopic_id,
            "editable": question.text is not None,
            "key": key_lines(question),
            "answer": key_words(question),
            "influence": influence,
            "bar": round(100 * min(value / largest, 1.0), 1) if value else None,
            **note_data(line.notes, judge),
            "what": (would or {}).get(question_id),
            "meta": meta,
            "reason": reason,
            "means": WARNINGS.get(code, ""),
            "reach": [line.influence.systems, systems] if line.influence else None,
            "passage": passage,
            "model": model,
            "near": is_proposed and bool(like),
            "unanswered": bool(if_kept and not (if_kept.missing or if_kept.passages)),
            "why": (last.reason or "") if last else "",
            "mine": bool(last and last.by == judge),
            "by": last.by if last and last.by != judge else "",
            **(votes or {}).get(question_id, NO_VOTES),
        }

    return [
        {
            "heading": "" if subtopic is None else names.get(subtopic, subtopic),
            "rows": [row(line) for line in group],
        }
        for subtopic, group in _grouped(lines, query).items()
        if group
    ]


NO_VOTES = {"vote": "", "others_votes": "", "disputed": False}


def _grouped(
    lines: Sequence[QuestionLine], query: Query
) -> dict[str | None, list[QuestionLine]]:
    groups: dict[str | None, list[QuestionLine]] = {
        subtopic.subtopic_id: [] for subtopic in query.subtopics
    }
    for line in lines:
        groups.setdefault(line.question.subtopic_id, []).append(line)
    for group in groups.values():
        group.sort(key=lambda line: line.question.state == "proposed")
    return groups


def summary(lines: Sequence[QuestionLine]) -> tuple[str, str]:
    """``9 kept`` and ``2 proposed · 1 retired``, the latter empty without any."""
    states = [line.question.state for line in lines]
    others = [
        f"{states.count(state)} {STATES[state]}"
        for state in ("proposed", "retired")
        if state in states
    ]
    return f"{states.count('kept')} kept", " · ".join(others)


def _meta(question: Question, influence: Influence | None) -> str:
    parts = ["nugget"] if question.kind == "nugget" else []
    if influence is not None and influence.known:
        parts.append(words.count(influence.passages, "passage"))
        parts.append(words.count(influence.systems, "system"))
        if influence.nonrelevant_share is not None:
            share = words.percent(influence.nonrelevant_share)
            parts.append(f"{share} judged non-relevant")
    elif influence is not None:
        parts.append("not graded" if influence.needed else "no passages yet")
    if question.choices:
        parts.append(words.count(len(question.choices), "choice"))
    return " · ".join(parts)


def near_words(near: NearDuplicate | None, numbers: Mapping[str, int]) -> str:
    """``near-duplicate of 3 (cosine .91)``; "" for a question that is gone."""
    if near is None or near.question_id not in numbers:
        return ""
    cosine = words.score(near.cosine, 2)
    return f"near-duplicate of {numbers[near.question_id]} (cosine {cosine})"


def warning(
    question: Question, reach: Influence | Preview | None, systems: int, like: str
) -> tuple[str, str]:
    """Return the one reason that says most, by its name and in words; or "" twice.

    ``like`` are the words for a near-duplicate, which of a proposal say most.
    """
    kind, nonrelevant_share = question.kind, None
    if like and question.state == "proposed":
        return "near", like
    if reach is None:
        return "", ""
    if isinstance(reach, Influence):
        missing, nonrelevant_share = reach.needed - reach.known, reach.nonrelevant_share
        if missing and reach.known:
            return "missing", words.missing_grades(missing)
    else:
        missing = reach.missing
    if missing:
        return "", ""  # said in its place
    if not reach.passages:
        return "nothing", f"nothing {words.answers_it(kind)}"
    if like:
        return "near", like
    if nonrelevant_share == 1:
        return "non-relevant", f"only non-relevant passages {words.answer_it(kind)}"
    if systems > 1 and reach.systems == systems:
        return "every", f"every system {words.answers_it(kind)}"
    return "", ""


def reach(if_kept: Preview | None) -> str:
    """``would reach 4 passages · 3 systems · 2 labels rise``."""
    if if_kept is None or if_kept.missing:
        return "not graded yet"
    if not if_kept.passages:
        return "would reach nothing"
    parts = [
        f"would reach {words.count(if_kept.passages, 'passage')}",
        words.count(if_kept.systems, "system"),
    ]
    if if_kept.labels_rise:
        parts.append(words.count(if_kept.labels_rise, "label rises", "labels rise"))
    if if_kept.labels_fall:
        parts.append(words.count(if_kept.labels_fall, "label falls", "labels fall"))
    return " · ".join(parts)


def note_data(notes: Sequence[Note], judge: str) -> dict[str, Any]:
    """My note on a question and whether I flagged it, and what others say."""
    mine = [one for one in notes if one.judge == judge]
    others = [one for one in notes if one.judge != judge]
    return {
        "note": mine[0].text if mine else "",
        "flagged": bool(mine) and mine[0].flagged,
        "others_flagged": any(one.flagged for one in others),
        "others_note": " · ".join(
            f"{one.judge}: {one.text}" if one.text else f"{one.judge} flagged it"
            for one in others
        ),
    }


def _influence(line: QuestionLine, known: Proposals) -> float | None:
    if line.question.state == "proposed":
        if_kept = known.if_kept.get(line.question.question_id)
        return None if if_kept is None else if_kept.influence
    if line.influence is None:
        return line.influence_if_kept
    return line.influence.influence if line.influence.known else None


def row_votes(bank: Bank, query_id: str, judge: str) -> dict[str, dict[str, Any]]:
    """Return the judge's vote on each kept question, "" for none, and those of others.

    The votes of others are empty until the judge has voted.
    """
    return {
        ballot.question.question_id: {
            "vote": ballot.mine or "",
            "others_votes": others_words(ballot),
            "disputed": ballot.disputed,
        }
        for ballot in ballots(bank, query_id, judge)
    }


def others_words(ballot: Ballot) -> str:
    """Return ``vital: Ben, Cy · okay: Dee``; "" before the judge has voted."""
    if ballot.mine is None:
        return ""
    sides = {
        importance: [judge for judge, vote in ballot.others if vote == importance]
        for importance in IMPORTANCES
    }
    voted = [f"{side}: {', '.join(judges)}" for side, judges in sides.items() if judges]
    return " · ".join(voted) or "nobody else has voted"


def gate_words(left: int) -> str:
    """Return what a judge must do before proposals are shown, or ""."""
    wanted = words.count(left, "more question", "more questions")
    return f"Write {wanted} of your own; then proposals are shown." if left else ""


def figures_mean(
    settings: Settings | None, by: str = "", *, judged: bool = False
) -> dict[str, str]:
    """Explain the reach and influence of a row, and those of a proposal.

    ``by`` is the grader of proposals where it is another one, ``judged`` is True where
    judgments are shown.
    """
    if settings is None:
        return dict.fromkeys(("reach", "would", "influence", "was"), "")
    measure, whose = settings.measure, f", by {by}" if by else ""
    share = "; the share of them officially judged not relevant" if judged else ""
    changes = f"the scores of this query’s systems in {measure} would change on average"
    return {
        "reach": (
            "Passages of this query’s pool that answer it; systems that have one of "
            f"them among the passages that {measure} looks at{share}."
        ),
        "would": (
            "What it would reach if it were kept: passages, systems that retrieve one, "
            f"labels that change{whose}."
        ),
        "influence": (
            f"How much {changes} without it. The bar is its share of the largest here."
        ),
        "was": f"How much {changes} with it{whose}.",
    }
