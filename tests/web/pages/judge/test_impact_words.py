"""The impact in words: overtakes, what-ifs, solo, and what others did since."""

from __future__ import annotations

from dataclasses import fields

import pytest

from curator.evaluation.impact import Impact, LabelChange, Overtake, SystemMove
from curator.evaluation.influence import Preview
from curator.evaluation.settings import Settings
from curator.web.components.words import plain
from curator.web.pages.judge import impact_words

SETTINGS = Settings("g", "P@20")


def what_if(labels_fall: int, *board: object) -> Preview:
    """What a retirement does, the board's fields in their order."""
    names = [field.name for field in fields(Preview)][7:]  # of the board
    more = dict(zip(names, board, strict=True))
    return Preview("q/1", labels_fall=labels_fall, **more)  # type: ignore[arg-type]


def impact_of(*moves: SystemMove, missing: int = 0, noise: str = "") -> Impact:
    labels = (LabelChange("q", "p", 4, 0),)
    return Impact(
        SETTINGS, missing, labels, moves, 2, 2, within_noise=frozenset(noise.split())
    )


def said_of(found: Impact, **more: object) -> str:
    return plain(impact_words.impact_sentence(found, (), {}, against="x", **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gap", "shown"),
    [(0.0004, ".0004"), (0.00002, "<.0001")],
)
def test_a_gap_is_never_shown_as_nothing(gap: float, shown: str) -> None:
    found = impact_of(
        SystemMove("a", 0.6, 0.5, 1, 1), SystemMove("b", 0.4, 0.5 - gap, 2, 2)
    )
    assert f", {shown} away." in said_of(found)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            what_if(0, (), 1, Overtake("b", "a", 0.0004), 0.7, 0.7, 43, 43),
            "If retired: no label changes, no rank moves. 1 score changes; nearest "
            "overtake: b over a, .0004 away. τ to official stays .700.",
        ),
        (
            what_if(1, (), 0, Overtake("b", "a", 0.1), None, None, 43, 43),
            "If retired: 1 label falls, no rank moves. No score changes.",
        ),
        (
            Preview("q/1", 215, labels_fall=3),
            "If retired: 3 labels fall, 215 grades missing, so ranks are not certain "
            "yet.",
        ),
        (
            what_if(3, (), 0, None, None, None, 1, 0),
            "If retired: 3 labels fall, no rank moves. No score changes. The board "
            "rests on 0 queries, before on 1.",
        ),
    ],
)
def test_a_what_if_says_no_more_than_it_knows(one: Preview, said: str) -> None:
    assert plain(impact_words.preview_sentence(one)) == said


# The board
