"""Rows of the question list as JSON."""

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
from curator.verbs.curate.impact import NearDuplicate
from curator.verbs.curate.question_rows import QuestionLine, numbers_of
from curator.verbs.judges import Ballot, ballots
from curator.web.components import words
from curator.workspace import Workspace

NOT_COUNTED = "does not count under this grader"
WARNINGS = {
    "missing": "Its figures may still rise. Grade by the button at the bottom.",
    "near": f"The same counts twice. {RETIRE.base.capitalize()} (x) or "
    f"{REWORD.base} (e) one of them.",
    "non-relevant": "Every passage that answers it was officially judged not relevant. "
    f"{REWORD.base.capitalize()} (e) or {RETIRE.base} it (x).",
    "nothing": "It cannot tell one system from another. "
    f"{REWORD.base.capitalize()} (e) or {RETIRE.base} it (x).",
    "every": "It cannot tell one system from another. Ask for something narrower (e).",
}
"""Explanations of the warnings of rows."""


@dataclass(frozen=True)
class Proposals:
    """Previews and near-duplicates of a query's proposals, by question id.

    ``models`` are the models by generation. ``by`` is the grader of the previews if it
    is not the selected one.
    """

    if_kept: Mapping[str, Preview] = field(default_factory=dict)
    near: Mapping[str, NearDuplicate] = field(default_factory=dict)
    models: Mapping[int, str] = field(default_factory=dict)
    by: str = ""

    @property
    def ungraded(self) -> bool:
        """True if a grade of a proposal is missing."""
        return any(preview.missing for preview in self.if_kept.values())


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
    if all(question.state != "proposed" for question in questions):
        return None
    generations = workspace.generations(query_id=query_id)
    models = {generation.generation_id: generation.model for generation in generations}
    near = workspace.near(query_id)
    if settings is None:
        return Proposals(near=near, models=models)
    previews = workspace.if_kept(query_id, settings)
    grader = previews.settings.grader
    return Proposals(
        if_kept={preview.question_id: preview for preview in previews.proposals},
        near=near,
        models=models,
        by="" if grader == settings.grader else labels.get(grader, grader),
    )


def origin_of(question: Question, models: Mapping[int, str]) -> tuple[str, str]:
    """Return the model and the passage of a question's provenance, "" for none."""
    if question.provenance == "{}":  # most questions
        return "", ""
    try:
        provenance = json.loads(question.provenance)
    except ValueError:
        provenance = None
    if not isinstance(provenance, dict):
        return "", ""
    number, passage = provenance.get("generation"), provenance.get("passage")
    return (
        models.get(number, "") if isinstance(number, int) else "",
        passage if isinstance(passage, str) else "",
    )


def shuffled(lines: Sequence[QuestionLine], judge: str) -> tuple[QuestionLine, ...]:
    """Move proposals to the end, in an order of this judge.

    The first proposals get the most attention, so judges begin with different ones.
    """

    def place(line: QuestionLine) -> str:
        if line.question.state != "proposed":
            return ""
        key = f"{judge}\0{line.question.question_id}"
        return hashlib.sha256(key.encode()).hexdigest()

    return tuple(sorted(lines, key=place))


