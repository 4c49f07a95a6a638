"""References of items and answers go from each bank format to the others."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from curator.formats.nuggets.items import references_in
from curator.store.export import read_extras
from curator.workspace import Workspace
from tests.samples.files import md5, written

FORMATS = ("nuggetbank", "ragtime", "nugget_docs")
BANK = {
    "q1": {
        "Which metals?": ["AND", {"zinc": ["d1", "d2"], "copper": ["d2"]}],
        "What came of it?": ["OR", {"OPEN_ENDED_ANSWER": ["d7"]}],
        "Since when?": ["OR", {"1911": ["d3"], "OPEN_ENDED_ANSWER": ["d4"]}],
        "By whom?": ["OR", {"them": []}],
    }
}


def imported(folder: Path, content: bytes, name: str) -> Workspace:
    workspace = Workspace.open(folder / f"{name}.db", create=True, judge="ann")
    workspace.import_(bank=written(folder, content, f"{name}.json"))
    return workspace


def exported(workspace: Workspace, kind: str, folder: Path) -> bytes:
    file = folder / f"{kind}.json"
    workspace.export(kind, file)
    return file.read_bytes()


def documents(workspace: Workspace) -> dict[str, dict[str, list[str]]]:
    """Ids of the documents by answer and question."""
    references = references_in(read_extras(workspace.connection))
    return {
        question_id: {
            answer: [reference["doc_id"] for reference in listed]
            for answer, listed in by_answer.items()
        }
        for question_id, by_answer in references.items()
    }


@pytest.mark.parametrize(("first", "second"), [*permutations(FORMATS, 2)])
def test_references_survive_another_format(
    first: str, second: str, tmp_path: Path
) -> None:
    with imported(tmp_path, json.dumps(BANK).encode(), "came") as came:
        there = documents(came)
        assert there[f"q1/{md5('Which metals?')}"] == {
            "zinc": ["d1", "d2"],
            "copper": ["d2"],
        }
        one = exported(came, first, tmp_path)
    with imported(tmp_path, one, "one") as workspace:
        two = exported(workspace, second, tmp_path)
        assert documents(workspace) == there
    with imported(tmp_path, two, "two") as workspace:
        assert documents(workspace) == there
        assert exported(workspace, second, tmp_path) == two
