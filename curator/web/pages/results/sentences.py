"""Sentences of the tabs of Results."""

from __future__ import annotations

from collections.abc import Sequence

from curator.errors import CuratorError
from curator.evaluation.agreement import Agreement
from curator.evaluation.correlation import Correlation
from curator.evaluation.leaderboard import Leaderboard
from curator.tables.leaderboard import open_ranks
from curator.verbs.compare import Significance
from curator.verbs.curate.leave_one_out import LeaveOneOut
from curator.web.components import words
from curator.workspace import Workspace

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


def ranking(
    workspace: Workspace, board: Leaderboard, tested: Significance | None
) -> str:
    """Return tiers, tau, and why ranks are ranges: ``2 tiers. τ .83 with …``."""
    parts = []
    if tested is not None and tested.tests.pairs and board.complete:
        parts.append(f"{words.count(max(tested.tiers.values()), 'tier')}.")
    if tested is not None and not workspace.collection().blind:
        try:
            correlated = workspace.correlate(board.settings)
        except CuratorError:  # no official board
            correlated = None
        if correlated and correlated.kendall is not None:
            parts.append(
                f"τ {words.score(correlated.kendall)} with the official ranks."
            )
    return " ".join([*parts, *open_ranks([board])])


def range_notes(board: Leaderboard, tested: Significance) -> list[str]:
    """Say how rank ranges follow from the tests, and what these cannot tell."""
    notes = [tested.tests.note] if tested.tests.note else []
    if tested.rank_ranges and board.rank_ranges() is not None:
        queries = words.count(tested.tests.queries, "query", "queries")
        notes.insert(
            0,
            "A rank is a range: below every system that is significantly better and "
            "above every one that is significantly worse (randomisation tests of all "
            f"pairs over {queries}, Holm’s correction, 95 %).",
        )
    return notes


def correlation(result: Correlation) -> str:
    """``Against the official ranks of 36 systems: Spearman .914, Kendall …``."""
    named = {
        "Spearman": result.spearman,
        "Kendall": result.kendall,
        "τAP": result.tau_ap,
    }
    parts = [f"{n} {words.score(v)}" for n, v in named.items() if v is not None]
    systems = words.count(result.systems, "system")
    sentence = f"Against the official ranks of {systems}: {', '.join(parts) or 'none'}."
    if result.left_out:
        left_out = words.count(result.left_out, "system")
        sentence += f" {left_out} left out, without a score or an official rank."
    return f"{sentence} {result.note}".strip()


def agreement(result: Agreement, min_rating: int, min_relevance: int | None) -> str:
    """``κ .312. 9,260 judged passages, label ≥ 4 against judgment ≥ 2: …``."""
    (nn, np_), (pn, pp) = result.table
    kappa = "" if result.kappa is None else f"Cohen’s κ {words.score(result.kappa)}. "
    unlabelled = f" {result.unlabelled:,} judged passages have no label."
    return (
        f"{kappa}{words.count(result.compared, 'judged passage')}, label "
        f"{AT_LEAST}{min_rating} against judgment {AT_LEAST}{min_relevance}: {pp:,} "
        f"relevant by both, {nn:,} by neither, {pn:,} by labels only, {np_:,} by "
        f"judges only.{unlabelled if result.unlabelled else ''} {result.note}".strip()
    )


def own_questions(without: Sequence[LeaveOneOut], grounded: int) -> str:
    """Count the questions from passages, and those that favour one system."""
    raised = sum(len(left_out.questions) for left_out in without)
    depth = without[0].depth if without else None
    sentence = (
        f"{words.count(grounded, 'kept question was', 'kept questions were')} proposed "
        f"from a passage; {raised:,} of them from one that a single system has in its "
        f"{'ranking' if depth is None else f'top {depth}'}."
    )
    return f"{sentence} Without a system’s own questions:" if without else sentence
