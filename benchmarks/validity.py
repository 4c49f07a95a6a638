"""What docs/validity.md says, from the two collections of known truth.

    python -m benchmarks.validity FOLDER

builds ``dl19.db`` and ``realsumm.db`` in the folder, or takes those that are there,
has the instant graders grade, and prints every board's agreement with the official
ranks. Then what each choice of the weights would have given, and what leaving one
query out would have chosen.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.collections import REAL_DATA, build_dl19, dl19_files
from curator import Workspace
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import measure_for
from curator.evaluation.settings import Settings
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.texts import item_of
from curator.tables.table import show
from curator.tables.validity import validity_table
from grading.graders import embedding
from grading.graders.computed import (
    COSINE_SCALE,
    WORD_SCALE,
    ScalePoints,
    to_probabilities,
)
from grading.graders.embedding import EmbeddingGrader
from grading.graders.lexical import passage_and_sentence_shares
from grading.ratings import ratings_of

GRADERS = ("lexical", "embedding", "instant")
MEASURES = ("nDCG@10", "P@20", "cover", "alpha_nDCG@20", "graded-alpha-nDCG@20")
MEAN_MEASURE = "P(rel=4)@20"  # P@20 refuses the label mean
CHECKED = ("nDCG@10", "graded-alpha-nDCG@20")
PARTS = (0.0, 0.1, 0.2, 0.3, 0.5)  # the weight of the best sentence
VECTORS = (0.0, 0.1, 0.25, 0.4)  # that of the cosine in a nugget's value

Values = NDArray[np.float64]
Features = Mapping[str, tuple[Values, Values, Values, Values]]
Rows = dict[str, NDArray[np.float64]]
"""(queries, systems) of each measure checked."""


def collections(folder: Path) -> dict[str, Path]:
    """The workspaces, imported and graded."""
    files = dl19_files()
    summaries = REAL_DATA / "realsumm"
    if files is None or not summaries.is_dir():
        raise SystemExit("The two collections are not at hand; see tests/conftest.py.")
    found = {name: folder / f"{name}.db" for name in ("dl19", "realsumm")}
    if not found["dl19"].exists():
        build_dl19(found["dl19"], files)
    if not found["realsumm"].exists():
        with Workspace.open(found["realsumm"], create=True) as workspace:
            workspace.import_(
                autograder=summaries / "graded.jsonl.gz",
                bank=summaries / "nuggets.jsonl.gz",
                official=summaries / "human_leaderboard.json",
            )
    for path in found.values():
        with Workspace.open(path) as workspace:
            for grader in GRADERS:
                workspace.grade(grader)
    return found


def features(snapshot: Snapshot) -> Features:
    """By query: cosines with passages, with sentences; shares in them and in these."""
    connection = snapshot.connection
    record = snapshot.grader("instant")
    responder = store_grades.responder_id_of(connection, record.grader_id)
    vectors = EmbeddingGrader(
        cache=store_grades.EmbeddingCache(connection, responder),
        stored=embedding.spec(reading=embedding.LATEST_READING),
    )
    words = store_grades.read_frequencies(connection, record.spec.reading.frequencies)
    found = {}
    for query_id, graded in snapshot.matrices(
        "instant", snapshot.bank, snapshot.query_ids()
    ).items():
        items = [
            item_of(one)
            for one in snapshot.bank.questions_of(query_id)
            if one.question_id in set(graded.item_ids)
        ]
        pool = store_collection.pool_texts(connection, query_id)
        passages = [body for _, _, body in pool]
        texts = [one.text or "" for one in items]
        found[query_id] = (
            *vectors.cosines(items, passages),
            *passage_and_sentence_shares(texts, passages, words),
        )
    return found


def rows_of(
    snapshot: Snapshot, values: Callable[[str], Values], scale: ScalePoints
) -> Rows:
    """Every query's scores where these are the values."""
    settings = Settings("instant", label="mean")
    matrices = snapshot.matrices("instant", snapshot.bank, snapshot.query_ids())
    rows: dict[str, list[Values]] = {name: [] for name in CHECKED}
    for query_id, graded in matrices.items():
        shares = to_probabilities(np.nan_to_num(values(query_id)), scale)
        tried = GradedQuery(
            graded.pool,
            graded.item_ids,
            ratings_of(shares),
            "rated",
            probabilities=shares,
        )
        for name in CHECKED:
            measure = measure_for(
                Settings("instant", name, label=settings.label), "rated"
            )
            rows[name].append(measure.row(tried).score)
    return {name: np.array(one) for name, one in rows.items()}


