"""ROUGE of single passages against judgments, and the command ``curator rouge``.

The words are made up, so that no stop list and no stemmer touches them and rouge-score
and scipy, given the same texts, must find the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest
from rouge_score.rouge_scorer import RougeScorer
from scipy import stats

from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage

# By query: (judgment, text) of each passage.
JUDGED = {
    "q1": [
        (3, "zorb quilk vant mirp"), (3, "mirp vant zorb zorb"), (2, "zorb quilk plo"),
        (1, "vant mirp gluk"), (0, "plo gluk"), (0, "zorb gluk gluk trum"),
    ],
    "q2": [
        (3, "trum gluk plo"), (2, "gluk plo zorb"), (2, "trum trum gluk"),
        (0, "quilk vant"), (-1, "trum quilk"),
    ],
    "q3": [(1, "plo plo")],
}  # fmt: skip
SCORES = {"p": "precision", "r": "recall", "f1": "fmeasure"}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """The passages of ``JUDGED``, judged; no runs and no grades."""
    graded = {
        query_id: [
            graded_passage(
                f"{query_id}p{at}", query_id, {}, text=text, judgment=judgment
            )
            for at, (judgment, text) in enumerate(passages)
        ]
        for query_id, passages in JUDGED.items()
    }
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as opened:
        opened.import_(autograder=graded_file(tmp_path / "graded.jsonl", graded))
        yield opened


def of(found, measure):
    return next(one for one in found.measures if one.measure == measure)


def by_others(ideals, combine=max):
    """(judgments, scores by measure) of q1 and q2 by rouge-score, without ideals."""
    scorer = RougeScorer(["rouge1", "rouge2"])
    grades, scores = [], {}
    for query_id in ("q1", "q2"):
        for judgment, text in JUDGED[query_id]:
            if text in ideals[query_id]:
                continue
            grades.append(max(judgment, 0))
            found = [scorer.score(ideal, text) for ideal in ideals[query_id]]
            for concept in ("1", "2"):
                for part, theirs in SCORES.items():
                    value = combine(
                        getattr(one[f"rouge{concept}"], theirs) for one in found
                    )
                    scores.setdefault(f"rouge-{concept}-{part}", []).append(value)
    return grades, scores


@pytest.mark.parametrize("mean", [False, True])
def test_scores_of_rouge_score_and_scipy(workspace: Workspace, mean: bool) -> None:
    for passage in ("q1p0", "q1p1", "q2p0"):
        workspace.mark_ideals(passage[:2], passage)
    found = workspace.rouge_agreement(mean=mean, min_relevance=2)
    assert (found.queries, found.ideals, len(found.passages)) == (2, 3, 8)
    assert "1 query without an ideal answer" in found.notes[0]
    ideals = {"q1": [JUDGED["q1"][0][1], JUDGED["q1"][1][1]], "q2": ["trum gluk plo"]}
    grades, scores = by_others(ideals, fmean if mean else max)
    assert [one.judgment for one in found.passages] == grades
    for at, (measure, theirs) in enumerate(scores.items()):
        ours = [one.scores[at] for one in found.passages]
        assert ours == pytest.approx(theirs, abs=1e-12)
        agreement = of(found, measure)
        known = [round(one, 12) for one in theirs]
        tau = stats.kendalltau(known, grades, method="asymptotic")
        assert (agreement.kendall, agreement.kendall_p) == pytest.approx(
            (tau.statistic, tau.pvalue), abs=1e-9
        )
        for name in ("pearson", "spearman"):
            theirs = getattr(stats, f"{name}r")(known, grades)
            ours = getattr(agreement, name), getattr(agreement, f"{name}_p")
            assert ours == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)


def test_a_passage_marked_in_part_is_left_out(workspace: Workspace) -> None:
    workspace.mark_ideals("q1", "q1p0", [(0, 10)])  # "zorb quilk"
    found = workspace.rouge_agreement(sources=["marked"])
    assert "q1p0" not in {one.passage_id for one in found.passages}
    scores = {one.passage_id: one.scores for one in found.passages}
    # by hand: of "zorb quilk plo" two of three words, both of the ideal answer's
    assert scores["q1p2"][:3] == pytest.approx((2 / 3, 1, 4 / 5))
    assert found.figure("rouge-1-p").title == "rouge-1-p by judgment"
    levels = of(found, "rouge-1-p").levels
    assert [(one.judgment, one.passages) for one in levels] == [
        (0, 2), (1, 1), (2, 1), (3, 1)
    ]  # fmt: skip
    # by hand: "plo gluk" 0 of 2, "zorb gluk gluk trum" 1 of 4
    assert (levels[0].lowest, levels[0].median, levels[0].mean) == (0, 1 / 8, 1 / 8)
