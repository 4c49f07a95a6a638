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


@pytest.mark.parametrize(
    ("stated", "self_rated", "rating"),
    [
        # the rating decides
        ({"correctAnswered": False, "self_ratings": 1}, None, 1),
        ({"correctAnswered": True, "self_ratings": 0}, True, 0),
        ({"self_ratings": 4}, False, 4),
        ({"correctAnswered": True, "self_ratings": None}, False, 1),
        ({"correctAnswered": False}, None, 0),
        # the prompt asked for a rating: there is none, or nothing is said of it
        ({"correctAnswered": True, "self_ratings": None}, True, UNREADABLE),
        ({"self_ratings": None}, True, UNREADABLE),
        ({"correctAnswered": True}, True, 1),
    ],
)
def test_a_direct_grade_has_the_fields_it_came_with_and_means_the_same(
    tmp_path, stated, self_rated, rating
):
    record = {**stated, "answer": "absent", "llm": "m", "llm_options": {}}
    if self_rated is not None:
        record["prompt_info"] = {"prompt_class": "C", "is_self_rated": self_rated}
    lines = one_passage(grades=[record])
    parsed = read(tmp_path, lines)
    assert parsed.grades[0].ratings == [rating]
    assert lines_written(parsed) == lines
