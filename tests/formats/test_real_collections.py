"""The published files, read whole. Numbers are those published with them."""

from collections import Counter

import pytest

from curator.formats.autograder.bank import read_bank
from curator.formats.autograder.grades import read_autograder_grades
from tests.formats.autograder.test_bank import lines_written
from tests.samples.files import as_jsonl, written

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def dl19(shared_data):
    return read_autograder_grades(shared_data / "dl19" / "graded.jsonl.gz")


def test_dl19_holds_what_its_readme_says(dl19):
    assert len(dl19.queries) == 43
    assert len(dl19.pooled) == 9_260
    assert len(dl19.judgments) == 9_260
    assert len(dl19.questions) == 430
    assert [len(grades) for grades in dl19.grades] == [92_600]
    assert len({ranking.system for ranking in dl19.rankings}) == 37
    # counted from the file: 43 queries of 37 systems, every one answered
    assert len(dl19.rankings) == 1_591
    # no field without a home; its judgments state no titles, and six runs begin at 0
    kinds = Counter(entity for entity, _, _ in dl19.extras)
    assert kinds == {"stated_title": 43, "run_form": 6}


@pytest.mark.parametrize(
    ("name", "queries", "subtopics", "questions"),
    [
        ("dl19/questions.jsonl.gz", 43, 0, 430),
        ("banks/car-y3-genq.jsonl.gz", 132, 726, 8_878),
        ("banks/dl20-nuggets.jsonl.gz", 54, 0, 540),
    ],
)
def test_banks_hold_what_their_readme_says_and_come_back(
    shared_data, tmp_path, name, queries, subtopics, questions
):
    parsed = read_bank(shared_data / name)
    assert len(parsed.queries) == queries
    assert sum(len(q.subtopics) for q in parsed.queries.values()) == subtopics
    assert len(parsed.questions) == questions
    content = as_jsonl(lines_written(parsed))
    again = read_bank(written(tmp_path, content))
    assert (again.queries, again.questions) == (parsed.queries, parsed.questions)
    assert as_jsonl(lines_written(again)) == content
