"""Prose of chat models that gives no answer, told from answers in the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.no_answer import counts, shares
from grading.no_answer import classify_answer


@pytest.mark.parametrize("part", ["tuned", "held"])
def test_the_benchmark_is_read_as_well_as_the_docs_say(part):
    found = counts(part)
    assert found.total() >= 150
    for kind in ("no answer", "refusal", "answer"):
        precision, recall = shares(found, kind)
        assert precision >= 0.96, kind
        assert recall >= 0.95, kind


@pytest.mark.parametrize(
    ("response", "states"),
    [
        ("The context does not mention the height of the tower.", "no answer"),
        ("According to the passage, the law does not mention speed limits.", "answer"),
        ("No information was released until 1994.", "answer"),
        ("I’m sorry, but I can’t help with that.", "refusal"),
        ("As an AI pioneer, Turing proposed a game.", "answer"),
        ("The passage is about bridges and has nothing to do with it.", "no answer"),
        ("The document lacks a signature.", "answer"),
        ("The document lacks any information on it.", "no answer"),
        ("Evidence is insufficient to recommend screening.", "answer"),
        ("The passage gives no date, but says it began in spring.", "answer"),
        ("The text is about trees. It does not mention the price.", "no answer"),
        ("Sorry for the confusion. It was 1492.", "answer"),
        ("", "answer"),
    ],
)
def test_a_response_states_an_answer_none_or_a_refusal(response, states):
    assert classify_answer(response) == states


@given(st.text())
def test_any_text_states_one_of_three(response):
    assert classify_answer(response) in ("answer", "no answer", "refusal")
