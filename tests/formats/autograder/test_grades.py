import io
import json
from operator import itemgetter

import pytest

from curator.collection.pools import Query
from curator.collection.rankings import Slot
from curator.formats.autograder.grades import read_autograder_grades
from curator.formats.autograder.grades_export import (
    ExportedQuery,
    GradedPassage,
    PassageGrades,
    write_graded,
)
from grading.responders import GraderSpec, Reading, Responder
from tests.samples.files import (
    as_jsonl,
    content_of,
    direct_grade,
    exam_grade,
    graded_lines,
    judgment,
    passage,
    ranking,
    written,
)


def read(tmp_path, lines):
    return read_autograder_grades(written(tmp_path, as_jsonl(lines), "g.jsonl"))


def rows(grades):
    return list(
        zip(
            grades.query_ids,
            grades.item_ids,
            grades.passage_ids,
            grades.raws,
            grades.ratings,
            strict=True,
        )
    )


def one_passage(**fields):
    return [["q", [passage("p", "Text.", **fields)]]]


def graded_queries(parsed):
    """What the store streams to the writer, made from what was read."""
    ranks = {}
    for found in parsed.rankings:
        for position, slot in enumerate(found.slots, start=1):
            if slot is not None:
                entry = (found.system, position, slot.score)
                ranks.setdefault((found.query_id, slot.passage_id), []).append(entry)
    grades = {}
    for imported in parsed.grades:
        for query_id, item_id, passage_id, raw, rating in rows(imported):
            by_grader = grades.setdefault((query_id, passage_id), {})
            by_grader.setdefault(imported.grader, {})[item_id] = (raw, rating)
    pairs = dict.fromkeys([*parsed.pooled, *ranks, *parsed.judgments])
    for query in parsed.queries.values():
        yield ExportedQuery(
            query.query_id,
            query.title,
            (
                GradedPassage(
                    passage_id,
                    parsed.passages.get(passage_id),
                    parsed.judgments.get((query_id, passage_id)),
                    ranks.get((query_id, passage_id), ()),
                    [
                        PassageGrades(grader, found)
                        for grader, found in grades.get(
                            (query_id, passage_id), {}
                        ).items()
                    ],
                )
                for query_id, passage_id in pairs
                if query_id == query.query_id
            ),
            parsed.extras,
        )


def lines_written(parsed):
    stream = io.StringIO()
    write_graded(stream, graded_queries(parsed))
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def in_any_order(lines):
    """The lines without the orders of passages and of systems."""

    def ordered(record):
        data = record["paragraph_data"] or {}
        ranks = sorted(data.get("rankings") or [], key=itemgetter("method"))
        if not ranks:
            return record
        return record | {"paragraph_data": data | {"rankings": ranks}}

    return [
        [query_id, sorted(map(ordered, records), key=itemgetter("paragraph_id"))]
        for query_id, records in lines
    ]


def assert_round_trip(tmp_path, parsed):
    lines = lines_written(parsed)
    again = read(tmp_path, lines)
    assert content_of(again) == content_of(parsed)
    return lines


def test_every_part_of_a_file_is_read(tmp_path):
    parsed = read(tmp_path, graded_lines())

    assert parsed.queries == {
        "q1": Query("q1", "what makes tides"),
        "q2": Query("q2"),  # its titleQuery is only its id
    }
    assert parsed.passages["p2"] == "Æbler: 20 % 🍏"
    assert list(parsed.pooled) == [("q1", "p1"), ("q1", "p2"), ("q2", "p3")]
    assert parsed.judgments == {("q1", "p1"): 2, ("q2", "p3"): -1}
    assert {q.question_id: q.kind for q in parsed.questions.values()} == {
        "q1/a": "question",
        "q1/b": "question",
        "q1/n": "nugget",
        "q2/a": "question",
    }
    assert all(q.text is None for q in parsed.questions.values())
    assert parsed.extras == {
        ("stated_title", "q1", "autograder"): '{"titleQuery":"what makes tides"}',
        ("stated_title", "q2", "autograder"): '{"titleQuery":"q2"}',
        ("run_form", "zero", "autograder"): '{"first_rank":0}',
    }


def test_a_file_written_from_what_was_read_reads_the_same(tmp_path):
    lines = assert_round_trip(tmp_path, read(tmp_path, graded_lines()))
    assert in_any_order(lines) == in_any_order(graded_lines())


def test_fields_without_a_home_come_back(tmp_path):
    odd_judgment = judgment("p", "q", 1) | {"assessor": "A"}
    odd_ranking = ranking("s", "p", "q", 0, 2.0) | {"engine": 9}
    lines = one_passage(
        judgments=[odd_judgment],
        rankings=[odd_ranking],
        paragraph={"title": "Moon"},
        origin=[1, None],
        exam_grades=[
            exam_grade(
                {"a": 2, "b": 0},
                exam_ratio=0.75,
                relevance_label=3,
                self_ratings=[
                    {"question_id": "a", "self_rating": 2, "confidence": 0.5},
                    {"question_id": "b", "self_rating": 0},
                ],
            )
        ],
        grades=[direct_grade(2, correctAnswered=False, relevance_label=1)],
    )
    lines[0][1][0]["paragraph_data"]["source"] = "x"
    parsed = read(tmp_path, lines)

    assert {key[0] for key in parsed.extras} == {
        *("passage_record", "grade_record", "stated_title", "run_form")
    }
    assert assert_round_trip(tmp_path, parsed) == lines


