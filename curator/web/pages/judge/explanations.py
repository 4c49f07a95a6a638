"""Explain the figures and warnings of the Judge page, for the pointer or the focus."""

from __future__ import annotations

from collections.abc import Mapping

from curator.edit_words import RETIRE, REWORD
from curator.evaluation.settings import Settings

REASONS: Mapping[str, str] = {
    "missing": (
        "So many passages have no grade for it yet, so its figures may still rise. "
        "Grade them by the button at the bottom."
    ),
    "near-duplicate": (
        "It asks almost what that question asks, so the same counts twice. Keep the "
        f"better one and {RETIRE.base} the other (x), or {REWORD.base} one (e)."
    ),
    "only non-relevant": (
        "Every passage that answers it was officially judged not relevant. Read one, "
        f"then {REWORD.base} (e) or {RETIRE.base} it (x)."
    ),
    "nothing": (
        "No passage of the pool answers it, so it cannot tell one system from another. "
        f"{REWORD.base.capitalize()} (e) or {RETIRE.base} it (x)."
    ),
    "every system": (
        "Every system retrieves a passage that answers it, so it tells none from "
        "another. Ask for something narrower (e), or leave it."
    ),
}
"""By words of a warning, as a row has it."""


def reason_means(reason: str) -> str:
    """Explain a row's warning; "" without one."""
    return next((means for words, means in REASONS.items() if words in reason), "")


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
