"""Graders that check answers by an AVA model: what it sees, what their keys hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from grading.ava.card import Card, Data
from grading.ava.grader import (
    AvaGrader,
    ava_spec,
    candidate_item,
    candidate_text,
    triples_of,
)
from grading.ava.model import Scores, Triple
from grading.items import AllOf, Item
from grading.readings import read_response
from grading.responders import GraderSpec, Reading, Responder

CARD = Card("mine", "linear", Data((), 0, 0, 0, 0, 0, 0), threshold=0.6)
SOURCE = GraderSpec(
    "llm/qa", Responder("llm", "", "qa"), Reading("answered", "question", "a/1")
)
CHOICES = (("A", "oxygen"), ("B", "carbon dioxide"))
ASKED = Item("question", "What do we breathe out?", CHOICES)


@dataclass
class LengthAva:
    """Scores a triple by how long its reference is, in tenths."""

    card: Card = CARD
    fingerprint: str = "1"
    calls: list[list[Triple]] = field(default_factory=list)

    def scores(self, triples: Sequence[Triple]) -> Scores:
        self.calls.append(list(triples))
        return np.array([len(one.reference) / 10 for one in triples])


def spec(**card: object) -> GraderSpec:
    model = LengthAva(replace(CARD, **card))  # type: ignore[arg-type]
    return ava_spec("ava:f+llm/qa", model, SOURCE)


def test_a_score_is_the_mean_over_the_references_of_the_key():
    model = LengthAva()
    one = candidate_item(Item("question", "Who?"), "Ann")
    asked = [(one, ("ab", "abcd")), (one, ("abcdef",))]
    # by hand: (.2 + .4) / 2, and .6
    grader = AvaGrader(ava_spec("ava:f+llm/qa", model, SOURCE), model)
    assert grader.scores(asked) == pytest.approx([0.3, 0.6])
    assert len(model.calls) == 1


def test_where_all_answers_are_needed_the_lowest_score_is_it():
    model = LengthAva()
    grader = AvaGrader(ava_spec("ava:f+llm/qa", model, SOURCE), model)
    one = candidate_item(Item("question", "Who?"), "Ann")
    assert grader.scores([(one, AllOf(("ab", "abcd")))]) == [0.2]


def test_letters_stand_for_the_texts_of_choices_and_each_text_counts_once():
    one, other = triples_of(
        candidate_item(ASKED, "(b)"), ["B", "carbon dioxide", " C "]
    )
    assert one == Triple("What do we breathe out?", "carbon dioxide", "carbon dioxide")
    assert other == replace(one, reference="C")
    without = candidate_item(replace(ASKED, choices=()), "(b)")
    assert [one.reference for one in triples_of(without, ["B"])] == ["B"]


@pytest.mark.parametrize(
    ("said", "choices", "text"),
    [
        ("B.", CHOICES, "carbon dioxide"),
        ("a) oxygen, I think", CHOICES, "oxygen, I think"),
        ("c", CHOICES, "c"),
        ("B", (), "B"),
        ("A", (("A", "B"), ("B", "A")), "A"),  # vitamins: the text counts
    ],
)
def test_a_candidate_that_names_a_choice_is_its_text(said, choices, text):
    assert candidate_text(said, choices) == text


@pytest.mark.parametrize(("score", "rating"), [(0.6, 0), (0.6000001, 1), (0.0, 0)])
def test_an_answer_is_right_above_the_threshold_only(score, rating):
    assert read_response(spec().reading, repr(score)) == rating
