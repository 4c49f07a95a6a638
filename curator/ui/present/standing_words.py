"""How a board compares with the official one and with judgments, in sentences."""

from __future__ import annotations

from curator.evaluation.agreement import Agreement
from curator.evaluation.correlation import Correlation, RandomTies
from curator.ui.present import words


def correlation(found: Correlation | RandomTies) -> str:
    """``Against the official ranks of 36 systems: Spearman .914, Kendall …``."""
    said = f"Against the official ranks of {words.count(found.systems, 'system')}: "
    if isinstance(found, RandomTies):
        spearman, kendall = found.spearman_mean, found.kendall_mean
        parts = [f"Spearman {words.score(spearman)}", f"Kendall {words.score(kendall)}"]
    else:
        parts = [
            f"Spearman {words.score(found.spearman)}",
            f"Kendall {words.score(found.kendall)}",
            f"τAP {words.score(found.tau_ap)}",
        ]
    said += ", ".join(parts) + "."
    if found.left_out:
        left_out = words.count(found.left_out, "system")
        said += f" {left_out} left out, without a score or an official rank."
    return f"{said} {found.note}".strip()


def agreement(found: Agreement, min_rating: int, min_relevance: int | None) -> str:
    """``κ .312 on 9,260 judged passages (label ≥ 4, judgment ≥ 2): …``."""
    (nn, np_), (pn, pp) = found.table
    said = (
        f"{words.count(found.compared, 'judged passage')}, label ≥ {min_rating} "
        f"against judgment ≥ {min_relevance}: {pp:,} relevant by both, "
        f"{nn:,} by neither, {pn:,} by labels only, {np_:,} by judges only."
    )
    if found.kappa is not None:
        said = f"Cohen’s κ {words.score(found.kappa)}. {said}"
    if found.unlabelled:
        said += f" {found.unlabelled:,} judged passages have no label."
    return f"{said} {found.note}".strip()
