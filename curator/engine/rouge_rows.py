"""ROUGE's rows: every query's texts compared with its ideal answers."""

from __future__ import annotations

import numpy as np

from curator.bank.questions import Bank
from curator.engine.ideals import (
    NO_IDEALS,
    NOUNS,
    WAYS_TO_SOME,
    has_ideals,
    ideal_answers,
)
from curator.engine.state import State
from curator.evaluation.measures.rouge.measure import Rouge
from curator.evaluation.rows import Row


def rouge_rows(
    state: State, measure: Rouge, bank: Bank, query_id: str | None = None
) -> tuple[dict[str, Row], tuple[str, ...]]:
    """The row of every query with an ideal answer; sentences about the others.

    A row is kept by the ideal answers, questions and pool it was made of, so marking
    one ideal answer computes one row.
    """
    pools = state.collection.pools
    queries = state.query_ids(query_id)
    compared = [q for q in queries if has_ideals(pools[q], bank, measure.sources)]
    rows = {
        q: _kept(state, measure, bank, q) or _computed(state, measure, bank, q)
        for q in compared
    }
    return rows, _notes(measure, query_id, len(rows), len(queries))


def _made_of(state: State, bank: Bank, query_id: str) -> tuple[object, ...]:
    pool = state.collection.pools[query_id]
    return bank.ideals_of(query_id), bank.of_query(query_id), pool


def _kept(state: State, measure: Rouge, bank: Bank, query_id: str) -> Row | None:
    return state.words.row(measure, query_id, _made_of(state, bank, query_id))


def _computed(
    state: State,
    measure: Rouge,
    bank: Bank,
    query_id: str,
) -> Row:
    pool = state.collection.pools[query_id]
    answers = ideal_answers(state.connection, pool, bank, measure.sources)
    top = pool.top_k(measure.depth)
    rows, texts = state.words.at(state.connection, pool, np.unique(top[top >= 0]))
    ideals = state.words.numbered([one.text for one in answers])
    row = measure.of_texts(pool, texts, rows, ideals)
    state.words.keep(measure, query_id, _made_of(state, bank, query_id), row)
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
