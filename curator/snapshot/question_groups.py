"""Groups of a bank's kept questions: by kind, origin, author and import."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import compares_texts
from curator.evaluation.settings import JUDGMENTS, OFFICIAL, Settings
from curator.snapshot.snapshot import Snapshot
from curator.store.question_history import Origin, read_origins

Topic = TypeVar("Topic", str, tuple[str, str])

UNKNOWN_ORIGIN = Origin("imported", "", "")


def question_groups(snapshot: Snapshot) -> Mapping[str, frozenset[str]]:
    """Map each group's name to the ids of its kept questions.

    ``question`` and ``nugget``; ``written`` by people, ``proposed`` by models or
    ``imported``; ``by:NAME`` of one person or model; ``import:N`` of the N-th import
    that brought questions.
    """
    return snapshot.cached(("question groups",), lambda: _question_groups(snapshot))


def _question_groups(snapshot: Snapshot) -> Mapping[str, frozenset[str]]:
    origins = read_origins(snapshot.full.connection)
    batches = sorted({origin.batch for origin in origins.values() if origin.batch})
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for question in snapshot.bank:
        if question.state != "kept":
            continue
        origin = origins.get(question.question_id, UNKNOWN_ORIGIN)
        names = [question.kind, origin.how]
        if origin.how != "imported":
            names.append(f"by:{origin.by}")
        elif origin.batch:
            names.append(f"import:{batches.index(origin.batch) + 1}")
        for name in names:
            groups[name].add(question.question_id)
    return {name: frozenset(ids) for name, ids in groups.items()}


def with_questions(snapshot: Snapshot, settings: Settings, group: str) -> Settings:
    """Restrict the settings to the questions of a group.

    Raises UnknownNameError for a group without kept questions, EvaluationError for a
    board without questions.
    """
    groups = question_groups(snapshot)
    if group not in groups:
        names = ", ".join(f"{name} ({len(groups[name]):,})" for name in sorted(groups))
        raise UnknownNameError(
            f"No kept question is in the group '{group}'. Groups: {names or 'none'}."
        )
    if not depends_on_questions(snapshot, settings):
        raise EvaluationError(
            f"{settings.measure} uses no questions here; leave out --questions."
        )
    return replace(settings, questions=group)


def depends_on_questions(snapshot: Snapshot, settings: Settings) -> bool:
    """Return False for judgments, official ranks, texts and grades of the query."""
    if settings.grader in ("", JUDGMENTS, OFFICIAL) or compares_texts(settings.measure):
        return False
    return snapshot.grader(settings.grader).spec.reading.item_kind != "query"


def grades_of_group(
    snapshot: Snapshot, settings: Settings, graded: Mapping[Topic, GradedQuery]
) -> dict[Topic, GradedQuery]:
    """Return only the grades on the group of questions in the settings."""
    if not settings.questions:
        return dict(graded)
    ids = question_groups(snapshot).get(settings.questions, frozenset())
    places = {
        topic: np.flatnonzero([item_id in ids for item_id in grades.item_ids])
        for topic, grades in graded.items()
    }
    return {
        topic: grades.select_items(places[topic])
        for topic, grades in graded.items()
        if len(places[topic])
    }
