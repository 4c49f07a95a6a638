"""What people said of pairs, from a file: all of it or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import InputFileError
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import dump, write_lines

YES = {"query_id": "q1", "item_id": "q1/a", "passage_id": "p1", "answer": "yes"}
GRADE = {"query_id": "q1", "item_id": None, "passage_id": "p1", "answer": 3}


def test_printed_pairs_are_recorded(path: Path, tmp_path: Path) -> None:
    pairs = json_of("checks", path, "next", "--count", 3, "--judge", "ann")["checks"]
    file = write_lines(
        tmp_path / "done.jsonl",
        [one | {"answer": "no", "seconds": 2} for one in pairs],
    )
    found = json_of("checks", path, "record", file, "--judge", "ann")
    assert found == {"recorded": 3, "unchanged": 0, "judges": ["ann"]}
    with Workspace.open(path, judge="ann") as ann:
        checks = [one for q in ("q1", "q2") for one in ann.bank().checks_of(q)]
        assert {one.probability for one in checks} == {
            one["probability"] for one in pairs
        }
        # by hand: three lines have a probability
        assert {(one.drawn, one.seconds, one.answer) for one in checks} == {
            (3, 2.0, "no")
        }
        assert ann.next_checks(9).population == 4
    # Told twice, it is there once.
    json_of("checks", path, "record", file, "--judge", "ann")
    found = json_of("checks", path, "record", file, "--judge", "ann")
    assert found == {"recorded": 0, "unchanged": 3, "judges": []}


def test_a_line_may_say_who_looked_and_of_how_many_it_was_drawn(path: Path) -> None:
    drawn = {"probability": 0.5, "seconds": 1.5}
    with Workspace.open(path, judge="ann") as ann:
        ann.record_checks(
            [
                YES | drawn | {"judge": "ben"},
                YES | drawn | {"answer": "no"},
                GRADE | drawn | {"drawn": 40},
                GRADE | {"judge": "ben", "answer": "unsure"},
            ],
            judge="cy",
        )
        found = {
            (one.judge, one.item, one.answer, one.drawn)
            for one in ann.bank().checks_of("q1")
        }
    # by hand: two pairs have a probability, one of them told by two judges
    assert found == {
        ("ben", "Why is it?", "yes", 2),
        ("cy", "Why is it?", "no", 2),
        ("cy", None, "3", 40),
        ("ben", None, "unsure", 0),
    }


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"answer": "maybe"}, 'answer is \'maybe\'; expected "yes", "no" or "unsure"'),
        ({"item_id": None}, "answer is 'yes'; expected 0, 1, 2"),
        ({"item_id": None, "answer": 4}, "passages are graded 0 to 3 here"),
        ({"passage_id": "p3"}, "No passage 'p3' in the pool of query 'q1'"),
        ({"probability": 0}, "probability is 0.0; expected above 0"),
        ({"probability": 0.5, "drawn": 0}, "1 or more with a probability"),
        ({"seconds": -1}, "expected 0 to 1,000,000"),
        ({"judge": " "}, "judge ' ' is not a name"),
        ({"answer": "no"}, "ann answers 'yes' for the same pair in bad.jsonl, line 1"),
    ],
)
def test_one_line_that_is_wrong_leaves_everything_as_it_was(
    path: Path, tmp_path: Path, wrong: dict[str, object], says: str
) -> None:
    file = write_lines(tmp_path / "bad.jsonl", [YES, YES | wrong])
    before = dump(path)
    result = run("checks", path, "record", file, "--judge", "ann", code=1)
    assert result.stderr.startswith("Error: bad.jsonl, line 2: ")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert dump(path) == before
    refused = pytest.raises(InputFileError, match="check 2: ")
    with Workspace.open(path, judge="ann") as ann, refused:
        ann.record_checks([YES, YES | wrong])
