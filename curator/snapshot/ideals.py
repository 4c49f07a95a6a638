"""Ideal answers of queries, and the texts compared with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection as Many
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits import MarkIdeal
from curator.bank.marks import Ideal
from curator.bank.marks.ideal import mark_with_other_grade
from curator.bank.questions import Bank, Question
from curator.collection.pools import Pool
from curator.errors import EditError, UnknownNameError
from curator.evaluation.leaderboard import ScoredQueries
from curator.evaluation.measures.measure import Row
from curator.evaluation.measures.rouge import SOURCES, CharacterMap, Rouge, Source
from curator.evaluation.settings import JUDGMENTS
from curator.results import Rows
from curator.snapshot.settings import judgment_settings
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import passage_lengths, passage_texts
from grading.items import answer_texts

Span = tuple[int, int | None]  # characters of a text, end exclusive; None is its end

NOUNS: dict[Source, str] = {
    "marked": "marked ideal answer",
    "answers": "gold answer",
    "gold": "gold article",
    "judged": "passage judged relevant",
}
ADVICE: dict[Source, str] = {
    "marked": "Mark a passage, or words in one, on the Judge page (i) or with "
    "`curator ideals WORKSPACE --mark QUERY PASSAGE`.",
    "answers": "They come with the kept questions of a bank: `curator import WORKSPACE "
    "--bank FILE`.",
    "gold": "`curator import WORKSPACE --gold FILE` brings one.",
    "judged": "`curator import WORKSPACE --judgments QRELS` brings judgments.",
}
NO_IDEALS = (
    "No query here has an ideal answer to compare with. "
    f"{ADVICE['marked']} Gold answers of kept questions and gold articles "
    "(`curator import WORKSPACE --gold FILE`) are ideal answers too."
)


@dataclass(frozen=True, slots=True)
class IdealAnswer:
    """A text to compare passages with, and its source.

    ``source`` is "marked" for a passage or a span of it (``start`` to ``end``, None
    where all of it is marked), "answers" for the gold answer of the kept question
    ``question_id``, "gold" for the query's gold article. ``judge`` and ``grade`` are
    those of a highlight.
    """

    query_id: str
    source: Source
    text: str
    passage_id: str | None = None
    start: int | None = None
    end: int | None = None
    question_id: str | None = None
    judge: str = ""
    grade: int | None = None


def ideals(snapshot: Snapshot, query_id: str | None = None) -> Rows[IdealAnswer]:
    """List ideal answers, as used by ROUGE: marked, gold answers, gold articles.

    Raises UnknownNameError for an unknown query.
    """
    pools = snapshot.collection.pools
    answers = (
        answer
        for query in snapshot.query_ids(query_id)
        for answer in ideal_answers(
            snapshot.connection, pools[query], snapshot.bank, SOURCES
        )
    )
    return Rows(answers, "passages.ideal_table")


def has_ideals(
    pool: Pool, bank: Bank, sources: Many[Source], relevant_from: int = 1
) -> bool:
    """Return True if the query has an ideal answer from one of these sources."""
    questions = bank.questions_of(pool.query_id)
    return bool(
        ("judged" in sources and pool.judged_from(relevant_from))
        or ("marked" in sources and bank.ideals_of(pool.query_id))
        or ("gold" in sources and pool.gold)
        or ("answers" in sources and any(map(gold_answers, questions)))
    )


def ideal_answers(
    connection: sqlite3.Connection,
    pool: Pool,
    bank: Bank,
    sources: Many[Source],
    *,
    relevant_from: int = 1,
    joined: bool = False,
) -> tuple[IdealAnswer, ...]:
    """Return the query's ideal answers from these sources.

    Of equal texts only the first counts, and one per annotator. Passages judged
    ``relevant_from`` or more become one text if ``joined``.
    """
    query_id = pool.query_id
    marked = bank.ideals_of(query_id) if "marked" in sources else ()
    gold: list[str] = []
    if "gold" in sources:
        gold = [pool.passage_ids[position] for position in pool.gold]
    judged = pool.judged_from(relevant_from) if "judged" in sources else []
    marked_ids = [ideal.passage_id for ideal in marked]
    passage_ids = [*dict.fromkeys([*marked_ids, *gold, *judged])]
    texts = passage_texts(connection, passage_ids) if passage_ids else {}
    answers = [
        IdealAnswer(
            query_id,
            "marked",
            ideal.extract(texts[ideal.passage_id]),
            passage_id=ideal.passage_id,
            start=None if ideal.end is None else ideal.start,
            end=ideal.end,
            judge=ideal.judge,
            grade=ideal.grade,
        )
        for ideal in marked
        if ideal.passage_id in texts
    ]
    if "answers" in sources:
        answers += [
            IdealAnswer(query_id, "answers", text, question_id=question.question_id)
            for question in bank.questions_of(query_id)
            for text in gold_answers(question)
        ]
    if gold:
        # All passages of an article make one answer.
        article = "\n".join(texts[passage_id] for passage_id in gold)
        answers.append(IdealAnswer(query_id, "gold", article))
    if judged and joined:
        text = "\n".join(texts[passage_id] for passage_id in judged)
        answers.append(IdealAnswer(query_id, "judged", text))
    elif judged:
        answers.extend(
            IdealAnswer(query_id, "judged", texts[passage_id], passage_id=passage_id)
            for passage_id in judged
        )
    distinct = {(answer.text, answer.judge): answer for answer in reversed(answers)}
    return tuple(distinct.values())[::-1]


def gold_answers(question: Question) -> tuple[str, ...]:
    """Return the gold answers of a kept question; letters become choices' texts.

    If all answers are needed, they are joined.
    """
    if question.state != "kept" or not question.answers:
        return ()
    texts = answer_texts(question.answers, question.choices)
    return ("; ".join(texts),) if question.aggregator == "AND" else texts


def ideal_edits(
    snapshot: Snapshot,
    query_id: str,
    passage_id: str,
    spans: Iterable[Span],
    *,
    marked: bool,
    judge: str = "",
    grade: int | None = None,
) -> list[MarkIdeal]:
    """Build the edits that mark or unmark these spans of a passage of the query.

    (0, None) is the whole passage; blanks at the ends of a span are ignored. With
    ``judge`` the marks are highlights of that annotator, of a ``grade``, and replace
    those of another grade. Unmarking removes marks of the bank and that annotator's
    highlights of any grade. Raises UnknownNameError, and EditError for an invalid span.
    """
    pool = snapshot.collection.pools[snapshot.query_ids(query_id)[0]]
    if passage_id not in pool.passage_ids:
        raise UnknownNameError(
            f"No passage '{passage_id}' in the pool of query '{query_id}'. `curator "
            f"passages WORKSPACE --query '{query_id}'` lists them."
        )
    text = passage_texts(snapshot.connection, [passage_id])[passage_id]
    ideals = dict.fromkeys(
        replace(ideal_at(passage_id, text, span), judge=judge, grade=grade)
        for span in spans
    )
    if marked:
        others = [
            mark_with_other_grade(snapshot.bank, query_id, ideal) for ideal in ideals
        ]
        former = [MarkIdeal(query_id, other, marked=False) for other in others if other]
        return [*former, *(MarkIdeal(query_id, ideal) for ideal in ideals)]
    places = {ideal.place for ideal in ideals}
    marks = [
        ideal
        for ideal in snapshot.bank.ideals_of(query_id)
        if ideal.place in places and ideal.judge in ("", judge)
    ]
    unmarked = [replace(ideal, judge="", grade=None) for ideal in ideals]
    return [MarkIdeal(query_id, ideal, marked=False) for ideal in marks or unmarked]


def ideal_at(passage_id: str, text: str, span: Span) -> Ideal:
    """Return the span without outer blanks, or the passage if the rest is blank.

    Raises EditError for a span outside the text or of blanks alone.
    """
    start, end = span[0], len(text) if span[1] is None else span[1]
    words = text[start:end].strip() if 0 <= start < end <= len(text) else ""
    if not words:
        raise EditError(
            f"Characters {start} to {end} are not in passage '{passage_id}', which has "
            f"{len(text)}: mark some words; the end is not included."
        )
    if words == text.strip():
        return Ideal(passage_id)
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Ideal(passage_id, start, start + len(words))


def text_rows(
    snapshot: Snapshot,
    measure: Rouge | CharacterMap,
    bank: Bank,
    query_id: str | None = None,
) -> ScoredQueries:
    """Score every query with an ideal answer; list sentences about the others.

    A row is cached by its ideal answers, questions and pool, so marking one ideal
    answer computes one row.
    """
    relevant_from = 1
    if "judged" in measure.sources:
        # Judges who see no judgments are refused.
        relevant_from = judgment_settings(snapshot, f"{JUDGMENTS}:P@1").min_rating
    bank, snapshot = snapshot.counted(bank), snapshot.full
    queries = {
        text_query: snapshot.collection.pools[text_query]
        for text_query in snapshot.query_ids(query_id)
    }
    rows = {
        text_query: _text_row(snapshot, measure, bank, pool, relevant_from)
        for text_query, pool in queries.items()
        if has_ideals(pool, bank, measure.sources, relevant_from)
    }
    note = _without_ideals(measure, query_id, len(rows), len(queries))
    return ScoredQueries(rows, notes=(note,) if note else ())


def _text_row(
    snapshot: Snapshot,
    measure: Rouge | CharacterMap,
    bank: Bank,
    pool: Pool,
    relevant_from: int,
) -> Row:
    def computed() -> Row:
        if isinstance(measure, CharacterMap):
            return _character_row(snapshot, measure, bank, pool)
        answers = ideal_answers(
            snapshot.connection,
            pool,
            bank,
            measure.sources,
            relevant_from=relevant_from,
            joined=measure.joined,
        )
        top = pool.top_k(measure.depth)
        rows, texts = snapshot.caches.words.words_at(
            snapshot.connection, pool, np.unique(top[top >= 0])
        )
        ideals = snapshot.caches.words.numbered([answer.text for answer in answers])
        return measure.score_texts(pool, texts, rows, ideals)

    cache_key = bank.ideals_of(pool.query_id), bank.questions_of(pool.query_id), pool
    return snapshot.caches.text_rows.get(
        (measure, pool.query_id, relevant_from), cache_key, computed
    )


def _character_row(
    snapshot: Snapshot, measure: CharacterMap, bank: Bank, pool: Pool
) -> Row:
    ideals = bank.ideals_of(pool.query_id)
    positions = {
        passage_id: position for position, passage_id in enumerate(pool.passage_ids)
    }
    ranked = [
        pool.passage_ids[position]
        for position in np.unique(pool.top_k(measure.depth))
        if position >= 0
    ]
    lengths = passage_lengths(
        snapshot.connection, [*{*ranked, *(ideal.passage_id for ideal in ideals)}]
    )
    marked: dict[int, NDArray[np.bool_]] = {}
    for ideal in ideals:
        if ideal.passage_id in lengths:
            flags = np.zeros(lengths[ideal.passage_id], dtype=np.bool_)
            flags = marked.setdefault(positions[ideal.passage_id], flags)
            flags[ideal.start : ideal.end] = True
    by_position = {positions[passage_id]: n for passage_id, n in lengths.items()}
    return measure.character_row(pool, marked, by_position)


def _without_ideals(
    measure: Rouge | CharacterMap, query_id: str | None, compared: int, queries: int
) -> str:
    """Return a sentence on the queries that do not count, or ""."""
    without = queries - compared
    if not without:
        return ""
    # A single source has its own noun and advice.
    source = measure.sources[0] if len(measure.sources) == 1 else None
    noun = NOUNS[source] if source else "ideal answer"
    if compared:
        have, are = ("has", "is") if without == 1 else ("have", "are")
        return (
            f"{without:,} of {queries:,} queries {have} no {noun} and {are} not in the "
            "mean."
        )
    if source is None and query_id is None:
        return NO_IDEALS
    where = "No query here has a" if query_id is None else f"Query '{query_id}' has no"
    return f"{where} {noun} to compare with. {ADVICE[source or 'marked']}"
