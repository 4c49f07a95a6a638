"""Grades by words: what is needed is looked for, weighed as the collection was."""

from __future__ import annotations

import json

import pytest

from curator.bank.edits import Add, SetKey
from curator.store.connection import open_workspace
from curator.workspace import Workspace
from tests.samples.workspaces import (
    FakeEncoder,
    dump,
    graded_file,
    graded_passage,
    question_bank,
)


@pytest.fixture
def workspace(tmp_path):
    texts = {"p1": "It is oxygen.", "p2": "It is carbon dioxide.", "p3": "Rain."}
    passages = {
        "q1": [
            graded_passage(p, "q1", {}, text=text, ranks={p: 1})
            for p, text in texts.items()
        ]
    }
    bank = question_bank(
        tmp_path / "bank.jsonl",
        {"q1": {"q1/a": "Which gas?"}},
        answers={"q1/a": ["oxygen"]},
    )
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", passages), bank=bank
        )
        yield workspace


def ratings(workspace):
    snapshot = workspace.current_snapshot()
    return snapshot.matrix("lexical", "q1", snapshot.bank).ratings.tolist()


def frequencies(path):
    connection = open_workspace(path)
    rows = connection.execute("SELECT texts, by_stem FROM frequencies").fetchall()
    connection.close()
    return [(texts, json.loads(by_stem)) for texts, by_stem in rows]


def test_a_dry_run_leaves_nothing_and_a_grading_the_words_of_the_collection(workspace):
    before = dump(workspace.path)
    dry = workspace.grade("lexical", dry_run=True)
    assert dry.asked == 3
    assert dump(workspace.path) == before
    workspace.grade("lexical")
    assert ratings(workspace) == [[5, 0, 0]]
    # by hand: it and is are stop words
    assert frequencies(workspace.path) == [
        (3, {"oxygen": 1, "carbon": 1, "dioxid": 1, "rain": 1})
    ]
    assert workspace.verify().problems == ()


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (SetKey("q1/a", ("carbon dioxide",)), [[0, 5, 0]]),
        (SetKey("q1/a", ("rain", "oxygen")), [[5, 0, 5]]),
        (Add("q1", "It rains oxygen.", "nugget"), [[5, 0, 0], [2, 0, 2]]),
    ],
)
def test_an_edit_is_previewed_as_it_will_be_graded(workspace, edit, after):
    workspace.grade("lexical")
    settings = workspace.settings(grader="lexical", measure="cover")
    told = workspace.impact([edit], settings=settings)
    workspace.apply(edit)
    workspace.grade("lexical")
    assert ratings(workspace) == after
    assert told.boards[1].scores() == workspace.leaderboard(settings).scores()
    assert workspace.verify().problems == ()
    workspace.undo()
    assert workspace.grade("lexical").asked == 0
    assert ratings(workspace) == [[5, 0, 0]]


def test_the_instant_grader_keeps_sentences_and_previews_as_it_grades(
    workspace, tmp_path
):
    encoder = FakeEncoder()
    workspace.import_(autograder=two_sentences(tmp_path))
    workspace.grade("instant", encoder=encoder)
    # by hand: 4 passages, 1 question and the 2 sentences of one passage
    assert len(encoder.texts) == len(set(encoder.texts)) == 7
    settings = workspace.settings(grader="instant", measure="nDCG@10")
    for edit in (Add("q1", "Rain falls.", "nugget"), Add("q1", "Why?")):
        told = workspace.impact([edit], settings=settings, encoder=FakeEncoder())
        workspace.apply(edit)
        workspace.grade("instant", encoder=encoder)
        assert told.boards[1].scores() == workspace.leaderboard(settings).scores()
    assert len(encoder.texts) == 9
    assert workspace.verify().problems == ()
    workspace.export("bundle", tmp_path / "all.zip")
    with Workspace.open(tmp_path / "again.db", create=True) as again:
        again.import_bundle(tmp_path / "all.zip")
        assert again.leaderboard(settings).scores() == told.boards[1].scores()
        assert again.verify().problems == ()
        # The vectors are those of embedding, but for the sentences'.
        again.grade("embedding", encoder=FakeEncoder(fails_at_call=0))


def two_sentences(folder):
    text = "It is gas. Snow falls."
    passage = graded_passage("p4", "q1", {}, text=text, ranks={"p4": 1})
    return graded_file(folder / "two.jsonl", {"q1": [passage]})
