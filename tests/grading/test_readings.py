"""What raw responses mean, by the version of their parser."""

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
KEYED = {
    check + ending
    for check in ("answer-key/1", "answer-key/1+true-false")
    for ending in ("", CHAT)
}
ANSWERING = {"answered/1", "answered/1+chat"}
CHOICES = (("a", "oxygen"), ("b", "carbon dioxide"))
ANY_TEXT = st.text(st.characters())  # half surrogate pairs too


def read(parser, raw, **given):
    return read_response(Reading("rated", "question", parser), raw, **given)


def test_every_parser_is_in_the_table_of_this_test():
    assert ALLOWED.keys() == PARSERS.keys()


@pytest.mark.parametrize("parser", sorted(PARSERS))
@given(raw=ANY_TEXT, answers=st.lists(ANY_TEXT, max_size=2))
def test_any_text_gets_a_rating_the_parser_may_give(parser, raw, answers):
    assert read(parser, raw, answers=answers) in ALLOWED[parser]
    assert read(parser, raw, answers=answers, choices=CHOICES) in ALLOWED[parser]


@pytest.mark.parametrize("parser", sorted(PARSERS.keys() - {"self-rating/1"}))
@pytest.mark.parametrize(
    "raw",
    [
        " \n",
    ],
)
def test_an_empty_response_is_unreadable_and_not_0(parser, raw):
    assert read(parser, raw, answers=["oxygen"]) == UNREADABLE


@pytest.mark.parametrize(
    "parser", sorted(PARSERS.keys() - {"self-rating/1", *ANSWERING, *KEYED})
)
@pytest.mark.parametrize(
    "raw", ["I'm sorry, I can't help with that.", "<pad><pad>", "4 or 5", "%$#", "9"]
)
def test_garbage_is_unreadable_and_not_0(parser, raw):
    assert read(parser, raw) == UNREADABLE


@pytest.mark.parametrize("raw", ["", "garbage", "4 or 5"])
def test_the_published_rule_takes_garbage_for_1_and_not_0(raw):
    # Farzi & Dietz 2024, section 3.2.3: "a rating of 1 by default"
    assert read("self-rating/1", raw) == 1


@pytest.mark.parametrize(
    ("raw", "published", "by_chat"),
    [
        ("4", 4, 4),
        ("Rating: 4", 1, 4),
        ("unanswerable", 0, 0),
        ("the mitochondria", 1, UNREADABLE),
        ("", 1, UNREADABLE),
    ],
)
def test_a_chat_model_is_read_strictly_and_flan_t5_as_published(
    raw, published, by_chat
):
    assert read("self-rating/1", raw) == published
    assert read(chat_parser("self-rating/1"), raw) == by_chat


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("in 1492", 1),
        ("No, not in this passage", 1),
        ("No.", 0),
        ("unanswerable", 0),
        ("<think>hm", UNREADABLE),
        ("<think>hm</think>1492", 1),
    ],
)
def test_an_answering_response_says_answered_or_not(raw, value):
    assert read("answered/1", raw) == value


def test_every_unanswerable_phrase_of_the_paper_is_not_answered():
    assert {read("answered/1", phrase) for phrase in UNANSWERABLE} == {0}


@pytest.mark.parametrize(
    ("raw", "answers", "choices", "value"),
    [
        ("the carbon dioxide", ["carbon dioxide"], (), 1),
        ("oxygen", ["carbon dioxide"], (), 0),
        ("b", ["carbon dioxide"], CHOICES, 1),
        ("b", ["carbon dioxide"], (), 0),
        ("unanswerable", ["carbon dioxide"], (), 0),
        ("no", ["No"], (), 1),  # the answer, where the key says so
        ("oxygen", [], (), UNREADABLE),  # nothing to compare it with
        ("oxygen", [], CHOICES, UNREADABLE),
        ("", ["carbon dioxide"], (), UNREADABLE),
    ],
)
def test_a_response_is_checked_against_the_key_and_nothing_else(
    raw, answers, choices, value
):
    assert read("answer-key/1", raw, answers=answers, choices=choices) == value


def test_true_false_synonyms_count_under_their_own_version_only():
    assert read("answer-key/1", "yes", answers=["true"]) == 0
    # A letter in the key stands for the choice's text.
    choices = (("a", "true"), ("b", "false"))
    assert read("answer-key/1+true-false", "No.", answers=["b"], choices=choices) == 1
    assert read("answer-key/1+true-false", "yes", answers=["b"], choices=choices) == 0


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("2", 2),
        ("1 - a part of it", 1),
        ("2/2", 2),
        ("3", UNREADABLE),
        ("1 or 2", UNREADABLE),
    ],
)
def test_a_grade_from_0_to_2_is_a_digit_or_unreadable(raw, value):
    assert read("grade-0-2/1", raw) == value


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("2 = highly relevant, very helpful for this query", 2),
        ("Answer: 1", 1),
        ("##final score: 2", 2),
        ("final score is 0", 0),
        ("**Final score (O):** 2", 2),
        ('{"M": 3, "T": 1, "O": 2}', 2),
        ("M: 2\nT: 1\nO: 0", 0),
        ("**O**: 1", 1),
        ("<think>final score: 0</think>##final score: 1", 1),
        ("final score: 2/2", 2),
        ("final score: 2.5", UNREADABLE),
        ("final score: 1 or 2", UNREADABLE),
        ("final score: 1\nfinal score: 2", UNREADABLE),
        ("2 = highly relevant\n1 = relevant\n0 = not relevant", UNREADABLE),
        ("M: 2\nT: 1", UNREADABLE),
        ("highly relevant", UNREADABLE),
    ],
)
def test_a_grade_is_its_final_score_or_the_digit_before_its_meaning(raw, value):
    assert read("grade-0-2/2", raw) == value
    if "/2" not in raw:
        assert read("grade-0-3/1", raw) == value


