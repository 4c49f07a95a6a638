"""What a record of grades must say in Autograder's form, and what it may leave out."""

import pytest

from curator.errors import InputFileError
from tests.formats.autograder.test_grades import lines_written, one_passage, read
from tests.samples.files import passage

RATED = {"prompt_class": "C", "is_self_rated": True}
ANSWERED = {"prompt_class": "C", "is_self_rated": False}


def record(**fields):
    """Of a grader that answers: a is correct, b is not."""
    return {
        "correctAnswered": ["a"],
        "wrongAnswered": ["b"],
        "answers": [["a", "moon"], ["b", "no"]],
        "llm": "m",
        "llm_options": {},
        "exam_ratio": 0.5,
        "prompt_info": ANSWERED,
    } | fields


def without(name, **fields):
    return {k: v for k, v in record(**fields).items() if k != name}


def rated(*entries):
    return record(prompt_info=RATED, self_ratings=list(entries))


def entry(item_id, **fields):
    return {"question_id": item_id, **fields}


FLAG = "of prompt_info is"
REFUSED = {
    "a flag in words": (
        record(prompt_info={"prompt_class": "C", "is_self_rated": "false"}),
        f"is_self_rated {FLAG} 'false'; expected true or false.",
    ),
    "no ratings where there should be": (
        record(prompt_info=RATED),
        "self_ratings is missing, where is_self_rated is true; expected a list.",
    ),
    "ratings where there should be none": (
        record(self_ratings=[entry("a", self_rating=4)]),
        "is_self_rated is false, and self_ratings hold 1 rating; correct one of them.",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_field_that_says_how_to_read_a_record_is_right_or_refused(tmp_path, what):
    damaged, said = REFUSED[what]
    lines = [
        ["q", [passage("p", "A.", exam_grades=[record()])]],
        ["r", [passage("r", "B.", exam_grades=[damaged])]],
    ]
    with pytest.raises(InputFileError) as refused:
        read(tmp_path, lines)
    assert str(refused.value).startswith(f"g.jsonl, line 2: {said}")
    assert " At [1][0].exam_grades[0]" in str(refused.value)


KEPT = {
    "no prompt class": (
        record(prompt_info={"prompt_clasS": "C"}),
        [1, 0],
        [
            "1 record of grades without an llm or a prompt_class, read as "
            "grades of m/unknown."
        ],
    ),
}


ALL_FAILED = {
    "correctAnswered": [],
    "wrongAnswered": [],
    "answers": [],
    "llm_response_errors": {"a": "timeout", "b": {"failure_reason": "no JSON"}},
    "llm": "m",
    "llm_options": {},
    "exam_ratio": 0.0,
    "prompt_info": RATED,
}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"self_ratings": None},
    ],
)
def test_a_record_whose_responses_all_failed_grades_nothing_and_comes_back(
    tmp_path, fields
):
    failed = ALL_FAILED | fields
    good = rated(entry("a", self_rating=5), entry("b", self_rating=0))
    other = record(llm="other")
    lines = [
        [
            "q",
            [
                passage("p", "A.", exam_grades=[good]),
                passage("r", "B.", exam_grades=[failed, other, failed | {"run": 2}]),
                passage("s", "C.", exam_grades=[failed]),
            ],
        ]
    ]
    parsed = read(tmp_path, lines)
    assert [(one.grader.name, one.ratings) for one in parsed.grades] == [
        ("m/C", [5, 0]),
        ("other/C", [1, 0]),
    ]
    assert parsed.notices == ["3 records of grades without any item, kept for exports."]
    assert lines_written(parsed) == lines


@pytest.mark.parametrize("what", KEPT)
def test_what_a_record_leaves_open_is_counted_and_comes_out_as_it_came(tmp_path, what):
    stated, ratings, notices = KEPT[what]
    lines = one_passage(exam_grades=[stated])
    parsed = read(tmp_path, lines)
    assert parsed.grades[0].ratings == ratings
    assert parsed.notices == notices
    assert lines_written(parsed) == lines
