"""Graders' names, short enough to stand beside every number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from curator.verbs.setup.status import GraderState
from grading.graders.text import DTYPES, GREEDY, VERIFIED
from grading.prompts.released import PROMPTS

# What may follow a model in a grader's name, after slashes.
OPTIONS = frozenset((*PROMPTS, VERIFIED, GREEDY, *DTYPES))


def grader_labels(graders: Sequence[GraderState]) -> dict[str, str]:
    """A short label by full name: the model's own name where no other shares it.

    ``google/flan-t5-large/QuestionSelfRated…`` is ``flan-t5-large (imported)``; of a
    model's folder only the last one is named.
    """
    by_name = {grader.name: grader for grader in graders}
    short = {grader.name: _short(grader, by_name) for grader in graders}
    times = Counter(short.values())
    return {
        grader.name: (
            short[grader.name] if times[short[grader.name]] == 1 else grader.name
        )
        + ("" if grader.can_grade or grader.source else " (imported)")
        for grader in graders
    }


def _short(grader: GraderState, by_name: Mapping[str, GraderState]) -> str:
    if grader.source:
        # The model's folder, and whose answers it checks by their own short name.
        folder, _, number = grader.name.partition(f"+{grader.source}")
        place = folder.partition(":")[2].rstrip("/").rpartition("/")[2]
        answering = by_name.get(grader.source)
        whose = grader.source if answering is None else _short(answering, by_name)
        return f"ava:{place}+{whose}{number}"
    if grader.can_grade:
        return without_folders(grader.name)
    if not grader.model:
        return grader.name
    return grader.model.rstrip("/").rpartition("/")[2] or grader.name


def without_folders(name: str) -> str:
    """``flan-t5:/models/mine/qa`` as ``flan-t5:mine/qa``; any other name as it is."""
    family, _, place = name.partition(":")
    if not place.startswith("/"):
        return name
    *parts, last = place.rstrip("/").split("/")
    kept = [last]
    # A second grader of a name has a number behind it.
    while parts[1:] and kept[0].partition(" (")[0] in OPTIONS:
        kept.insert(0, parts.pop())
    return f"{family}:{'/'.join(kept)}"
