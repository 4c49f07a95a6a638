"""An import adds what is new, whatever came first, and never changes what is there."""

from __future__ import annotations

import itertools

import pytest

from curator.bank.edits import Add, Reword
from curator.errors import ImportConflictError
from curator.workspace import Workspace
from tests.samples.workspaces import (
    RATED,
    boards_of,
    dump,
    graded_file,
    graded_passage,
    one_graded,
    question_bank,
    run_file,
    small_collection,
    write_lines,
)


@pytest.fixture
def empty(tmp_path):
    with Workspace.open(tmp_path / "empty.db", create=True, judge="ann") as opened:
        yield opened


def one_query(path, *passages):
    return graded_file(path, {"q1": passages})


def ratings(workspace, query_id="q1", grader=RATED):
    """{question id: {passage id: rating}} of the known grades."""
    snapshot = workspace.current_snapshot()
    sheet = snapshot.matrix(grader, query_id, snapshot.bank)
    return {
        item: {
            passage: int(rating)
            for passage, rating in zip(sheet.pool.passage_ids, row, strict=True)
            if rating >= 0
        }
        for item, row in zip(sheet.item_ids, sheet.ratings.tolist(), strict=True)
    }


def test_importing_the_same_files_twice_changes_nothing(tmp_path, workspace):
    before = dump(tmp_path / "small.db")
    again = workspace.import_(**small_collection(tmp_path / "files"), min_relevance=2)
    assert dump(tmp_path / "small.db") == before
    assert not any(summary.changed for summary in again)


PERMUTED = [*itertools.permutations(("bank", "autograder", "runs", "passages"))]
ORDERS = [
    *PERMUTED[::4],  # of any two files each comes first in one at least
    *(pytest.param(order, marks=pytest.mark.long) for order in PERMUTED[2::4]),
    ("runs", "judgments", "official", "autograder", "passages", "bank", "queries"),
]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_files_in_any_order_lead_to_the_same_boards(tmp_path, workspace, empty, order):
    files = small_collection(tmp_path / "files")
    for option in (*order, *(other for other in files if other not in order)):
        empty.import_(**{option: files[option]})
        empty.leaderboard(grader=RATED) if empty.graders() else empty.bank()
    empty.import_(min_relevance=2)
    assert boards_of(empty) == boards_of(workspace)
    assert empty.verify().problems == ()


def test_passages_that_arrive_after_runs_join_the_pools_and_ratings_stay_aligned(
    tmp_path, empty
):
    run = run_file(tmp_path / "one.run", {"q1": ["px", "p2", "p1"]}, "one")
    graded = one_query(
        tmp_path / "graded.jsonl",
        graded_passage("p1", "q1", {"q1/a": 5}),
        graded_passage("p2", "q1", {"q1/a": 1}),
    )
    empty.import_(runs=run)
    assert empty.collection().pools["q1"].passage_ids == ()
    empty.import_(autograder=graded)
    assert empty.collection().pools["q1"].passage_ids == ("p1", "p2")
    assert empty.collection().pools["q1"].top.tolist() == [[-1, 1, 0]]
    passages = write_lines(
        tmp_path / "passages.jsonl", [{"passage_id": "px", "text": "Late."}]
    )
    empty.import_(passages=passages)
    pool = empty.collection().pools["q1"]
    assert pool.passage_ids == ("p1", "p2", "px")
    assert pool.top.tolist() == [[2, 1, 0]]
    assert ratings(empty) == {"q1/a": {"p1": 5, "p2": 1}}
    board = empty.leaderboard()
    assert (board.known, board.needed) == (2, 3)
    more = one_query(
        tmp_path / "more.jsonl", graded_passage("px", "q1", {"q1/a": 4}, text="Late.")
    )
    empty.import_(autograder=more)
    assert ratings(empty) == {"q1/a": {"p1": 5, "p2": 1, "px": 4}}
    assert empty.verify().problems == ()


