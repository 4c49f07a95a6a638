"""How a board compares with the official one and with judgments, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from curator.evaluation.agreement import Agreement
from curator.evaluation.correlation import Correlation, RandomTies
from curator.verbs.curate.leave_one_out import LeaveOneOut
from curator.verbs.leaderboard.grader_agreement import GraderPairAgreement
from curator.web.components import words

AT_LEAST = "≥\N{NO-BREAK SPACE}"  # no line breaks between ≥ and its number
BY_VECTORS = ("embedding", "instant")
MINILM = (
    "Weights and scale were set on TREC DL 2019 and REALSumm; all-MiniLM-L6-v2 saw "
    "MS MARCO, the first one’s passages, in training."
)
BLIND = (
    "Judging is blind here: system names are masked, judgments and official ranks are "
    "hidden, so nothing is compared with them."
)


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
    sentence = f"Against the official ranks of {systems}: {', '.join(parts) or 'none'}."
    if found.left_out:
        left_out = words.count(found.left_out, "system")
        sentence += f" {left_out} left out, without a score or an official rank."
    return f"{sentence} {found.note}".strip()


def agreement(found: Agreement, min_rating: int, min_relevance: int | None) -> str:
    """``κ .312. 9,260 judged passages, label ≥ 4 against judgment ≥ 2: …``."""
    (nn, np_), (pn, pp) = found.table
    sentence = (
        f"{words.count(found.compared, 'judged passage')}, "
        f"label {AT_LEAST}{min_rating} "
        f"against judgment {AT_LEAST}{min_relevance}: {pp:,} relevant by both, "
        f"{nn:,} by neither, {pn:,} by labels only, {np_:,} by judges only."
    )
    if found.kappa is not None:
        sentence = f"Cohen’s κ {words.score(found.kappa)}. {sentence}"
    if found.unlabelled:
        sentence += f" {found.unlabelled:,} judged passages have no label."
    return f"{sentence} {found.note}".strip()


def against_people(found: GraderPairAgreement) -> str:
    """``Against people: Cohen’s κ .312. 40 pairs of question and passage …``."""
    agreement = found.agreement
    (nn, np_), (pn, pp) = agreement.table
    sentence = (
        f"{words.count(agreement.compared, 'pair')} of question and passage that both "
        f"graded: {pp:,} answered by both, {nn:,} by neither, {pn:,} by the grader "
        f"only, {np_:,} by people only."
    )
    if agreement.kappa is not None:
        sentence = f"Cohen’s κ {words.score(agreement.kappa)}. {sentence}"
    return f"Against people: {sentence} {agreement.note}".strip()


def own_questions(left_out: Sequence[LeaveOneOut], grounded: int) -> str:
    """How many questions came from passages, and how many of them favour one system."""
    own = sum(len(one.questions) for one in left_out)
    depth = left_out[0].depth if left_out else None
    sentence = (
        f"{words.count(grounded, 'kept question was', 'kept questions were')} proposed "
        f"from a passage; {own:,} of them from one that a single system has in its "
        f"{'ranking' if depth is None else f'top {depth}'}."
    )
    return f"{sentence} Without a system’s own questions:" if left_out else sentence
