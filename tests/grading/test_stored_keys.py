"""Keys that stand in workspaces: whatever is moved about here, they stay."""

from dataclasses import replace

import pytest

from grading.items import Item
from grading.keys import answer_key_key, item_key, text_key
from grading.prompts.released import PROMPTS
from grading.registry import open_grader, reopen
from grading.responders import GraderSpec, Reading, Responder

# (name, responder's key, grader's key), as they are stored: the beginning of each.
BY_NAME = [
    ("chat:gpt", "g1:e5877b56aff943e557a7d4c2", "g1:f13d1326e8f4408e77acbfad"),
    (
        "chat:org/gpt/qa/verified",
        "g1:4009dd0f4da99605908bbd84",
        "g1:1b03d771afe10ae723245884",
    ),
    (
        "chat:gpt/nugget/reasoning",
        "g1:8272bdded7799cd16795aea8",
        "g1:312a66c51c7378d78532c414",
    ),
    ("chat:gpt/thom", "g1:f549a5e7a4b724b3fddfbfc0", "g1:e5e0759d55fdc75b3ab33477"),
    ("embedding", "g1:9a967f8f0b55b58a85fc9dcb", "g1:850f30a6d892e9e4c625f21a"),
]


FORMER_PARSERS = {
    "chat:gpt": "chat-rating/1",
    "chat:org/gpt/qa/verified": "answer-key/1",
    "chat:gpt/nugget/reasoning": "chat-rating/1",
    "chat:gpt/thom": "grade-0-2/1",
}


@pytest.mark.parametrize(("name", "responder", "grader"), BY_NAME)
def test_a_grader_opened_by_its_name_has_the_key_it_always_had(name, responder, grader):
    spec = open_grader(name).spec
    assert spec.responder.key.startswith(responder)
    # A new grader of a chat model has a newer parser; a stored one keeps its own.
    parser = FORMER_PARSERS.get(name, spec.reading.parser)
    stored = replace(spec, reading=replace(spec.reading, parser=parser))
    assert stored.key.startswith(grader)
    if name in FORMER_PARSERS:
        assert reopen(stored, stored.name).spec.key == stored.key


FLAN_T5 = GraderSpec(
    "flan-t5-large/qa/verified/greedy/float32",
    Responder(
        "google/flan-t5-large",
        "weights",
        PROMPTS["qa"].template,
        (
            ("engine", "flan-t5"),
            ("answer_tokens", "511"),
            ("beams", "1"),
            ("dtype", "float32"),
            ("prompt_tokens", "512"),
            ("truncation", "passage-end/1"),
        ),
    ),
    Reading("keyed", "question", "answer-key/1"),
)
AVA = GraderSpec(
    "ava:x+y",
    Responder("ava", "fp", "", (("engine", "ava"), ("references", "mean/1"))),
    Reading("keyed", "question", "ava/1", (0.5,), "g1:00"),
)


@pytest.mark.parametrize(
    ("spec", "responder", "grader"),
    [
        (FLAN_T5, "g1:ac5ff46121bf27f36be9d2f8", "g1:ad2723e52bba17abee18f443"),
        (AVA, "g1:4d3e5e3fbae71c7bffbbfa04", "g1:bc5282a2e6ec1fbb7e2ba492"),
    ],
)
def test_a_stored_grader_has_the_key_it_was_stored_under(spec, responder, grader):
    again = GraderSpec.from_json(spec.to_json())
    assert again.responder.key.startswith(responder)
    assert again.key.startswith(grader)


@pytest.mark.parametrize(
    ("key", "stored"),
    [
        (text_key("salt"), "g1:a77c99fbbf778c43b381e963"),
        (answer_key_key(["a", "b"]), "g1:455b81654a98f00c4062bcd5"),
        (
            item_key(Item("question", " Why? ", (("A", "x"),))),
            "g1:46311fb66b11260161b83af9",
        ),
        (
            item_key(Item("candidate", "Why?", candidate="x")),
            "g1:d66d98ec3ed14ecc8bf3d3c3",
        ),
        (
            item_key(Item("nugget", None, public_id="q1/n1")),
            "g1:a9e53bf8de58726d6f6908a2",
        ),
    ],
)
def test_texts_items_and_answer_keys_have_the_keys_they_always_had(key, stored):
    assert key.startswith(stored)
