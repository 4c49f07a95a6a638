"""Without grades ROUGE has boards all the same, and passages can be read and marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.marks import Ideal
from curator.workspace import Workspace
from tests.samples.workspaces import run_file, write_lines
from tests.web.conftest import OpenApp, page_html, settings


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Systems one and two retrieve p1 and p2 of a query; nobody graded anything."""
    folder = tmp_path_factory.mktemp("ungraded")
    passages = write_lines(
        folder / "passages.jsonl",
        [
            {"query_id": "q1", "passage_id": "p1", "text": "Leaves turn red."},
            {"query_id": "q1", "passage_id": "p2", "text": "Snow falls."},
        ],
    )
    (folder / "runs").mkdir()
    run_file(folder / "runs" / "one.run", {"q1": ["p1"]}, "one")
    run_file(folder / "runs" / "two.run", {"q1": ["p2"]}, "two")
    queries = write_lines(
        folder / "queries.jsonl", [{"query_id": "q1", "text": "What turns red?"}]
    )
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(queries=queries, passages=passages, runs=folder / "runs")
    return folder / "w.db"


def test_passages_are_there_to_be_read_and_boards_say_what_rouge_needs(
    open_app: OpenApp, path: Path
) -> None:
    html = page_html(open_app(path, "judge/page.py"))
    assert "Leaves turn red." in html
    assert "one at 1" in html
    assert "No grades yet" in html
    html = page_html(open_app(path, "results/page.py"))
    assert "ROUGE needs none, but ideal answers" in html


@pytest.mark.parametrize(
    "page",
    [
        "results/page",
        "results/compare/page",
        "results/compare/system",
    ],
)
def test_with_an_ideal_answer_there_is_a_board(
    open_app: OpenApp, path: Path, page: str
) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        if not workspace.bank().ideals_of("q1"):
            workspace.mark_ideals("q1", "p1", [(0, None)], marked=True)
        assert workspace.bank().ideals_of("q1") == (Ideal("p1"),)
    app = open_app(path, f"{page}.py", measure="rouge-2-f1", system="one")
    html = page_html(app)
    assert "rouge-2-f1 · no grader · top 20" in html
    assert "1.000" in html  # p1 is the ideal answer itself
    chosen = settings(app)
    assert (chosen["measure"], chosen["k"]) == ("rouge-2-f1", "20")
    assert "grader" not in chosen
    assert ">cover<" not in html