def question_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    *,
    systems: int,
    judge: str = "",
    changes: Mapping[str, LatestChange] | None = None,
    proposals: Proposals | None = None,
    previews: Mapping[str, dict[str, Any]] | None = None,
    item_kind: str = "any",
    alike: Mapping[str, str] | None = None,
    votes: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return rows by subtopic as JSON, in the query's order; without a subtopic last.

    Proposals are last in each group. ``previews`` are effects of decisions by question
    id, ``item_kind`` is what the grader reads, ``alike`` near-duplicates by words.

    Of a row, ``reason`` is a warning and ``means`` explains it, ``why`` and ``by`` are
    of its latest change, ``reach`` is the number of systems reached and of all systems,
    ``bar`` the percentage of the largest influence.
    """
    proposals = proposals or Proposals()
    largest = max((_influence(line, proposals) or 0.0 for line in lines), default=0.0)
    if alike is None:
        alike = near_duplicates(tuple(line.question for line in lines))
    numbers = numbers_of(lines)

    def row(line: QuestionLine) -> dict[str, Any]:
        question = line.question
        question_id, state = question.question_id, question.state
        is_proposed, meta = state == "proposed", _meta(question, line.influence)
        last = None if is_proposed else (changes or {}).get(question_id)
        if_kept = proposals.if_kept.get(question_id)
        model, passage = origin_of(question, proposals.models)
        number = numbers.get(alike.get(question_id, ""))
        like = "" if number is None else f"near-duplicate of {number}"
        if is_proposed:
            kind = ["nugget"] if question.kind == "nugget" else []
            meta = " · ".join([*kind, reach(if_kept)])
            like = near_words(proposals.near.get(question_id), numbers) or like
        elif state == "kept" and item_kind in {"question", "nugget"} - {question.kind}:
            meta = " · ".join(filter(None, [meta, NOT_COUNTED]))
        effect = if_kept if is_proposed else line.influence
        code, reason = warning(question, effect, systems, like)
        value = _influence(line, proposals)
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
            "what": (previews or {}).get(question_id),
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

    groups: dict[str | None, list[QuestionLine]] = {
        subtopic.subtopic_id: [] for subtopic in query.subtopics
    }
    for line in sorted(lines, key=lambda line: line.question.state == "proposed"):
        groups.setdefault(line.question.subtopic_id, []).append(line)
    names = {s.subtopic_id: s.text for s in query.subtopics}
    return [
        {"heading": names.get(name or "") or name or "", "rows": [*map(row, group)]}
        for name, group in groups.items()
        if group
    ]


NO_VOTES = {"vote": "", "others_votes": "", "disputed": False}


def summary(lines: Sequence[QuestionLine]) -> tuple[str, str]:
    """Return ``9 kept`` and ``2 proposed · 1 retired``, "" without any."""
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
    """Return ``near-duplicate of 3 (cosine .91)``; "" if that question is gone."""
    if near is None or near.question_id not in numbers:
        return ""
    cosine = words.score(near.cosine, 2)
    return f"near-duplicate of {numbers[near.question_id]} (cosine {cosine})"


def warning(
    question: Question, effect: Influence | Preview | None, systems: int, like: str
) -> tuple[str, str]:
    """Return the most important warning by name and in words, or "" twice.

    ``like`` names a near-duplicate, which comes first for a proposal.
    """
    kind, nonrelevant_share = question.kind, None
    if like and question.state == "proposed":
        return "near", like
    if isinstance(effect, Influence):
        missing, nonrelevant_share = (
            effect.needed - effect.known,
            effect.nonrelevant_share,
        )
        if missing and effect.known:
            return "missing", words.missing_grades(missing)
    else:
        missing = effect.missing if effect else 0
    if effect is None or missing:
        return "", ""
    if not effect.passages:
        return "nothing", f"nothing {words.answers_it(kind)}"
    if like:
        return "near", like
    if nonrelevant_share == 1:
        return "non-relevant", f"only non-relevant passages {words.answer_it(kind)}"
    if systems > 1 and effect.systems == systems:
        return "every", f"every system {words.answers_it(kind)}"
    return "", ""


def reach(if_kept: Preview | None) -> str:
    """Return ``would reach 4 passages · 3 systems · 2 labels rise``."""
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
    """Return the judge's note on a question and its flag, and the notes of others."""
    mine = next((note for note in notes if note.judge == judge), None)
    others = [note for note in notes if note.judge != judge]
    return {
        "note": mine.text if mine else "",
        "flagged": bool(mine and mine.flagged),
        "others_flagged": any(note.flagged for note in others),
        "others_note": " · ".join(
            f"{note.judge}: {note.text or 'flagged'}" for note in others
        ),
    }


def _influence(line: QuestionLine, proposals: Proposals) -> float | None:
    if line.question.state == "proposed":
        if_kept = proposals.if_kept.get(line.question.question_id)
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


def gate_words(remaining: int) -> str:
    """Return what a judge must do before proposals are shown, or ""."""
    count = words.count(remaining, "more question", "more questions")
    return f"Write {count} of your own; then proposals are shown." if remaining else ""


def figures_mean(
    settings: Settings | None, by: str = "", *, judged: bool = False
) -> dict[str, str]:
    """Explain the figures of rows; {} without settings.

    ``by`` is the grader of proposals if it is another one; ``judged`` is True if
    judgments are shown.
    """
    if settings is None:
        return {}
    measure, whose = settings.measure, f", by {by}" if by else ""
    share = "; the share of them officially judged not relevant" if judged else ""
    changes = f"Mean change of the systems’ {measure} in this query"
    return {
        "reach": f"Passages that answer it; systems that have one of them among the "
        f"passages that {measure} looks at{share}.",
        "would": f"Its reach and changed labels if it were kept{whose}.",
        "influence": f"{changes} without it. The bar is its share of the largest here.",
        "was": f"{changes} with it{whose}.",
    }
