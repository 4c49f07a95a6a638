"""What docs/exam-2021.md and docs/flan-t5-exam-2024.md print is what commands print."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.samples.command_line import run

DOCS = Path(__file__).parents[2] / "docs"


def printed(*arguments: str) -> str:
    """What the command prints, its notes last, indented as in the pages."""
    result = run(*arguments)
    lines = (result.stdout + result.stderr).splitlines()
    return "".join(f"    {line}\n" if line else "\n" for line in lines)


@pytest.fixture
def in_a_copy_of_the_demo(
    instant_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The demo workspace as demo.db in the working directory, as the pages have it."""
    shutil.copy(instant_demo, tmp_path / "demo.db")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_a_copy_of_the_demo")
def test_the_board_of_n_exam(demo_folder: Path) -> None:
    printed("import", "demo.db", "--gold", str(demo_folder / "gold.jsonl"))
    printed("grade", "demo.db")
    page = (DOCS / "exam-2021.md").read_text()
    assert printed("leaderboard", "demo.db", "--measure", "n-exam") in page

    printed("export", "demo.db", "--leaderboard", "board.tsv", "--measure", "cover")
    cells = [line.split("\t") for line in Path("board.tsv").read_text().splitlines()]
    for line in cells[2:-2]:
        system, exam, _, stderr, n_exam, *_, rank, rouge = line[:9]
        row = f"| {system} | {exam} | {stderr} | {n_exam} | {rouge} | {rank} |\n"
        assert row in page
    for name, exam, _, _, n_exam, *_, rouge in (line[:9] for line in cells[-2:]):
        row = f"| {name.title()} | {exam} | | {n_exam} | {rouge} | |\n"
        assert row.replace(" 0.", " .").replace("-0.", "−.") in page


@pytest.mark.usefixtures("in_a_copy_of_the_demo")
def test_the_walk_on_the_demo() -> None:
    page = (DOCS / "flan-t5-exam-2024.md").read_text()
    cover = ("demo.db", "--measure", "cover")
    options = ("--query", "autumn-leaves", "--subtopic", "pigments")
    assert f"curator leaderboard {' '.join((*cover, *options))}`" in page
    assert printed("leaderboard", *cover, *options) in page

    assert printed("coverage", "demo.db") in page

    retired = "autumn-leaves/pigments/6a6d40933c80b153e9c87b45ffbe6047"
    assert f"--retire {retired}" in page
    impact = printed("impact", *cover, "--retire", retired)
    assert "1 label changes, 0 systems move" in impact
    rows = {line.split()[0]: line.split() for line in impact.splitlines()}
    for system in ("hybrid-rerank", "bm25"):
        before, after = (rows[system][at].removeprefix("0") for at in (3, 4))
        assert f"`{system}` {before} → {after}" in page
    tables = printed("agreement", "demo.db", "--tables")
    lenient, strict = (
        next(x for x in tables.splitlines() if x.split()[:1] == [name]).split()[-1]
        for name in ("1+2+3+4+5", "4+5")
    )
    said = f"is {lenient.removeprefix('0')} leniently and {strict.removeprefix('0')}"
    assert said in page
