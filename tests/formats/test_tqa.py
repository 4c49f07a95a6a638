"""TQA lessons are queries with an exam, its key and a gold article."""

import io
import json

import pytest

from curator.bank.questions import Question
from curator.formats.tqa import FORMAT, GROUP, LESSON, TEXT, read_tqa, write_lessons
from tests.samples.files import tqa_lessons, written


def read(folder, lessons):
    return read_tqa(written(folder, json.dumps(lessons).encode()))


def lessons_written(parsed, questions=None):
    """What an export of these questions says; the parsed ones for None."""
    now = list((questions or parsed.questions).values())
    stream = io.StringIO()
    number, _ = write_lessons(
        stream,
        [
            (
                query_id,
                parsed.extras[LESSON, query_id, FORMAT],
                [one for one in now if one.query_id == query_id],
            )
            for query_id in parsed.queries
        ],
    )
    return number, stream.getvalue()


def test_lessons_are_queries_and_their_questions_an_exam_with_its_key(tmp_path):
    parsed = read(tmp_path, tqa_lessons())
    assert {q.query_id: q.title for q in parsed.queries.values()} == {
        "tqa2:L_0001": "tides",
        "tqa2:L_0002": "rain",
    }
    first, second, third = parsed.questions.values()
    assert first == Question(
        "tqa2:L_0001/NDQ_1",
        "tqa2:L_0001",
        "Why?",
        choices=(("a", "sun"), ("b", "moon")),
        answers=("moon",),  # the letter b names it
    )
    assert (second.choices, second.answers) == ((), ("twice a day",))
    assert (third.text, third.choices, third.answers) == ("Where?", (), ())
    assert parsed.notices == [
        "1 question about diagrams, which no text answers: left out here, and kept "
        "for exports.",
        parsed.notices[1],
    ]
    assert parsed.notices[1].startswith("1 question without a known answer")


def question(choices, key):
    """A question with these choices by letter."""
    return {
        "answerChoices": {letter: {TEXT: text} for letter, text in choices.items()},
        "correctAnswer": {TEXT: key},
    }


@pytest.mark.parametrize(
    ("choices", "key", "kept", "answers"),
    [
        ({"A": "one", "a": "two"}, "A", "Aa", ("one",)),  # the very letter goes first
        ({"a": "one", "b": "two"}, "two", "ab", ("two",)),
        ({"a": "one", "b": "two"}, "both", "ab", ("both",)),  # words of its own
        ({}, "b", "", ("b",)),  # where there is no choice, nothing else is meant
        ({"a": "one", "b": None}, "b", "a", ()),
    ],
)
def test_the_correct_answer_is_the_choice_of_that_letter_or_its_own_words(
    tmp_path, choices, key, kept, answers
):
    exam = {"N": question(choices, key)}
    lesson = {"globalID": "L", "questions": {GROUP: exam}}
    parsed = read(tmp_path, [lesson])
    (found,) = parsed.questions.values()
    assert [letter for letter, _ in found.choices] == list(kept)
    assert found.answers == answers
    assert json.loads(lessons_written(parsed)[1]) == [lesson]