def taus(rows: Rows, official: NDArray[np.float64]) -> list[float]:
    """Kendall's tau of each measure's board over the systems with a rank."""
    ranked = ~np.isnan(official)
    found = [
        kendall_tau_b(one.mean(axis=0)[ranked].tolist(), (-official[ranked]).tolist())
        for one in rows.values()
    ]
    return [float("nan") if one is None else one for one in found]


def weights(
    snapshot: Snapshot, tried: Mapping[tuple[float, ...], Rows], heads: Sequence[str]
) -> None:
    """Print each choice's taus, and those of the choice that leaves the query out."""
    ranks = snapshot.collection.official
    systems = snapshot.collection.systems
    official = np.array([ranks.get(one, np.nan) for one in systems])
    print("|", " | ".join((*heads, *CHECKED)), "|")
    print("|---" * (len(heads) + len(CHECKED)) + "|")
    for choice, rows in tried.items():
        cells = [*map(str, choice), *(f"{one:.3f}" for one in taus(rows, official))]
        print("|", " | ".join(cells), "|")
    queries = len(next(iter(next(iter(tried.values())).values())))
    chosen, left = Counter[tuple[float, ...]](), {n: [] for n in CHECKED}
    for query in range(queries):
        others = np.arange(queries) != query
        means = {
            choice: np.mean(taus({n: r[others] for n, r in rows.items()}, official))
            for choice, rows in tried.items()
        }
        best = max(means, key=lambda one: means[one])
        chosen[best] += 1
        for name in CHECKED:
            left[name].append(tried[best][name][query])
    found = taus({name: np.array(one) for name, one in left.items()}, official)
    print(f"Chosen without the query: {dict(chosen.most_common())};", end=" ")
    print("tau", ", ".join(f"{one:.3f}" for one in found), "\n")


def main(folder: Path) -> None:
    """Print all of it."""
    found = collections(folder)
    for name, path in found.items():
        with Workspace.open(path) as workspace:
            print(f"\n## {name}: {workspace.correlate()}\n")
            found_here = workspace.validity(MEASURES)
            means = workspace.validity(MEAN_MEASURE, labels="mean")
            show("markdown", validity_table([*found_here, *means]))
    with Workspace.open(found["dl19"]) as workspace, workspace.snapshot() as snapshot:
        by_query = features(snapshot)
        print("\n## Questions: the best sentence beside the passage\n")
        tried = {
            (part,): rows_of(
                snapshot,
                lambda q, part=part: (
                    (1 - part) * by_query[q][0] + part * by_query[q][1]
                ),
                COSINE_SCALE,
            )
            for part in PARTS
        }
        weights(snapshot, tried, ["sentence"])
    with (
        Workspace.open(found["realsumm"]) as workspace,
        workspace.snapshot() as snapshot,
    ):
        by_query = features(snapshot)
        print("## Nuggets: the best sentence, and the cosine beside words\n")
        tried = {
            (part, vector): rows_of(
                snapshot,
                lambda q, part=part, vector=vector: (
                    (1 - vector) * ((1 - part) * by_query[q][2] + part * by_query[q][3])
                    + vector * by_query[q][0].clip(0)
                ),
                WORD_SCALE,
            )
            for part in PARTS
            for vector in VECTORS
        }
        weights(snapshot, tried, ["sentence", "cosine"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
