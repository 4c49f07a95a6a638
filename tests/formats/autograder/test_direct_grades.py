"""Direct grades of Autograder's form come out with the fields in which they came."""

import io
import json

import pytest

from curator.formats.autograder.grades_export import (
    ExportedQuery,
    GradedPassage,
    PassageGrades,
    write_graded,
)
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec, Reading, Responder
from tests.formats.autograder.test_grades import lines_written, one_passage, read
from tests.samples.files import exam_grade, passage

INFOS = {
    "none": {},
    "null": {"prompt_info": None},
    "not self-rated": {"prompt_info": {"prompt_class": "C", "is_self_rated": False}},
    "self-rated": {"prompt_info": {"prompt_class": "C", "is_self_rated": True}},
}
STATED = [
    # the rating decides
    ({"correctAnswered": False, "self_ratings": 1}, 1),
    ({"correctAnswered": True, "self_ratings": 0}, 0),
    ({"correctAnswered": True, "self_ratings": 1}, 1),
    ({"correctAnswered": False, "self_ratings": 0}, 0),
    ({"correctAnswered": True, "self_ratings": 3}, 3),
    ({"self_ratings": 1}, 1),
    ({"self_ratings": 4}, 4),
    ({"correctAnswered": None, "self_ratings": 1}, 1),
]
UNRATED = [
    ({"correctAnswered": True}, 1),
    ({"correctAnswered": False}, 0),
    ({"correctAnswered": True, "self_ratings": None}, 1),
]
NULL = [  # the prompt asked for a rating, and there is none
    ({"correctAnswered": True, "self_ratings": None}, UNREADABLE),
    ({"correctAnswered": False, "self_ratings": None}, UNREADABLE),
    ({"correctAnswered": None, "self_ratings": None}, UNREADABLE),
    ({"self_ratings": None}, UNREADABLE),
]
UNSAID = [  # the prompt asked for a rating, and the record is silent about it
    ({"correctAnswered": True}, 1),
    ({"correctAnswered": False}, 0),
]
CASES = [
    (stated, rating, info)
    for info in INFOS
    for stated, rating in STATED + (NULL + UNSAID if info == "self-rated" else UNRATED)
]


def direct(stated, info):
    return {**stated, "answer": "absent", "llm": "m", "llm_options": {}, **info}


@pytest.mark.parametrize(("stated", "rating", "info"), CASES)
def test_a_direct_grade_has_the_fields_it_came_with_and_means_the_same(
    tmp_path, stated, rating, info
):
    lines = one_passage(grades=[direct(stated, INFOS[info])])
    parsed = read(tmp_path, lines)
    assert parsed.grades[0].ratings == [rating]
    assert lines_written(parsed) == lines
    assert read(tmp_path, lines_written(parsed)).grades[0].ratings == [rating]


@pytest.mark.parametrize(
    ("info", "stated", "notices"),
    [
        (
            "null",
            [*UNRATED, ({"self_ratings": 2}, 2)],
            ["3 direct grades without self_ratings, read from correctAnswered: 1 for "
             "true and 0 for false.",
             "4 records of grades without an llm or a prompt_class, read as "
             "grades of m/unknown."],
        ),
        ("self-rated", STATED, []),
        (
            "self-rated",
            NULL,
            ["4 grades without a rating, read as unknown, not as 0: m/C."],
        ),
        (
            "self-rated",
            [*UNSAID, ({"self_ratings": 2}, 2)],
            ["2 direct grades without self_ratings, read from correctAnswered: 1 for "
             "true and 0 for false."],
        ),
    ],
)  # fmt: skip
def test_grades_that_state_no_rating_are_counted(tmp_path, info, stated, notices):
    records = [
        passage(f"p{n}", f"Text {n}.", grades=[direct(one, INFOS[info])])
        for n, (one, _) in enumerate(stated)
    ]
    assert read(tmp_path, [["q", records]]).notices == notices


def test_a_self_rating_of_null_comes_out_beside_its_answer(tmp_path):
    record = exam_grade(
        {"a": 5}, raws={"a": "5", "b": "?"}, wrongAnswered=["b"], exam_ratio=0.5
    )
    record["self_ratings"].append({"question_id": "b", "self_rating": None})
    lines = one_passage(exam_grades=[record])
    assert lines_written(read(tmp_path, lines)) == lines


def test_an_unreadable_direct_grade_of_ours_comes_back_as_one(tmp_path):
    grader = GraderSpec(
        "big",
        Responder("big", "", "How relevant?", ()),
        Reading("direct", "query", "self-rating/1"),
    )
    grades = [
        PassageGrades(grader, {"q": (raw, rating)})
        for raw, rating in (("3", 3), ("0", 0), ("Well.", UNREADABLE))
    ]
    passages = [
        GradedPassage(f"p{n}", f"Text {n}.", grades=[one])
        for n, one in enumerate(grades)
    ]
    stream = io.StringIO()
    write_graded(stream, [ExportedQuery("q", None, passages)])
    (line,) = map(json.loads, stream.getvalue().splitlines())
    stated = [one["grades"][0] for one in line[1]]
    assert [one["self_ratings"] for one in stated] == [3, 0, None]
    (again,) = read(tmp_path, [line]).grades
    assert list(zip(again.raws, again.ratings, strict=True)) == [
        ("3", 3),
        ("0", 0),
        ("Well.", UNREADABLE),
    ]
