"""Thoughts are no part of a rating, an answer or a list."""

import time

import pytest

from curator.generation.responses import listed_texts
from grading.chat_ratings import parse_rating, strip_thoughts
from grading.readings import ANSWERED, CHAT, stated_answer

FINAL = "<|channel|>final<|message|>"
TAGS = [
    ("<think>", "</think>"),
    ("<seed:think>", "</seed:think>"),
    ("<Thinking effort='low'>\n", "</Thinking>"),
    ("<self_reflection>", "</self_reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", f"<|end|><|start|>assistant{FINAL}"),
    ("<|channel|>commentary<|message|>", "<|channel|>final json<|message|>"),
]


@pytest.mark.parametrize(
    ("opened", "closed"), [*TAGS, ("", "</think>"), ("analysis", "assistantfinal")]
)
def test_what_stands_behind_thoughts_is_the_answer(opened, closed):
    thoughts = f"{opened}Rating: 3 perhaps.\n1. Why is it a draft?\n{closed}"
    assert parse_rating(f"{thoughts}4<|END_RESPONSE|>") == 4
    assert stated_answer(f"{thoughts}cork", ANSWERED + CHAT) == "cork"
    listed = listed_texts(f"{thoughts}1. What is cork?<|END_RESPONSE|>")
    assert listed.texts == ("What is cork?",)
    assert not listed.cut


@pytest.mark.parametrize("opened", [opened for opened, _ in TAGS])
def test_thoughts_that_do_not_end_are_no_answer(opened):
    raw = f"{opened}Rating: 3\n1. Why is it a draft?"
    assert strip_thoughts(raw)[1]
    assert parse_rating(raw) < 0
    assert listed_texts(raw).texts == ()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("4\n<reasoning>Names 2.</reasoning>", "4"),
        ("<score>4</score><reason>Names 2.</reason>", "<score>4</score>"),
        ("What does <reasoning> mean?", "What does <reasoning> mean?"),
        ("[Analysis]\n4", "[Analysis]\n4"),
    ],
)
def test_other_text_stays(raw, text):
    assert strip_thoughts(raw + "\n")[0].strip() == text


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<a", "<think ", "<|end_of_"])
def test_thoughts_of_any_make_take_little_time(piece):
    began = time.process_time()
    strip_thoughts(piece * 20_000)
    assert time.process_time() - began < 2
