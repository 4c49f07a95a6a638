"""Lists pasted from Word and Excel: the questions alone, and each of them once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.wording import comparable
from curator.generation.pasted import pasted_texts

QUESTION = "How long does it last?"


@pytest.mark.parametrize(
    "line",
    [
        *("1. {}", "1.\t{}", "12)\t{}", "(3) {}", "1.\u00a0{}", "\u200b2. {}"),
        *("1.1\t{}", "a.\t{}", "b) {}", "7\t{}", "q1\t{}\tok"),
        *("•\t{}", "- {}", "– {}", "* {}", "·\t{}", "o\t{}", "§\t{}"),
        *("\uf0b7\t{}", "\uf0b7 {}", "➢ {}", "■ {}"),
        *('"{}"', "“{}”", "**{}**", "{}\tvital", "{}\tvital because of it all\t3"),
        *("\u200f1. {}", "☐ {}", "➔ {}", "・{}", "🔹 {}", "✔\ufe0f {}"),
        *("① {}", "一、{}", "۱- {}", "1.1. {}", "2- {}", "„{}“", "‚{}‘"),
        *("{}\u200b", "\ufeff{}", "  {}\u00a0"),
    ],
)
def test_marks_quotes_and_other_columns_are_left_out(line):
    assert pasted_texts(f"{line.format(QUESTION)}\nWhy?") == [QUESTION, "Why?"]


@pytest.mark.parametrize(
    "text",
    [
        *("What is a “lead”?", '"Lead" is what?', 'Who said "yes"', "¿Qué es?"),
        *("12 people died", "-5 degrees is cold", "3.5 million saw it"),
        *(
            "In 1984: what happened?",
            "什么是起搏器？",
            "½ of what?",
            "$5 for what?",
            "P(A | B) is what?",
            "Blatt\u200cpflanze",
        ),
    ],
)
def test_what_is_part_of_a_text_stays(text):
    assert pasted_texts(f"{text}\nWhy?") == [text, "Why?"]


@pytest.mark.parametrize(
    "text", ["1. Why?", "24 - why?", "- Why?", '"Why?"', "**Why** is `x` bold?"]
)
def test_one_line_without_columns_stays_as_it_was_typed(text):
    assert pasted_texts(f" {text}\u200b ") == [text]
    assert pasted_texts("1.\tWhy?") == ["Why?"]


def test_excels_quotes_are_undone_also_over_several_lines():
    pasted = (
        '"What is a ""lead""?"\tvital\r\n"Which of\nthese ""two""?"\r\nWhy?\tokay\r\n'
    )
    assert pasted_texts(pasted) == [
        'What is a "lead"?',
        'Which of these "two"?',
        "Why?",
    ]


def test_a_text_counts_once_and_a_mark_alone_not_at_all():
    assert pasted_texts("1. Why?\n2.\n\n3. Wh\u00ady?\n4.\tWhy?\tvital") == ["Why?"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_list_is_read_and_no_two_texts_look_the_same(text):
    texts = pasted_texts(text)
    assert all(texts)
    assert len(set(map(comparable, texts))) == len(texts)
