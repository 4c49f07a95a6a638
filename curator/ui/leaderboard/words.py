"""How a board compares with the official one and with judgments, in sentences."""

from __future__ import annotations

from curator.evaluation.agreement import Agreement
from curator.evaluation.correlation import Correlation, RandomTies
from curator.ui.shared import words

AT_LEAST = "≥\N{NO-BREAK SPACE}"


def correlation(found: Correlation | RandomTies) -> str:
    """``Against the official ranks of 36 systems: Spearman .914, Kendall …``."""
    if isinstance(found, RandomTies):
        named = {"Spearman": found.spearman_mean, "Kendall": found.kendall_mean}
    else:
        named = {
            "Spearman": found.spearman,
            "Kendall": found.kendall,
            "τAP": found.tau_ap,
        }
    parts = [f"{n} {words.score(v)}" for n, v in named.items() if v is not None]
    systems = words.count(found.systems, "system")
    said = f"Against the official ranks of {systems}: {', '.join(parts) or 'none'}."
    if found.left_out:
        left_out = words.count(found.left_out, "system")
        said += f" {left_out} left out, without a score or an official rank."
    return f"{said} {found.note}".strip()


def agreement(found: Agreement, min_rating: int, min_relevance: int | None) -> str:
    """``κ .312. 9,260 judged passages, label ≥ 4 against judgment ≥ 2: …``.

    No line breaks between ≥ and its number.
    """
    (nn, np_), (pn, pp) = found.table
    said = (
        f"{words.count(found.compared, 'judged passage')}, "
        f"label {AT_LEAST}{min_rating} "
        f"against judgment {AT_LEAST}{min_relevance}: {pp:,} relevant by both, "
        f"{nn:,} by neither, {pn:,} by labels only, {np_:,} by judges only."
    )
    if found.kappa is not None:
        said = f"Cohen’s κ {words.score(found.kappa)}. {said}"
    if found.unlabelled:
        said += f" {found.unlabelled:,} judged passages have no label."
    return f"{said} {found.note}".strip()
