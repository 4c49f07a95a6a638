"""What tables say of themselves: settings, singulars, and votes by their question."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Vote
from curator.errors import EditError, InputFileError
from curator.formats.gold import read_gold
from curator.tables.files import counted_kind
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import question_bank, small_workspace
from tests.snapshot.test_gold_articles import gold_file, gold_grades


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The small workspace, on one question of which two judges differ."""
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Vote("q1/a", "vital"), by="ann")
        workspace.apply(Vote("q1/a", "okay"), by="bob")
        return workspace.path


def test_nuggets_are_counted_as_nuggets(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    for kind, many in {"nugget": 2, "question": 1}.items():
        bank = question_bank(
            tmp_path / f"{kind}.jsonl",
            {"q1": {f"q1/{kind}{n}": f"A {kind} {n}." for n in range(many)}},
            kind=kind,
        )
        new = run("import", workspace, "--bank", bank).stdout
        assert f"{many} {kind}{'s' if many > 1 else ''}\n" in new
    status = run("status", workspace).stdout
    assert "1 query, 1 question, 2 nuggets, 3 kept," in status
    assert "0 of 1 queries done, 3 kept" in status


def test_several_correlations_say_what_each_board_rests_on(path: Path) -> None:
    boards = ("-m", "cover", "-m", "P@1", "-m", "judgments:P@1")
    lines = run("correlate", path, *boards, "-k", 7).stdout.splitlines()
    assert lines[0].startswith("cover of the first 7 · ")
    assert lines[0].endswith(" · rating ≥ 4")
    assert lines[1].startswith("P@1 · ")
    assert lines[2] == "judgments:P@1 · judgment ≥ 2"
    assert lines[3].split() == [
        *("measure", "against", "systems", "spearman", "kendall", "tau_ap"),
        "tau_top10",
    ]


@pytest.mark.parametrize("boards", [("-m", "cover"), ("-m", "cover", "-m", "P@1")])
def test_random_ties_are_named(path: Path, boards: tuple[str, ...]) -> None:
    said = "ties at random · mean and SD of 10 repeats · seed 0"
    assert said in run("correlate", path, *boards, "--ties", "random").stdout
    assert "ties" not in run("correlate", path, *boards).stdout
    tsv = run("correlate", path, *boards, "--ties", "random", "--format", "tsv")
    assert said not in tsv.stdout


def test_a_sweep_says_how_deep_a_measure_looks(path: Path) -> None:
    first = run("sweep", path, "-m", "cover", "-m", "P@1", "-k", 7).stdout.split(" · ")
    assert first[0] == "cover of the first 7, P@1"


def test_every_vote_is_a_line(path: Path) -> None:
    tsv = run("judges", path, "--votes", "--format", "tsv").stdout
    assert tsv.splitlines() == [
        "query\tid\tquestion\tjudge\tvote",
        "q1\tq1/a\tWhy is it?\tann\tvital",
        "q1\tq1/a\tWhy is it?\tbob\tokay",
    ]
    found = json_of("judges", path, "--votes")
    assert [(one["question_id"], one["judge"], one["vote"]) for one in found] == [
        ("q1/a", "ann", "vital"),
        ("q1/a", "bob", "okay"),
    ]


def test_the_history_has_a_votes_question(path: Path) -> None:
    shown = run("history", path).stdout
    assert "vital: Why is it?" in shown
    assert "vital: q1/a" not in shown


def test_one_question_and_one_vote_are_no_plurals(path: Path) -> None:
    shown = run("judges", path).stdout
    assert "1 of 3 kept questions has a vote" in shown
    assert "over 1 question with two votes or more, 0 of them unanimous" in shown
    assert "1 question on which votes differ" in shown


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("queries done", "1 query done"),
        ("gold articles", "1 gold article"),
        ("passages without text", "1 passage without text"),
        ("kept", "1 kept"),
    ],
)
def test_one_of_what_is_counted(many: str, one: str) -> None:
    assert counted_kind(1, many) == one
    assert counted_kind(1200, many) == f"1,200 {many}"


def test_an_exports_notes_name_their_measure_once(path: Path, tmp_path: Path) -> None:
    run("import", path, "--gold", gold_file(tmp_path))
    run("import", path, "--autograder", gold_grades(tmp_path))
    board = "--leaderboard", tmp_path / "board.tsv", "--measure", "cover"
    notes = run("export", path, *board, "--allow-partial").stderr.splitlines()
    name = "rouge-1-f1(joined,gold)"
    about_rouge = [note for note in notes if name in note]
    assert about_rouge
    assert {note.count(name) for note in about_rouge} == {1}


def test_an_empty_span_is_said_to_be_one(tmp_path: Path) -> None:
    said = "are empty: the end is not included"
    with small_workspace(tmp_path) as workspace, pytest.raises(EditError, match=said):
        workspace.mark_ideals("q1", "p1", [(5, 5)])


def test_a_bad_line_among_gold_articles_makes_no_queries_of_them(
    tmp_path: Path,
) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text('{"query_id": "q1", "text": "Tides."}\n{"query_id": "q2"}\n')
    with pytest.raises(InputFileError, match="line 2") as error:
        read_gold(file)
    assert "looks like" not in str(error.value)
