"""The two collections that budgets are promised on."""

from __future__ import annotations

import os
from pathlib import Path
from sqlite3 import Connection

import numpy as np

from curator import Workspace
from curator.bank.questions import Question, new_question_id, questions_by_query
from curator.collection.pools import Query
from curator.collection.rankings import Ranking, Slot
from curator.formats.parsed_import import ImportedGrades, ParsedImport
from curator.store.connection import open_workspace, write_transaction
from curator.store.grades import ItemKey, store_grader, write_vectors
from curator.store.imports.write import ImportWriter
from curator.store.texts import item_ids, item_of
from grading.responders import AS_GIVEN, GraderSpec, Reading, Responder

REAL_DATA = Path(
    os.environ.get("CURATOR_REAL_DATA", Path(__file__).parents[2] / "shared" / "data")
)
WORDS = 24_000
QUERIES, QUESTIONS, PASSAGES, SYSTEMS, DEPTH = 131, 55, 651, 22, 20


def dl19_files() -> dict[str, Path] | None:
    """DL19 as published with FLAN-T5-large's ratings; None where it is not at hand."""
    folder = REAL_DATA / "dl19"
    if not folder.is_dir():
        return None
    return {
        "queries": folder / "queries.json",
        "bank": folder / "questions.jsonl.gz",
        "autograder": folder / "graded.jsonl.gz",
        "official": folder / "official_leaderboard.json",
    }


def build_car_size(path: Path, times: int = 1, *, imported: bool = False) -> None:
    """A workspace of CAR size: 4.7 million random grades, seeded; or ``times`` that.

    Each time is an import of its own. Grades are written as vectors, or ``imported``
    as a file of them is, each as a response.
    """
    random = np.random.default_rng(0)
    words = made_up_words(random)
    open_workspace(path, create=True).close()
    connection = open_workspace(path)
    for time in range(times):
        with write_transaction(connection):
            _write_part(connection, random, words, time * QUERIES, imported=imported)
    connection.close()


def _write_part(
    connection: Connection,
    random: np.random.Generator,
    words: list[str],
    first: int,
    *,
    imported: bool,
) -> None:
    """The queries of CAR size, numbered from ``first`` on."""
    parsed = ParsedImport("generated", "a collection of CAR size")
    for q in range(first, first + QUERIES):
        query_id = f"q{q}"
        parsed.queries[query_id] = Query(query_id, f"query {q}")
        for p in range(PASSAGES):
            parsed.passages[f"{query_id}p{p}"] = prose(random, words)
            parsed.pooled[query_id, f"{query_id}p{p}"] = None
        for s in range(SYSTEMS):
            ranked = random.permutation(PASSAGES)[:DEPTH]
            slots = tuple(
                Slot(f"{query_id}p{p}", -float(i)) for i, p in enumerate(ranked)
            )
            parsed.rankings.append(Ranking(f"system{s}", query_id, slots))
        for n in range(QUESTIONS):
            text = f"question {n} of query {q}?"
            question_id = new_question_id(query_id, None, text)
            parsed.questions[question_id] = Question(question_id, query_id, text)
    spec = GraderSpec(
        "generated", Responder("random", "", ""), Reading("rated", "question", AS_GIVEN)
    )
    by_query = questions_by_query(parsed.questions.values())
    # As in DL19, four of five ratings are 0.
    ratings = {
        query_id: random.choice(6, (len(questions), PASSAGES), p=[0.8, *[0.04] * 5])
        for query_id, questions in by_query.items()
    }
    if imported:
        grades = ImportedGrades(spec)
        for query_id, questions in by_query.items():
            for question, row in zip(
                questions, ratings[query_id].tolist(), strict=True
            ):
                for p, rating in enumerate(row):
                    passage_id = f"{query_id}p{p}"
                    grades.append(
                        query_id, question.question_id, passage_id, str(rating), rating
                    )
        parsed.grades.append(grades)
    ImportWriter(connection, parsed, by="benchmark").write()
    if imported:
        return
    grader_id, _ = store_grader(connection, spec)
    items = item_ids(connection, map(item_of, parsed.questions.values()))
    for query_id, questions in by_query.items():
        ids: list[ItemKey] = [(items[item_of(one)], 0) for one in questions]
        rows = ratings[query_id].astype(np.int8)
        write_vectors(
            connection, grader_id, query_id, dict(zip(ids, rows, strict=True))
        )


def made_up_words(random: np.random.Generator) -> list[str]:
    """As many different words as a large collection has, with endings to stem."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    stems = ["".join(random.choice(syllables, 3)) for _ in range(WORDS // 4)]
    return [stem + ending for stem in stems for ending in ("", "s", "ing", "ational")]


def prose(random: np.random.Generator, words: list[str]) -> str:
    """A passage of some fifty words, common ones more often."""
    places = random.zipf(1.3, random.integers(20, 90)) % len(words)
    return " ".join(words[place] for place in places.tolist())


def build_dl19(path: Path, files: dict[str, Path]) -> None:
    """DL19 imported into a new workspace."""
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(**files, min_relevance=2, title="TREC DL 2019")
