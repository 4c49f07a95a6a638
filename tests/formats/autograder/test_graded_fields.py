"""What a record of grades must say in Autograder's form, and what it may leave out."""

import pytest

from curator.errors import InputFileError
from grading.ratings import UNREADABLE
from tests.formats.autograder.test_grades import lines_written, one_passage, read
from tests.samples.files import SELF_RATED, direct_grade, exam_grade, passage

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
    "a rating without a rating": (
        rated(entry("a"), entry("b", self_rating=4)),
        "self_rating of 'a' is 'missing'; expected a whole number from 0 to 5, or a "
        "probability from 0 to 1.",
    ),
    "a rating and none": (
        rated(entry("a", self_rating=4), entry("a", self_rating=None)),
        "'a' is rated twice in one record, differently; keep one of them.",
    ),
    "an item of two kinds": (
        rated(entry("a", nugget_id="n", self_rating=4)),
        "a self-rating names 'a' as its question_id, and 'n' as its nugget_id; "
        "expected one id in quotes, of the same kind in all of a record.",
    ),
    "items of two kinds": (
        rated(entry("a", self_rating=4), {"nugget_id": "n", "self_rating": 4}),
        "a self-rating names null as its question_id, and 'n' as its nugget_id; "
        "expected one id in quotes, of the same kind in all of a record.",
    ),
    "no list of what was right": (
        without("correctAnswered"),
        "correctAnswered is missing, where is_self_rated is false; expected a list.",
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
    "a rating of null": (
        rated(entry("a", self_rating=4), entry("b", self_rating=None)),
        [4, UNREADABLE],
        ["1 grade without a rating, read as unknown, not as 0: m/C."],
    ),
    "an item without a rating": (
        rated(entry("a", self_rating=4)),
        [4, UNREADABLE],
        ["1 grade without a rating, read as unknown, not as 0: m/C."],
    ),
    "answers that are null": (
        record(answers=[["a", "x"], ["b", None], ["c", None]]),
        [1, 0, UNREADABLE],
        ["1 grade without a rating, read as unknown, not as 0: m/C."],
    ),
    "fields nobody knows": (
        rated(
            entry("a", self_rating=4, sure="yes"),
            entry("b", self_rating=0, nugget_id=None),
        ),
        [4, 0],
        [],
    ),
    "flags that are null": (
        record(prompt_info=dict.fromkeys(SELF_RATED) | {"prompt_class": "C"}),
        [1, 0],
        [],
    ),
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
        {"self_ratings": []},
        {"self_ratings": [], "answers": None},
        {"prompt_info": ANSWERED},
        {"prompt_info": {"prompt_class": "C"}, "prompt_type": "nugget"},
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


def test_items_whose_response_failed_are_unknown_beside_those_rated(tmp_path):
    # exam_ratio as published: of all that were asked
    partly = rated(entry("a", self_rating=4)) | {
        "wrongAnswered": [],
        "answers": [["a", "4"]],
        "llm_response_errors": {"b": "timeout"},
    }
    lines = one_passage(exam_grades=[partly])
    parsed = read(tmp_path, lines)
    assert (parsed.grades[0].item_ids, parsed.grades[0].ratings) == (["a"], [4])
    assert list(parsed.questions) == ["a"]
    assert lines_written(parsed) == lines


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"wrongAnswered": ["a"]},
            "self_ratings is missing, where is_self_rated is true",
        ),
        (
            {"answers": [["a", "5"]]},
            "self_ratings is missing, where is_self_rated is true",
        ),
        ({"prompt_info": RATED | {"is_self_rated": "yes"}}, f"is_self_rated {FLAG} 'y"),
        ({"llm": 7}, "llm is 7; expected text in quotes."),
    ],
)
def test_a_record_that_names_items_or_is_damaged_is_not_taken_for_a_failed_one(
    tmp_path, fields, said
):
    with pytest.raises(InputFileError) as refused:
        read(tmp_path, one_passage(exam_grades=[ALL_FAILED | fields]))
    assert str(refused.value).startswith(f"g.jsonl, line 1: {said}")


@pytest.mark.parametrize("text", ["", " \n", None])
def test_a_failed_record_of_a_passage_without_text_comes_back(tmp_path, text):
    # nothing else is known of p and r: neither text nor rank nor judgment
    failed = [ALL_FAILED, ALL_FAILED | {"llm": "other"}]
    lines = [
        [
            "q",
            [
                passage("s", "Text.", exam_grades=[record()]),
                passage("p", text, exam_grades=failed),
                passage("r", "", exam_grades=failed[1:]),
            ],
        ],
        ["q2", [passage("p", text, exam_grades=failed[:1])]],
    ]
    parsed = read(tmp_path, lines)
    assert list(parsed.pooled) == [("q", "s")]
    assert parsed.notices == [
        "3 passages without text, left out of the pools: their ranks count as "
        "answering nothing.",
        "4 records of grades without any item, kept for exports.",
    ]
    assert lines_written(parsed) == lines


@pytest.mark.parametrize("empty", [[], "", None])
@pytest.mark.parametrize("first", [True, False])
def test_empty_options_are_none_and_come_out_as_they_came(tmp_path, empty, first):
    options = [empty, {}] if first else [{}, empty]
    graded = [
        passage(
            f"p{number}",
            f"Text {number}.",
            exam_grades=[record(llm_options=one)],
            grades=[direct_grade(1, llm_options=one)],
        )
        for number, one in enumerate(options)
    ]
    lines = [["q", graded]]
    parsed = read(tmp_path, lines)
    assert [len(grades) for grades in parsed.grades] == [4, 2]  # one grader each
    assert lines_written(parsed) == lines


@pytest.mark.parametrize("what", KEPT)
def test_what_a_record_leaves_open_is_counted_and_comes_out_as_it_came(tmp_path, what):
    stated, ratings, notices = KEPT[what]
    lines = one_passage(exam_grades=[stated])
    parsed = read(tmp_path, lines)
    assert parsed.grades[0].ratings == ratings
    assert parsed.notices == notices
    assert lines_written(parsed) == lines


def test_one_prompt_class_that_is_read_in_two_ways_is_told(tmp_path):
    ratings = exam_grade({"a": 3}, llm="m", prompt_info={"prompt_class": "C"})
    parsed = read(tmp_path, one_passage(exam_grades=[ratings, record()]))
    assert [grades.ratings for grades in parsed.grades] == [[3], [1, 0]]
    assert parsed.notices == [
        "2 graders of one llm and prompt_class, because its records have several "
        "forms: m/C, m/C (answered question)."
    ]
