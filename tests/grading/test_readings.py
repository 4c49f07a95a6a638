"""What raw responses mean, by the version of their parser."""

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.errors import InvalidSpecError
from grading.items import AllOf
from grading.ratings import UNANSWERABLE, UNREADABLE
from grading.readings import CHAT, PARSERS, answer_of, chat_parser, read_response
from grading.responders import Reading, ReadingKind

ALLOWED = {
    "self-rating/1": {0, 1, 2, 3, 4, 5},
    "chat-rating/1": {0, 1, 2, 3, 4, 5, UNREADABLE},
    "answered/1": {0, 1, UNREADABLE},
    "answer-key/1": {0, 1, UNREADABLE},
    "answer-key/1+true-false": {0, 1, UNREADABLE},
    "yes-no/1": {0, 1, UNREADABLE},
    "yes-no/2": {0, 1, UNREADABLE},
    "relevance/1": {0, 1, UNREADABLE},
    "grade-0-2/1": {0, 1, 2, UNREADABLE},
    "grade-0-2/2": {0, 1, 2, UNREADABLE},
    "grade-0-3/1": {0, 1, 2, 3, UNREADABLE},
    "direct/1": {0, 1, 2, 3, 4, 5, UNREADABLE},
}
ALLOWED |= {parser + CHAT: ALLOWED[parser] for parser in [*ALLOWED][2:]}
ALLOWED["chat-rating/2"] = ALLOWED["chat-rating/1"]
KEYED = [parser for parser in ALLOWED if parser.startswith("answer-key")]
ANSWERING = ["answered/1", "answered/1+chat"]
CHOICES = (("a", "oxygen"), ("b", "carbon dioxide"))
ANY_TEXT = st.text(st.characters())  # half surrogate pairs too
NO_ANSWER = "The passage does not mention carbon dioxide."
REFUSAL = "I'm sorry, but I can't help with carbon dioxide."

# Responses and their values. ``test_chat_ratings`` has those of "chat-rating".
READ = {
    # Farzi & Dietz 2024, section 3.2.3: "a rating of 1 by default"
    "self-rating/1": {
        "5": 5,
        " 4 \n": 4,
        "4.": 4,
        "4:": 4,
        "4: mostly relevant": 4,
        "2.\nBecause it says\nlittle.": 2,
        "No.": 0,
        "'no answer'": 0,
        "It  does not say": 0,
        "": 1,
        "6": 1,
        "4 5": 1,
        "Rating: 4": 1,
        "No, it does not say.": 1,
    },
    "answered/1": {
        "in 1492": 1,
        "No, not in this passage": 1,
        "No.": 0,
        "unanswerable": 0,
        "<think>hm": UNREADABLE,
        "<think>hm</think>1492": 1,
        # FLAN-T5's answers are read by the paper's phrases alone.
        NO_ANSWER: 1,
        REFUSAL: 1,
    },
    "answered/1+chat": {NO_ANSWER: 0, REFUSAL: UNREADABLE, "in 1492": 1},
    "yes-no/1": {
        "yes": 1,
        "Yes.": 1,
        "Yes, because it names the year.": 1,
        "Answer: yes": 1,
        "no": 0,
        "No, it is about something else.": 0,
        "Yes and no": UNREADABLE,
        "Yes. No.": UNREADABLE,
        "<think>yes": UNREADABLE,
        "relevant": UNREADABLE,
        "not relevant": UNREADABLE,
    },
    "yes-no/2": {
        # the words that the published implementation takes for "yes" and for "no"
        "Yes": 1,
        "TRUE": 1,
        "correct": 1,
        "No": 0,
        "False.": 0,
        "Incorrect": 0,
        "relevant": 1,
        "not relevant": 0,
        # and those that it takes for no answer (footnote 5)
        **dict.fromkeys(sorted(UNANSWERABLE), 0),
        "Correct. False.": UNREADABLE,
        "Yes, not relevant": UNREADABLE,
    },
    "relevance/1": {
        "relevant": 1,
        "Yes, relevant": 1,
        "The passage is relevant to the query.": 1,
        "yes": 1,
        "no": 0,
        "not relevant": 0,
        "Non-relevant": 0,
        "This passage is not relevant because it is about dogs.": 0,
        "partially relevant": UNREADABLE,
        "Yes, not relevant": UNREADABLE,
    },
    "grade-0-2/1": {
        "2": 2,
        "2/2": 2,
        "3": UNREADABLE,
        "1 or 2": UNREADABLE,
    },
    "grade-0-2/2": {
        # what the published prompts print as a grade's meaning
        "2 = highly relevant, very helpful for this query": 2,
        "Answer: 1": 1,
        # UMBRELA: "in the format of: ##final score: score"
        "##final score: 2": 2,
        "final score: 2/2": 2,
        "**Final score (O):** 2": 2,
        '{"M": 3, "T": 1, "O": 2}': 2,
        "M: 2\nT: 1\nO: 0": 0,
        "<think>final score: 0</think>##final score: 1": 1,
        "final score: 1 or 2": UNREADABLE,
        "2 = highly relevant\n1 = relevant\n0 = not relevant": UNREADABLE,
        "highly relevant": UNREADABLE,
        "3": UNREADABLE,
        "final score: 3/3": UNREADABLE,
    },
    "grade-0-3/1": {"3": 3, "final score: 3/3": 3, "M: 2\nT: 1\nO: 0": 0},
    "direct/1": {"yes": 1, "not relevant": 0, "3": 3, "Rating: 5": 5},
    # Chat models are read in more forms.
    "yes-no/1+chat": {
        "<think>Yes?</think>No.": 0,
        "It names it.\n\nAnswer: Yes": 1,
        "Yes, it does.\n\nAnswer: No": UNREADABLE,
        "No idea": UNREADABLE,
    },
    "yes-no/2+chat": {"Final answer: True": 1},
    "relevance/1+chat": {"Verdict: not relevant": 0},
    "grade-0-2/1+chat": {"I would rate this passage a 2 out of 2": 2},
    "grade-0-2/2+chat": {"[THINK]a 1?[/THINK]I would give it a 2.": 2},
    "grade-0-3/1+chat": {"<score>3</score>": 3},
    "direct/1+chat": {"I would give it a rating of 4.": 4, "It is:\nrelevant": 1},
}


