"""Gold articles in a workspace: graded like responses, and counted as none.

By hand, of small_collection with the articles below: Cover at rating 4 is 1/2 and 0 for
system one, 1 and 1 for two; the article of q1 answers one of two questions, that of q2
its only one. So gold is 3/4 on the mean, one 1/4 and two 1.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.errors import ImportConflictError
from curator.workspace import Workspace
from tests.samples.workspaces import (
    boards_of,
    dump,
    graded_file,
    graded_passage,
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
    ratings = {"q1": {"q1/a": 5, "q1/b": 0}, "q2": {"q2/c": 5}}
    articles = {
        query: [graded_passage(f"gold/{query}/1", query, of, text=f"Gold of {query}.")]
        for query, of in ratings.items()
    }
    return graded_file(folder / "gold_graded.jsonl", articles)


@pytest.fixture
def with_gold(workspace: Workspace, tmp_path: Path) -> Workspace:
    workspace.import_(gold=gold_file(tmp_path))
    workspace.import_(autograder=gold_grades(tmp_path))
    return workspace


def exported(workspace: Workspace, kind: str, folder: Path) -> str:
    target = folder / f"exported-{kind}"
    workspace.export(kind, target, measure="cover", allow_partial=True)
    return target.read_text()


def test_another_article_of_a_query_is_refused_in_one_line(
    with_gold: Workspace, tmp_path: Path
) -> None:
    before = dump(with_gold.path)
    with pytest.raises(ImportConflictError) as error:
        with_gold.import_(gold=gold_file(tmp_path, first="Another text."))
    assert "query 'q1' has another gold article" in str(error.value)
    assert "\n" not in str(error.value)
    assert dump(with_gold.path) == before


def test_articles_count_for_nothing_but_themselves(
    workspace: Workspace, tmp_path: Path
) -> None:
    def seen() -> object:
        files = [
            exported(workspace, kind, tmp_path) for kind in ("qrels", "autograder")
        ]
        listed = [one for q in ("q1", "q2") for one in workspace.pool(q)]
        influences = [line.influence for line in workspace.questions()]
        agreement = workspace.agreement(min_rating=4).agreement
        board = workspace.leaderboard()
        by_grader = [(g.name, g.known, g.needed) for g in workspace.graders()]
        impact = workspace.impact(edits=[Retire("q1/a")])
        labels = [(one.passage_id, one.before, one.after) for one in impact.labels]
        passages = workspace.status().counts["pooled"]
        state = boards_of(workspace)
        del state["pools"], state["judgments"]  # of passages, the articles' too
        return (
            *(files, listed, influences, agreement, board.overall, by_grader),
            *(labels, passages, state),
        )

    before = seen()
    workspace.import_(gold=gold_file(tmp_path))
    workspace.import_(autograder=gold_grades(tmp_path))
    assert GOLD in workspace.collection().pools["q1"].passage_ids
    assert seen() == before
    assert workspace.status().counts["gold_articles"] == 2


def test_the_board_by_hand(with_gold: Workspace) -> None:
    board = with_gold.leaderboard(measure="n-exam")
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
