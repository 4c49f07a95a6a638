"""Explain the figures and warnings of the Judge page, and what to do about them.

Each is a sentence or two, shown where the pointer or the focus is.
"""

from __future__ import annotations

from collections.abc import Mapping

from curator.edit_words import RETIRE, REWORD
from curator.evaluation.settings import Settings

REASONS: Mapping[str, str] = {
    "not graded": (
        "The grader knows nothing of it, so it counts as answered by no passage. "
        "“Grade with …” stands at the right."
    ),
    "missing": (
        "So many passages have no grade for it yet, so its figures may still rise. "
        "Grading is started at the right, or goes on by itself."
    ),
    "near-duplicate": (
        "It asks almost what that question asks, so the same counts twice. Keep the "
        f"better one and {RETIRE.base} the other (x), or {REWORD.base} one (e)."
    ),
    "only non-relevant": (
        "Every passage that answers it was officially judged not relevant: it rewards "
        "the wrong passages. Read one below, then "
        f"{REWORD.base} (e) or {RETIRE.base} it (x)."
    ),
    "nothing": (
        "No passage of the pool answers it, so it cannot tell one system from another. "
        f"{REWORD.base.capitalize()} it so that a good passage answers (e), or "
        f"{RETIRE.base} it (x)."
    ),
    "every system": (
        "Every system retrieves a passage that answers it, so who answers it tells "
        "none from another. Ask for something narrower (e), or leave it."
    ),
}
"""By words of a warning, as a row gives it."""


def reason_means(reason: str) -> str:
    """What a row's warning means, and what to do; "" without one."""
    return next((said for words, said in REASONS.items() if words in reason), "")


def figures_mean(
    settings: Settings | None, by: str = "", *, judged: bool = False
) -> dict[str, str]:
    """What stands beside the figures of a row: its reach and influence.

    Of a proposal ``would`` and ``was`` beside what it would reach and move; ``by`` is
    the grader that says so where it is another one, ``judged`` whether judgments are
    shown.
    """
    if settings is None:
        return dict.fromkeys(("reach", "would", "influence", "was"), "")
    measure, whose = settings.measure, f", by {by}" if by else ""
    return {
        "reach": (
            "How many passages of this query’s pool answer it; how many systems have "
            f"one of them among the passages that {measure} looks at"
            + ("; what share of them was officially judged not relevant." * judged)
        ),
        "would": (
            "What it would reach if it were kept: passages that answer it, systems "
            f"that retrieve one, labels that change{whose}. Until then it counts "
            "nowhere."
        ),
        "influence": (
            f"Without it the scores of this query’s systems in {measure} would change "
            "by so much on average. The bar is its share of the largest one here."
        ),
        "was": (
            f"With it the scores of this query’s systems in {measure} would change by "
            f"so much on average{whose}."
        ),
    }
