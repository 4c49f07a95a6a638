"""Agreement in norming rounds: by hand, against the package, before and after."""

from __future__ import annotations

import pytest

from curator.bank.marks import NormingAnswer
from curator.bank.marks.norming import NormingTask
from curator.evaluation.norming import (
    NormingItem,
    Round,
    Stamp,
    agreements,
    disagreement,
)

AT = "2026-01-01T10:00:00+00:00"


def round_of(
    *said: tuple[int, str, str, str, bool], of: NormingTask = "pairs"
) -> Round:
    """A round of three items; (place, judge, answer, first, blind)."""
    items = tuple(
        NormingItem(n, "q", f"q/{n}", "p", "Q?", "Why?", "So.") for n in range(3)
    )
    given = tuple(NormingAnswer(1, *one) for one in said)
    stamp = Stamp(AT, "olga")
    return Round(1, of, 3, 1, stamp, stamp, None, items, given)


def test_before_counts_what_was_said_blindly_last_and_after_what_is_said_now() -> None:
    found = round_of(
        (0, "ann", "yes", "yes", True),
        (0, "bob", "yes", "no", True),
        (1, "ann", "no", "no", True),
        (1, "bob", "no", "no", True),
    )
    before, after = (one.agreement for one in agreements(found))
    # By hand: before yes-no and no-no, 1 - .5 / .5 = 0; after yes-yes and no-no.
    assert (before.value, before.same) == (pytest.approx(0.0), 1)
    assert (after.value, after.same, after.items) == (pytest.approx(1.0), 2, 2)


@pytest.mark.parametrize(
    ("answers", "far"),
    [
        (["yes"], 0.0),
        (["yes", "no", "no"], 2 / 3),  # by hand: two of three pairs differ
        (["0", "3", "1"], 2.0),  # by hand: 3, 1 and 2
    ],
)
def test_answers_further_apart_disagree_more(answers: list[str], far: float) -> None:
    assert disagreement(answers) == pytest.approx(far)
