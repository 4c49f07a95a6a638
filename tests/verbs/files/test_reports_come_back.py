"""Generated reports and TQA lessons come in, are judged, and go out as they came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import EvaluationError, ImportConflictError
from curator.workspace import Workspace
from tests.samples.files import as_jsonl, report_lines, written
from tests.samples.workspace_facts import assert_equal_workspaces
from tests.samples.workspaces import dump, graded_file, graded_passage, write_lines


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as opened:
        yield opened


def reports(folder: Path, lines: list[dict[str, object]], name: str = "r") -> Path:
    return written(folder, as_jsonl(lines), name)


def response(run_id: str, topic_id: str, text: str) -> dict[str, object]:
    metadata = {"run_id": run_id, "topic_id": topic_id}
    return {"metadata": metadata, "responses": [{"text": text}]}


def test_reports_go_out_byte_for_byte_and_come_back_equal(
    workspace: Workspace, tmp_path: Path
) -> None:
    # The runs alternate and the topics do not stand in order: neither is sorted.
    first = reports(tmp_path, [*report_lines(), response("a", "q0", "A.")], "1")
    other = reports(tmp_path, [response("run a", "q0", "B.")], "2")
    workspace.import_(reports=first)
    workspace.import_(reports=other)
    summary = workspace.export("reports", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == first.read_bytes() + other.read_bytes()
    assert (summary.written, summary.lost) == (5, ())
    again = tmp_path / "again.db"
    with Workspace.open(again, create=True) as second:
        second.import_(reports=tmp_path / "out")
        second.export("reports", tmp_path / "out2")
    assert_equal_workspaces(workspace.path, again)
    assert (tmp_path / "out2").read_bytes() == (tmp_path / "out").read_bytes()


def test_what_is_cited_is_graded_once_its_text_is_here_and_counts_for_nothing_else(
    workspace: Workspace, tmp_path: Path
) -> None:
    """By hand, at rating 4: rag answers both questions and cites what answers one."""
    line = response("rag", "q1", "Moon and sun.")
    line["responses"] = [{"text": "Moon and sun.", "citations": {"d1": 1.0, "d2": 0.5}}]
    report = reports(tmp_path, [line, response("bare", "q1", "Moon.")])
    graded = [
        graded_passage("a", "q1", {"q1/a": 5, "q1/b": 5}, text="Moon and sun."),
        graded_passage("b", "q1", {"q1/a": 5, "q1/b": 0}, text="Moon."),
        graded_passage("d1", "q1", {"q1/a": 4, "q1/b": 0}, text="The moon."),
    ]

    def bounds(measure: str) -> dict[str, tuple[float, float | None, float | None]]:
        board = workspace.leaderboard(measure=measure)
        return {s.system: (s.score, s.lower, s.upper) for s in board.standings}

    workspace.import_(
        reports=report,
        autograder=graded_file(tmp_path / "graded", {"q1": graded[:2]}),
    )
    assert bounds("supported-cover") == {"rag": (0, 0, 1), "bare": (0, 0, 0)}
    moon = [{"passage_id": "d1", "text": "The moon."}]
    (summary,) = workspace.import_(passages=write_lines(tmp_path / "texts", moon))
    assert summary.new["cited passages"] == 1
    labels = workspace.labels()
    workspace.import_(autograder=graded_file(tmp_path / "more", {"q1": graded[2:]}))
    assert workspace.labels() == labels
    assert "d1" not in labels["q1"]
    assert bounds("cover")["rag"] == (1, 1, 1)
    assert bounds("supported-cover") == {"rag": (0.5, 0.5, 1), "bare": (0, 0, 0)}
    assert bounds("citation-precision")["rag"] == (0.5, 0.5, 1)
    board = workspace.leaderboard(measure="supported-cover")
    assert any("without a text here: 1" in n for n in board.notes)
    # by hand: two questions of five passages, and d2's two grades are missing
    assert (board.known, board.needed) == (10, 12)


def test_other_texts_under_the_same_ids_are_refused_in_one_line(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.import_(reports=reports(tmp_path, [response("r", "q", "One. Two.")]))
    before = dump(workspace.path)
    changed = reports(tmp_path, [response("x", "q", "X."), response("r", "q", "")])
    with pytest.raises(ImportConflictError, match=r"^r, line 2: .*another answer"):
        workspace.import_(reports=changed)
    assert dump(workspace.path) == before


def test_in_blind_mode_no_judge_gets_the_systems_names(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.import_(reports=reports(tmp_path, report_lines()))
    workspace.set_up(blind=True)
    refused = pytest.raises(EvaluationError, match="blind")
    with Workspace.open(workspace.path, judge="bob", as_judge=True) as judge, refused:
        judge.export("reports", tmp_path / "out")
