"""A file beyond what is read of one gets one line, before a reader goes through it."""

import json

import pytest

from curator.errors import InputFileError, SettingError
from curator.formats import limits
from curator.formats.answer_selection import read_answers
from curator.formats.checks import read_checks
from curator.formats.text import lines as text_lines
from curator.formats.text.lines import TextLines
from tests.samples.files import READERS, gzipped, lowered, written

LOW = {"file": 90_000, "ratio": 20, "free": 3000, "lines": 900, "line": 20_000}
LOW |= {"document": 40_000, "values": 800, "text": 500}
BLANK = (b" " * 99 + b"\n") * 800
ALL = READERS | {"checks": read_checks, "answers": read_answers}


@pytest.fixture
def low(monkeypatch):
    lowered(monkeypatch, **LOW)
    monkeypatch.setattr(text_lines, "BLOCK", 64)


def refusal(read, path):
    with pytest.raises(InputFileError) as refused:
        read(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def every_line(path):
    return list(TextLines(path, expected="lines"))


def as_document(path):
    return TextLines(path, expected="JSON").whole()


@pytest.mark.parametrize(
    ("read", "content", "said"),
    [
        (every_line, b"\n" * 901, "the file has more than 900 lines, blank ones"),
        (every_line, (b"a" * 99 + b"\n") * 901, "has more than 0.09 MB unpacked"),
        (every_line, b"a\n{" + b" " * 20_000, "line 2: is longer than 0.02 MB"),
        (every_line, b"a\n\n" + b"b" * 501, "line 3: has more than 500 characters"),
        (as_document, (b" " * 99 + b"\n") * 401, "or set CURATOR_MAX_DOCUMENT_MB."),
    ],
)
def test_lines_bytes_and_texts_are_counted(low, tmp_path, read, content, said):
    for packed in (bytes, gzipped):
        found = refusal(read, written(tmp_path, packed(content)))
        # Packed, some unpack to too much for their size as well.
        assert said in found or (packed is gzipped and "20 times its size" in found)


@pytest.mark.parametrize("name", ALL)
def test_no_reader_goes_through_what_unpacks_to_too_much(low, tmp_path, name):
    path = written(tmp_path, gzipped(BLANK))
    said = refusal(ALL[name], path)
    assert "the file unpacks to more than 20 times its size" in said
    assert said.endswith("unpack it first, or set CURATOR_MAX_RATIO.")


@pytest.mark.parametrize("name", ["tqa", "queries", "bank", "autograder", "checks"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[" + "{}," * 600 + "{}]", "more than 800 texts, numbers, lists and objects"),
        (json.dumps({"id": "b" * 501}), "longer than 500 characters; split it"),
    ],
)
def test_values_and_texts_of_json_are_counted(low, tmp_path, name, content, said):
    assert said in refusal(ALL[name], written(tmp_path, content.encode()))


def test_the_environment_sets_limits(monkeypatch):
    monkeypatch.setenv("CURATOR_MAX_TEXT", "7")
    monkeypatch.setenv("CURATOR_MAX_LINE_MB", "2")
    read = limits.current.__wrapped__
    assert read() == limits.Limits(text=7, line=2_000_000)
    monkeypatch.setenv("CURATOR_MAX_TEXT", "many")
    with pytest.raises(SettingError, match="CURATOR_MAX_TEXT is 'many'; expected"):
        read()
