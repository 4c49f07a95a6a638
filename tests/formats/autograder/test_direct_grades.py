"""Direct grades of Autograder's form come out with the fields in which they came."""

import pytest

from grading.ratings import UNREADABLE
from tests.formats.autograder.test_grades import lines_written, one_passage, read

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
