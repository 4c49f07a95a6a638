"""What a record of grades must say in Autograder's form, and what it may leave out."""

import pytest

from curator.errors import InputFileError
from grading.ratings import UNREADABLE
from tests.formats.autograder.test_grades import lines_written, one_passage, read
from tests.samples.files import passage

RATED = {"prompt_class": "C", "is_self_rated": True}
ANSWERED = {"prompt_class": "C", "is_self_rated": False}
RECORD = {  # of a grader that answers: a is correct, b is not
    "correctAnswered": ["a"],
    "wrongAnswered": ["b"],
    "answers": [["a", "moon"], ["b", "no"]],
    "llm": "m",
    "llm_options": {},
    "exam_ratio": 0.5,
    "prompt_info": ANSWERED,
}
FOUR = {"question_id": "a", "self_rating": 4}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt_info": RATED | {"is_self_rated": "no"}}, "is_self_rated of prompt_"),
        ({"prompt_info": RATED}, "self_ratings is missing, where is_self_rated is"),
        ({"self_ratings": [FOUR]}, "is_self_rated is false, and self_ratings hold 1"),
    ],
)
def test_a_field_that_says_how_to_read_a_record_is_right_or_refused(
    tmp_path, fields, said
):
    lines = [
        ["q", [passage("p", "A.", exam_grades=[RECORD])]],
        ["r", [passage("r", "B.", exam_grades=[RECORD | fields])]],
    ]
    with pytest.raises(InputFileError) as refused:
        read(tmp_path, lines)
    assert str(refused.value).startswith(f"g.jsonl, line 2: {said}")
    assert " At [1][0].exam_grades[0]" in str(refused.value)


@pytest.mark.parametrize("self_ratings", [{}, {"self_ratings": None}])
def test_a_record_whose_responses_all_failed_grades_nothing_and_comes_back(
    tmp_path, self_ratings
):
    failed = RECORD | {"correctAnswered": [], "wrongAnswered": [], "answers": []}
    failed |= {"llm_response_errors": {"a": "timeout"}, "prompt_info": RATED}
    failed |= self_ratings
    records = [
        passage("p", "A.", exam_grades=[RECORD]),
        passage("r", "B.", exam_grades=[failed, failed | {"run": 2}]),
        passage("s", "C.", exam_grades=[failed]),
    ]
    parsed = read(tmp_path, [["q", records]])
    assert [(one.grader.name, one.ratings) for one in parsed.grades] == [
        ("m/C", [1, 0])
    ]
    assert parsed.notices == ["3 records of grades without any item, kept for exports."]
    assert lines_written(parsed) == [["q", records]]


def test_a_record_without_a_prompt_class_is_counted(tmp_path):
    lines = one_passage(exam_grades=[RECORD | {"prompt_info": {"prompt_clasS": "C"}}])
    parsed = read(tmp_path, lines)
    assert parsed.grades[0].ratings == [1, 0]
    assert "without an llm or a prompt_class" in parsed.notices[0]
    assert lines_written(parsed) == lines


# Direct grades

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
    ({"correctAnswered": True, "self_ratings": 3}, 3),
    ({"self_ratings": 4}, 4),
]
UNRATED = [
    ({"correctAnswered": True}, 1),
    ({"correctAnswered": False}, 0),
    ({"correctAnswered": True, "self_ratings": None}, 1),
]
NULL = [  # the prompt asked for a rating, and there is none
    ({"correctAnswered": True, "self_ratings": None}, UNREADABLE),
    ({"correctAnswered": False, "self_ratings": None}, UNREADABLE),
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
