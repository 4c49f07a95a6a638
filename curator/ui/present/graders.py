"""Graders' names, short enough to stand beside every number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from curator.verbs.stating import GraderState


def grader_labels(graders: Sequence[GraderState]) -> dict[str, str]:
    """A short label by full name: the model's own name where no other shares it.

    ``google/flan-t5-large/QuestionSelfRated…`` is ``flan-t5-large (imported)``.
    """
    short = {grader.name: _short(grader) for grader in graders}
    times = Counter(short.values())
    return {
        grader.name: (
            short[grader.name] if times[short[grader.name]] == 1 else grader.name
        )
        + ("" if grader.can_grade else " (imported)")
        for grader in graders
    }


def _short(grader: GraderState) -> str:
    if grader.can_grade or not grader.model:
        return grader.name
    return grader.model.rstrip("/").rpartition("/")[2] or grader.name
