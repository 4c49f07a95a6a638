"""What next on the Judge page: the steps as its list gets them."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import Add, Propose, Vote
from curator.bank.marks.dismissal import STEP_NAMES
from curator.evaluation.next_steps import TRUST
from curator.web.components.view import View
from curator.web.pages.judge.page_state import load
from curator.web.pages.judge.question_list import next_data
from curator.workspace import Workspace


def test_every_remedy_is_on_a_key_and_says_what_it_is_about(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Propose("q1", "Who was there?", '{"generation": 1}'))
        workspace.apply(
            [Add("q1", "Is it? And how?"), Add("q1", "Is it open tonight?")]
        )
        workspace.apply(Vote("q1/a", "vital"), by="ben")
        workspace.apply(Vote("q1/a", "okay"))
        page = load(workspace, View(query="q1"))
        found = next_data(workspace, page)
        pressed = {(one["why"].split(" ")[0], one["press"]) for one in found}
        assert pressed == {
            ("All", "x"),
            ("Judges", "l"),
            ("A", "a"),
            ("Asks", "e"),
            ("Asks", "x"),
        }
        halves = [one["halves"] for one in found if one["press"] == "e"]
        assert halves == [("Is it?", "And how?")]
        (judges,) = [one for one in found if one["press"] == "l"]
        assert (judges["page"], judges["number"]) == (
            *("Check?queue=disagreements", "1"),
        )


def test_history_has_plain_words_for_every_kind_of_step() -> None:
    assert STEP_NAMES.keys() == TRUST.keys()
    assert not [
        words for words in STEP_NAMES.values() if "-" in words.replace("non-", "")
    ]
