"""Array measures against ``ir_measures`` on the derived qrels, query by query.

Qrels and runs are built here with plain loops: labels by eye of the definition, runs
with score = −rank and a made-up passage at each empty rank.
"""

import shutil
from dataclasses import replace

import ir_measures
import numpy as np
import pytest

from curator.evaluation.grades import GradedQuery
from tests.samples.tiny_exams import measure_named, pool_of, without_item

SYSTEMS = 6
ARRAYS = [
    *(f"P@{k}" for k in (1, 3, 10, 40)),
    *(f"P(rel={rel})@{k}" for rel in (1, 2, 5) for k in (5, 20)),
    *(f"nDCG@{k}" for k in (1, 3, 10, 40)),
    "nDCG",
    "RR",
    "RR(rel=2)",
    *(f"RR@{k}" for k in (1, 3, 40)),
    *(f"Success@{k}" for k in (1, 3, 40)),
    "Success(rel=5)@10",
]
OF_NDEVAL = [
    *(f"alpha_nDCG@{k}" for k in (1, 3, 10, 20)),
    "alpha_nDCG(rel=2)@5",
    *(f"ERR_IA@{k}" for k in (2, 10, 20)),
    "ERR_IA(rel=3)@4",
    "NRBP",
    "NRBP(rel=1)",
    *(f"StRecall@{k}" for k in (1, 5, 20)),
]
GRADED = ["graded-alpha-nDCG@3", "graded-alpha-nDCG@20"]
OTHERS = ["AP", "AP@5", "AP(rel=2)", "R@10", "Rprec", "Bpref", "infAP", "SetP", "RR@9"]


def random_query(generator: np.random.Generator, query_id: str) -> GradedQuery:
    """Up to 30 passages and 8 items, sparse high ratings, gaps, a skipping system."""
    size = int(generator.integers(1, 31))
    items = int(generator.integers(1, 9))
    ratings = generator.choice(
        [-2, -1, 0, 1, 2, 3, 4, 5],
        size=(items, size),
        p=[0.02, 0.08, 0.6, 0.1, 0.05, 0.05, 0.05, 0.05],
    )
    if generator.random() < 0.2:
        ratings[:] = -1  # nothing is known: no labels at all
    rankings: list[list[int | None]] = []
    for _ in range(SYSTEMS):
        order = generator.permutation(size)[: generator.integers(0, 26)].tolist()
        holes = generator.random(len(order)) < generator.choice([0.0, 0.3])
        rankings.append([None if h else p for p, h in zip(order, holes, strict=True)])
    return GradedQuery(
        pool_of(rankings, size, query_id=query_id),
        tuple(f"{query_id}/{i}" for i in range(items)),
        ratings.astype(np.int8),
        "rated",
    )


def test_accuracy_of_a_ranking_of_relevant_passages_alone_is_1():
    # by hand: no pair of a relevant and a non-relevant passage stands the wrong way
    # round; ir_measures 0.4 divides by the 0 non-relevant passages and crashes
    ratings = np.array([[5, 5, 0, 0]], dtype=np.int8)
    pool = pool_of([[0, 1], [0, 2, 1], [2, 3], [0, 2]], 4)
    graded = GradedQuery(pool, ("i",), ratings, "rated")
    scores = measure_named("Accuracy", 4).row(graded).score
    # by hand: one of two pairs is right in the second; the third finds nothing
    assert scores.tolist() == [1.0, 0.5, 0.0, 1.0]
    # of the first rank alone, the fourth's too holds relevant passages only
    at_1 = measure_named("Accuracy@1", 4).row(graded).score
    assert at_1.tolist() == [1.0, 1.0, 0.0, 1.0]


QUERIES = [random_query(np.random.default_rng(seed), f"q{seed}") for seed in range(25)]


def reference(graded: GradedQuery, name: str, min_rating: int) -> list[float]:
    """Each system's score by ``ir_measures``; 0 where it gives none."""
    qrels: dict[str, int] = {}
    for position in range(graded.pool.size):
        known = [int(r) for r in graded.ratings[:, position] if r >= 0]
        if known:
            qrels[f"p{position}"] = max(known)
    measure = ir_measures.parse_measure(name)
    if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        measure = measure(rel=min_rating)
    scores = []
    for ranking in graded.pool.top.tolist():
        run, pending = {}, {}
        for rank, position in enumerate(ranking, start=1):
            if position < 0:
                pending[f"made-up-{rank}"] = float(-rank)
            else:
                run |= pending | {f"p{position}": float(-rank)}
                pending = {}
        given = {"1": qrels} if qrels else {}
        results = ir_measures.iter_calc([measure], given, {"1": run} if run else {})
        scores.append(sum(metric.value for metric in results))
    return scores


@pytest.mark.parametrize("name", ARRAYS)
def test_array_measures_equal_ir_measures_for_every_system_and_query(name):
    for number, graded in enumerate(QUERIES):
        min_rating = 1 + number % 5
        ours = measure_named(name, min_rating).row(graded).score
        assert ours == pytest.approx(reference(graded, name, min_rating), abs=1e-12)


@pytest.mark.parametrize("name", OTHERS)
def test_any_other_measure_is_that_of_ir_measures_with_rel_from_min_rating(name):
    for number, graded in enumerate(QUERIES[:10]):
        min_rating = 1 + number % 5
        ours = measure_named(name, min_rating).row(graded).score
        assert ours == pytest.approx(reference(graded, name, min_rating), abs=1e-12)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval.pl needs perl")
@pytest.mark.parametrize("name", ["ERR@5", "nDCG(dcg='exp-log2')@5"])
def test_measures_left_to_gdeval_are_those_of_ir_measures(name):
    for graded in QUERIES[:3]:
        capped = replace(graded, ratings=np.minimum(graded.ratings, 4))
        ours = measure_named(name).row(capped).score
        assert ours == pytest.approx(reference(capped, name, 4), abs=1e-12)


BY_IR_MEASURES = ["AP", "R@10", "Compat(p=0.8)"]
OF_ITEMS = ["cover", "pool-cover", *OF_NDEVAL, *GRADED]


@pytest.mark.parametrize("name", [*OF_ITEMS, *ARRAYS, *BY_IR_MEASURES])
def test_without_each_equals_recomputing_without_that_item(name):
    queries = QUERIES[:6] if name in BY_IR_MEASURES else QUERIES
    for number, graded in enumerate(queries):
        measure = measure_named(name, 1 + number % 5, 10)
        without = measure.without_each(graded)
        assert without.shape == (len(graded.item_ids), SYSTEMS)
        for item in range(len(graded.item_ids)):
            if len(graded.item_ids) == 1:
                assert np.isnan(without[item]).all()
                continue
            expected = measure.row(without_item(graded, item)).score
            assert without[item] == pytest.approx(expected, abs=1e-9)
