import pytest

from curator.formats.answer_selection import (
    Candidate,
    SelectionQuestion,
    read_answers,
    write_answers,
)
from tests.samples.files import gzipped, written

HEADINGS = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"
)


def wikiqa(*lines):
    return "\n".join([HEADINGS, *lines, ""]).encode()


WIKIQA = wikiqa(
    'Q1\thow are "caves" formed?\tD1\tCave\tD1-0\tA "cave" is dry .\t0',
    "Q2\twho wrote it?\tD2\tBook\tD2-0\tShe did .\t1",
    'Q1\thow are "caves" formed?\tD1\tCave\tD1-1\tWater makes them .\t1',
)

CAVES = SelectionQuestion(
    "Q1",
    'how are "caves" formed?',
    (
        Candidate("D1-0", 'A "cave" is dry .', False),
        Candidate("D1-1", "Water makes them .", True),
    ),
)
BOOK = SelectionQuestion("Q2", "who wrote it?", (Candidate("D2-0", "She did .", True),))


@pytest.mark.parametrize(
    "content",
    [
        WIKIQA,
        gzipped(WIKIQA),
        WIKIQA.replace(b"\n", b"\r\n"),
        WIKIQA + WIKIQA.splitlines()[1] + b"\n",  # a line that occurs twice
    ],
    ids=["plain", "gzipped", "from Windows", "with a repeated line"],
)
def test_wikiqa_lines_are_read_by_question_and_quotes_are_characters(tmp_path, content):
    assert read_answers(written(tmp_path, content)) == (CAVES, BOOK)


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "verdicts.tsv.gz"
    write_answers(path, [CAVES, BOOK])
    assert read_answers(path) == (CAVES, BOOK)
