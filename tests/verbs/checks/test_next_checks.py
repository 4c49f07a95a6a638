"""Which pairs are looked at next; what is known of each before it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair, Retire, Reword
from curator.workspace import Workspace

# By hand: a, b and c with p1 and p2, d with p3. Of the seven pairs four are rated 0,
# two are rated 5, one 4.
PAIRS = {
    *(("q1/a", "p1"), ("q1/a", "p2"), ("q1/b", "p1"), ("q1/b", "p2")),
    *(("q1/c", "p1"), ("q1/c", "p2"), ("q2/d", "p3")),
}


def test_every_pair_that_may_be_drawn_and_its_probability(path: Path) -> None:
    with Workspace.open(path) as workspace:
        found = workspace.next_checks(7)
        assert {(one.item_id, one.passage_id) for one in found} == PAIRS
        assert {one.probability for one in found} == {1.0}
        assert (found.of, found.population) == ("pairs", 7)


def test_pairs_that_the_board_does_not_hang_on_are_drawn_alike_from_every_rating(
    path: Path,
) -> None:
    # By hand: only p1 and p2 tell systems apart, so d with p3 is drawn by its rating
    # alone. Three ratings share .1, and four pairs are rated 0: .1 / 3 / 4.
    with Workspace.open(path) as workspace:
        drawn = [workspace.next_checks(1, seed=seed).checks[0] for seed in range(200)]
        (rest,) = {one.probability for one in drawn if one.passage_id == "p3"}
        assert rest == pytest.approx(0.1 / 3 / 4)


def test_nobody_is_asked_again_what_they_have_checked(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(CheckPair("q1", "q1/a", "p1", "unsure"))
        ann.apply(CheckPair("q1", None, "p2", "0"))
        left = {(one.item_id, one.passage_id) for one in ann.next_checks(9)}
        assert left == PAIRS - {("q1/a", "p1")}
        passages = [one.passage_id for one in ann.next_checks(9, of="passages")]
        assert sorted(passages) == ["p1", "p3"]
        # In other words it is another question.
        ann.apply(Reword("q1/a", "How so?"))
        assert ann.next_checks(9).population == 7
    with Workspace.open(path, judge="ben") as ben:
        assert ben.next_checks(9).population == 7
        ben.apply(Retire("q1/a"))
        assert ben.next_checks(9).population == 5
        assert ben.next_checks(9, query_id="q2").population == 1