def read(parser, raw, **given):
    return read_response(Reading("rated", "question", parser), raw, **given)


def test_every_parser_is_in_the_table_of_this_test():
    assert ALLOWED.keys() == PARSERS.keys()


@pytest.mark.parametrize("parser", sorted(PARSERS))
@given(raw=ANY_TEXT, answers=st.lists(ANY_TEXT, max_size=2))
def test_any_text_gets_a_rating_the_parser_may_give(parser, raw, answers):
    assert read(parser, raw, answers=answers) in ALLOWED[parser]
    assert read(parser, raw, answers=answers, choices=CHOICES) in ALLOWED[parser]


@pytest.mark.parametrize(
    ("parser", "raw", "value"),
    [(parser, raw, READ[parser][raw]) for parser in READ for raw in READ[parser]],
)
def test_a_response_is_read_by_its_parser(parser, raw, value):
    assert read(parser, raw) == value


@pytest.mark.parametrize("parser", sorted(PARSERS.keys() - {"self-rating/1"}))
def test_garbage_is_unreadable_and_not_0(parser):
    assert read(parser, " \n", answers=["oxygen"]) == UNREADABLE
    if parser not in [*ANSWERING, *KEYED]:
        for raw in ("Sorry, I can't help with that.", "<pad><pad>", "4 or 5", "9"):
            assert read(parser, raw) == UNREADABLE


def test_a_chat_model_is_read_strictly_and_flan_t5_as_published():
    assert chat_parser("self-rating/1") == "chat-rating/2"
    assert chat_parser("yes-no/1") == chat_parser("yes-no/1+chat") == "yes-no/1+chat"


def test_every_unanswerable_phrase_of_the_paper_is_not_answered():
    assert len(UNANSWERABLE) == 8
    for parser in ("self-rating/1", "answered/1"):
        assert {read(parser, phrase) for phrase in UNANSWERABLE} == {0}


@pytest.mark.parametrize(
    ("parser", "raw", "answers", "choices", "value"),
    [
        ("answer-key/1", "the carbon dioxide", ["carbon dioxide"], (), 1),
        ("answer-key/1", "oxygen", ["carbon dioxide"], (), 0),
        ("answer-key/1", "b", ["carbon dioxide"], CHOICES, 1),
        ("answer-key/1", "b", ["carbon dioxide"], (), 0),
        ("answer-key/1", "no", ["No"], (), 1),  # the answer, where the key says so
        ("answer-key/1", "oxygen", [], CHOICES, UNREADABLE),  # nothing to compare with
        ("answer-key/1", NO_ANSWER, AllOf(["carbon dioxide"]), (), 1),
        ("answer-key/1+true-false", "No.", ["b"], (("a", "true"), ("b", "false")), 1),
        ("answer-key/1+true-false", "yes", ["b"], (("a", "true"), ("b", "false")), 0),
        ("answer-key/1+chat", NO_ANSWER, ["carbon dioxide"], (), 0),
        ("answer-key/1+chat", NO_ANSWER, AllOf(["carbon dioxide"]), (), 0),
        ("answer-key/1+chat", REFUSAL, ["carbon dioxide"], (), UNREADABLE),
        ("answer-key/1+chat", "carbon dioxide", ["carbon dioxide"], (), 1),
    ],
)
def test_a_response_is_checked_against_the_key(parser, raw, answers, choices, value):
    assert read(parser, raw, answers=answers, choices=choices) == value


@pytest.mark.parametrize("parser", ["self-rating/9", ""])
def test_a_parser_this_program_does_not_have_is_named_with_those_it_has(parser):
    with pytest.raises(InvalidSpecError, match=f"'{parser}'.*direct/1, .*yes-no/2"):
        read(parser, "4")


@pytest.mark.parametrize("kind", ["answered", "keyed"])
def test_an_answering_response_states_an_answer_or_none(kind):
    assert answer_of(kind, " in 1492 \n") == "in 1492"
    assert answer_of(kind, "<think>hm</think>\n1492") == "1492"
    assert answer_of(kind, NO_ANSWER) == NO_ANSWER
    assert answer_of(kind, NO_ANSWER, "answered/1+chat") is None
    assert {answer_of(kind, raw) for raw in ("unanswerable", "No.", "", "...")} == {
        None
    }


@given(st.sampled_from(get_args(ReadingKind)), ANY_TEXT)
def test_an_answer_is_a_part_of_the_response_with_words_in_it(kind, raw):
    answer = answer_of(kind, raw)
    assert answer is None or (answer in raw and answer == answer.strip() != "")


@pytest.mark.parametrize("parser", ANSWERING)
@given(raw=ANY_TEXT)
def test_a_response_has_an_answer_exactly_where_it_is_read_as_answered(parser, raw):
    answered = read(parser, raw) == 1
    assert (answer_of("answered", raw, parser) is not None) == answered


@pytest.mark.parametrize("raw", ["yes" + " " * 50_000 + "x", "no or " * 9_999])
def test_a_text_of_any_make_takes_little_time(raw):
    began = time.process_time()
    read("relevance/1", raw)
    assert time.process_time() - began < 2
