"""Pairs to check next, and the batch of pairs that a judge goes through."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair, Retire, Reword
from curator.errors import EditError, NothingToChangeError
from curator.verbs.checks.batch import NO_OTHERS, CheckBatch
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


def opened(path: Path, judge: str = "ann") -> Workspace:
    return Workspace.open(path, judge=judge, as_judge=True)


def drawn(batch: CheckBatch) -> list[object]:
    """What was drawn, with the probabilities."""
    return [one.drawn for one in batch.pairs]


def test_a_batch_goes_on_with_the_same_probabilities(path: Path) -> None:
    with opened(path) as ann:
        first = ann.draw_batch(count=3, seed=1)
        ann.answer_check("pairs", first.at, 0, "yes", seconds=2.5)
    with opened(path) as ann:
        found = ann.check_batch()
        assert (found.at, drawn(found)) == (first.at, drawn(first))
        assert found.answered == 1
        pair, mine = found.pairs[0].drawn, found.pairs[0].mine
        assert mine is not None
        assert (mine.answer, mine.seconds) == ("yes", 2.5)
        assert (mine.probability, mine.drawn) == (pair.probability, 3)
        # The second window asks for the batch after the one that stands no more.
        second = ann.draw_batch(after=first.at, count=9)
        assert ann.draw_batch(after=first.at, count=9).at == second.at
        assert pair not in drawn(second)
        # by hand: seven pairs, of which one is checked
        assert len(second.pairs) == 6


def test_other_answers_are_shown_after_the_own(path: Path) -> None:
    with opened(path, "ben") as ben:
        ben.apply(CheckPair("q1", "q1/b", "p1", "no"))
    with opened(path) as ann:
        batch = ann.draw_batch(count=9)
        ids = [(one.drawn.question_id, one.drawn.passage_id) for one in batch.pairs]
        at = ids.index(("q1/b", "p1"))
        assert all((one.others, one.grader_labels) == ((), ()) for one in batch.pairs)
        ann.answer_check("pairs", batch.at, at, "yes")
        found = ann.check_batch()
        assert [one.judge for one in found.pairs[at].others] == ["ben"]
        # by hand: rated 4, which is a yes from 4 on
        assert [(one.label, one.yes) for one in found.pairs[at].grader_labels] == [
            (4, True)
        ]
        assert sum(bool(one.grader_labels) for one in found.pairs) == 1


def test_two_windows_on_one_batch_save_each_answer_once(path: Path) -> None:
    with opened(path) as one, opened(path) as other:
        at = one.draw_batch(seed=1).at
        one.answer_check("pairs", at, 0, "yes")
        with pytest.raises(EditError, match="you answered 'yes' in another window"):
            other.answer_check("pairs", at, 0, "no")
        with pytest.raises(NothingToChangeError):
            other.answer_check("pairs", at, 0, "yes")
        other.draw_batch(after=at)
        with pytest.raises(EditError, match="other pairs were drawn in another window"):
            one.answer_check("pairs", at, 1, "no")
        assert one.check_batch().tally.checks == 1


def test_passages_are_graded_on_the_scale_of_the_judgments(path: Path) -> None:
    with opened(path) as ann:
        batch = ann.draw_batch("passages")
        assert [one.drawn.question_id for one in batch.pairs] == [None] * 3
        assert batch.grades == ("0", "1", "2", "3")
        ann.answer_check("passages", batch.at, 0, "2")
        with pytest.raises(EditError, match="A check is a grade"):
            ann.answer_check("passages", batch.at, 1, "yes")
        assert ann.check_batch("passages").pairs[0].grader_labels != ()


def test_second_opinions_are_on_what_others_have_checked_alone(path: Path) -> None:
    with opened(path, "ben") as ben:
        assert ben.draw_batch("opinions").note == NO_OTHERS
        ben.apply(
            [CheckPair("q1", "q1/a", "p1", "no"), CheckPair("q2", None, "p3", "1")]
        )
        ben.apply(CheckPair("q1", "q1/c", "p2", "yes"))
    with opened(path) as ann:
        ann.apply([CheckPair("q1", "q1/a", "p1", "no"), Retire("q1/c")])
        (pair,) = ann.draw_batch("opinions").pairs
        assert (pair.drawn.question_id, pair.drawn.passage_id) == (None, "p3")
        assert (pair.drawn.probability, pair.drawn.drawn, pair.others) == (None, 0, ())
        ann.answer_check("opinions", ann.check_batch("opinions").at, 0, "3")


def test_assigned_checks_have_no_probability(path: Path) -> None:
    with Workspace.open(path, judge="zoe") as zoe:
        zoe.assign(["ann"], ["q1"], work="checks", count=2)
        usual = zoe.next_checks(5, seed=1)
    with opened(path) as ann:
        assert ann.check_batch().of == "assigned"
        batch = ann.draw_batch()
        assert [(o.drawn.query_id, o.drawn.probability) for o in batch.pairs] == [
            ("q1", None)
        ] * 2
        assert batch.pairs[0].drawn.reason.startswith("assigned to you: 0 of 2")
        # A draw from everywhere is as it is without: the same pairs and probabilities.
        everywhere = ann.next_checks(5, seed=1)
        assert everywhere.checks == usual.checks
        for place in range(2):
            ann.answer_check("assigned", batch.at, place, "yes")
        after = ann.check_batch()
        assert (after.of, after.answered) == ("assigned", 2)
        # Who named nothing goes on with what is everybody's; in two windows once.
        onward = ann.draw_batch(after=batch.at)
        assert (onward.of, len(onward.pairs)) == ("pairs", 5)  # by hand: 7, less 2
        assert ann.check_batch().of == "pairs"


def test_all_judges_of_a_query_are_asked_about_the_same_pairs(path: Path) -> None:
    def asked(batch: CheckBatch) -> set[tuple[str | None, str]]:
        return {(one.drawn.item, one.drawn.passage_id) for one in batch.pairs}

    with Workspace.open(path, judge="zoe") as zoe:
        zoe.assign(["ann", "ben"], ["q1"], work="checks", count=3)
        zoe.assign(["cy"], ["q1"], work="checks", count=5)
    with opened(path) as ann, opened(path, "ben") as ben, opened(path, "cy") as cy:
        batch = ann.draw_batch("assigned", seed=7)
        assert asked(ben.draw_batch("assigned")) == asked(batch)
        for place in range(3):
            ann.answer_check("assigned", batch.at, place, "yes")
        assert len(asked(cy.draw_batch("assigned"))) == 5
        assert asked(batch) < asked(cy.check_batch("assigned"))
