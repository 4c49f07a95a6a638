"""Checks of pairs: whose words they are about, and what most judges say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from curator.bank.edits import CheckPair, Reword, apply_edits
from curator.bank.hasty import hasty_checks
from curator.bank.marks import Check
from curator.bank.marks.check import CheckContent, Checked
from curator.bank.opinions import majorities, opinions
from curator.bank.questions import Bank, Question
from curator.errors import (
    EditError,
    NothingToChangeError,
    StaleEditError,
    UnknownNameError,
)

WHY = Question("q/a", "q", "Why is it?")
BANK = Bank({"q": (WHY,)})
YES = CheckPair("q", "q/a", "p1", "yes", 0.5, 2, 1.5, at="2026-01-01")
GRADE = CheckPair("q", None, "p1", "2")


def checked(bank: Bank, *edits: CheckPair | Reword, judge: str = "ann") -> Bank:
    return apply_edits(bank, edits, judge=judge)[0]


def test_a_check_is_about_the_words_of_the_question_and_a_passage() -> None:
    bank = checked(BANK, YES)
    mine = Check("Why is it?", "p1", "ann", "yes", 0.5, 2, 1.5, "2026-01-01")
    assert bank.checks_of("q") == (mine,)
    assert bank.question("q/a") == WHY
    # Reworded, the question has other words, and the check stays with the first ones.
    other = checked(bank, Reword("q/a", "How so?"), replace(YES, answer="no"))
    assert [(one.item, one.answer) for one in other.checks_of("q")] == [
        ("How so?", "no"),
        ("Why is it?", "yes"),
    ]


def test_who_corrects_an_answer_keeps_how_the_pair_was_drawn_and_when() -> None:
    later = CheckPair("q", "q/a", "p1", "no", seconds=9.0, at="2026-02-01")
    bank, (_, second) = apply_edits(BANK, [YES, later], judge="ann")
    assert bank.checks_of("q") == (
        Check("Why is it?", "p1", "ann", "no", 0.5, 2, 9.0, "2026-01-01"),
    )
    before = CheckContent("yes", 0.5, 2, 1.5, "2026-01-01")
    after = replace(before, answer="no", seconds=9.0)
    assert second.mark == Checked("q/a", "Why is it?", "p1", before, after)
    assert second.question_id is None
    drawn_again = replace(later, answer="unsure", probability=0.25, drawn=1)
    (one,) = checked(bank, drawn_again).checks_of("q")
    assert (one.probability, one.drawn, one.at) == (0.25, 1, "2026-02-01")
    assert checked(bank, replace(later, answer=None)).checks_of("q") == ()


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (replace(YES, answer="maybe"), "yes, no or unsure, not 'maybe'"),
        (replace(GRADE, answer="yes"), "a grade from 0 on, or unsure, not 'yes'"),
        (replace(YES, probability=2.0), "above 0 and at most 1"),
        (replace(YES, probability=None), "probability None and 2 drawn"),
        (replace(YES, at="then"), "'then' is not a time"),
        (replace(YES, query_id="r"), "of query 'q', not of 'r'"),
        (replace(YES, question_id="q/b"), "text of question 'q/b' is not in the"),
        (replace(YES, question_id="q/c"), "is proposed; keep it before"),
    ],
)
def test_what_nobody_can_say_is_refused(edit: CheckPair, says: str) -> None:
    unread = replace(WHY, question_id="q/b", text=None)
    waiting = replace(WHY, question_id="q/c", text="How?", state="proposed")
    with pytest.raises(EditError, match=says):
        checked(Bank({"q": (WHY, unread, waiting)}), edit)


def test_a_check_is_refused_on_words_that_are_not_there_or_were_not_seen() -> None:
    with pytest.raises(UnknownNameError, match="'q/d'"):
        checked(BANK, replace(YES, question_id="q/d"))
    with pytest.raises(StaleEditError, match="it is at revision 2"):
        checked(BANK, Reword("q/a", "How so?"), replace(YES, based_on=1))


def test_the_same_said_again_changes_nothing() -> None:
    bank = checked(BANK, YES, GRADE)
    for again in (YES, replace(YES, seconds=3.0, at="2026-03-03"), GRADE):
        with pytest.raises(
            NothingToChangeError, match=r"'p1' already has the check '.*' by ann"
        ):
            checked(bank, again)
    with pytest.raises(NothingToChangeError, match="'p1' has no check by bob"):
        checked(bank, replace(YES, answer=None), judge="bob")


def test_most_judges_decide_a_pair_and_the_middle_one_a_passage() -> None:
    said = {
        ("q/a", "p1"): ("yes", "yes", "no"),
        ("q/a", "p2"): ("no", "unsure", "unsure"),
        ("q/a", "p3"): ("yes", "no", "unsure"),
        (None, "p1"): ("3", "0", "2"),
        (None, "p2"): ("10", "9", "unsure"),
        (None, "p3"): ("unsure",),
    }
    bank = BANK
    for (question_id, passage_id), answers in said.items():
        for judge, answer in zip(("ann", "bob", "cy"), answers, strict=False):
            edit = CheckPair("q", question_id, passage_id, answer)
            bank = checked(bank, edit, judge=judge)
    # by hand: two of three; one of one; a tie. The median of 0, 2, 3; the lower of 9
    # and 10; nobody who is sure.
    assert majorities(opinions("check", bank.checks_of("q"))) == {
        ("Why is it?", "p1"): "yes",
        ("Why is it?", "p2"): "no",
        (None, "p1"): "2",
        (None, "p2"): "9",
    }


def checks(times: Sequence[float | None], judge: str = "ann") -> list[Check]:
    """Return a check of another passage per time, in this order."""
    return [
        Check("Why?", f"p{n}", judge, "yes", None, 0, seconds, f"2026-01-01T00:00:{n}")
        for n, seconds in enumerate(times, start=10)
    ]


def hasty_passages(found: list[Check]) -> list[str]:
    return sorted(check.passage_id for _, check in hasty_checks({"q1": found}))


def test_a_check_is_hasty_among_five_whose_median_is_under_two_seconds() -> None:
    assert hasty_passages(checks([1, 1, 1, 1])) == []
    assert hasty_passages(checks([1, 1, 1, 1, 1.9])) == ["p10", "p11", "p12", "p13",
                                                        "p14"]  # fmt: skip
    assert hasty_passages(checks([2, 2, 2, 1, 1])) == []
    # The slow ones of a fast window are read.
    assert hasty_passages(checks([9, 9, 1, 1, 1])) == ["p12", "p13", "p14"]
    assert hasty_passages(checks([1, 1, 1, None, 1, 1])) != []
    assert hasty_passages(checks([None] * 6)) == []


def test_judges_are_apart_and_passages_read_before_do_not_count() -> None:
    both = checks([1, 1, 1]) + checks([1, 1], "ben")
    assert hasty_passages(both) == []
    again = [
        Check("And when?", f"p{n}", "ann", "no", None, 0, 1.0, f"2026-01-02T00:00:{n}")
        for n in range(10, 16)
    ]
    assert hasty_passages(checks([9] * 6) + again) == []
