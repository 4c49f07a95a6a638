"""Settings as text and as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from curator.evaluation.measures import title, uses_k
from curator.evaluation.settings import (
    JUDGMENTS,
    OFFICIAL,
    Settings,
)
from curator.formats.text.notices import counted

NO_GRADER = "no grader"  # texts are compared with texts


def measure_words(settings: Settings) -> str:
    """The measure and how deep it looks: ``cover of the first 20``, ``P@20``."""
    if uses_k(settings.measure):  # any other has its cut-off in its name
        return f"{settings.measure} of the first {settings.k}"
    return settings.measure


def settings_words(settings: Settings) -> str:
    """As printed: ``cover of the first 20 · flan-t5 · rating ≥ 4``."""
    if settings.grader == OFFICIAL:
        return settings.measure
    by = "" if settings.by == "query" else f" · by {settings.by}"
    by += f" · questions: {settings.questions}" if settings.questions else ""
    if settings.grader == JUDGMENTS:
        return f"{settings.measure} · judgment ≥ {settings.min_rating}{by}"
    grader = NO_GRADER
    if settings.grader:
        grader = f"{settings.grader} · rating ≥ {settings.min_rating}"
        grader += "".join(f" · {row}" for row in label_words([settings]))
    return f"{measure_words(settings)} · {grader}{by}"


RULES: Mapping[str, str] = {
    "max": "best rating",
    "mean": "mean rating",
    "top3": "mean of the three best",
    "answered": "how many answered",
}
"""What each rule makes a passage's label, in plain words."""


def label_words(settings: Sequence[Settings]) -> list[str]:
    """``labels by 2 items``, ``label: mean rating``; nothing for the best rating."""
    graded = [row for row in settings if row.grader]
    least = sorted({row.min_answered for row in graded})
    rules = [rule for rule in RULES if any(row.label == rule for row in graded)]
    words = []
    if rules not in ([], ["max"]):
        words.append(f"label: {' or '.join(RULES[row] for row in rules)}")
    if least not in ([], [1]):
        words.append(f"labels by {' or '.join(map(str, least))} items")
    return words


def shared_words(
    settings: Sequence[Settings],
    *,
    measure: bool = False,
    rating: bool = True,
    named: str = "",
) -> str:
    """Describe the shared settings of boards: ``flan-t5 · rating ≥ 4 · top 20``.

    With ``measure`` their measures come first. Without ``rating`` for what holds at
    every minimum rating. The grader is ``named`` where it has a shorter name.
    """
    graders = dict.fromkeys(row.grader for row in settings if row.grader)
    measures = dict.fromkeys(row.measure for row in settings)
    parts = [", ".join(measures)] if measure else []
    parts.append(named or ", ".join(graders) or NO_GRADER)
    ratings = sorted({row.min_rating for row in settings if row.grader})
    if rating and ratings:
        parts.append(f"rating ≥ {' or '.join(map(str, ratings))}")
    parts += label_words(settings)
    depths = sorted({row.k for row in settings if uses_k(row.measure)})
    if depths:
        parts.append(f"top {' or '.join(map(str, depths))}")
    if any(row.by == "subtopic" for row in settings):
        parts.append("by subtopic")
    groups = dict.fromkeys(board.questions for board in settings if board.questions)
    if groups:
        parts.append(f"questions: {', '.join(groups)}")
    return " · ".join(parts)


def depth_words(settings: Settings) -> str:
    """``Cover of the first 20 passages``, ``P@20``."""
    measure = title(settings.measure)
    if not uses_k(settings.measure):
        return measure
    return f"{measure} of the first {counted(settings.k, 'passage')}"


def settings_clause(settings: Settings, kind: str = "rated") -> str:
    """In a sentence: ``P@20, graded by flan-t5, from rating 4``; of a ``kind`` of
    grader that only answers without the rating.
    """
    if not settings.grader:
        return f"{depth_words(settings)}, texts compared with ideal answers"
    rated = kind in ("rated", "direct")
    rating = f", from rating {settings.min_rating}" if rated else ""
    rating += "".join(f", {row}" for row in label_words([settings]))
    return f"{depth_words(settings)}, graded by {settings.grader}{rating}"


def passages_looked_at(settings: Settings) -> str:
    """The passages that the measure looks at: ``the first 20 passages``."""
    depth = re.search(r"@(\d+)$", settings.measure)
    if uses_k(settings.measure):
        number = settings.k
    elif depth:
        number = int(depth[1])
    else:
        return "all passages ranked"
    return "the first passage" if number == 1 else f"the first {number} passages"


def board_names(settings: Sequence[Settings]) -> list[str]:
    """Each board by what tells it apart: its measure, and its grader of several.

    Also the group of questions where there are several.
    """
    of_questions = [board for board in settings if board.grader not in ("", OFFICIAL)]
    graders = {row.grader for row in settings} - {"", JUDGMENTS, OFFICIAL}
    names = [
        f"{row.measure} · {row.grader}"
        if len(graders) > 1 and row.grader in graders
        else row.measure
        for row in settings
    ]
    if len({board.questions for board in of_questions}) < 2:
        return names
    return [
        f"{name} · {board.questions}" if board.questions else name
        for name, board in zip(names, settings, strict=True)
    ]


def answered_json(min_answered: int) -> dict[str, int]:
    """``{"min_answered": 2}``; empty where a label takes one item."""
    return {} if min_answered == 1 else {"min_answered": min_answered}


def topics_json(settings: Settings) -> dict[str, str]:
    """``{"by": "subtopic"}``; empty for queries."""
    return {} if settings.by == "query" else {"by": settings.by}
