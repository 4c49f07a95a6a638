"""A dataset of ir_datasets is read by its name, and of its documents what is needed."""

from itertools import count
from typing import NamedTuple

import pytest

from curator.errors import InputFileError, UnknownNameError
from curator.formats.ir_dataset import read_ir_dataset
from curator.workspace import Workspace

NUMBERS = count(1)
NAMES = "curator-tests/{}"

QUERIES = "q1\twhat makes tides\nq2\twhere rain falls\n"
DOCS = "d1\tTides follow the moon.\nd2\tRain falls.\nd3\tNobody asks.\nd4\tMore.\n"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d9 1\n"


class Topic(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str
    lang: str
    subtopics: tuple


class Subtopic(NamedTuple):
    number: str
    text: str
    type: str


class Page(NamedTuple):
    doc_id: str
    title: str
    text: str
    url: str


class Post(NamedTuple):
    doc_id: str
    title: str
    text: str
    url: str

    def default_text(self):
        """
        title and text
        """
        return f"{self.title} {self.text}"


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


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


def made_of(library, *, queries=(), qrels=(), scored=(), docs=()):
    """The name of a dataset of these records; documents are found by id only."""

    class Queries(library.formats.BaseQueries):
        def queries_iter(self):
            yield from queries

    class Qrels(library.formats.BaseQrels):
        def qrels_iter(self):
            yield from qrels

    class Scored(library.formats.BaseScoredDocs):
        def scoreddocs_iter(self):
            yield from scored

    class Docs(library.formats.BaseDocs):
        asked = ()

        def docs_iter(self):
            raise AssertionError("the documents are read from end to end")

        def docs_store(self):
            return self

        def get_many_iter(self, ids):
            self.asked = ids
            yield from (doc for doc in docs if doc.doc_id in ids)

    store = Docs()
    parts = [Queries(), Qrels(), store]
    if scored:
        parts.append(Scored())
    return registered(library, library.datasets.base.Dataset(*parts)), store


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


def test_texts_that_a_workspace_lacks_are_looked_up_too(library):
    docs = [Post(f"d{n}", "", f"Text {n}.", "") for n in range(5)]
    qrels = [Judgment("q", "d1", 1, "0")]
    name, store = made_of(library, qrels=qrels, docs=docs)
    parsed = read_ir_dataset(name, wanted={"d3", "elsewhere"})
    assert list(parsed.passages) == ["d1", "d3"]
    assert store.asked == ["d1", "d3", "elsewhere"]
    assert "without a text" not in " ".join(parsed.notices)


def test_scored_documents_are_a_run_of_the_datasets_name_by_score(library):
    scored = [
        library.formats.GenericScoredDoc("q", doc_id, score)
        for doc_id, score in (("d1", 1.5), ("d2", 3.0), ("d3", 1.5))
    ]
    docs = [Post("d2", "Rain", "falls.", "u")]
    name, _ = made_of(library, scored=scored, docs=docs)
    (ranking,) = read_ir_dataset(name).rankings
    assert (ranking.system, ranking.query_id) == (name, "q")
    assert [(s.passage_id, s.score) for s in ranking.slots] == [
        ("d2", 3.0),
        ("d1", 1.5),  # as the dataset has it where scores are equal
        ("d3", 1.5),
    ]


def test_all_texts_of_a_query_have_their_place(library):
    subtopics = (Subtopic("1", "the moon", "inf"), Subtopic("2", "", "nav"))
    topic = Topic("5", "tides", "What are they?", "The sea only.", "en", subtopics)
    name, _ = made_of(library, queries=[topic])
    parsed = read_ir_dataset(name)
    query = parsed.queries["5"]
    assert (query.title, query.background) == (
        "tides",
        "What are they?\n\nThe sea only.",
    )
    assert [(s.subtopic_id, s.text) for s in query.subtopics] == [
        ("1", "the moon"),
        ("2", None),
    ]
    assert parsed.extras == {("query", "5", "queries"): '{"lang":"en"}'}
    assert parsed.notices == []


@pytest.mark.parametrize(
    ("document", "text", "said"),
    [
        (
            Page("d1", "Rain", "It falls.", "u"),
            "Rain\n\nIt falls.",
            "The text of a document with title, text, url is its title and text.",
        ),
        (
            Post("d1", "Rain", "It falls.", "u"),
            "Rain It falls.",
            "The text of a document with title, text, url is what ir_datasets calls "
            "its default text (title and text).",
        ),
    ],
)
def test_a_document_of_several_texts_is_joined_and_this_is_said(
    library, document, text, said
):
    qrels = [Judgment("q", "d1", 1, "0")]
    name, _ = made_of(library, qrels=qrels, docs=[document])
    parsed = read_ir_dataset(name)
    assert parsed.passages == {"d1": text}
    assert parsed.notices == [said]


def test_an_unknown_name_is_refused_with_the_nearest_ones(library):
    with pytest.raises(UnknownNameError) as error:
        read_ir_dataset("msmarco-pasage/dev")
    assert "Did you mean" in str(error.value)
    assert "msmarco-passage/dev" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_dataset_that_cannot_be_downloaded_is_one_line(library, capsys):
    class NoNetwork(library.formats.BaseQueries):
        def queries_iter(self):
            library.log.easy().warn("Download failed: no such host. Retrying.")
            raise RuntimeError("All download sources failed", ["…"])

    name = registered(library, library.datasets.base.Dataset(NoNetwork()))
    with pytest.raises(InputFileError) as error:
        read_ir_dataset(name)
    assert str(error.value) == (
        f"ir_datasets '{name}': cannot be read: its files are not on this machine and "
        "could not be downloaded. Try again with a network, or put its files where "
        "ir_datasets looks for them (IR_DATASETS_HOME)."
    )
    assert "Download failed" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("qrels", "words"),
    [("q1 0 d1 40000\n", "40000"), ("q1 0 d1 x\n", "cannot be read")],
)
def test_what_no_workspace_can_hold_is_refused_in_one_line(local, qrels, words):
    with pytest.raises(InputFileError) as error:
        read_ir_dataset(local(qrels_trec=qrels))
    assert words in str(error.value)
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
    with Workspace.open(tmp_path / "at-once.db", create=True) as workspace:
        workspace.import_(ir_dataset=name, runs=run)
        pool = workspace.collection().pools["q1"]
        assert set(pool.passage_ids) == {"d1", "d2", "d3"}
    entry = {"text": "So.", "citations": ["d4"]}
    report = tmp_path / "report.jsonl"
    report.write_text(
        json.dumps({"run_id": "r", "topic_id": "q1", "responses": [entry]})
    )
    for at, steps in enumerate(
        (
            [{"ir_dataset": name, "reports": report}],
            [{"reports": report}, {"ir_dataset": name}],
        )
    ):
        with Workspace.open(tmp_path / f"cited-{at}.db", create=True) as workspace:
            for files in steps:
                workspace.import_(**files)
            pool = workspace.collection().pools["q1"]
            assert [pool.passage_ids[one] for one in pool.cited_only] == ["d4"]
