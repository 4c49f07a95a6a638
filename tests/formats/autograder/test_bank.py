import io
import json

import pytest

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.formats.autograder.bank import read_bank, write_bank
from tests.samples.files import as_jsonl, bank_lines, written


def read(tmp_path, lines):
    return read_bank(written(tmp_path, as_jsonl(lines), "bank.jsonl"))


def lines_written(parsed, **options):
    stream = io.StringIO()
    queries, questions = parsed.queries.values(), parsed.questions.values()
    write_bank(stream, queries, questions, extras=parsed.extras, **options)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def assert_round_trip(tmp_path, parsed):
    lines = lines_written(parsed)
    again = read(tmp_path, lines)
    assert (again.queries, again.questions) == (parsed.queries, parsed.questions)
    assert lines_written(again) == lines
    return lines


def flat(question_id, text, *, query_text="tides / moon", **fields):
    return {
        "query_id": "q",
        "query_text": query_text,
        "qid": question_id,
        "question": text,
        "choices": None,
        "correctKey": None,
        "correct": None,
        "facet_id": "f",
    } | fields


def test_groups_of_items_and_of_questions_are_read(tmp_path):
    parsed = read(tmp_path, bank_lines())
    assert parsed.queries == {
        "q1": Query(
            "q1", "tides", subtopics=(Subtopic("f1", "moon"), Subtopic("f2", None))
        ),
        "q2": Query("q2", "rain"),
    }
    assert list(parsed.questions.values()) == [
        Question("q1/f1/a", "q1", "Why?", subtopic_id="f1"),
        Question(
            "q1/f1/b",
            "q1",
            "Which body?",
            subtopic_id="f1",
            choices=(("A", "sun"), ("B", "moon")),
            answers=("moon",),
        ),
        Question("q1/f2/n", "q1", "Twice", "nugget", subtopic_id="f2"),
        Question(
            "q2/a",
            "q2",
            "Where?",
            state="retired",
            answers=("in Bergen", "there"),
            provenance='{"model":"m"}',
        ),
        Question("q2/b", "q2", None),
    ]


@pytest.mark.parametrize(
    ("texts", "title", "facets"),
    [
        (["a / b"], "a", ["b"]),
        (["a / b", "a / c / d"], "a", ["b", "c / d"]),
        (["a / b", "x / c"], "a / b", [None, None]),  # no common title
    ],
)
def test_a_title_and_its_facets_are_told_apart(tmp_path, texts, title, facets):
    lines = [
        flat(f"q/{n}", "Why?", query_text=text, facet_id=f"f{n}")
        for n, text in enumerate(texts)
    ]
    parsed = read(tmp_path, lines)
    assert parsed.queries["q"].title == title
    assert [s.text for s in parsed.queries["q"].subtopics] == facets
    assert_round_trip(tmp_path, parsed)


@pytest.mark.parametrize(
    ("fields", "choices", "answers"),
    [
        ({"choices": ["sun", "moon"], "correctKey": "B"}, "AB", ("moon",)),
        # the very letter goes before one like it
        ({"choices": {"A": "sun", "a": "moon"}, "correctKey": "A"}, "Aa", ("sun",)),
        ({"choices": {"A": "sun"}, "correct": "SUN", "correctKey": "A"}, "A", ("SUN",)),
        ({"correct": "moon", "correctKey": "D"}, "", ("moon",)),
        (
            {"correct": "moon", "gold_answers": ["a moon", "moon"]},
            "",
            ("moon", "a moon"),
        ),
    ],
)
def test_answers_come_from_the_key_and_the_gold(tmp_path, fields, choices, answers):
    parsed = read(tmp_path, [flat("q/a", "Why?", **fields)])
    question = parsed.questions["q/a"]
    assert "".join(letter for letter, _ in question.choices) == choices
    assert question.answers == answers
    assert_round_trip(tmp_path, parsed)
