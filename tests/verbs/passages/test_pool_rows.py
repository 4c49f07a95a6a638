"""``pool``: labels, judgments, answers and ranks of a query's passages, and filters.

By hand, in small_collection's q1: p1 answers a with 5 and is judged 2, p2 answers a and
b with 4, p0 is ungraded and judged 1; system one retrieves p1, p0, two p2, p1.
"""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import Add, Retire
from curator.cli.passages import Show as ShowOfCommand
from curator.verbs.passages.pool_rows import PooledPassage, Show, filter_passages
from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage


def by_id(passages: tuple[PooledPassage, ...]) -> dict[str, PooledPassage]:
    return {one.passage_id: one for one in passages}


def ids(passages: tuple[PooledPassage, ...]) -> list[str]:
    return [one.passage_id for one in passages]


def test_passages_without_grades_are_unknown(workspace: Workspace) -> None:
    ungraded = by_id(workspace.pool("q1"))["p0"]
    assert (ungraded.label, ungraded.answered, ungraded.missing) == (None, None, 2)
    # Judged 1 of 2, so not relevant; without a label it is in neither filter.
    assert ungraded.relevant is False
    for show in ("relevant-unanswered", "nonrelevant-answered"):
        assert "p0" not in ids(filter_passages([ungraded], show))


def test_since_an_event_the_label_before_is_told(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    since = workspace.baselines("q1").last_edit
    found = workspace.pool("q1", since=since)
    # p1 had 5 by a alone and has b's 0 left; p2 keeps b's 4.
    assert {one.passage_id: (one.label_before, one.label) for one in found} == {
        "p1": (5, 0),
        "p2": (4, 4),
        "p0": (None, None),
    }
    assert ids(filter_passages(found, "changed")) == ["p1"]


def test_filters_by_judgment_and_answers(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    # p1, judged relevant, has b's 0 left.
    assert ids(filter_passages(workspace.pool("q1"), "relevant-unanswered")) == ["p1"]
    workspace.import_(judgments=_qrels(workspace.path.parent, "q1 0 p2 0\n"))
    assert ids(filter_passages(workspace.pool("q1"), "nonrelevant-answered")) == ["p2"]


def test_uncovered_passages_come_by_judgment_and_votes(tmp_path: Path) -> None:
    rows: list[tuple[str, int, int | None, dict[str, int]]] = [
        ("answers", 4, 3, {"one": 1}),
        ("judged-not", 0, 0, {"one": 2, "two": 1}),
        ("unranked", 0, None, {}),
        ("second", 0, None, {"one": 3}),  # 1/3
        ("first", 0, None, {"one": 4, "two": 3}),  # 1/4 + 1/3
        ("relevant", 0, 2, {}),
        ("highly", 0, 3, {}),
    ]
    passages = [
        graded_passage(name, "q", {"q/a": rating}, judgment=judgment, ranks=ranks)
        for name, rating, judgment, ranks in rows
    ]
    graded = graded_file(tmp_path / "graded.jsonl", {"q": passages})
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(autograder=graded, min_relevance=2)
        found = filter_passages(workspace.pool("q"), "uncovered")
        assert ids(found) == ["highly", "relevant", "first", "second"]
        workspace.apply([Add("q", "Why was it?"), Retire("q/a")])
        # Whose grades are not known may be covered.
        assert filter_passages(workspace.pool("q"), "uncovered") == ()
        workspace.undo()
        workspace.apply(Retire("q/a"))
        # Without a question nothing covers anything.
        found = filter_passages(workspace.pool("q"), "uncovered")
        assert ids(found) == ["answers", "highly", "relevant", "first", "second"]


def test_the_command_line_offers_every_way_to_show_passages() -> None:
    assert Show == ShowOfCommand


def _qrels(folder: Path, lines: str) -> Path:
    path = folder / "more.qrels"
    path.write_text(lines)
    return path
