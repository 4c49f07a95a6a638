"""``report``: what it says is what the other verbs say, and what is missing says so."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from curator.verbs.files.report.examples import (
    marked,
)
from curator.workspace import Workspace
from tests.samples.workspaces import (
    one_graded,
    question_bank,
)


def workspace_of(folder, **files):
    workspace = Workspace.open(folder / "made.db", create=True, judge="ann")
    if files:
        workspace.import_(**files)
    return workspace


def test_boards_correlations_and_agreement_are_those_of_the_verbs(workspace):
    report = workspace.report(measure="P@20")
    assert report.boards[0] == workspace.leaderboard(measure="P@20")
    measures = [board.settings.measure for board in report.boards]
    assert measures == ["P@20", "cover", "nDCG@10"]
    found = workspace.correlate(measure="P@20")
    first = report.correlations[0]
    assert (first.against, first.correlation.kendall) == ("official", found.kendall)
    assert report.agreement == workspace.agreement().tables
    ((_, _, agreement),) = report.kappas
    assert agreement.kappa == workspace.agreement().agreement.kappa


def test_labels_are_those_of_the_qrels(workspace, tmp_path):
    workspace.export("qrels", tmp_path / "x.qrels", allow_partial=True)
    lines = (tmp_path / "x.qrels").read_text().splitlines()
    written = Counter(int(line.split()[3]) for line in lines)
    report = workspace.report()
    assert report.labels == written == {5: 2, 4: 1, 0: 1}
    assert report.unlabelled == 1  # p0, of which no grade is known


def test_the_fingerprint_is_that_of_a_release_made_now(workspace):
    report = workspace.report()
    made = workspace.release("v1", allow_partial=True)
    assert report.sha256 == made.sha256
    (drift,) = workspace.report().releases
    assert (drift.record, drift.labels) == (made, ())


def test_an_example_is_the_best_passage_of_the_question_of_median_reach(workspace):
    # by hand: in q1 b is answered by one passage and a by two; of two the lower
    # is the median, so b with p2; in q2 only c
    found = workspace.report().examples
    assert [(one.question, one.passage_id, one.reach) for one in found] == [
        ("How is it?", "p2", 1),
        ("When is it?", "p4", 1),
    ]
    texts = [one.before + one.marked + one.after for one in found]
    assert texts == ["Text of p2.", "Text of p4."]


TEXT = "Rain fell. The dam broke in May. Then rain and the dam made a flood."


@pytest.mark.parametrize(
    ("question", "answer", "key", "words", "how"),
    [
        ("When?", "in May", ("flood",), "in May", "answer"),
        ("When?", "in June", ("flood",), "flood", "key"),
        ("When?", None, ("flood",), "flood", "key"),
        # what is known of the answer decides, in whatever form it stands there
        ("Did it rain?", None, ("floods made by rain",), TEXT[33:], "answer words"),
        ("Did it rain?", "a broken dam, in May", (), TEXT[11:32], "answer words"),
        # rain and dam stand together in the last sentence alone
        ("Did rain reach the dam?", None, (), TEXT[33:], "words"),
        ("Who broke bread?", None, (), None, "none"),  # one word shared is too few
        ("Floods?", None, (), TEXT[33:], "words"),  # of one there is only one
        ("Was soll das?", None, (), None, "none"),
        ("", None, (), None, "none"),
    ],
)
def test_the_marked_words_are_the_surest_there_are(question, answer, key, words, how):
    span, found = marked(TEXT, question, answer, key)
    assert found == how
    assert (None if span is None else TEXT[slice(*span)]) == words


EMPTY = {
    "an empty workspace": lambda folder: {},
    "one system, all tied": lambda folder: {
        "bank": question_bank(folder / "b.jsonl", {"q": {"q/a": "Why?"}}),
        "autograder": one_graded(
            folder / "g.jsonl", "p", "q", {"q/a": 0}, ranks={"one": 1}
        ),
    },
}


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_missing_says_so_in_a_sentence(name, tmp_path):
    with workspace_of(tmp_path, **EMPTY[name](tmp_path)) as workspace:
        report = workspace.report()
        for part in ("boards", "correlations", "examples", "agreement"):
            assert bool(report.missing.get(part)) != bool(getattr(report, part))
        workspace.export("report", tmp_path / "x.html")
        page = (tmp_path / "x.html").read_text()
        assert not re.search(r"\b(nan|inf|None|Undefined)\b(?! is known)", page)


def test_a_judge_in_blind_mode_gets_no_names_and_no_judgments(workspace):
    workspace.set_up(blind=True)
    workspace.release("v1", allow_partial=True)
    with Workspace.open(workspace.path, judge="bob", as_judge=True) as blind:
        report = blind.report()
        systems = {row.system for row in report.boards[0].standings}
        assert systems == {"System 1", "System 2"}
        assert (report.official, report.collection["judged"]) == ({}, 0)
        assert report.blind
