"""The passages that the reader goes through: filters with counts, order, words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.verbs.passages.pool_rows import PooledPassage
from curator.web.pages.judge.passages import pool


def passage(passage_id: str, **fields: object) -> PooledPassage:
    plain = PooledPassage("q", passage_id, 5, 5, True, 2, True, {"q/a": 5}, {"one": 1})
    return replace(plain, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answered", "relevant", "verdict"),
    [
        (True, True, "relevant"),
        (False, False, "not relevant"),
        (True, False, "not relevant: the label disagrees"),
        (False, True, "relevant: the label disagrees"),
        (None, True, "relevant"),
        (True, None, ""),
    ],
)
def test_the_verdict_says_whether_label_and_judgment_agree(
    answered: bool | None, relevant: bool | None, verdict: str
) -> None:
    said, differs = pool.verdict(relevant, answered, averaged=False)
    assert (said, differs) == (verdict, verdict.endswith("disagrees"))
    assert not pool.verdict(relevant, answered, averaged=True)[1]


def test_a_documents_segments_have_their_best_ratings() -> None:
    found = passage("d", segments={"d#1": 0, "d#2": 5, "d#3": None})
    assert pool.segments(found) == "#1 best 0 · #2 best 5 · #3 not graded"
