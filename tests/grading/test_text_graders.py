"""Graders by their names: what a name says, and what makes two of them differ."""

from __future__ import annotations

import pytest

from grading.answers import CHECK_VERSION
from grading.prompts.prompt import Prompt
from grading.prompts.released import PROMPTS
from grading.readings import ANSWERED, CHAT, CHAT_RATING, SELF_RATING
from grading.registry import open_grader, reopen

OWN = Prompt("mine", "Say {question} {context}", "rated", SELF_RATING, "the test")


def chat(name: str, **more):
    return open_grader(f"chat:{name}", **more)


@pytest.mark.parametrize(
    ("name", "full", "reading"),
    [
        ("gpt", "chat:gpt", ("rated", "question", CHAT_RATING)),
        ("org/gpt/qa", "chat:org/gpt/qa", ("answered", "question", ANSWERED + CHAT)),
        (
            "gpt/verified/qa",
            "chat:gpt/qa/verified",
            ("keyed", "question", CHECK_VERSION + CHAT),
        ),
        ("gpt/nugget", "chat:gpt/nugget-ours", ("rated", "nugget", CHAT_RATING)),
        ("gpt/sun", "chat:gpt/sun-ours", ("direct", "query", "yes-no/1+chat")),
        ("gpt/umbrela", "chat:gpt/umbrela", ("direct", "query", "grade-0-3/1+chat")),
        ("gpt/reasoning", "chat:gpt/reasoning", ("rated", "question", CHAT_RATING)),
    ],
)
def test_a_name_says_model_prompt_and_reading(name, full, reading):
    spec = chat(name).spec
    assert spec.name == full
    assert (spec.reading.kind, spec.reading.item_kind, spec.reading.parser) == reading
    assert spec.responder.model == ("org/gpt" if "org" in name else "gpt")


def test_every_part_of_a_name_makes_another_grader(tiny_model):
    names = [
        f"flan-t5:{tiny_model}{rest}"
        for rest in (
            "/float32",
            "/bfloat16",
            "/int8",
            "/ct2-bfloat16",
            "/greedy/float32",
            *(f"/{prompt}/float32" for prompt in PROMPTS if prompt != "self-rating"),
            "/qa/verified/float32",
            "/qa/verified+true-false/float32",
        )
    ] + ["chat:gpt", "chat:gpt4", "chat:gpt/reasoning"]
    keys = {open_grader(name).spec.key for name in names}
    assert len(keys) == len(names)
    assert open_grader(names[0], prompt=OWN).spec.key not in keys


@pytest.mark.parametrize(
    "name",
    [
        "chat:gpt/qa/verified",
        "chat:gpt/reasoning",
        *(f"chat:gpt/{name}" for name in PROMPTS),
    ],
)
def test_a_stored_grader_is_opened_again_as_it_was(name):
    spec = open_grader(name).spec
    assert reopen(spec, spec.name).spec == spec


def test_a_stored_precision_is_kept_whatever_is_fast_here(tiny_model, monkeypatch):
    from grading.models import flan_t5

    monkeypatch.setattr(flan_t5, "default_dtype", lambda: "float32")
    spec = open_grader(f"flan-t5:{tiny_model}").spec
    monkeypatch.setattr(flan_t5, "default_dtype", lambda: "bfloat16")
    assert open_grader(f"flan-t5:{tiny_model}").spec.name.endswith("/bfloat16")
    assert reopen(spec, spec.name).spec.key == spec.key
