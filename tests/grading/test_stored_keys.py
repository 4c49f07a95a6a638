"""Keys that stand in workspaces: whatever is moved about here, they stay."""

from dataclasses import replace

import pytest

from grading.graders import embedding
from grading.items import Item
from grading.keys import answer_key_key, item_key, text_key
from grading.prompts.released import PROMPTS
from grading.registry import open_grader, reopen
from grading.responders import GraderSpec, Reading, Responder

# (name, responder's key, grader's key), as they are stored.
BY_NAME = [
    (
        "chat:gpt",
        "g1:e5877b56aff943e557a7d4c2fa52cf4ba4ac1e836ff402d92346302a189daa56",
        "g1:f13d1326e8f4408e77acbfad14c6a692f9a27b4440e86f316ad8798819570dc1",
    ),
    (
        "chat:org/gpt/qa/verified",
        "g1:4009dd0f4da99605908bbd84b0ae8a81d28a24f107c7ca8d3df16792d360beb5",
        "g1:1b03d771afe10ae723245884ccab5961ba1834c00e3d70cf3fd5b833fcaab981",
    ),
    (
        "chat:gpt/nugget/reasoning",
        "g1:8272bdded7799cd16795aea8a88da64345b2fde14cd37a96468b900b307ac3e9",
        "g1:312a66c51c7378d78532c4140ccde2dcc60074d22361f1847921b748e723ca1f",
    ),
    (
        "chat:gpt/thom",
        "g1:f549a5e7a4b724b3fddfbfc0e1a336e3f50253ca560f86b9184bd90b31460359",
        "g1:e5e0759d55fdc75b3ab334773d22a5fb99a05ca68201cf084c62b96892a63419",
    ),
    (
        "embedding",
        "g1:9a967f8f0b55b58a85fc9dcb31fade6668e1c6490d0e93b0fb4bcdb254e693a3",
        "g1:850f30a6d892e9e4c625f21a19b7cd6a25ccde280ed688a43df48761e7191455",
    ),
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
    assert spec.responder.key == responder
    # A new grader of a chat model has a newer parser; a stored one keeps its own.
    parser = FORMER_PARSERS.get(name, spec.reading.parser)
    stored = replace(spec, reading=replace(spec.reading, parser=parser))
    assert stored.key == grader
    if name in FORMER_PARSERS:
        assert reopen(stored, stored.name).spec.key == grader


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (
            "question",
            "g1:476848f3a9c1c593c676e4b743d67141d98880b1858b11db2fc6685eced43c7a",
        ),
        ("any", "g1:d2ecd3999be3325394d32dd3a7fc3cc01f832c45ed5f1312c148e9b9d561cdd1"),
    ],
)
def test_the_embedding_grader_of_whole_passages_opens_with_the_key_it_had(kind, key):
    stored = embedding.spec(reading=replace(embedding.COSINE_1, item_kind=kind))
    assert stored.key == key
    assert reopen(stored, "embedding").spec == stored


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
        (
            FLAN_T5,
            "g1:ac5ff46121bf27f36be9d2f8c4d166c944251ac285e04bbd95ec62074fce8f01",
            "g1:ad2723e52bba17abee18f44384e6753343de053a08ab677f01dfc4191183c7ff",
        ),
        (
            AVA,
            "g1:4d3e5e3fbae71c7bffbbfa0424e9c5fb989ffe7de9eb22bb243a7da64ce5f37e",
            "g1:bc5282a2e6ec1fbb7e2ba4928a6bd257b38412edae407e777283f24c01429e1d",
        ),
    ],
)
def test_a_stored_grader_has_the_key_it_was_stored_under(spec, responder, grader):
    again = GraderSpec.from_json(spec.to_json())
    assert (again.responder.key, again.key) == (responder, grader)


@pytest.mark.parametrize(
    ("key", "stored"),
    [
        (
            text_key("salt"),
            "g1:a77c99fbbf778c43b381e9638dd78976cc0e3fccd5b424753e1782bd0c0db210",
        ),
        (
            answer_key_key(["a", "b"]),
            "g1:455b81654a98f00c4062bcd59b9534caf8d305b13235a50df289756856df2d4d",
        ),
        (
            item_key(Item("question", " Why? ", (("A", "x"),))),
            "g1:46311fb66b11260161b83af9d750cd080169df35f615612cdb4a77a53aa51705",
        ),
        (
            item_key(Item("candidate", "Why?", candidate="x")),
            "g1:d66d98ec3ed14ecc8bf3d3c3a66b175c0cfb1d1335beedcb8f6b411add6b6a79",
        ),
        (
            item_key(Item("nugget", None, public_id="q1/n1")),
            "g1:a9e53bf8de58726d6f6908a29dbe38356cf7b76eb435c702061cd20e1916f085",
        ),
    ],
)
def test_texts_items_and_answer_keys_have_the_keys_they_always_had(key, stored):
    assert key == stored
