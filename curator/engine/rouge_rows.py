"""ROUGE's rows: every query's texts compared with its ideal answers."""

from __future__ import annotations

import sqlite3

import numpy as np

from curator.bank.questions import Bank
from curator.engine.ideals import (
    NO_IDEALS,
    NOUNS,
    WAYS_TO_SOME,
    has_ideals,
    ideal_answers,
)
from curator.engine.state import Boards
from curator.evaluation.measures.rouge.measure import Rouge
from curator.evaluation.rows import Row


def rouge_rows(
    boards: Boards, measure: Rouge, bank: Bank, query_id: str | None = None
) -> tuple[dict[str, Row], tuple[str, ...]]:
    """The row of every query with an ideal answer; sentences about the others.

    A row is kept by the ideal answers, questions and pool it was made of, so marking
    one ideal answer computes one row.
    """
    pools = boards.collection.pools
    queries = boards.query_ids(query_id)
    compared = [q for q in queries if has_ideals(pools[q], bank, measure.sources)]
    found = {q: _kept(boards, measure, bank, q) for q in compared}
    if not all(found.values()):
        with boards.words.reading() as connection:
            for one, row in found.items():
                if row is None:
                    found[one] = _computed(connection, boards, measure, bank, one)
    rows = {q: row for q, row in found.items() if row is not None}
    return rows, _notes(measure, query_id, len(rows), len(queries))


def _made_of(boards: Boards, bank: Bank, query_id: str) -> tuple[object, ...]:
    pool = boards.collection.pools[query_id]
    return bank.ideals_of(query_id), bank.of_query(query_id), pool


def _kept(boards: Boards, measure: Rouge, bank: Bank, query_id: str) -> Row | None:
    return boards.words.row(measure, query_id, _made_of(boards, bank, query_id))


def _computed(
    connection: sqlite3.Connection,
    boards: Boards,
    measure: Rouge,
    bank: Bank,
    query_id: str,
) -> Row:
    pool = boards.collection.pools[query_id]
    answers = ideal_answers(connection, pool, bank, measure.sources)
    top = pool.top_k(measure.depth)
    rows, texts = boards.words.at(connection, pool, np.unique(top[top >= 0]))
    ideals = boards.words.numbered([one.text for one in answers])
    row = measure.of_texts(pool, texts, rows, ideals)
    boards.words.keep(measure, query_id, _made_of(boards, bank, query_id), row)
    return row


def _notes(
    measure: Rouge, query_id: str | None, compared: int, queries: int
) -> tuple[str, ...]:
    without = queries - compared
    if not without:
        return ()
    # Of one source, its own name and its own way to some.
    one_source = measure.sources[0] if len(measure.sources) == 1 else None
    noun = NOUNS[one_source] if one_source else "ideal answer"
    way = WAYS_TO_SOME[one_source or "marked"]
    if query_id is not None:
        return (f"Query '{query_id}' has no {noun}, so it leaves the measure. {way}",)
    if not compared:
        if one_source is None:
            return (NO_IDEALS,)
        return (f"No query here has a {noun} to compare with. {way}",)
    if without == 1:
        return (f"1 of {queries:,} queries has no {noun} and leaves the mean.",)
    return (f"{without:,} of {queries:,} queries have no {noun} and leave the mean.",)
