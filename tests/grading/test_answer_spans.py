"""Where in a passage an answer stands."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grading.highlight import find_exact, find_normalised, is_extract, locate

TEETH = "Adult dogs have 42 teeth. A puppy of 6 months old has all 42, or 2,400 mg."


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
# Letters with accents of their own and combining ones, emoji with joiners, hyphens.
LIKE_WORDS = st.text(
    alphabet="abAB éßİ\u0301\u200d👩🔬水-'’., 12\n\u00a0", min_size=1, max_size=20
)


def located(answer, passage):
    span = locate(answer, passage)
    return None if span is None else passage[slice(*span)]


@pytest.mark.parametrize(
    ("answer", "passage", "words"),
    [
        ("42 teeth", TEETH, "42 teeth"),
        ("log", "The blog is a log.", "log"),
        ("4", TEETH, None),
        ("2", "It weighs 2.5 or 1,2 or 2 kg", "2"),
        ("dog", "the dog's teeth", "dog"),
        ("大切", "水は大切です。", "大切"),
    ],
)
def test_an_answer_that_stands_there_is_found_between_word_borders(
    answer, passage, words
):
    assert located(answer, passage) == words


@pytest.mark.parametrize(
    ("answer", "passage", "words"),
    [
        ("Adult Dogs", "the adult dogs", "adult dogs"),
        ("long-term", "a long term plan", "long term"),
        ("'the end'", "“The End!”", "The End"),
        ("dog’s teeth", "the dog's teeth", "dog's teeth"),
        ("in. (1/2 in.)", "into even in. ½ in.-thick", "in. ½ in"),
    ],
)
def test_the_same_words_are_found_whatever_their_case_and_marks(answer, passage, words):
    assert find_exact(answer, passage) is None
    assert located(answer, passage) == words


@pytest.mark.parametrize(
    ("answer", "passage", "words"),
    [
        ("adult dog has 42 teeth", TEETH, "Adult dogs have 42 teeth"),
        (
            "big dogs with white teeth bark and chase cats",
            "Old dogs with white teeth bark and chase cats.",
            "dogs with white teeth bark and chase cats",
        ),
        ("Adult dogs have 43 teeth", TEETH, None),
        ("it is not soluble", "It is soluble.", None),
        (
            "grey dogs with clean white teeth never bark at small cats",
            "Grey dogs with clean white teeth bark at small cats.",
            None,
        ),
    ],
)
def test_nearly_the_same_words_are_found_in_their_order(answer, passage, words):
    assert find_exact(answer, passage) is None
    assert find_normalised(answer, passage) is None
    assert located(answer, passage) == words


@pytest.mark.parametrize("answer", ["", "...", "a", "No.", "2."])
def test_what_is_no_extract_is_not_found(answer):
    passage = f"A yes. No. I am 2. I... a true - answer' {answer} yes"
    assert not is_extract(answer)
    assert locate(answer, passage) is None


def test_the_surest_way_wins_over_the_first_place():
    assert locate("dogs", "Dog, Dogs, dogs") == (11, 15)


@given(WORDS, WORDS)
def test_a_span_is_a_part_of_the_passage_that_holds_words(answer, passage):
    span = locate(answer, passage)
    if span is not None:
        start, end = span
        assert 0 <= start < end <= len(passage)
        assert passage[start:end] == passage[start:end].strip()


@given(WORDS, WORDS, LIKE_WORDS | WORDS)
def test_an_answer_that_stands_between_spaces_is_always_found(before, after, answer):
    assume(is_extract(answer))
    passage = f"{before} {answer} {after}"
    span = locate(answer, passage)
    assert span is not None
    assert passage[slice(*span)] == answer.strip()
