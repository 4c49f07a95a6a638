"""What a judge is told of a proposal before deciding: reach, likeness, origin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from curator.bank.questions import Question
from curator.evaluation.influence import IfKept
from curator.evaluation.settings import Settings
from curator.ui.shared import words
from curator.verbs.curate.near_duplicates import Near
from curator.verbs.curate.question_rows import QuestionLine
from curator.workspace import Workspace

NOT_GRADED = "not graded yet"
NOTHING = "would reach nothing"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a proposal comes from: its model, and the passage it was asked about."""

    model: str = ""
    passage_id: str = ""


@dataclass(frozen=True)
class Proposals:
    """What is known of a query's proposals, by question id.

    ``by`` names the grader that says so where it is not the one selected.
    """

    if_kept: Mapping[str, IfKept] = field(default_factory=dict)
    near: Mapping[str, Near] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    by: str = ""

    @property
    def ungraded(self) -> bool:
        """Whether some grade of them is missing."""
        return any(one.missing for one in self.if_kept.values())


def origin_of(question: Question, models: Mapping[int, str]) -> Origin:
    """What the question's provenance says; ``models`` are those of each asking."""
    try:
        said = json.loads(question.provenance)
    except ValueError:
        said = {}
    said = said if isinstance(said, dict) else {}
    number, passage = said.get("generation"), said.get("passage")
    return Origin(
        models.get(number, "") if isinstance(number, int) else "",
        passage if isinstance(passage, str) else "",
    )


def passage_of(question: Question) -> str:
    """The passage that the question was proposed from, "" where there is none."""
    if question.provenance == "{}":  # most of them: people wrote these, or files
        return ""
    return origin_of(question, {}).passage_id


def shuffled(lines: Sequence[QuestionLine], judge: str) -> tuple[QuestionLine, ...]:
    """The lines with the proposals last, in an order that is this judge's own.

    What a machine listed first is looked at longest; no two judges begin with it.
    """

    def place(line: QuestionLine) -> str:
        said = f"{judge}\0{line.question.question_id}"
        return hashlib.sha256(said.encode()).hexdigest()

    proposals = [line for line in lines if line.question.state == "proposed"]
    others = [line for line in lines if line.question.state != "proposed"]
    return (*others, *sorted(proposals, key=place))


def reach(if_kept: IfKept | None) -> str:
    """``would reach 4 passages · 3 systems · 2 labels rise``."""
    if if_kept is None or if_kept.missing:
        return NOT_GRADED
    if not if_kept.passages:
        return NOTHING
    said = [
        f"would reach {words.count(if_kept.passages, 'passage')}",
        words.count(if_kept.systems, "system"),
    ]
    if if_kept.labels_rise:
        risen = words.count(if_kept.labels_rise, "label")
        said.append(f"{risen} {'rises' if if_kept.labels_rise == 1 else 'rise'}")
    return " · ".join(said)


def near_words(near: Near | None, like: int | None, numbers: Mapping[str, int]) -> str:
    """``near-duplicate of 3 (cosine .91)``; without a cosine where only words say so.

    ``like`` is the number of the question whose words it has almost, if any.
    """
    if near is not None and near.question_id in numbers:
        cosine = words.score(near.cosine, 2)
        return f"near-duplicate of {numbers[near.question_id]} (cosine {cosine})"
    return "" if like is None else f"near-duplicate of {like}"


def reason(if_kept: IfKept | None, near: str, systems: int) -> str:
    """The one reason that says most, or ""."""
    if near:
        return near
    if if_kept is None or if_kept.missing:
        return ""
    if not if_kept.passages:
        return "nothing answers it"
    if systems > 1 and if_kept.systems == systems:
        return "every system answers it"
    return ""


def gate_words(left: int) -> str:
    """What a judge does before proposals are shown; "" for nothing."""
    if not left:
        return ""
    wanted = words.count(left, "more question", "more questions")
    return f"Write {wanted} of your own; then proposals are shown."


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
