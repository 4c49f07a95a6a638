"""ROUGE boards of a workspace: which texts are compared, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.marks import Ideal
from curator.bank.questions import Question
from curator.collection.pools import UNJUDGED, Pool
from curator.errors import EvaluationError
from curator.evaluation.measures.rouge import CharacterMap
from curator.snapshot.ideals import gold_answers
from curator.workspace import Workspace
from tests.samples.workspaces import collection_files

TEXTS = {
    "p1": "Red leaves fall.",
    "p2": "The red leaves of oaks.",
    "p3": "Snow falls.",
    "p4": "Rain.",
}


@pytest.fixture
def ungraded(tmp_path: Path) -> Iterator[Workspace]:
    """Two queries, two systems, four passages; no questions and no grades."""
    files = collection_files(
        tmp_path,
        titles={q: f"What of {q}?" for q in ("q1", "q2")},
        passages=TEXTS,
        runs={
            "one": {"q1": ["p1", "gone"], "q2": ["p3"]},
            "two": {"q1": ["p2", "p1"], "q2": ["p4"]},
        },
    )
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(**files)
        yield workspace


def test_a_board_needs_ideal_answers_and_no_grader(ungraded: Workspace) -> None:
    empty = ungraded.leaderboard(measure="rouge-1-r")
    assert not empty.standings
    assert "`curator ideals WORKSPACE --mark QUERY PASSAGE`" in empty.notes[0]
    with pytest.raises(EvaluationError, match="curator ideals"):
        ungraded.scores(measure="rouge-1-r")
    with pytest.raises(EvaluationError, match="No grades"):
        ungraded.leaderboard(measure="cover")

    ungraded.mark_ideals("q1", "p1")
    board = ungraded.leaderboard(measure="rouge-1-r")
    # By hand: red leav fall. one: p1 has 3 of 3, its gap 0; two: p2 has 2 of 3, p1 3.
    assert board.scores() == {"one": pytest.approx(1 / 2), "two": pytest.approx(5 / 6)}
    assert board.settings.grader == ""
    assert (
        board.notes[0] == "1 of 2 queries has no ideal answer and is not in the mean."
    )
    assert board.queries == 1
    assert board.complete


def test_passages_judged_relevant_are_ideal_answers_where_a_name_says_so(
    ungraded: Workspace, tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 p1 2\nq1 0 p2 1\nq2 0 p3 0\n")
    ungraded.import_(judgments=qrels)
    with pytest.raises(EvaluationError, match="--min-relevance"):
        ungraded.leaderboard(measure="rouge-1-r(judged)")
    ungraded.set_up(min_relevance=2)
    board = ungraded.leaderboard(measure="rouge-1-r(judged)")
    # By hand, against p1 alone: as where it is marked. q2 has no relevant passage.
    assert board.scores() == {"one": pytest.approx(1 / 2), "two": pytest.approx(5 / 6)}
    assert board.notes[0].startswith("1 of 2 queries has no passage judged relevant")
    ungraded.set_up(min_relevance=1)
    # By hand, against the better of p1 and p2.
    scores = ungraded.leaderboard(measure="rouge-1-r(judged)").scores()
    assert scores == {"one": pytest.approx(1 / 2), "two": pytest.approx(1)}
    # By hand, of "red leav fall red leav oak": one has 3 of 6, two all 6.
    scores = ungraded.leaderboard(measure="rouge-1-r(joined,judged)").scores()
    assert scores == {"one": pytest.approx(1 / 2), "two": pytest.approx(1)}
    assert not ungraded.leaderboard(measure="rouge-1-r").standings


def test_judges_who_see_no_judgments_have_no_board_of_them(
    ungraded: Workspace, tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 p1 2\n")
    ungraded.import_(judgments=qrels, min_relevance=1)
    ungraded.set_up(blind=True)
    with (
        Workspace.open(ungraded.path, judge="bob", as_judge=True) as judge,
        pytest.raises(EvaluationError, match="do not see official judgments"),
    ):
        judge.leaderboard(measure="rouge-1-r(judged)")


def test_of_a_span_only_its_words_are_compared(ungraded: Workspace) -> None:
    ungraded.mark_ideals("q2", "p3", [(0, len(TEXTS["p3"]))])
    assert ungraded.bank().ideals_of("q2") == (Ideal("p3"),)
    ungraded.undo("q2")
    ungraded.mark_ideals("q1", "p2", [(0, 15)])  # "The red leaves "
    (one,) = ungraded.ideals("q1")
    assert (one.text, one.start, one.end) == ("The red leaves", 0, 14)
    board = ungraded.leaderboard(measure="rouge-2-p")
    # By hand: p1 has red-leav of its two pairs, p2 of its two.
    assert board.scores() == {"one": pytest.approx(1 / 4), "two": pytest.approx(1 / 2)}


def test_gold_answers_of_kept_questions_are_ideal_answers() -> None:
    question = Question(
        "q/1",
        "q",
        "Which?",
        choices=(("A", "red"), ("B", "blue")),
        answers=("b", "red"),
    )
    assert gold_answers(question) == ("blue", "red")
    retired = Question("q/2", "q", "Which?", state="retired", answers=("red",))
    assert gold_answers(retired) == ()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11), st.integers(1, 12))),
    st.permutations(range(3)),
    st.integers(1, 3),
)
def test_character_map_is_ap_with_a_document_a_character(marks, order, k) -> None:
    lengths = {0: 5, 1: 1, 2: 12}
    marked: dict[int, np.ndarray] = {}
    for position, start, end in marks:
        flags = marked.setdefault(position, np.zeros(lengths[position], dtype=bool))
        flags[start:end] = True
    marked = {position: flags for position, flags in marked.items() if flags.any()}
    if not marked:
        return
    top = np.array([order, [-1, order[0], -1]], dtype=np.int32)
    pool = Pool("q", ("a", "b", "c"), top, np.full(3, UNJUDGED, np.int16))
    ours = CharacterMap("char-map", 0, k).character_row(pool, marked, lengths).score
    qrels = {
        "q": {
            f"{position} {at}": 1
            for position, flags in marked.items()
            for at in np.flatnonzero(flags)
        }
    }
    for system, ranked in enumerate(top[:, :k].tolist()):
        read = [f"{p} {at}" for p in ranked if p >= 0 for at in range(lengths[p])]
        run = {"q": {name: -rank for rank, name in enumerate(read)} or {"none": 0}}
        theirs = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)
        assert ours[system] == pytest.approx(theirs[ir_measures.AP], abs=1e-9)


def test_character_map_of_a_board(ungraded: Workspace) -> None:
    assert not ungraded.leaderboard("char-map").standings
    ungraded.mark_ideals("q1", "p1", [(0, 4)])  # "Red"
    ungraded.mark_ideals("q1", "p1", [(2, 6)], grade=2)  # "d le", of ann
    board = ungraded.leaderboard("char-map")
    assert board.queries == 1
    # By hand: six characters are marked; two reads the 23 of p2 before them.
    after = sum(n / (23 + n) for n in range(1, 7)) / 6
    assert board.scores() == {"one": 1.0, "two": pytest.approx(after)}
    with pytest.raises(EvaluationError, match="no scores by subtopic"):
        ungraded.leaderboard("char-map", by="subtopic")
