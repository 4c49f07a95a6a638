"""The official judgments and ranks, wherever a measure may stand."""

import json
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


def test_they_are_named_as_they_are_asked_for(demo_db: Path) -> None:
    shown = run("leaderboard", demo_db, "-m", MEASURE).stdout
    assert shown.startswith(f"{MEASURE} · judgment ≥ 2 · 3 queries · no grades needed")
    settings = json_of("leaderboard", demo_db, "-m", MEASURE)["settings"]
    assert (settings["measure"], settings["grader"]) == ("nDCG@10", "judgments")


@pytest.mark.parametrize("measure", ["official", MEASURE])
def test_no_edit_changes_them(demo_db: Path, measure: str) -> None:
    with (
        Workspace.open(demo_db) as workspace,
        pytest.raises(CuratorError, match="no edit changes their boards"),
    ):
        workspace.impact([], measure=measure)


def reversed_ranks(folder: Path, workspace: Workspace) -> Path:
    """A further official board: the first one upside down."""
    official = workspace.collection().official
    most = max(official.values())
    path = folder / "second.json"
    path.write_text(json.dumps({s: most + 1 - r for s, r in official.items()}))
    return path


def test_a_further_official_board_stands_beside_the_first_by_its_name(
    demo_db: Path, tmp_path: Path
) -> None:
    with Workspace.open(demo_db) as workspace:
        first = workspace.correlate("P@10")
        file = reversed_ranks(tmp_path, workspace)
    run("import", demo_db, "--official", file, "--official-name", "second")
    with Workspace.open(demo_db) as workspace:
        second = workspace.correlate("P@10", against="official:second")
        assert workspace.correlate("P@10") == first
        assert second.kendall == pytest.approx(-first.kendall)
        assert second.spearman == pytest.approx(-first.spearman)
        board = workspace.leaderboard("official:second")
        assert board.settings.measure == "official:second"
        best = max(workspace.collection().official.items(), key=lambda item: item[1])
        assert board.standings[0].system == best[0]
        with pytest.raises(CuratorError, match="Available: official, official:second"):
            workspace.leaderboard("official:third")


def test_scores_of_a_further_board_are_kept_and_a_bundle_has_it(
    demo_db: Path, tmp_path: Path
) -> None:
    scores = tmp_path / "second.tot"
    with Workspace.open(demo_db) as workspace:
        systems = workspace.collection().systems
    lines = [f"{s}\tMAP\tall\t{at / 10}\n" for at, s in enumerate(systems)]
    scores.write_text("".join(lines))
    run("import", demo_db, "--official", scores, "--official-name", "by MAP")
    run("export", demo_db, "--bundle", tmp_path / "b.zip")
    run("import", tmp_path / "again.db", "--bundle", tmp_path / "b.zip")
    for path in (demo_db, tmp_path / "again.db"):
        with Workspace.open(path) as workspace:
            board = workspace.collection().official_boards["by MAP"]
            assert board.scores == {s: at / 10 for at, s in enumerate(systems)}
            assert board.ranks[systems[-1]] == 1.0
            found = workspace.correlate("P@10", against="official:by MAP")
            assert found.systems == len(systems)
            assert workspace.verify().problems == ()


def test_a_judge_in_blind_mode_sees_no_official_board(
    demo_db: Path, tmp_path: Path
) -> None:
    with Workspace.open(demo_db) as workspace:
        file = reversed_ranks(tmp_path, workspace)
        workspace.import_(official=file, official_name="second")
        workspace.set_up(blind=True)
    with Workspace.open(demo_db, judge="bob", as_judge=True) as judge:
        assert judge.collection().official_boards == {}
        for measure in ("official", "official:second", MEASURE):
            with pytest.raises(CuratorError):
                judge.leaderboard(measure)
