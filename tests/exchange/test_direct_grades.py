"""Direct grades of Autograder's form come out with the fields in which they came."""

import pytest

from tests.exchange.sample_files import exam_grade, passage
from tests.exchange.test_autograder_grades import lines_written, one_passage, read

INFOS = {
    "none": {},
    "null": {"prompt_info": None},
    "not self-rated": {"prompt_info": {"prompt_class": "C", "is_self_rated": False}},
    "self-rated": {"prompt_info": {"prompt_class": "C", "is_self_rated": True}},
}
STATED = [
    ({"correctAnswered": False, "self_ratings": 1}, 1),  # the rating decides
    ({"correctAnswered": True, "self_ratings": 0}, 0),
    ({"correctAnswered": True, "self_ratings": 1}, 1),
    ({"correctAnswered": False, "self_ratings": 0}, 0),
    ({"correctAnswered": True, "self_ratings": 3}, 3),
    ({"correctAnswered": True}, 1),
    ({"correctAnswered": False}, 0),
    ({"correctAnswered": True, "self_ratings": None}, 1),
    ({"self_ratings": 1}, 1),
    ({"self_ratings": 4}, 4),
    ({"correctAnswered": None, "self_ratings": 1}, 1),
]


def direct(stated, info):
    return {**stated, "answer": "absent", "llm": "m", "llm_options": {}, **info}


@pytest.mark.parametrize("info", INFOS)
@pytest.mark.parametrize(("stated", "rating"), STATED)
def test_a_direct_grade_has_the_fields_it_came_with_and_means_the_same(
    tmp_path, stated, rating, info
):
    lines = one_passage(grades=[direct(stated, INFOS[info])])
    incoming = read(tmp_path, lines)
    assert incoming.grades[0].ratings == [rating]
    assert lines_written(incoming) == lines
    assert read(tmp_path, lines_written(incoming)).grades[0].ratings == [rating]


@pytest.mark.parametrize("info", INFOS)
def test_records_of_one_grader_may_state_their_grades_differently(tmp_path, info):
    records = [
        passage(f"p{n}", f"Text {n}.", grades=[direct(stated, INFOS[info])])
        for n, (stated, _) in enumerate(STATED)
    ]
    incoming = read(tmp_path, [["q", records]])
    assert incoming.grades[0].ratings == [rating for _, rating in STATED]
    assert lines_written(incoming) == [["q", records]]


def test_what_one_record_left_out_takes_no_rating_from_another_file(tmp_path):
    bare = direct({"correctAnswered": True}, INFOS["self-rated"])
    rated = direct({"correctAnswered": True, "self_ratings": 3}, INFOS["self-rated"])
    incoming = read(tmp_path, one_passage(grades=[rated]))
    incoming.extras = read(tmp_path, one_passage(grades=[bare])).extras
    assert lines_written(incoming) == one_passage(grades=[rated])


def test_a_self_rating_of_null_comes_out_beside_its_answer(tmp_path):
    record = exam_grade(
        {"a": 5}, raws={"a": "5", "b": "?"}, wrongAnswered=["b"], exam_ratio=0.5
    )
    record["self_ratings"].append({"question_id": "b", "self_rating": None})
    lines = one_passage(exam_grades=[record])
    assert lines_written(read(tmp_path, lines)) == lines


def test_an_answer_without_a_self_rating_gets_none(tmp_path):
    record = exam_grade(
        {"a": 5}, raws={"a": "5", "b": "?"}, wrongAnswered=["b"], exam_ratio=0.5
    )
    lines = one_passage(exam_grades=[record])
    assert lines_written(read(tmp_path, lines)) == lines
