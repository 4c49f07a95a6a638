"""What a judge is told of a proposal before deciding: reach, likeness, origin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from curator.bank.questions import Question
from curator.evaluation.influence import KeepPreview
from curator.evaluation.settings import Settings
from curator.verbs.curate.near_duplicates import NearDuplicate
from curator.verbs.curate.question_rows import QuestionLine
from curator.web.components import words
from curator.workspace import Workspace


@dataclass(frozen=True)
class Proposals:
    """What is known of a query's proposals, by question id.

    ``origins`` are the model that wrote each and the passage it was asked about, ""
    for none. ``by`` names the grader that says so where it is not the one selected.
    """

    if_kept: Mapping[str, KeepPreview] = field(default_factory=dict)
    near: Mapping[str, NearDuplicate] = field(default_factory=dict)
    origins: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    by: str = ""

    @property
    def ungraded(self) -> bool:
        """Whether some grade of them is missing."""
        return any(one.missing for one in self.if_kept.values())


def origin_of(question: Question, models: Mapping[int, str]) -> tuple[str, str]:
    """Model and passage by the question's provenance; ``models`` are of each asking."""
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


def passage_of(question: Question) -> str:
    """The passage that the question was proposed from, "" where there is none."""
    # Most have no provenance: people wrote them, or files.
    return "" if question.provenance == "{}" else origin_of(question, {})[1]


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


def reach(if_kept: KeepPreview | None) -> str:
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


def near_words(
    near: NearDuplicate | None, like: int | None, numbers: Mapping[str, int]
) -> str:
    """``near-duplicate of 3 (cosine .91)``; without a cosine where only words say so.

    ``like`` is the number of the question whose words it has almost, if any.
    """
    if near is not None and near.question_id in numbers:
        cosine = words.score(near.cosine, 2)
        return f"near-duplicate of {numbers[near.question_id]} (cosine {cosine})"
    return "" if like is None else f"near-duplicate of {like}"


def reason(
    if_kept: KeepPreview | None, near: str, systems: int, kind: str = "question"
) -> str:
    """The one reason that says most, or ""."""
    if near:
        return near
    if if_kept is None or if_kept.missing:
        return ""
    if not if_kept.passages:
        return f"nothing {words.answers_it(kind)}"
    if systems > 1 and if_kept.systems == systems:
        return f"every system {words.answers_it(kind)}"
    return ""


def gate_words(left: int) -> str:
    """What a judge does before proposals are shown; "" for nothing."""
    wanted = words.count(left, "more question", "more questions")
    return f"Write {wanted} of your own; then proposals are shown." if left else ""


def load(
    workspace: Workspace,
    query_id: str,
    questions: Iterable[Question],
    settings: Settings | None,
    labels: Mapping[str, str],
) -> Proposals | None:
    """What is known of the query's proposals; None, and nothing asked, without any.

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
