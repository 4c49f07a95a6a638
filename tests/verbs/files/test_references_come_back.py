"""References of items and answers go from each bank format to the others."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from curator.bank.edits import SetKey
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


def test_references_are_written_as_each_format_has_them(tmp_path: Path) -> None:
    long = {"doc_id": "d9", "offsets": {"start_offset": 3}}
    item = {
        "question": "Why?",
        "answers": {"so": {"answer": "so", "references": [{"doc_id": "d1"}, long]}},
        "references": ["d5", {"doc_id": None}],
    }
    line = {"query_id": "q1", "format_version": "v3", "nugget_bank": {"Why?": item}}
    with imported(tmp_path, json.dumps(line).encode(), "came") as workspace:
        ragtime = json.loads(exported(workspace, "ragtime", tmp_path))
        docs = json.loads(exported(workspace, "nugget_docs", tmp_path))
        (entry,) = ragtime["nugget_bank"]
        assert entry["answers"] == [{"answer": "so", "references": ["d1", long]}]
        assert entry["references"] == ["d5"]
        by_answer = {"so": ["d1", "d9"], "OPEN_ENDED_ANSWER": ["d5"]}
        assert docs == {"q1": {"Why?": ["OR", by_answer]}}
        # Where all answers are needed, another one beside them would be needed too.
        key = SetKey(f"q1/{md5('Why?')}", ("so", "thus"), aggregator="AND")
        workspace.apply(key)
        workspace.export("nugget_docs", tmp_path / "docs.json")
        docs = json.loads((tmp_path / "docs.json").read_text())
        assert docs["q1"]["Why?"] == ["AND", {"so": ["d1", "d9"], "thus": []}]