def test_one_question_in_two_queries_shares_the_grades_of_one_passage(tmp_path, empty):
    bank = question_bank(
        tmp_path / "bank.jsonl", {"q1": {"q1/a": "Why?"}, "q2": {"q2/a": "Why?"}}
    )
    first = one_graded(tmp_path / "one.jsonl", "p1", "q1", {"q1/a": 5})
    passages = [graded_passage("p1", "q2", {}), graded_passage("p2", "q2", {"q2/a": 3})]
    second = graded_file(tmp_path / "two.jsonl", {"q2": passages})
    for kind, file in (("autograder", first), ("autograder", second), ("bank", bank)):
        empty.import_(**{kind: file})
    assert ratings(empty, "q1") == {"q1/a": {"p1": 5}}
    assert ratings(empty, "q2") == {"q2/a": {"p1": 5, "p2": 3}}
    assert empty.verify().problems == ()


def test_a_reworded_question_is_not_overwritten_by_a_re_import(tmp_path, workspace):
    files = small_collection(tmp_path / "files")
    workspace.apply(Reword("q1/a", "Why, exactly?"))
    workspace.apply(Add("q1", "Where is it?"))
    before = dump(tmp_path / "small.db")
    (summary, _) = workspace.import_(bank=files["bank"], autograder=files["autograder"])
    assert dump(tmp_path / "small.db") == before
    assert workspace.bank().question("q1/a").text == "Why, exactly?"
    assert "1 question with another text" in " ".join(summary.notices)


def test_grades_of_a_question_reworded_here_belong_to_the_words_beside_them(
    tmp_path, empty
):
    files = small_collection(tmp_path / "files")
    empty.import_(bank=files["bank"])
    empty.apply(Reword("q1/a", "Why, exactly?"))
    empty.import_(autograder=files["autograder"], bank=files["bank"])
    assert ratings(empty)["q1/a"] == {}
    empty.undo()
    assert ratings(empty)["q1/a"] == {"p1": 5, "p2": 4}
    assert empty.verify().problems == ()


def written(path, text):
    path.write_text(text)
    return path


ASKED = {"q1/a": "Why is it?"}
# Files that say otherwise than the small collection: of which kind, and what is named.
CONFLICTS = {
    "a passage's text": (
        "passages",
        lambda path: write_lines(path, [{"passage_id": "p1", "text": "Another."}]),
        "p1",
    ),
    "a rating": (
        "autograder",
        lambda path: one_graded(path, "p1", "q1", {"q1/a": 3}),
        "rates",
    ),
    "a rating of the same words under another id": (
        "autograder",
        lambda path: one_graded(path, "p1", "q1", {"q1/z": 0}),
        "rates",
    ),
    "a judgment": ("judgments", lambda path: written(path, "q1 0 p1 1\n"), "judged 1"),
    "a rank": ("official", lambda path: written(path, '{"two": 3}'), "official rank 3"),
    "a run": (
        "runs",
        lambda path: run_file(path, {"q1": ["p2", "p0"]}, "one"),
        "system 'one'",
    ),
    "a question's query": (
        "bank",
        lambda path: question_bank(path, {"q2": ASKED}),
        "query 'q1'",
    ),
}


@pytest.mark.parametrize("what", CONFLICTS)
def test_a_file_that_contradicts_is_refused_and_nothing_of_it_is_kept(
    tmp_path, workspace, what
):
    before = dump(tmp_path / "small.db")
    kind, write, named = CONFLICTS[what]
    same = {"q1": {"q1/z": "Why is it?"}, "q9": {"q9/a": "New?"}}
    files = {"bank": [question_bank(tmp_path / "new.jsonl", same)]}
    files.setdefault(kind, []).append(write(tmp_path / "other.file"))
    with pytest.raises(ImportConflictError) as refused:
        workspace.import_(**files)
    assert dump(tmp_path / "small.db") == before
    assert "\n" not in str(refused.value)
    assert named in str(refused.value)
    assert "other." in str(refused.value)  # the file
