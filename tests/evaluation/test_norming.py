"""Agreement in norming rounds: by hand, against the package, before and after."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.marks import NormingAnswer
from curator.bank.marks.norming import NormingTask
from curator.evaluation.norming import (
    NormingItem,
    Round,
    Stamp,
    agreement,
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


def test_nominal_alpha_is_that_of_a_table_by_hand() -> None:
    said = {(0, "ann"): "yes", (0, "bob"): "yes", (1, "ann"): "yes", (1, "bob"): "no",
            (2, "ann"): "no", (2, "bob"): "no", (3, "ann"): "no"}  # fmt: skip
    found = agreement("before", "pairs", said)
    # By hand: of the pairs (yes yes), (yes no), (no no) one of three differs; of six
    # values three are yes: expected 1 - 2 * 3 * 2 / (6 * 5) = .6, 1 - .3333 / .6.
    assert found.alpha == pytest.approx(1 - (1 / 3) / 0.6)
    assert (found.judges, found.items, found.same, found.answers) == (2, 3, 2, 6)


def test_ordinal_alpha_of_grades_is_that_of_a_table_by_hand() -> None:
    said = {(0, "ann"): "0", (0, "bob"): "1", (1, "ann"): "3", (1, "bob"): "3",
            (2, "ann"): "1", (2, "bob"): "unsure"}  # fmt: skip
    found = agreement("before", "passages", said)
    # By hand: values 0, 1, 3, 3. Distances are squared sums of ranks between:
    # 0-1: (1/2 + 1/2)^2 = 1; 0-3: (1/2 + 1 + 2/2)^2 = 6.25; 1-3: (1/2 + 1)^2 = 2.25.
    # Observed: one pair of two with 1, so 1/2. Expected: the mean over all 6 pairs:
    # (1 + 2 * 6.25 + 2 * 2.25 + 0) / 6 = 3. Alpha = 1 - .5 / 3.
    assert found.alpha == pytest.approx(1 - 0.5 / 3)
    assert (found.items, found.same) == (2, 1)


GRADES = ("0", "1", "2", "3", "unsure")
SAID = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob", "cy", "dee"])),
    st.sampled_from(GRADES),
)


@given(SAID)
def test_alpha_is_that_of_the_package_on_the_whole_table(
    said: dict[tuple[int, str], str],
) -> None:
    found = agreement("after", "passages", said)
    table = np.full((4, 6), np.nan)
    for (place, judge), answer in said.items():
        if answer != "unsure":
            table[["ann", "bob", "cy", "dee"].index(judge), place] = int(answer)
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert found.alpha is None
        assert found.note
    else:
        expected = krippendorff.alpha(table, level_of_measurement="ordinal")
        assert found.alpha == pytest.approx(expected)


def test_before_counts_what_was_said_blindly_last_and_after_what_is_said_now() -> None:
    found = round_of(
        (0, "ann", "yes", "yes", True),
        (0, "bob", "yes", "no", True),
        (1, "ann", "no", "no", True),
        (1, "bob", "no", "no", True),
    )
    before, after = agreements(found)
    # By hand: before yes-no and no-no, 1 - .5 / .5 = 0; after yes-yes and no-no.
    assert (before.alpha, before.same) == (pytest.approx(0.0), 1)
    assert (after.alpha, after.same, after.items) == (pytest.approx(1.0), 2, 2)


def test_who_joins_after_the_reveal_counts_in_after_alone() -> None:
    found = round_of(
        *((0, "ann", "yes", "yes", True), (0, "bob", "no", "no", True)),
        *((1, "ann", "no", "no", True), (1, "bob", "no", "no", True)),
        *((0, "cy", "yes", "no", False), (1, "cy", "no", "no", False)),
    )
    before, after, of_blind = agreements(found)
    assert (before.judges, after.judges, of_blind.judges) == (2, 3, 2)
    assert before.alpha == of_blind.alpha == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({(0, "ann"): "yes"}, "No item has answers of two judges."),
        ({(0, "ann"): "yes", (0, "bob"): "unsure"}, "No item has answers of two"),
        ({(0, "ann"): "yes", (0, "bob"): "yes"}, "Every answer is yes"),
    ],
)
def test_an_alpha_that_is_undefined_says_why(
    said: dict[tuple[int, str], str], note: str
) -> None:
    found = agreement("before", "pairs", said)
    assert found.alpha is None
    assert note in found.note


@pytest.mark.parametrize(
    ("answers", "far"),
    [
        (["yes"], 0.0),
        (["yes", "no", "no"], 2 / 3),  # by hand: two of three pairs differ
        (["0", "3", "1"], 2.0),  # by hand: 3, 1 and 2
        (["2", "unsure"], 1.0),
    ],
)
def test_answers_further_apart_disagree_more(answers: list[str], far: float) -> None:
    assert disagreement(answers) == pytest.approx(far)