@pytest.mark.parametrize(
    "raw",
    [
        "3",
        "final score: 3/3",
    ],
)
def test_a_3_is_a_grade_where_the_scale_goes_that_far(raw):
    assert read("grade-0-3/1", raw) == 3
    assert read("grade-0-2/2", raw) == UNREADABLE


@pytest.mark.parametrize(
    "parser",
    [
        "self-rating/9",
        "",
    ],
)
def test_a_parser_this_program_does_not_have_is_named_with_those_it_has(parser):
    with pytest.raises(InvalidSpecError) as error:
        read(parser, "4")
    assert f"'{parser}'" in str(error.value)
    assert all(known in str(error.value) for known in PARSERS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        (" in 1492 \n", "in 1492"),
        ("<think>hm</think>\n1492", "1492"),
        ("unanswerable", None),
        ("No.", None),
        ("", None),
        ("...", None),
    ],
)
@pytest.mark.parametrize("kind", ["answered", "keyed"])
def test_an_answering_response_states_an_answer_or_none(kind, raw, answer):
    assert answer_of(kind, raw) == answer


@given(st.sampled_from(get_args(ReadingKind)), ANY_TEXT)
def test_an_answer_is_a_part_of_the_response_with_words_in_it(kind, raw):
    answer = answer_of(kind, raw)
    assert answer is None or (answer in raw and answer == answer.strip() != "")


@pytest.mark.parametrize("parser", sorted(ANSWERING))
@given(raw=ANY_TEXT)
def test_a_response_has_an_answer_exactly_where_it_is_read_as_answered(parser, raw):
    answered = read(parser, raw) == 1
    assert (answer_of("answered", raw, parser) is not None) == answered


NO_ANSWER = "The passage does not mention carbon dioxide."
REFUSAL = "I'm sorry, but I can't help with carbon dioxide."


@pytest.mark.parametrize(
    ("raw", "answers", "value"),
    [
        (NO_ANSWER, ["carbon dioxide"], 0),
        (NO_ANSWER, AllOf(["carbon dioxide"]), 0),
        (REFUSAL, ["carbon dioxide"], UNREADABLE),
        ("carbon dioxide", ["carbon dioxide"], 1),
        ("Cannot be determined from the passage", ["cannot be determined"], 0),
        ("It cannot be determined.", ["It cannot be determined"], 1),
    ],
)
def test_a_chat_models_prose_without_an_answer_is_checked_as_what_it_says(
    raw, answers, value
):
    assert read("answer-key/1+chat", raw, answers=answers) == value


def test_flan_t5s_answers_are_read_by_the_papers_phrases_alone():
    for raw in (NO_ANSWER, REFUSAL):
        assert read("answered/1", raw) == 1
        assert read("answer-key/1", raw, answers=AllOf(["carbon dioxide"])) == 1
        assert answer_of("answered", raw) == raw
        assert answer_of("answered", raw, "answered/1+chat") is None
    assert read("answered/1+chat", NO_ANSWER) == 0
    assert read("answered/1+chat", REFUSAL) == UNREADABLE


@pytest.mark.parametrize(
    ("parser", "raw", "value"),
    [
        ("yes-no/1+chat", "<think>Yes?</think>No.", 0),
        ("yes-no/1+chat", "It names the cause.\n\nAnswer: Yes", 1),
        ("yes-no/1+chat", "\\boxed{Yes}", 1),
        ("yes-no/1+chat", "Yes, it does.\n\nAnswer: No", UNREADABLE),
        ("yes-no/1+chat", "No idea", UNREADABLE),
        ("yes-no/2+chat", "Final answer: True", 1),
        ("relevance/1+chat", "Verdict: not relevant", 0),
        ("grade-0-2/1+chat", "I would rate this passage a 2 out of 2", 2),
        ("grade-0-2/2+chat", "[THINK]a 1?[/THINK]I would give it a 2.", 2),
        ("grade-0-3/1+chat", "<score>3</score>", 3),
        ("direct/1+chat", "I would give it a rating of 4.", 4),
        ("direct/1+chat", "The verdict is:\nrelevant", 1),
    ],
)
def test_other_prompts_of_chat_models_are_read_in_the_same_forms(parser, raw, value):
    assert read(parser, raw) == value
