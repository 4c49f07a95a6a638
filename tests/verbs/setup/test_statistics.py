"""The sizes of a collection, as papers print them."""

from __future__ import annotations

from dataclasses import asdict

from curator.bank.edits import Retire
from curator.workspace import Workspace
from tests.samples.command_line import json_of


def test_the_sizes_of_the_small_collection(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    statistics = json_of("status", workspace.path, "--statistics")
    # By hand: rankings of 2, 1, 2 and 1 passages; p1, p0 and p3 are judged, p1 from 2.
    assert statistics == {
        "queries": 2,
        "ranked_queries": 2,
        "systems": 2,
        "passages_per_ranking": 1.5,
        "queries_with_questions": 2,
        "questions": 2,
        "gold_articles": 0,
        "judged_queries": 2,
        "judged_subtopics": 0,
        "judged_passages": 3,
        "judged_relevant": 1,
    }


def test_judges_who_see_no_judgments_are_told_no_numbers_of_them(
    workspace: Workspace,
) -> None:
    workspace.set_up(blind=True)
    with Workspace.open(workspace.path, judge="bob", as_judge=True) as judge:
        statistics = asdict(judge.statistics())
    hidden = {name for name, number in statistics.items() if number is None}
    assert hidden == {name for name in statistics if name.startswith("judged_")}
