"""What boards do not rest on, said once for all the measures it is true of."""

from __future__ import annotations

import pytest

from curator.evaluation.comparison import MeasurePair
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.verbs.compare.comparison import Comparison
from curator.web.pages.results.compare.sentences import compared_notes, pairs_named


def board(measure: str, queries: int, *notes: str) -> Leaderboard:
    return Leaderboard(Settings("g", measure), queries, 0, 0, (), notes)


def pair(first: int, second: int, why: str = "", apart: str = "") -> MeasurePair:
    return MeasurePair(first, second, 3, 1, None, None, None, None, why, apart)


def test_what_several_boards_say_alike_is_one_sentence() -> None:
    deep = "looks 20 deep."
    boards = (
        board("cover", 3, f"cover {deep}", "1 query is out."),
        board("P@20", 3, f"P@20 {deep}"),
        board("RR", 3, "RR is provisional.", "1 query is out."),
    )
    assert compared_notes(Comparison(boards, ())) == (
        "Each of cover and P@20 looks 20 deep.",
        "1 query is out.",
        "RR is provisional.",
    )


def test_pairs_alike_and_queries_not_shared_are_one_sentence_each() -> None:
    boards = (board("cover", 43), board("P@20", 43), board("rouge-1-f1", 1))
    why, apart = "1 query has scores of both.", "apart"
    pairs = (
        pair(0, 1),
        pair(0, 2, f"cover and rouge-1-f1: {why}", apart),
        pair(1, 2, f"P@20 and rouge-1-f1: {why}", apart),
    )
    assert compared_notes(Comparison(boards, pairs)) == (
        "Every pair with rouge-1-f1: 1 query has scores of both.",
        "Two measures are correlated over the queries that both score: rouge-1-f1 "
        "rests on 1 query; the other 2 on 43.",
    )


def test_measures_on_as_many_but_other_queries_are_named_together() -> None:
    boards = (board("n-exam", 2), board("rouge-1-f1", 2))
    (said,) = compared_notes(Comparison(boards, (pair(0, 1, apart="apart"),)))
    assert said.endswith("score: n-exam and rouge-1-f1 rest on 2 queries.")


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(0, 1)], "a and b"),
        ([(0, 1), (2, 3)], "a and b; c and d"),
        ([(0, 3), (1, 3), (2, 3)], "Every pair with d"),
        ([(0, 1), (0, 3), (1, 3), (2, 3)], "Every pair with d; a and b"),
    ],
)
def test_a_measure_in_all_of_its_pairs_is_named_once(
    pairs: list[tuple[int, int]], said: str
) -> None:
    assert pairs_named(pairs, ["a", "b", "c", "d"]) == said


def test_two_measures_are_named_as_a_pair() -> None:
    assert pairs_named([(0, 1)], ["a", "b"]) == "a and b"
