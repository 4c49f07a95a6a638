import io
import json

import pytest

from curator.formats.passages import read_passages, write_passages
from tests.samples.files import as_jsonl, gzipped, written


@pytest.mark.parametrize(
    "content",
    [
        b'{"passage_id": "p1", "text": "Tides"}\n{"docid": "p2", "contents": "Rain"}',
        b'{"paragraph_id": "p1", "text": "Tides"}\r\n{"id": "p2", "text": "Rain"}\r\n',
        b"p1\tTides\np2\tRain\n",
        gzipped(b"p1\tTides\np2\tRain\n"),
    ],
)
def test_json_lines_and_two_columns_give_the_same_passages(tmp_path, content):
    parsed = read_passages(written(tmp_path, content))
    assert parsed.passages == {"p1": "Tides", "p2": "Rain"}


def test_passages_come_out_in_the_spelling_in_which_they_came(tmp_path):
    lines = [
        {"docid": 7, "contents": "Tides", "url": None},
        {"id": "p2", "text": "Rain", "title": ""},
        {"passage_id": None, "paragraph_id": "p3", "text": "Snow"},
        {"passage_id": "p4", "text": "Hail", "contents": "Something else"},
    ]
    parsed = read_passages(written(tmp_path, as_jsonl(lines)))
    assert list(parsed.passages) == ["7", "p2", "p3", "p4"]
    assert passages_written(parsed) == lines


def passages_written(parsed):
    stream = io.StringIO()
    write_passages(stream, parsed.passages.items(), parsed.extras)
    return [json.loads(line) for line in stream.getvalue().splitlines()]
