import io
import json

import pytest

from curator.collection.pools import Query, Subtopic
from curator.formats.queries import read_queries, write_queries
from tests.samples.files import as_jsonl, gzipped, written

TWO = {"q1": Query("q1", "tides"), "q2": Query("q2", "why rain falls")}


@pytest.mark.parametrize(
    "content",
    [
        b'{"q1": "tides", "q2": "why rain falls"}',
        b'{\n  "q1": "tides",\n  "q2": "why rain falls"\n}\n',
        b"q1\ttides\nq2\twhy rain falls\n",
        b"\xef\xbb\xbfq1\ttides\r\n\r\nq2\twhy rain falls",
        b'{"query_id": "q1", "text": "tides"}\n'
        b'{"id": "q2", "title": "why rain falls"}\n',
        gzipped(
            b'{"request_id": "q1", "title": "tides"}\n'
            b'{"query_id": "q2", "title_query": "why rain falls"}'
        ),
    ],
)
def test_three_forms_give_the_same_queries(tmp_path, content):
    assert read_queries(written(tmp_path, content)).queries == TWO


def test_a_record_brings_background_and_subtopics(tmp_path):
    record = {
        "request_id": 7,
        "title": "tides",
        "problem_statement": "I sail.",
        "background": "A beginner.",
        "subtopics": [{"subtopic_id": "a", "text": "moon"}, {"subtopic_id": "b"}],
        "limit": 2000,
    }
    parsed = read_queries(written(tmp_path, as_jsonl([record])))
    assert parsed.queries["7"] == Query(
        "7",
        "tides",
        "I sail.\n\nA beginner.",
        (Subtopic("a", "moon"), Subtopic("b", None)),
    )
    assert queries_written(parsed) == [record]


def queries_written(parsed):
    stream = io.StringIO()
    write_queries(stream, parsed.queries.values(), parsed.extras)
    return [json.loads(line) for line in stream.getvalue().splitlines()]
