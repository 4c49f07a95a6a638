"""What a format has no place for is counted, and only what is there."""

from __future__ import annotations

import json
import sqlite3

from curator.formats.codec import THINGS
from curator.store.counts import read_counts
from curator.workspace import Workspace
from tests.samples.workspaces import (
    one_graded,
    write_lines,
)


def lost(workspace: Workspace, kind: str) -> tuple[str, ...]:
    return workspace.dropped(kind)


def test_losses_are_counted_in_plain_words(workspace):
    # by hand, of small_collection: what a bank holds is not among them
    assert lost(workspace, "bank") == (
        "5 passage texts",
        "4 rankings",
        "3 judgments",
        "2 official ranks",
        "the judgment from which a passage is relevant",
        "grades of 1 grader",
        "1 model's own words",
    )


def test_each_format_carries_its_own(workspace):
    others = set(lost(workspace, "answers"))
    for kind, thing in (
        ("queries", "2 query texts"),
        ("passages", "5 passage texts"),
        ("runs", "4 rankings"),
        ("judgments", "3 judgments"),
        ("leaderboard", "2 official ranks"),
    ):
        assert others - set(lost(workspace, kind)) == {thing}


def test_unknown_fields_are_lost_to_every_other_format(tmp_path, workspace):
    query = {"query_id": "q1", "text": "What of q1?", "mood": "cheerful"}
    workspace.import_(queries=write_lines(tmp_path / "more.jsonl", [query]))
    assert "the unknown fields of 1 record" in lost(workspace, "bank")
    assert "the unknown fields of 1 record" not in lost(workspace, "queries")


def test_everything_counted_has_its_words(workspace):
    connection = sqlite3.connect(workspace.path)
    assert read_counts(connection).keys() <= THINGS.keys()
    connection.close()


def test_a_text_of_no_pool_is_lost_to_graded_passages(tmp_path, workspace):
    more = [{"passage_id": "p9", "text": "Of nobody."}]
    gold = [{"query_id": "q1", "passage_id": "g", "text": "Of an article."}]
    workspace.import_(
        passages=write_lines(tmp_path / "more.jsonl", more),
        gold=write_lines(tmp_path / "gold.jsonl", gold),
    )
    said = "1 text of a passage in no pool"
    assert said in workspace.export("autograder", tmp_path / "g.out").lost
    # where no text is carried, it is one of them: 5, this one and the article's
    assert said not in lost(workspace, "bank")
    assert "7 passage texts" in lost(workspace, "bank")
    assert said not in lost(workspace, "passages")


def test_a_title_that_judgments_state_otherwise_is_lost_and_they_stay(tmp_path):
    graded = one_graded(tmp_path / "g.jsonl", "p", "q1", {}, judgment=1)
    line = json.loads(graded.read_text())
    line[1][0]["paragraph_data"]["judgments"][0]["titleQuery"] = "Another?"
    queries = write_lines(tmp_path / "q.jsonl", [{"query_id": "q1", "text": "Why?"}])
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(queries=queries, autograder=write_lines(graded, [line]))
        summary = workspace.export("autograder", tmp_path / "out.jsonl")
    assert '"titleQuery": "Another?"' in (tmp_path / "out.jsonl").read_text()
    assert summary.lost == ("1 query text",)
