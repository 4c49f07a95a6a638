"""What bad input gets: one clear line with file, line, value, expectation, way out.

Each case is a family, a file's content, and words the message must hold. ``line N``
among them is the line that is wrong.
"""

import pytest

from curator.errors import InputFileError
from tests.samples.files import (
    READERS,
    as_jsonl,
    exam_grade,
    gzipped,
    judgment,
    passage,
    ranking,
    report_lines,
    sample,
    written,
)

GOOD_QUERY = ["q0", []]
RATED_6 = {"question_id": "a", "self_rating": 6}


def graded(**fields):
    """A file whose second line has one passage, changed."""
    return as_jsonl([GOOD_QUERY, ["q", [passage("p", "Text.") | fields]]])


def graded_data(*, judgments=(), rankings=()):
    data = {"judgments": list(judgments), "rankings": list(rankings)}
    return graded(paragraph_data=data)


def exam(**fields):
    return graded(exam_grades=[exam_grade({"a": 1}) | fields])


def item(**fields):
    base = {"query_id": "q", "question_id": "q/a", "question_text": "Why?"}
    return as_jsonl([{"query_id": "q", "query_text": "t", "items": [base | fields]}])


def report(**fields):
    """A file whose second line is a response, changed."""
    return as_jsonl([report_lines()[2], report_lines()[0] | fields])


def nuggets(**fields):
    """A file whose second line is a NuggetBank, changed."""
    good = {"query_id": "q0", "nugget_bank": {}}
    return as_jsonl([good, good | {"query_id": "q"} | fields])


def nugget(**fields):
    return nuggets(nugget_bank={"Why?": {"question": "Why?"} | fields})


FILES = [
    # any family: bytes
    ("empty", b"", "empty", "expected"),
    ("a NUL", b"q1 \x00 x\n", "line 1", "NUL"),
    ("UTF-16", '{"a": 1}'.encode("utf-16"), "UTF-16", "UTF-8"),
    ("a ZIP archive", b"PK\x03\x04....", "ZIP", "unpack"),
    ("SQLite", b"SQLite format 3\x00....", "SQLite", "export"),
    ("only a gzip header", gzipped(b"x" * 1000)[:12], "cut", "again"),
]

