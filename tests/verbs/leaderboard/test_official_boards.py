"""The official judgments and ranks, wherever a measure may stand."""

import json
from pathlib import Path

import ir_measures
import pytest

from curator.errors import CuratorError
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.workspaces import run_file

MEASURE = "judgments:nDCG@10"


@pytest.mark.parametrize("name", ["nDCG@10", "P(rel=2)@5", "AP(rel=2)", "RR(rel=2)"])
def test_scores_of_ir_measures(demo_db: Path, demo_folder: Path, name: str) -> None:
    qrels = [*ir_measures.read_trec_qrels(str(demo_folder / "judgments.qrels"))]
    measure = ir_measures.parse_measure(name)
    with Workspace.open(demo_db) as workspace:
        scores = workspace.scores(measure=f"judgments:{name}").scores
        board = workspace.leaderboard(measure=f"judgments:{name}")
        runs = workspace.runs()
    assert (board.complete, board.queries) == (True, 3)
    for system, ranked in runs.items():
        found = ir_measures.iter_calc([measure], qrels, ranked)
        theirs = {one.query_id: one.value for one in found}
        ours = {query: score for (of, query), score in scores.items() if of == system}
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert board.scores()[system] == pytest.approx(sum(ours.values()) / 3)


def reversed_ranks(folder: Path, workspace: Workspace) -> Path:
    """A further official board: the first one upside down."""
    official = workspace.collection().official
    most = max(official.values())
    path = folder / "second.json"
    path.write_text(json.dumps({s: most + 1 - r for s, r in official.items()}))
    return path


def test_a_further_official_board_has_a_name(demo_db: Path, tmp_path: Path) -> None:
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


def test_a_bundle_has_further_boards(demo_db: Path, tmp_path: Path) -> None:
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


def test_blind_judges_see_no_official_board(demo_db: Path, tmp_path: Path) -> None:
    with Workspace.open(demo_db) as workspace:
        file = reversed_ranks(tmp_path, workspace)
        workspace.import_(official=file, official_name="second")
        workspace.set_up(blind=True)
    with Workspace.open(demo_db, judge="bob", as_judge=True) as judge:
        assert judge.collection().official_boards == {}
        for measure in ("official", "official:second", MEASURE):
            with pytest.raises(CuratorError):
                judge.leaderboard(measure)


def test_overlapping_bars_are_counted(workspace: Workspace, tmp_path: Path) -> None:
    three = run_file(tmp_path / "three.run", {"q1": ["p0"], "q2": ["p3"]}, "three")
    four = run_file(tmp_path / "four.run", {"q1": ["p2"], "q2": ["p4"]}, "four")
    workspace.import_(runs=[three, four])
    # By hand: two and four are 1 ± 0, one 1/4 ± 1/4 touches three, 0 ± 0.
    assert workspace.leaderboard(measure="cover").overlapping_pairs() == 2
    alone = workspace.leaderboard(measure="cover", query_id="q1")
    assert alone.overlapping_pairs() is None  # no standard errors of one query
