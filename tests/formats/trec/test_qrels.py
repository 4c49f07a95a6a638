import io

import ir_measures
import pytest

from curator.errors import InputFileError
from curator.formats.trec.qrels import read_qrels, write_qrels
from tests.samples.files import QRELS, written


def test_judgments_are_read_by_query_and_passage(tmp_path):
    parsed = read_qrels(written(tmp_path, QRELS))
    assert parsed.judgments == {("q1", "p1"): 2, ("q1", "p2"): 0, ("q2", "p3"): -1}


def test_qrels_written_are_read_by_us_and_by_ir_measures(tmp_path):
    labels = read_qrels(written(tmp_path, QRELS)).judgments
    stream = io.StringIO()
    write_qrels(stream, labels)
    path = written(tmp_path, stream.getvalue().encode(), "again.qrels")
    assert read_qrels(path).judgments == labels
    theirs = ir_measures.read_trec_qrels(str(path))
    assert {(q.query_id, q.doc_id): q.relevance for q in theirs} == labels


def test_whole_numbers_may_be_written_as_pandas_writes_them(tmp_path):
    path = written(tmp_path, b"q1 0 p1 1.0\nq1 0 p2 -2.00\nq1 0 p3 3.\n")
    grades = {("q1", "p1"): 1, ("q1", "p2"): -2, ("q1", "p3"): 3}
    parsed = read_qrels(path)
    assert parsed.judgments == grades
    assert all(type(grade) is int for grade in parsed.judgments.values())


def test_fractions_are_told_to_be_a_models_labels_where_they_can_be(tmp_path):
    path = written(tmp_path, b"q1 0 p1 1\nq1 0 p2 0.75\n", "model.qrels")
    with pytest.raises(InputFileError, match=r"use --labels NAME=FILE"):
        read_qrels(path)
    path = written(tmp_path, b"q1 0 p1 1.7\nq1 0 p2 2.4\n", "means.qrels")
    with pytest.raises(InputFileError, match=r"'1\.7'; expected a whole [^.]*\.$"):
        read_qrels(path)
