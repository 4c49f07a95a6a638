"""``compare``, ``topics`` and trec_eval's format, on the command line."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from curator.formats.trec.scored_boards import trec_eval_name
from curator.workspace import Workspace
from tests.samples.command_line import run


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("P@20", "P_20"),
        ("P(rel=2)@5", "P_5"),
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("RR", "recip_rank"),
        ("RR(rel=4)", "recip_rank"),
        ("AP", "map"),
        ("AP(rel=2)@100", "map_cut_100"),
        ("R@1000", "recall_1000"),
        ("Success@5", "success_5"),
        ("Rprec", "Rprec"),
        ("IPrec@0.1", "iprec_at_recall_0.10"),
        ("cover", "cover"),
        ("RR@10", "RR_10"),  # trec_eval has no such cut-off
        ("rouge-1-f1(joined,gold)", "rouge-1-f1_joined_gold"),
    ],
)
def test_measures_have_trec_evals_names_where_it_has_one(
    ours: str, theirs: str
) -> None:
    assert trec_eval_name(ours) == theirs


def test_trec_evals_format_holds_the_numbers_of_ir_measures(demo_db: Path) -> None:
    with Workspace.open(demo_db) as workspace:
        qrels, ranked = workspace.qrels(), workspace.runs()["bm25"]
    measure = ir_measures.parse_measure("nDCG@10")
    found = ir_measures.iter_calc([measure], qrels, ranked)
    values = {one.query_id: one.value for one in found}
    mean = sum(values.values()) / len(values)
    lines = run("scores", demo_db, "-m", "nDCG@10", "--system", "bm25",
                "--format", "trec_eval").stdout.splitlines()  # fmt: skip
    assert lines == [
        f"{'ndcg_cut_10':<22}\t{query}\t{score:.4f}"
        for query, score in (*sorted(values.items()), ("all", mean))
    ]
