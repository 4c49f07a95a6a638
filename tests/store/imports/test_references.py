"""Documents that a bank refers to are ideal answers, where they are in the pool."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import MarkIdeal
from curator.bank.marks import Ideal
from curator.workspace import Workspace
from tests.samples.files import as_jsonl, written

BANK = [
    {
        "query_id": "q1",
        "nugget_bank": {
            "Why?": {
                "question": "Why?",
                "answers": {"so": {"answer": "so", "references": [{"doc_id": "p1"}]}},
                "references": ["p2", "p9", "", {"doc_id": None}, 3],
            }
        },
    }
]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    texts = (
        b'{"passage_id": "p1", "text": "So."}\n{"passage_id": "p2", "text": "No."}\n'
    )
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            passages=written(tmp_path, texts, "texts.jsonl"),
            runs=written(tmp_path, b"q1 Q0 p1 1 2 s\nq1 Q0 p2 2 1 s\n", "s.run"),
        )
        yield workspace


def test_references_are_ideal_answers_where_they_are_in_the_pool(
    workspace: Workspace, tmp_path: Path
) -> None:
    bank = written(tmp_path, as_jsonl(BANK), "bank.jsonl")
    (found,) = workspace.import_(bank=bank)
    assert found.new["ideal answers"] == 2
    assert found.notices == (
        "2 references to passages outside the query's pool: kept for exports, but "
        "not marked as ideal answers.",  # by hand: p9 and 3
    )
    assert workspace.bank().ideals_of("q1") == (Ideal("p1"), Ideal("p2"))
    workspace.apply(MarkIdeal("q1", Ideal("p1"), marked=False))
    assert workspace.import_(bank=bank)[0].new == {}  # what people say stays
    assert workspace.bank().ideals_of("q1") == (Ideal("p2"),)
    assert workspace.verify().problems == ()
