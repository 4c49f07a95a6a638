"""A dataset of ir_datasets is read by its name, and of its documents what is needed."""

from itertools import count

import pytest

from curator.errors import UnknownNameError
from curator.formats.ir_dataset import read_ir_dataset
from curator.workspace import Workspace

NUMBERS = count(1)
NAMES = "curator-tests/{}"

QUERIES = "q1\twhat makes tides\nq2\twhere rain falls\n"
DOCS = "d1\tTides follow the moon.\nd2\tRain falls.\nd3\tNobody asks.\nd4\tMore.\n"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d9 1\n"


@pytest.fixture
def library(tmp_path, monkeypatch):
    """The library itself, with its files in a folder of this test."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    return pytest.importorskip("ir_datasets")


@pytest.fixture
def local(library, tmp_path):
    """Registers a dataset of local files; returns its name."""

    def register(**files):
        paths = {}
        for option, content in files.items():
            paths[option] = tmp_path / option
            paths[option].write_text(content)
        return registered(library, library.create_dataset(**paths))

    return register


def registered(library, dataset):
    name = NAMES.format(next(NUMBERS))
    library.registry.register(name, dataset)
    return name


def test_queries_judgments_and_the_judged_documents_are_read(local):
    name = local(docs_tsv=DOCS, queries_tsv=QUERIES, qrels_trec=QRELS)
    parsed = read_ir_dataset(name)
    assert {q.query_id: q.title for q in parsed.queries.values()} == {
        "q1": "what makes tides",
        "q2": "where rain falls",
    }
    assert parsed.judgments == {("q1", "d1"): 2, ("q1", "d2"): 0, ("q2", "d9"): 1}
    assert parsed.passages == {"d1": "Tides follow the moon.", "d2": "Rain falls."}
    assert parsed.rankings == []
    assert parsed.notices == [
        "1 judged or ranked document without a text in the dataset."
    ]
    assert name in parsed.taken_for


def test_an_unknown_name_is_refused_with_the_nearest_ones(library):
    with pytest.raises(UnknownNameError) as error:
        read_ir_dataset("msmarco-pasage/dev")
    assert "Did you mean" in str(error.value)
    assert "msmarco-passage/dev" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_workspace_gets_the_texts_of_what_its_runs_rank(local, tmp_path):
    name = local(docs_tsv=DOCS, queries_tsv=QUERIES, qrels_trec=QRELS)
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 d3 1 2.0 a\n")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(runs=run)
        (summary,) = workspace.import_(ir_dataset=name)
        pool = workspace.collection().pools["q1"]
        assert set(pool.passage_ids) == {"d1", "d2", "d3"}  # d4 is nobody's
        assert summary.source == name
        (again,) = workspace.import_(ir_dataset=[name])
        assert not again.changed
        assert not workspace.verify().problems
