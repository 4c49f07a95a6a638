"""TQA lessons are queries with an exam, its key and a gold article."""

import io
import json
from dataclasses import replace

from curator.bank.questions import Question
from curator.exchange.bank_families import read_any_bank
from curator.exchange.tqa import FORMAT, LESSON, read_tqa
from curator.exchange.tqa_export import write_lessons
from tests.exchange.sample_files import tqa_lessons, written


def read(folder, lessons):
    return read_tqa(written(folder, json.dumps(lessons).encode()))


def lessons_written(incoming, questions=None):
    """What an export of these questions says; the incoming ones for None."""
    now = list((questions or incoming.questions).values())
    stream = io.StringIO()
    number = write_lessons(
        stream,
        [
            (
                query_id,
                incoming.extras[LESSON, query_id, FORMAT],
                [one for one in now if one.query_id == query_id],
            )
            for query_id in incoming.queries
        ],
    )
    return number, stream.getvalue()


def test_lessons_are_queries_and_their_questions_an_exam_with_its_key(tmp_path):
    incoming = read(tmp_path, tqa_lessons())
    assert {q.query_id: q.title for q in incoming.queries.values()} == {
        "tqa2:L_0001": "tides",
        "tqa2:L_0002": "rain",
    }
    first, second, third = incoming.questions.values()
    assert first == Question(
        "tqa2:L_0001/NDQ_1",
        "tqa2:L_0001",
        "Why?",
        choices=(("a", "sun"), ("b", "moon")),
        answers=("moon",),  # the letter b names it
    )
    assert (second.choices, second.answers) == ((), ("twice a day",))
    assert (third.text, third.choices, third.answers) == ("Where?", (), ())
    assert incoming.notices == [
        "1 question about diagrams, which no text answers: left out here, and written "
        "again by an export.",
        "1 question without a correct answer.",
    ]


def test_the_topics_texts_are_the_gold_article_in_the_files_order(tmp_path):
    incoming = read(tmp_path, tqa_lessons())
    assert incoming.gold == {
        "tqa2:L_0001": ("gold/tqa2:L_0001/1", "gold/tqa2:L_0001/2")
    }
    assert incoming.passages == {
        "gold/tqa2:L_0001/1": "Tides follow it.",  # T_1 has no text
        "gold/tqa2:L_0001/2": "Twice a day.",
    }
    assert list(incoming.pooled) == [
        ("tqa2:L_0001", passage_id) for passage_id in incoming.passages
    ]


def test_a_question_of_which_little_is_there_is_read_with_that(tmp_path):
    exam = {"N": {}, "M": {"beingAsked": None, "correctAnswer": {}}}
    lesson = {"globalID": 3, "questions": {"nonDiagramQuestions": exam}}
    incoming = read(tmp_path, [lesson])
    assert [(q.question_id, q.text) for q in incoming.questions.values()] == [
        ("tqa2:3/N", None),
        ("tqa2:3/M", None),
    ]
    assert json.loads(lessons_written(incoming)[1]) == [lesson]


def test_an_export_is_the_list_that_came_in(tmp_path):
    incoming = read(tmp_path, tqa_lessons())
    number, text = lessons_written(incoming)
    assert number == 3
    assert json.loads(text) == tqa_lessons()
    # the order of keys too
    assert json.dumps(json.loads(text)) == json.dumps(tqa_lessons())
    again = read_tqa(written(tmp_path, text.encode()))
    assert lessons_written(again) == (number, text)


def test_an_export_leaves_out_what_is_retired_and_has_the_new_words(tmp_path):
    incoming = read(tmp_path, tqa_lessons())
    first, second, third = incoming.questions.values()
    now = {
        "first": replace(first, text="Why twice?"),
        "second": replace(second, state="retired"),
        "third": third,
        "added": Question(
            "tqa2:L_0002/5d41",
            "tqa2:L_0002",
            "When?",
            choices=(("A", "now"), ("B", "then")),
            answers=("then",),
        ),
        "proposed": replace(third, question_id="x", state="proposed"),
    }
    number, text = lessons_written(incoming, now)
    assert number == 3
    expected = tqa_lessons()
    exam = expected[0]["questions"]["nonDiagramQuestions"]
    exam["NDQ_1"]["beingAsked"] = {
        "processedText": "Why twice?",
        "rawText": "1. Why twice?",
    }
    del exam["NDQ_2"]
    expected[1]["questions"]["nonDiagramQuestions"]["5d41"] = {
        "beingAsked": {"processedText": "When?"},
        "answerChoices": {
            "A": {"processedText": "now"},
            "B": {"processedText": "then"},
        },
        "correctAnswer": {"processedText": "B"},
    }
    assert json.loads(text) == expected


def test_the_bank_option_takes_lessons_for_what_they_are(tmp_path):
    for indent in (None, 1):
        content = json.dumps(tqa_lessons(), indent=indent).encode()
        assert read_any_bank(written(tmp_path, content)).taken_for == "TQA lessons"
