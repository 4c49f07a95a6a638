"""Wherever a board is asked for, a measure's name or the measure itself will do."""

from __future__ import annotations

import inspect
from pathlib import Path

import ir_measures
import pytest

from curator import Workspace
from curator.errors import UnknownNameError
from curator.evaluation.measures.labels import Precision

P10 = {"measure": "P@10"}
GIVEN = {
    "answering": ("q1", "q1/a"),
    "export": ("leaderboard", "board.tsv"),
    "if_added": ("q1", "In other words?"),
    "if_kept": ("q1",),
    "if_reworded": ("q1/a", "In other words?"),
    "leave_out": ("one",),
    "passage": ("q1", "p1"),
    "pool": ("q1",),
    "release": ("v1",),
    "solo": ("q1/a",),
    "to_read": ("q1",),
    "topics": ("one",),
    "what_ifs": ("q1",),
}
"""What else stands before the settings of a verb."""


@pytest.fixture
def opened(hand_made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(hand_made.parent)
    with Workspace.open(hand_made, judge="ann") as workspace:
        yield workspace


def verbs() -> list[str]:
    """Every verb that takes settings by their place, in an order that edits nothing."""
    names = [name for name in dir(Workspace) if not name.startswith("_")]
    signatures = {
        name: inspect.signature(getattr(Workspace, name)).parameters for name in names
    }
    return [
        name
        for name, parameters in signatures.items()
        if "settings" in parameters
        and parameters["settings"].kind is not inspect.Parameter.KEYWORD_ONLY
    ]


def test_the_walk_finds_the_verbs_of_boards():
    assert {"leaderboard", "scores", "compare", "significance", *GIVEN} <= set(verbs())


@pytest.mark.parametrize("verb", verbs())
def test_a_verb_of_settings_takes_a_measures_name_in_their_place(opened, verb):
    method, given = getattr(opened, verb), GIVEN.get(verb, ())
    under_settings = method(*given, opened.settings(**P10))
    again = ("v2",) if verb == "release" else given
    by_name = method(*again, "P@10")
    if verb == "release":  # whose number, time and name are its own
        assert by_name.settings == under_settings.settings
    else:
        assert repr(by_name) == repr(under_settings)
    with pytest.raises(UnknownNameError, match="Did you mean nDCG"):
        method(*given, "ndgc@10")


def test_measures_are_taken_as_values_too(opened):
    ours = Precision("P@10", 4, 10)
    board = opened.leaderboard("P@10")
    assert opened.leaderboard(measure="P@10") == board
    assert opened.leaderboard(ours) == opened.leaderboard(measure=ours) == board
    assert opened.leaderboard(ir_measures.P @ 10, min_rating=4) == board
    with pytest.raises(TypeError, match="two measures: P@10 and cover"):
        opened.leaderboard("P@10", measure="cover")


def test_one_measure_needs_no_list(opened):
    assert opened.compare("P@10").boards == (opened.leaderboard("P@10"),)
    assert opened.compare(measures="P@10") == opened.compare(["P@10"])
    assert opened.sweep("P@10") == opened.sweep(["P@10"])
    assert opened.correlations("P@10", against="official") == opened.correlations(
        ["P@10"]
    )


def test_boards_are_compared_in_the_order_asked_for(opened):
    settings = opened.settings(**P10)
    found = opened.compare(["nDCG@10", settings, "cover"])
    measures = [board.settings.measure for board in found.boards]
    assert measures == ["nDCG@10", "P@10", "cover"]
