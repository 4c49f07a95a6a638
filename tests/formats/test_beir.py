"""Files of BEIR and ranx come in as they are published."""

from __future__ import annotations

import json
from pathlib import Path

from curator.formats.passages import read_passages
from curator.formats.recognition import option_for, reader_of
from curator.workspace import Workspace

QUERIES = '{"_id": "1", "text": "Why do leaves turn red?", "metadata": {}}\n'
CORPUS = (
    '{"_id": "d1", "title": "T", "text": "Red."}\n'
    '{"_id": "d2", "title": "", "text": "No."}\n'
)
QRELS = "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n"
RANX_RUN = {"1": {"d2": 0.5, "d1": 1.5, "d3": 0.5}}


def test_a_collection_of_beir_is_recognised_file_by_file(tmp_path: Path) -> None:
    files = {"queries.jsonl": QUERIES, "corpus.jsonl": CORPUS, "test.tsv": QRELS}
    options = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        options[option_for(tmp_path / name)] = tmp_path / name
    assert [*options] == ["queries", "passages", "judgments"]
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(**options, min_relevance=1)
        workspace.export("queries", tmp_path / "again.jsonl")
        workspace.export("judgments", tmp_path / "again.qrels")
        workspace.export("passages", tmp_path / "corpus.jsonl")
        assert list(read_passages(tmp_path / "corpus.jsonl").passages.items()) == [
            ("d1", "T Red."),
            ("d2", "No."),
        ]
    again = (tmp_path / "corpus.jsonl").read_text().splitlines()
    assert list(map(json.loads, again)) == list(map(json.loads, CORPUS.splitlines()))
    assert json.loads((tmp_path / "again.jsonl").read_text()) == json.loads(QUERIES)
    assert (tmp_path / "again.qrels").read_text() == "1 0 d1 2\n1 0 d2 0\n"


def test_a_run_of_ranx_is_ranked_by_score_and_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "dense.json"
    path.write_text(json.dumps(RANX_RUN))
    (ranking,) = reader_of("runs")(path).rankings
    assert ranking.system == "dense"
    # Equal scores by passage id, the higher first, as trec_eval orders them.
    assert [slot.passage_id for slot in ranking.slots if slot] == ["d1", "d3", "d2"]
