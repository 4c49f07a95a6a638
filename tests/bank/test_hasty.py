"""Checks that are too fast to have been read."""

from __future__ import annotations

from collections.abc import Sequence

from curator.bank.hasty import hasty_checks
from curator.bank.marks import Check


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
