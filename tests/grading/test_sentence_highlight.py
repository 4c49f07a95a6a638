"""Sentences of a passage, and the one that is shown."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.highlight import best_sentence, compared_sentences, sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["One sentence."],
        ["One sentence.", "And another!", "A third?"],
        ["Dr. Smith met Mr. J. R. Jones.", "They spoke."],
        ["It costs 3.50 dollars, e.g. in the U.S. market.", "Cheap."],
        ["He lives in the U.S.", "She does not."],
        ['He said "stop."', "They stopped."],
        ["(It rained.)", "It poured."],
        ["Apples, pears, etc. are fruit.", "We sell apples etc.", "Come in."],
        ["It has other resources.[1][2]", "The term designates it."],
        ["水は大切です。", "火も。"],
        ["ما هي عاصمة فرنسا؟", "باريس.", "حقا؟!", "نعم."],
        ["Ποια είναι η πρωτεύουσα;", "Η Αθήνα.", "Ναι\u037e", "Ναι."],
        ["他说：“真的吗？”", "是的。", "３．５元。"],
    ],
)
def test_a_text_falls_into_its_sentences(parts):
    text = " ".join(parts)
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text("aA1 .!?…;,:()[]'\"“”’-*•\nÄßαβ", max_size=80))
def test_english_falls_into_the_sentences_that_it_always_did(text):
    if not re.search("[αβ]{2};", text):
        assert sentences(text) == compared_sentences(text, "1")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A heading\n\nThe text.", ["A heading", "The text."]),
        ("A sentence that\nis wrapped.", ["A sentence that\nis wrapped."]),
        ("Two things:\n- one\n- two", ["Two things:", "- one", "- two"]),
        ("over the time.Man and nature", ["over the time.", "Man and nature"]),
        (" \n ", []),
    ],
)
def test_lines_and_lost_spaces_separate_where_they_should(text, parts):
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text(alphabet="aA1 .!?\n\"')-。", max_size=60))
def test_sentences_hold_everything_but_white_space_in_order(text):
    spans = sentences(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    inside = "".join(text[start:end] for start, end in spans)
    assert "".join(inside.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("piece", "count"),
    [("Dr. A. B. went. ", 10_000), (" \n", 0), (".", 1), ("1.", 1), ('."', 1)],
)
def test_a_text_of_any_make_takes_linear_time(piece, count):
    assert len(sentences(piece * 10_000)) == count


def test_the_sentence_closest_to_the_item_is_shown():
    item, *others = (
        np.array([one], dtype=np.float16) for one in ([1, 0], [0, 1], [1, 1], [1, 9])
    )
    assert best_sentence(item, others) == 1
