"""Long passages are graded by their segments, and count as the documents they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.edits import Retire
from curator.evaluation.grades import best_of_segments
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer
from tests.samples.workspaces import collection_files

CHAT = "chat:test-model"


def paragraph(about: str) -> str:
    """100 words, in sentences of 10: two of them do not fit into one segment."""
    return " ".join([f"{about} is what this says of it, and no more."] * 10)


LONG = "\n\n".join(map(paragraph, ("Rain", "Snow", "Hail")))
SHORT = "Snow is cold."


def digit_of(prompt: str) -> str:
    """Whether the passage has the word asked for: 5 in a long one, 4 in a short one."""
    word = re.search(r"What of (\w+)\?", prompt)[1]
    passage = prompt.replace(f"What of {word}?", "")
    if word not in passage:
        return "0"
    return "4" if "cold" in passage else "5"


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with ChatServer(answer=digit_of) as server:
        server.lead(monkeypatch)
        yield server


def files_of(folder: Path, passages: dict[str, str]) -> dict[str, Path]:
    """One run of d, then s; another of s, then x, whose text is not to be had."""
    questions = {"q1/a": "What of Snow?", "q1/b": "What of Hail?", "q1/c": "What of X?"}
    return collection_files(
        folder,
        passages=passages,
        questions={"q1": questions},
        runs={"one": {"q1": ["d", "s"]}, "two": {"q1": ["s", "x"]}},
        judgments="q1 0 d 2\nq1 0 s 0\n",
    )


def made(folder: Path, *, segmented: bool, **passages: str) -> Workspace:
    files = files_of(folder, passages or {"d": LONG, "s": SHORT})
    workspace = Workspace.open(folder / "w.db", create=True, judge="ann")
    workspace.import_(**files, min_relevance=2, segmented=segmented)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with made(tmp_path / "w", segmented=True) as workspace:
        yield workspace


def test_segments_stand_in_the_pool_and_not_among_its_passages(workspace):
    pool = workspace.collection().pools["q1"]
    assert pool.passage_ids == ("d", "s", "d#1", "d#2", "d#3")
    assert pool.counted == ("d", "s")
    assert pool.segments == {0: (2, 3, 4)}
    texts = workspace.passage_texts(["d", "d#1", "d#2", "d#3"])
    assert texts["d"] == LONG
    assert "\n\n".join(texts[f"d#{i}"] for i in (1, 2, 3)) == LONG
    counts = workspace.status().counts
    assert (counts["passages"], counts["pooled"], counts["segments"]) == (2, 2, 3)


def test_graders_see_segments_and_a_document_has_the_best_of_them(workspace, server):
    counted = workspace.grade(CHAT, dry_run=True)
    # by hand: 3 questions by 3 segments and one short passage
    assert (counted.asked, counted.prompts) == (12, 12)
    workspace.grade(CHAT)
    assert not any(paragraph("Rain") + "\n\n" in one.prompt for one in server.requests)
    snapshot = workspace.current_snapshot()
    ratings = snapshot.matrix(CHAT, "q1", snapshot.bank).ratings[:, :2]
    # by hand: Snow is in d#2 and in s, Hail in d#3 alone, X nowhere
    assert ratings.tolist() == [[5, 4], [5, 0], [0, 0]]
    board = workspace.leaderboard(grader=CHAT, measure="cover")
    assert board.complete
    assert (board.needed, board.known) == (6, 6)
    assert board.scores() == {"one": 2 / 3, "two": 1 / 3}
    assert workspace.verify().problems == ()


def test_measures_labels_influence_and_edits_are_those_of_whole_documents(
    workspace, server, tmp_path
):
    """As if a grader had been shown d, and had seen in it what is in its segments."""
    workspace.grade(CHAT)
    with made(tmp_path / "plain", segmented=False) as plain:
        plain.grade(CHAT)

        def seen(one: Workspace) -> object:
            snapshot = one.current_snapshot()
            settings = one.settings(grader=CHAT, measure="nDCG@10")
            labels = [
                (row.passage_id, row.label, row.answers, row.ranks, row.missing)
                for row in one.pool("q1", grader=CHAT)
            ]
            impact = one.impact([Retire("q1/a")], grader=CHAT)
            return (
                *(one.leaderboard(grader=CHAT, measure=m) for m in ("cover", "P@2")),
                one.leaderboard(settings),
                one.questions(grader=CHAT),
                one.agreement(grader=CHAT),
                (impact.labels, impact.moves),
                one.what_ifs("q1", settings),
                [(g.known, g.needed, g.unasked) for g in one.graders()],
                one.answering("q1", "q1/a", settings),
                snapshot.collection.systems,
                labels,
            )

        assert seen(workspace) == seen(plain)
        for kind in ("qrels", "passages", "judgments", "runs", "leaderboard"):
            targets = tmp_path / f"{kind}-a.tsv", tmp_path / f"{kind}-b.tsv"
            for one, target in zip((workspace, plain), targets, strict=True):
                one.export(kind, target, grader=CHAT)
            assert targets[0].read_bytes() == targets[1].read_bytes()


def test_a_bundle_brings_documents_with_their_segments(workspace, server, tmp_path):
    workspace.grade(CHAT)
    workspace.export("bundle", tmp_path / "b.zip", grader=CHAT)
    with Workspace.open(tmp_path / "new.db", create=True) as rebuilt:
        rebuilt.import_bundle(tmp_path / "b.zip")
        assert rebuilt.verify().problems == ()
        assert rebuilt.leaderboard(grader=CHAT) == workspace.leaderboard(grader=CHAT)


CASES = {
    "all known": ([0, 2, 4], -1, 4),
    "one not asked": ([0, -1, 4], -1, -1),
    "not asked and unreadable": ([-2, -1, 4], -1, -1),
    "the highest decides": ([5, -1, -2], -1, 5),
    "an own grade where segments have none": ([-1, -1, -1], 3, 3),
    "segments before an own grade": ([0, 0, 1], 5, 1),
}


@pytest.mark.parametrize(("parts", "own", "expected"), CASES.values(), ids=CASES)
def test_the_best_of_segments_by_hand(parts, own, expected):
    ratings = np.array([[own, *parts]], dtype=np.int8)
    assert best_of_segments(ratings, {0: (1, 2, 3)}, "rated")[0, 0] == expected


@given(st.lists(st.lists(st.integers(-2, 5), min_size=1, max_size=4), min_size=1))
def test_whatever_missing_grades_say_the_best_stays_what_it_is_known_to_be(many):
    sizes = np.cumsum([len(many), *map(len, many)])
    segments = {
        i: tuple(range(a, b)) for i, (a, b) in enumerate(pairwise(sizes.tolist()))
    }
    flat = [rating for parts in many for rating in parts]
    ratings = np.array([[-1] * len(many) + flat], dtype=np.int8)
    found = best_of_segments(ratings, segments, "rated")
    for fill in (0, 5):
        filled = np.where(ratings < 0, np.int8(fill), ratings)
        filled = best_of_segments(filled, segments, "rated")
        known = found[0, : len(many)] >= 0
        assert (filled[0, : len(many)][known] == found[0, : len(many)][known]).all()
