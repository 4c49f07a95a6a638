"""The official judgments and ranks, wherever a measure may stand."""

from pathlib import Path

import ir_measures
import pytest

from curator.errors import CuratorError
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run

MEASURE = "judgments:nDCG@10"


def by_ir_measures(
    workspace: Workspace, qrels_file: Path, measure: str
) -> dict[tuple[str, str], float]:
    """The measure on the qrels as they came in, with score = −rank."""
    qrels = list(ir_measures.read_trec_qrels(str(qrels_file)))
    collection = workspace.collection()
    found = {}
    for position, system in enumerate(collection.systems):
        runs = [
            ir_measures.ScoredDoc(
                query_id, pool.passage_ids[slot] if slot >= 0 else f"gap-{rank}", -rank
            )
            for query_id, pool in collection.pools.items()
            for rank, slot in enumerate(pool.top[position].tolist())
            if (pool.top[position][rank:] >= 0).any()
        ]
        asked = [ir_measures.parse_measure(measure)]
        for one in ir_measures.iter_calc(asked, qrels, runs):
            found[system, one.query_id] = one.value
    return found


@pytest.mark.parametrize("measure", ["nDCG@10", "P(rel=2)@5", "AP(rel=2)", "RR(rel=2)"])
def test_scores_under_judgments_are_those_of_ir_measures(
    demo_db: Path, demo_folder: Path, measure: str
) -> None:
    qrels = demo_folder / "judgments.qrels"
    with Workspace.open(demo_db) as workspace:
        scores = workspace.scores(measure=f"judgments:{measure}").scores
        board = workspace.leaderboard(measure=f"judgments:{measure}")
        assert scores == pytest.approx(
            by_ir_measures(workspace, qrels, measure), abs=1e-9
        )
    assert board.complete
    assert board.queries == 3
    for one in board.standings:
        own = [score for (system, _), score in scores.items() if system == one.system]
        assert one.score == pytest.approx(sum(own) / 3)


def test_official_boards_are_compared_like_any_other(demo_db: Path) -> None:
    with Workspace.open(demo_db) as workspace:
        found = workspace.compare(measures=["official", MEASURE, "cover"])
        official = workspace.collection().official
        correlated = workspace.correlate(measure="cover")
        (topic, *_) = workspace.topics("bm25", measure=MEASURE).topics
    assert found.boards[0].ranks() == official
    by_pair = {(pair.first, pair.second): pair for pair in found.pairs}
    assert by_pair[0, 2].kendall == correlated.kendall
    assert by_pair[0, 2].kendall_interval is None
    assert "no scores by query" in by_pair[0, 2].why
    assert by_pair[1, 2].kendall_interval is not None
    assert 0 <= topic.score <= 1


def test_they_are_named_as_they_are_asked_for(demo_db: Path) -> None:
    shown = run("leaderboard", demo_db, "-m", MEASURE).stdout
    assert shown.startswith(f"{MEASURE} · judgment ≥ 2 · 3 queries · no grades needed")
    settings = json_of("leaderboard", demo_db, "-m", MEASURE)["settings"]
    assert (settings["measure"], settings["grader"]) == ("nDCG@10", "judgments")
    lines = run(
        *("scores", demo_db, "-m", MEASURE, "--system", "bm25", "--format", "trec_eval")
    ).stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"ndcg_cut_10"}
    assert run("leaderboard", demo_db, "-m", "official").stdout.startswith("official\n")


def test_a_scatter_stands_over_the_reference_that_is_asked_for(
    demo_db: Path, tmp_path: Path
) -> None:
    ranks, judged = tmp_path / "ranks.svg", tmp_path / "judged.svg"
    run("figure", demo_db, "scatter", ranks)
    run("figure", demo_db, "scatter", judged, "--against", MEASURE)
    assert "official rank" in ranks.read_text()
    assert MEASURE in judged.read_text()
    assert "official rank" not in judged.read_text()


@pytest.mark.parametrize("measure", ["official", MEASURE])
def test_no_edit_changes_them(demo_db: Path, measure: str) -> None:
    with (
        Workspace.open(demo_db) as workspace,
        pytest.raises(CuratorError, match="which no edit changes"),
    ):
        workspace.impact([], measure=measure)


@pytest.mark.parametrize("measure", ["official", MEASURE])
def test_blind_judges_do_not_get_them(demo_db: Path, measure: str) -> None:
    with Workspace.open(demo_db) as workspace:
        workspace.set_up(blind=True)
    with (
        Workspace.open(demo_db, judge="Ann", as_judge=True) as workspace,
        pytest.raises(CuratorError),
    ):
        workspace.leaderboard(measure=measure)