CASES = [
    # JSON, in whatever family
    ("autograder", b'["q", [', "line 1", "not JSON", "cut"),
    ("bank", b'{"query_id": "q", "query_id": "r"}', "line 1", "'query_id' twice"),
    ("official", b'{"a": -Infinity}', "-Infinity"),
    ("official", b"[" * 100_000 + b"1" + b"]" * 100_000, "too deeply"),
    # graded passages
    ("autograder", b'["a b", []]', "line 1", "'a b'", "blank", "rename"),
    ("autograder", as_jsonl([GOOD_QUERY, GOOD_QUERY]), "line 2", "'q0'", "one"),
    ("autograder", graded(exam_grades={}), "line 2", "exam_grades", "a list"),
    ("autograder", exam(self_ratings=[RATED_6]), "line 2", "of 'a'", "0 to 5"),
    ("autograder", graded_data(judgments=[judgment("p", "q", "1")]), "line 2", "'1'"),
    ("autograder", graded_data(rankings=[ranking("s", "p", "q", 2**20, 1.0)]), "rank"),
    # banks
    ("bank", b'{"items": []}', "line 1", "query_id is null"),
    ("bank", item(nugget_id="n"), "line 1", "both or none"),
    ("bank", item() + item(question_text="How?"), "line 2", "twice", "text", "How?"),
    # NuggetBanks: the case is a second line's question, changed
    ("nuggetbank", b'{"query_id": "q"}', "line 1", "no nuggets", '"claim_bank"'),
    ("nuggetbank", nugget(query_id="p"), "line 2", "'p'", "'q'", "agree"),
    ("nuggetbank", nugget(answers={"So": {"answer": "No"}}), "line 2", "'So'", "'No'"),
    # nuggetizer
    ("nuggetizer", b'{"qid": "q", "nuggets": {}}', "line 1", "expected a list"),
    # RAGTIME, nuggets with documents and a judge's grades: more of each in their tests
    ("ragtime", b'{"metadata": {"topic_id": "r"}}', "line 1", "no list of nuggets"),
    ("nugget_docs", b'{"q": {\n"Why?": ["OR", [1]]}}', "line 2", "a list of 2"),
    ("grades", b'{"query_id": "q"}', "line 1", "a grade without a question"),
    # queries
    ("queries", b"q1\ttides\nq2\ta\tb", "line 2", "3 columns", "one tab"),
    ("queries", b"q1\ttides\nq1\train", "line 2", "'q1' occurs twice"),
    # passages
    ("passages", b"p 1\ttext", "line 1", "'p 1'"),
    ("passages", b'{"text": "t"}', "line 1", "without an id", '"docid"'),
    ("passages", b"p\ta\np\tb\n", "line 2", "'p' has another text"),
    # runs
    ("runs", b"q Q0 p 1 2.0\n", "line 1", "5 columns", "6"),
    ("runs", b"q Q0 p -1 2.0 s\n", "line 1", "rank is -1"),
    ("runs", b"q Q0 p 1 nan s\n", "line 1", "'nan'", "finite number"),
    # qrels
    ("judgments", b"q 0 p\n", "line 1", "3 columns", "4"),
    ("judgments", b"q 0 p 40000\n", "line 1", "40000"),
    # official ranks
    ("official", b"{}", "no system"),
    ("official", b'{"a": -2.5}', "'a' is -2.5", "1 or more"),
    ("gold", b'{"text": "x"}', "line 1", "expected a field query_id"),
    # generated reports
    ("reports", report(metadata=None), "line 2", "metadata is null", "an object"),
    ("reports", report(metadata={"topic_id": "q"}), "line 2", "run_id is null"),
    # TQA: the line is the one that names the lesson or the question
    ("tqa", b"[]", "the file is a list of 0", "globalID"),
]


def message(family, path):
    with pytest.raises(InputFileError) as caught:
        READERS[family](path)
    said = str(caught.value)
    assert said.isprintable(), said  # one line, and nothing a terminal would act on
    assert len(said) < 1000
    assert path.name in said
    return said


@pytest.mark.parametrize("family", READERS)
@pytest.mark.parametrize("case", FILES, ids=[case[0] for case in FILES])
def test_bytes_that_are_no_text_are_refused_whatever_they_should_be(
    tmp_path, family, case
):
    _, content, *words = case
    said = message(family, written(tmp_path, content))
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)]
)
def test_bad_content_is_refused_in_one_clear_line(tmp_path, case):
    family, content, *words = case
    said = message(family, written(tmp_path, content))
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize("family", READERS)
def test_a_missing_file_and_a_directory_are_said_so(tmp_path, family):
    said = message(family, tmp_path / "missing.txt")
    assert str(tmp_path) in said  # the folder it was looked for in
    assert "there is no such file" in said
    folder = tmp_path / "folder"
    folder.mkdir()
    many = family in ("runs", "reports", "official")
    words = "holds no file" if many else "this is a directory"
    assert words in message(family, folder)


@pytest.mark.parametrize("family", READERS)
def test_a_gzip_file_that_was_cut_is_refused(tmp_path, family):
    packed = gzipped(sample(family) * 1)
    said = message(family, written(tmp_path, packed[: len(packed) - 12], "cut.gz"))
    assert "the file is cut" in said


def test_an_error_in_a_directory_of_runs_names_the_file(tmp_path):
    written(tmp_path, sample("runs"), "a.run")
    written(tmp_path, b"q 0 p 1\n", "b.run")
    with pytest.raises(InputFileError, match=r"b\.run, line 1.*for --judgments"):
        READERS["runs"](tmp_path)