SELF_RATED_C = {"prompt_class": "C", "is_self_rated": True}
ANSWERED_C = {"prompt_class": "C", "is_self_rated": False}
KEYED_C = {"prompt_class": "C", "check_answer_key": True}


@pytest.mark.parametrize(
    ("fields", "kind", "rating"),
    [
        ({"prompt_info": SELF_RATED_C, "self_ratings": []}, "rated", -2),
        ({"prompt_info": ANSWERED_C, "self_ratings": []}, "answered", 1),
        ({"prompt_info": KEYED_C}, "keyed", 1),
        ({}, "answered", 1),
    ],
)
def test_how_a_record_is_read_follows_its_prompt_info(tmp_path, fields, kind, rating):
    record = {"correctAnswered": ["a"], "wrongAnswered": [], "answers": [["a", "moon"]]}
    record |= {"llm": "m", "llm_options": {}} | fields
    lines = one_passage(exam_grades=[record | {"exam_ratio": 1.0}])
    parsed = read(tmp_path, lines)
    (grades,) = parsed.grades
    assert grades.grader.reading.kind == kind
    assert rows(grades) == [("q", "a", "p", "moon", rating)]
    assert lines_written(parsed) == lines


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_a_passage_without_text_is_a_rank_that_answers_nothing(tmp_path, text):
    empty = passage(
        "p",
        text,
        judgments=[judgment("p", "q", 1)],
        rankings=[ranking("s", "p", "q", 1, 1.0)],
        exam_grades=[exam_grade({"a": 0})],
    )
    parsed = read(tmp_path, [["q", [empty, passage("r", "Text.")]]])
    assert list(parsed.pooled) == [("q", "r")]
    assert parsed.rankings[0].slots == (Slot("p", 1.0),)
    assert parsed.judgments == {("q", "p"): 1}
    assert parsed.grades == []
    assert parsed.notices == [
        "1 passage without text, left out of the pools: their ranks count as "
        "answering nothing.",
        "1 record of grades for passages without text, left out.",
        "1 grader without any grade, left out: google/flan-t5-large/QuestionSelfRated.",
    ]
    assert read(tmp_path, [["q", [empty]]]).pooled == {}


def test_rankings_of_subtopics_stand_for_their_query(tmp_path):
    lines = [
        [
            "q",
            [
                passage(
                    "p",
                    "A.",
                    judgments=[judgment("p", "q/f", 1), judgment("p", "q/g", 3)],
                    rankings=[ranking("s", "p", "q/f", 4, 1.0)],
                ),
                passage(
                    "r",
                    "B.",
                    rankings=[
                        ranking("s", "r", "q/f", 3, 2.0),
                        ranking("s", "r", "q/g", 1, 9.0),
                    ],
                ),
            ],
        ]
    ]
    parsed = read(tmp_path, lines)
    assert parsed.judgments == {("q", "p"): 3}
    # best ranks: r 1 (of q/g), p 4 (of q/f)
    assert parsed.rankings[0].slots == (Slot("r", 9.0), None, None, Slot("p", 1.0))
    assert "1 ranking merged from subtopics" in parsed.notices[2]
    # what is merged is no record of the file
    assert assert_round_trip(tmp_path, parsed) == lines


def test_a_grader_of_ours_is_written_so_that_the_workbench_can_name_it():
    grader = GraderSpec(
        "flan-t5-large",
        Responder(
            "google/flan-t5-large", "c0ffee", "Rate: {question}", (("beams", "1"),)
        ),
        Reading("rated", "question", "self-rating/1"),
    )
    grades = PassageGrades(grader, {"a": ("4", 4), "c": (None, -2)})
    stream = io.StringIO()
    query = ExportedQuery("q", None, [GradedPassage("p", "Text.", grades=[grades])])
    write_graded(stream, [query])
    assert json.loads(stream.getvalue())[1][0]["exam_grades"] == [
        {
            "correctAnswered": ["a"],
            "wrongAnswered": ["c"],
            "answers": [["a", "4"]],
            "llm": "google/flan-t5-large",
            "llm_options": {"beams": "1"},
            "prompt_info": {
                "prompt_class": "flan-t5-large",
                "is_self_rated": True,
                "check_answer_key": False,
            },
            "prompt_type": "question",
            "exam_ratio": 0.5,
            "self_ratings": [{"question_id": "a", "self_rating": 4}],
        }
    ]
