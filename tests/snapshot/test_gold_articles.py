"""Gold articles in a workspace: graded like responses, and counted as none.

By hand, of small_collection with the articles below: Cover at rating 4 is 1/2 and 0 for
system one, 1 and 1 for two; the article of q1 answers one of two questions, that of q2
its only one. So gold is 3/4 on the mean, one 1/4 and two 1.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.errors import EvaluationError, ImportConflictError
from curator.tables.leaderboard import leaderboard_table
from curator.tables.table import html_of
from curator.workspace import Workspace
from tests.samples.workspaces import (
    boards_of,
    dump,
    graded_file,
    graded_passage,
    one_graded,
    small_workspace,
    write_lines,
)

GOLD = "gold/q1/1"


def gold_file(folder: Path, *, first: str = "Gold of q1.") -> Path:
    return write_lines(
        folder / "gold.jsonl",
        [{"query_id": "q1", "text": first}, {"query_id": "q2", "text": "Gold of q2."}],
    )


def gold_grades(folder: Path) -> Path:
    """What the same grader says of the articles."""
    return graded_file(
        folder / "gold_graded.jsonl",
        {
            "q1": [
                graded_passage(GOLD, "q1", {"q1/a": 5, "q1/b": 0}, text="Gold of q1.")
            ],
            "q2": [graded_passage("gold/q2/1", "q2", {"q2/c": 5}, text="Gold of q2.")],
        },
    )


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Workspace]:
    with small_workspace(tmp_path) as opened:
        yield opened


@pytest.fixture
def workspace(plain: Workspace, tmp_path: Path) -> Workspace:
    plain.import_(gold=gold_file(tmp_path))
    plain.import_(autograder=gold_grades(tmp_path))
    return plain


def exported(workspace: Workspace, kind: str, folder: Path) -> str:
    target = folder / f"exported-{kind}"
    workspace.export(kind, target, measure="cover", allow_partial=True)
    return target.read_text()


def test_importing_again_changes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    before = dump(workspace.path)
    (summary,) = workspace.import_(gold=gold_file(tmp_path))
    assert summary.new == {}
    assert dump(workspace.path) == before


def test_another_article_of_a_query_is_refused_in_one_line(
    workspace: Workspace, tmp_path: Path
) -> None:
    before = dump(workspace.path)
    with pytest.raises(ImportConflictError) as error:
        workspace.import_(gold=gold_file(tmp_path, first="Another text."))
    assert "query 'q1' has another gold article" in str(error.value)
    assert "\n" not in str(error.value)
    assert dump(workspace.path) == before


def test_articles_count_for_nothing_but_themselves(
    plain: Workspace, tmp_path: Path
) -> None:
    def seen() -> object:
        files = [exported(plain, kind, tmp_path) for kind in ("qrels", "autograder")]
        listed = [one for q in ("q1", "q2") for one in plain.pool(q)]
        influences = [line.influence for line in plain.questions()]
        agreement = plain.agreement(min_rating=4).agreement
        board = plain.leaderboard()
        by_grader = [(g.name, g.known, g.needed) for g in plain.graders()]
        impact = plain.impact(edits=[Retire("q1/a")])
        labels = [(one.passage_id, one.before, one.after) for one in impact.labels]
        passages = plain.status().counts["pooled"]
        state = boards_of(plain)
        del state["pools"], state["judgments"]  # of passages, the articles' too
        return (
            *(files, listed, influences, agreement, board.overall, by_grader),
            *(labels, passages, state),
        )

    before = seen()
    plain.import_(gold=gold_file(tmp_path))
    plain.import_(autograder=gold_grades(tmp_path))
    assert GOLD in plain.collection().pools["q1"].passage_ids
    assert seen() == before
    assert plain.status().counts["gold_articles"] == 2


def test_the_board_by_hand(workspace: Workspace) -> None:
    board = workspace.leaderboard(measure="n-exam")
    two, one = board.standings
    assert (one.system, two.system) == ("one", "two")
    assert (one.score, two.score) == pytest.approx((1 / 3, 4 / 3))
    # SE of (1/2, 0) is 1/4, over 3/4; one's EXAM of 1/4 is below 3/4 - 1/4.
    assert one.stderr == pytest.approx(1 / 3)
    assert (one.star, two.star) == (False, True)
    # p0, ungraded, may answer q1/b for one, and q1 asks two grades of it.
    assert (one.lower, one.upper) == pytest.approx((1 / 3, 2 / 3))
    # 8 pairs of small_collection's pools, 2 of them unknown, and 3 of the articles
    assert (board.needed, board.known) == (11, 9)


def test_scores_by_query_have_the_board_as_their_mean(workspace: Workspace) -> None:
    scores = workspace.scores(measure="n-exam").scores
    # by hand: 1/2 over the mean gold of 3/4
    assert scores["one", "q1"] == pytest.approx(2 / 3)
    assert scores["two", "q2"] == pytest.approx(4 / 3)


def test_articles_without_grades_are_unknown_and_not_zero(
    plain: Workspace, tmp_path: Path
) -> None:
    plain.import_(gold=gold_file(tmp_path))
    board = plain.leaderboard(measure="n-exam")
    assert not board.standings
    assert "as far as they are graded" in board.notes[0]
    with pytest.raises(EvaluationError, match="as far as they are graded"):
        plain.scores(measure="n-exam")


def test_without_articles_there_is_one_sentence(plain: Workspace) -> None:
    board = plain.leaderboard(measure="n-exam")
    assert board.standings == ()
    (note,) = board.notes
    assert note.startswith("n-EXAM needs gold articles")


def test_what_a_question_does_is_told_without_its_effect_on_the_articles(
    workspace: Workspace,
) -> None:
    settings = workspace.settings(measure="n-exam")
    (what_if, _) = workspace.what_ifs("q1", settings)
    assert what_if.movers is None
    assert workspace.questions(settings=settings)[0].influence is not None
    after = workspace.impact([Retire("q1/a")], settings=settings)
    # by hand: left are q1/b, which gold does not answer, and q2/c: gold 1/2 on the mean
    assert {m.system: m.score_after for m in after.moves} == {"one": 0.0, "two": 2.0}


def test_the_exported_board_has_the_columns_of_n_exam_and_rouge(
    workspace: Workspace, tmp_path: Path
) -> None:
    lines = exported(workspace, "leaderboard", tmp_path).splitlines()
    rows = {row[0]: row for row in csv.reader(lines, delimiter="\t")}
    assert rows["two"][:8] == [
        *("two", "1.0000", "+/-", "0.0000", "1.3333", "+/-", "0.0000", "1"),
    ]
    assert rows["one"][4:7] == ["0.3333", "+/-", "0.3333"]
    assert rows["spearman"][4] == "1.0000"
    assert rows["method"][8:] == [
        *("rouge-1-f1(joined,gold)", "+/-", "rouge-1-f1(joined,gold)-std")
    ]
    assert rows["one"][8]
    assert {len(row) for row in rows.values()} == {11}


def test_a_board_without_articles_is_exported_as_before(
    plain: Workspace, tmp_path: Path
) -> None:
    lines = exported(plain, "leaderboard", tmp_path).splitlines()
    assert lines[0].endswith("orig_TREC_leaderboard_rank")
    assert lines[2].split("\t")[4:7] == ["", "+/-", ""]


def test_missing_grades_of_articles_leave_the_columns_empty(
    plain: Workspace, tmp_path: Path
) -> None:
    plain.import_(
        gold=gold_file(tmp_path),
        autograder=one_graded(
            tmp_path / "more.jsonl",
            "p0",
            "q1",
            {"q1/a": 0, "q1/b": 0},
            text="Text of p0.",
        ),
    )
    target = tmp_path / "board.tsv"
    summary = plain.export("leaderboard", target, measure="cover")
    assert target.read_text().splitlines()[2].split("\t")[4:7] == ["", "+/-", ""]
    assert any("3 grades are missing" in notice for notice in summary.notices)


def test_the_page_marks_who_is_comparable_to_gold(workspace: Workspace) -> None:
    board = workspace.leaderboard(measure="n-exam")
    page = html_of(leaderboard_table(board), "c-full")
    assert "⋆</i>1.3333" in page
    assert page.count("⋆") == 1


def test_an_article_that_a_system_returns_keeps_its_place(
    workspace: Workspace, tmp_path: Path
) -> None:
    run = tmp_path / "gold.run"
    run.write_text("q1 Q0 gold/q1/1 1 1.0 writer\nq2 Q0 gold/q2/1 1 1.0 writer\n")
    workspace.import_(runs=run)
    board = workspace.leaderboard(measure="n-exam")
    (writer,) = [one for one in board.standings if one.system == "writer"]
    assert (writer.score, writer.star) == (1.0, True)
    assert GOLD in exported(workspace, "qrels", tmp_path)
    assert GOLD in {one.passage_id for one in workspace.pool("q1")}


def test_an_article_brought_before_the_rest_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        (summary,) = workspace.import_(gold=gold_file(tmp_path))
        assert summary.new["queries"] == 2
        pool = workspace.collection().pools["q1"]
        assert (pool.gold, pool.gold_only) == ((0,), (0,))
        assert json.dumps(pool.counted) == "[]"


def test_the_board_has_a_row_of_the_articles_themselves(
    workspace: Workspace, tmp_path: Path
) -> None:
    board = workspace.leaderboard(measure="n-exam")
    # By hand: the articles answer 1 of 2 questions and 1 of 1.
    assert board.gold_exam == pytest.approx(3 / 4)
    table = leaderboard_table(board)
    at = [table.headings.index(one) for one in ("system", "n-exam", "exam")]
    rows = [[row[i] for i in at] for row in table.cells]
    assert rows[0] == ["two", pytest.approx(4 / 3), pytest.approx(1)]
    assert rows[-1] == ["gold articles", 1, pytest.approx(3 / 4)]
    assert table.value["gold_exam"] == board.gold_exam
    assert "system:gold articles" not in html_of(table, "c-full")
    lines = exported(workspace, "leaderboard", tmp_path).splitlines()
    (gold,) = [line.split("\t") for line in lines if line.startswith("_gold_")]
    assert (gold[1], gold[4]) == ("0.7500", "1.0000")


def test_questions_say_whether_the_article_answers_them(workspace: Workspace) -> None:
    lines = {line.question.question_id: line for line in workspace.questions()}
    assert {name: line.gold for name, line in lines.items()} == {
        "q1/a": True,
        "q1/b": False,  # too hard for the grader, or off topic
        "q2/c": True,
    }


def test_an_article_without_grades_says_nothing_of_questions(
    plain: Workspace, tmp_path: Path
) -> None:
    plain.import_(gold=gold_file(tmp_path))
    assert {line.gold for line in plain.questions()} == {None}
