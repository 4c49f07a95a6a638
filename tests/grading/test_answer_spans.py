"""Where in a passage an answer stands."""

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grading.spans import (
    LONGEST_ALIGNED,
    find_aligned,
    find_exact,
    find_normalised,
    is_extract,
    locate,
)

TEETH = "Adult dogs have 42 teeth. A puppy of 6 months old has all 42, or 2,400 mg."
PLAIN = ["dogs", "have", "not", "all", "their", "teeth", "42", "weeks"]
ACCENTED = ["Ärzte", "👩\u200d🔬", "cafe\u0301", "naïve", "İstanbul", "42", "½"]
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
        (" 42 teeth \n", TEETH, "42 teeth"),
        ("dogs", "dogs dogs", "dogs"),
        # word borders
        ("log", "The blog is a log.", "log"),
        ("log", "The blog.", None),
        ("4", TEETH, None),
        ("2", "It weighs 2.5 or 1,2 or 2 kg", "2"),
        ("5", "It weighs 2.5 kg.", None),
        ("5", "It weighs 5.", "5"),
        ("s", "the dog's teeth", None),
        ("dog", "the dog's teeth", "dog"),
        ("cafe", "a cafe\u0301 here", "cafe\u0301"),
        ("大切", "水は大切です。", "大切"),
        # symbols are words of their own
        ("🐶", "a 🐶 barks", "🐶"),
        ("50%", "It is 50% more.", "50%"),
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
        ("STRASSE", "die Straße dort", "Straße"),
        ("42 teeth", "42\n   teeth", "42\n   teeth"),
        ("long-term", "a long term plan", "long term"),
        ("long – term", "a long-term plan", "long-term"),
        ("'the end'", "“The End!”", "The End"),
        ("dog’s teeth", "the dog's teeth", "dog's teeth"),
        ("2400 mg", TEETH, "2,400 mg"),
        ("cafe au lait", "Un Café au lait.", "Café au lait"),
        ("café au lait", "Un cafe\u0301 au lait.", "cafe\u0301 au lait"),
        ("the file name", "The ﬁle name.", "The ﬁle name"),
        ("in. (1/2 in.)", "into even in. ½ in.-thick", "in. ½ in"),
        ("sweet potato", "😀👩‍🔬 Sweet  Potato 😀", "Sweet  Potato"),
        ("hindrance", "A \ufeffHindrance\ufeff!", "Hindrance"),
        ("hindrance", "A hin\xaddrance.", "hin\xaddrance"),
    ],
)
def test_the_same_words_are_found_whatever_their_case_and_marks(answer, passage, words):
    assert find_exact(answer, passage) is None
    assert located(answer, passage) == words


@pytest.mark.parametrize(
    ("answer", "passage", "words"),
    [
        ("dehumidifier", "Two dehumidifiers run.", "dehumidifiers"),
        ("adult dog has 42 teeth", TEETH, "Adult dogs have 42 teeth"),
        ("adult dog have 42 teeth", TEETH, "Adult dogs have 42 teeth"),
        ("puppies of 6 months", TEETH, "puppy of 6 months"),
        ("the hinderance ends", "Soon the hindrance ends.", "the hindrance ends"),
        (
            "make room for permanent teeth to come out",
            "It is making room for permanent teeth to come out.",
            "making room for permanent teeth to come out",
        ),
        # one content word in five may be missing, none in four
        (
            "big dogs with white teeth bark and chase cats",
            "Old dogs with white teeth bark and chase cats.",
            "dogs with white teeth bark and chase cats",
        ),
        ("male narwhals", "Female narwhals have none.", None),
        ("slice the potatoes", "Scrape the potatoes.", None),
        # a number is never another
        ("Adult dogs have 43 teeth", TEETH, None),
        ("dogs have 28 teeth at last", "Dogs have 42 teeth at last.", None),
        # nor is a negation
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


@pytest.mark.parametrize(
    "answer",
    ["", " \n", ".", "...", "-", "'", "a", "A", "I", "a.", "yes", "No.", "TRUE", "2."],
)
def test_what_is_no_extract_is_not_found(answer):
    passage = f"A yes. No. I am 2. I... a true - answer' {answer} yes"
    assert not is_extract(answer)
    assert locate(answer, passage) is None


@pytest.mark.parametrize("answer", ["b", "B", "D", "x"])
def test_a_letter_is_found_as_it_is_and_alone_or_not_at_all(answer):
    assert locate(answer, "bBDx abc, bed, DBx") is None
    assert located(answer, f"vitamin {answer}.") == answer
    assert locate(answer, f"vitamin {answer.swapcase()}.") is None


@pytest.mark.parametrize("passage", ["", " ", "...", "x"])
def test_nothing_is_found_in_a_passage_without_it(passage):
    assert locate("42 teeth", passage) is None


def test_the_first_of_several_places_is_shown():
    assert locate("dogs", "the dogs and dogs") == (4, 8)
    assert locate("DOGS", "the dogs and dogs") == (4, 8)


def test_the_surest_way_wins_over_the_first_place():
    assert locate("dogs", "Dog, Dogs, dogs") == (11, 15)


@given(WORDS, WORDS)
def test_a_span_is_a_part_of_the_passage_that_holds_words(answer, passage):
    span = locate(answer, passage)
    if span is not None:
        start, end = span
        assert 0 <= start < end <= len(passage)
        assert passage[start:end] == passage[start:end].strip()


@given(LIKE_WORDS, LIKE_WORDS)
def test_spans_of_likely_words_lie_in_the_passage(answer, passage):
    for way in (find_exact, find_normalised, find_aligned):
        span = way(answer, passage)
        assert span is None or 0 <= span[0] < span[1] <= len(passage)


@given(WORDS, WORDS, LIKE_WORDS | WORDS)
def test_an_answer_that_stands_between_spaces_is_always_found(before, after, answer):
    assume(is_extract(answer))
    passage = f"{before} {answer} {after}"
    span = locate(answer, passage)
    assert span is not None
    assert passage[slice(*span)] == answer.strip()


@given(st.lists(st.sampled_from(ACCENTED)))
def test_offsets_are_right_after_accents_and_emoji_of_any_length(words):
    passage = " ".join([*words, "“The", "Answer”", *words])
    span = locate("the answer", passage)
    assert span is not None
    assert passage[slice(*span)] == "The Answer"


@given(st.lists(st.sampled_from(PLAIN)))
def test_whatever_is_found_exactly_is_found_normalised_as_well(words):
    answer = " ".join(words)
    assume(len(answer) > 1 and is_extract(answer))
    passage = f"The {answer} end"
    assert find_exact(answer, passage) is not None
    assert find_normalised(answer, passage) is not None


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("a" * 20_000, "a" * 50_000),
        ("ab " * 10_000, "ba " * 20_000),
        ("'" * 30_000, "'" * 50_000),
        ("1.1" * 300, "1." * 10_000),
        ("x" * LONGEST_ALIGNED, "xy " * 20_000),
        ("dogs bark " * 99, "dog barked " * 5_000),
        ("\u0301" * 9_000 + "a b", "\u0301" * 50_000),
        ("水" * 900, "水 " * 20_000),
    ],
)
def test_a_text_of_any_make_takes_little_time(answer, passage):
    began = time.process_time()
    locate(answer, passage)
    assert time.process_time() - began < 10  # a quadratic reading takes minutes
