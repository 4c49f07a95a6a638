"""Seven kinds of bad file on each of seven options: one line, nothing changed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.samples.command_line import run

GOOD = {
    "queries": '{"query_id": "q1", "text": "why is the sky blue"}\n',
    "passages": '{"passage_id": "p1", "text": "Air scatters blue light."}\n',
    "bank": '{"query_id": "q1", "test_collection": "t", "query_text": "why", "items": '
    '[{"query_id": "q1", "question_id": "q1/1", "question_text": "Why?"}]}\n',
    "autograder": '["q1", [{"paragraph_id": "p1", "text": "Air scatters.", '
    '"paragraph_data": {"judgments": [], "rankings": []}, "exam_grades": [{'
    '"correctAnswered": ["q1/1"], "wrongAnswered": [], "answers": [["q1/1", "4"]], '
    '"llm": "m", "llm_options": {}, "exam_ratio": 1.0, "prompt_info": {'
    '"prompt_class": "P", "is_self_rated": true}, "self_ratings": [{"question_id": '
    '"q1/1", "self_rating": 4}]}]}]]\n',
    "runs": "q1 Q0 p1 1 9.5 bm25\n",
    "judgments": "q1 0 p1 2\n",
    "official": '{"bm25": 1}\n',
}
# One value out of range or of the wrong type in an otherwise good file.
WRONG_VALUE = {
    "queries": ('"why is the sky blue"', "9"),
    "passages": ('"Air scatters blue light."', "[9]"),
    "bank": ('"Why?"', "9"),
    "autograder": ('"self_rating": 4', '"self_rating": 9'),
    "runs": (" 1 9.5 ", " first 9.5 "),
    "judgments": (" 2\n", " 2.5\n"),
    "official": ("1", "-9"),
}


def bad_content(kind: str, option: str) -> bytes:
    good = GOOD[option]
    packed = gzip.compress(good.encode() * 50)
    match kind:
        case "not gzip":
            return b"\x1f\x8b" + good.encode()
        case "truncated gzip":
            return packed[: len(packed) // 2]
        case "broken line":
            return good.encode()[: len(good) // 2] + b'{"\n'
        case "wrong shape":
            return b'[[{"neither": "this"}, 1, null], "nor that"]\n'
        case "wrong value":
            before, after = WRONG_VALUE[option]
            assert before in good
            return good.replace(before, after).encode()
        case "empty":
            return b""
        case _:
            return good.encode().replace(b"1", b"\0")


KINDS = (
    *("not gzip", "truncated gzip", "broken line", "wrong shape"),
    *("wrong value", "empty", "NUL bytes"),
)


@pytest.mark.parametrize("option", GOOD)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_file_gets_one_line_and_leaves_the_workspace(
    kind: str, option: str, tmp_path: Path
) -> None:
    db, good, bad = tmp_path / "some.db", tmp_path / "good", tmp_path / "bad.file"
    good.write_text(GOOD["queries"])
    run("import", db, "--queries", good)
    before = db.read_bytes()
    bad.write_bytes(bad_content(kind, option))

    (line,) = run("import", db, f"--{option}", bad, code=1).stderr.splitlines()
    assert line.startswith("Error: ")
    assert "bad.file" in line
    assert line.isprintable()
    assert db.read_bytes() == before


def test_files_of_the_operating_system_among_those_given_are_left_out(tmp_path):
    (tmp_path / "Thumbs.db").write_bytes(b"\0")
    (tmp_path / "a.run").write_text(GOOD["runs"])
    found = run("import", tmp_path / "w.db", tmp_path / "Thumbs.db", tmp_path / "a.run")
    assert "left out: Thumbs.db." in found.stderr
    assert found.stdout.startswith("a.run: a TREC run; new: 1 query")
