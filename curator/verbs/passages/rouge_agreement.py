"""``rouge_agreement``: ROUGE of single passages against their official judgments.

``record_ideals`` and ``word_agreement``: highlights of several annotators.

Source: Keikha, Park & Croft 2014, sections 5 and 6.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits import MarkIdeal
from curator.bank.marks import Ideal
from curator.collection.pools import UNJUDGED, Pool
from curator.errors import EvaluationError
from curator.evaluation.agreement import cohens_kappa, confusion
from curator.evaluation.correlation import seeded
from curator.evaluation.measures.rouge import (
    NAMES,
    PARTS,
    REACH,
    SOURCES,
    Numbers,
    Words,
    overlap,
)
from curator.evaluation.measures.rouge import (
    Source as AnswerSource,
)
from curator.evaluation.passage_agreement import PassageAgreement, passage_agreement
from curator.figures import Drawing
from curator.formats.text.notices import counted
from curator.formats.text.records import Record, whole_number_in
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import Result, Rows, column
from curator.snapshot.ideals import NO_IDEALS, ideal_answers, ideal_edits
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import passage_texts
from curator.store.connection import write_transaction
from curator.tables.figures import rouge_figure
from curator.verbs.curate.edits import Recorded, record_edits

DEFAULT_SHARE = 0.5  # share of the passages of a judgment, as in the paper


@dataclass(frozen=True, slots=True)
class IdealChoice:
    """The ideal answers that passages are compared with, and the way to compare.

    ``sources`` are ideal answers of the workspace. ``sample`` are judgments: a
    ``share`` of the passages with these judgments is drawn by ``seed`` as further ideal
    answers. ``mean`` and ``sets`` as in ROUGE measures; passages judged below
    ``from_judgment`` are left out. ``highlights`` compares the highlights of
    annotators, with their grades as judgments.
    """

    sources: tuple[AnswerSource, ...]
    sample: tuple[int, ...]
    share: float
    seed: int
    mean: bool
    sets: bool
    from_judgment: int
    relevant_from: int | None
    highlights: bool = False


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A judged passage that is no ideal answer, with its ROUGE in order of ``NAMES``.

    A negative judgment is 0.
    """

    query_id: str
    passage_id: str
    judgment: int
    scores: tuple[float, ...]


Compared = tuple[int, tuple[ScoredPassage, ...]]
"""Number of a query's ideal answers, and the passages or highlights compared."""


@dataclass(frozen=True)
class RougeAgreement(
    Result[tuple[str, dict[str, float | None]]],
    table="passages.rouge_agreement_tables",
):
    """Every ROUGE measure's agreement with judgments, in the order of ``NAMES``.

    Over ``passages`` of ``queries`` queries, each compared with the ideal answers of
    its query, ``ideals`` in all.
    """

    choice: IdealChoice
    measures: tuple[PassageAgreement, ...]
    passages: tuple[ScoredPassage, ...]
    queries: int
    ideals: int
    notes: tuple[str, ...]

    def figure(self, measure: str = "rouge-su4-p", *, dark: bool = False) -> Drawing:
        """Draw the scores of one measure by judgment, as figure 1 of the paper."""
        return rouge_figure(self, measure).styled(dark=dark)


def rouge_agreement(
    snapshot: Snapshot,
    *,
    sources: Iterable[AnswerSource] = (),
    sample: Iterable[int] = (),
    share: float = DEFAULT_SHARE,
    seed: int = 0,
    mean: bool = False,
    sets: bool = False,
    from_judgment: int = 0,
    min_relevance: int | None = None,
    highlights: bool = False,
) -> RougeAgreement:
    """Compare the ROUGE scores of judged passages with their judgments.

    Passages that are, or contain, an ideal answer are left out, and so are queries
    without an ideal answer or without another judged passage. "marked" is no source
    for ``highlights``, which the paper compares.

    Raises EvaluationError if nothing can be compared, for an invalid share, for a
    sampled judgment that does not occur, and for judges in blind mode.

    Args:
        sample (JUDGMENT): Draw some passages with this judgment as ideal answers;
            repeat for several.
        share (X): Share of these passages to draw.
        mean: Use a passage's mean over the ideal answers, instead of its best.
        sets: Count a word or pair once per text.
        from_judgment (N): Only passages with this judgment or higher.
        highlights: Compare graded highlights, not judged passages.
    """
    if snapshot.viewer.is_judge and snapshot.collection.blind:
        raise EvaluationError("Judges do not see official judgments in this workspace.")
    snapshot = snapshot.with_texts  # only numbers are returned
    if not 0 < share <= 1:
        raise EvaluationError(
            f"share is {share:g}; expected more than 0 and at most 1, such as 0.5."
        )
    if min_relevance is None and not highlights:
        min_relevance = snapshot.collection.min_relevance
    requested, drawn_from = {*sources}, tuple(sorted({*sample}))
    if not requested and not drawn_from:
        requested = {*SOURCES}
    if highlights:
        requested.discard("marked")
    choice = IdealChoice(
        tuple(source for source in SOURCES if source in requested),
        drawn_from,
        share,
        seed,
        mean,
        sets,
        from_judgment,
        min_relevance,
        highlights,
    )
    _refuse_sample(snapshot, choice)
    generator = seeded(seed)
    compare = _highlights if highlights else _passages
    queries: list[tuple[ScoredPassage, ...]] = []
    ideals = without = 0
    # Sorted by id, so that the draw does not depend on the order of import.
    for _, pool in sorted(snapshot.collection.pools.items()):
        answers, compared = compare(snapshot, pool, choice, generator)
        without += not answers
        if compared:
            ideals += answers
            queries.append(compared)
    if not queries:
        raise EvaluationError(
            "No judged passage is left besides the ideal answers, so there is nothing "
            f"to compare. {NO_IDEALS if without else ''}".rstrip()
        )
    notes = []
    if left_out := len(snapshot.collection.pools) - len(queries):
        notes.append(
            f"{counted(left_out, 'query', 'queries')} without an ideal answer or "
            "without another judged passage: left out."
        )
    if min_relevance is None:
        level = "grade of a highlight" if highlights else "judgment"
        notes.append(
            f"No AUC: the minimum {level} of a relevant answer is not set; give "
            "--min-relevance N."
        )
    scores = [np.array([passage.scores for passage in query]) for query in queries]
    grades = [np.array([passage.judgment for passage in query]) for query in queries]
    measures = tuple(
        passage_agreement(
            name,
            [query_scores[:, column] for query_scores in scores],
            grades,
            relevant_from=min_relevance,
        )
        for column, name in enumerate(NAMES)
    )
    passages = tuple(chain.from_iterable(queries))
    count = len(queries)
    return RougeAgreement(choice, measures, passages, count, ideals, tuple(notes))


def _passages(
    snapshot: Snapshot, pool: Pool, choice: IdealChoice, generator: np.random.Generator
) -> Compared:
    judged = np.flatnonzero(pool.judgments != UNJUDGED)
    judged = np.array(sorted(judged.tolist(), key=pool.passage_ids.__getitem__), int)
    grades = np.maximum(pool.judgments[judged], 0)
    # One number for every passage, so that the draws of others stay when one changes.
    drawn = generator.random(len(judged)) < choice.share
    taken = judged[drawn & np.isin(grades, choice.sample)]
    answers = ideal_answers(snapshot.connection, pool, snapshot.bank, choice.sources)
    excluded = taken.tolist()
    if "marked" in choice.sources:
        marked = {ideal.passage_id for ideal in snapshot.bank.ideals_of(pool.query_id)}
        excluded += [i for i in judged.tolist() if pool.passage_ids[i] in marked]
    if "gold" in choice.sources:
        excluded += pool.gold
    candidates = judged[(grades >= choice.from_judgment) & ~np.isin(judged, excluded)]
    count = len(taken) + len(answers)
    if not count or not len(candidates):
        return count, ()
    words = snapshot.caches.words
    rows, texts = words.words_at(
        snapshot.connection, pool, np.concatenate([taken, candidates])
    )
    ideals = texts.select(rows[taken])
    if answers:
        ideals = ideals.append(words.numbered([answer.text for answer in answers]))
    names = [pool.passage_ids[index] for index in candidates.tolist()]
    judgments = np.maximum(pool.judgments[candidates], 0)
    texts = texts.select(rows[candidates])
    return count, _scored(pool, names, judgments, texts, ideals, choice)


def _highlights(
    snapshot: Snapshot, pool: Pool, choice: IdealChoice, generator: np.random.Generator
) -> Compared:
    """Compare the query's graded highlights with the drawn ones and other answers.

    Highlights that overlap a drawn one, or have its words, are left out.
    """
    graded = [ideal for ideal in snapshot.bank.ideals_of(pool.query_id) if ideal.grade]
    passages = passage_texts(
        snapshot.connection, [*dict.fromkeys(ideal.passage_id for ideal in graded)]
    )
    texts = [ideal.extract(passages[ideal.passage_id]) for ideal in graded]
    grades = np.array([ideal.grade for ideal in graded], dtype=np.int64)
    drawn = generator.random(len(graded)) < choice.share
    taken = np.flatnonzero(drawn & np.isin(grades, choice.sample)).tolist()
    answers = ideal_answers(snapshot.connection, pool, snapshot.bank, choice.sources)
    ideals = [*(texts[index] for index in taken), *(answer.text for answer in answers)]
    compared = [
        index
        for index, ideal in enumerate(graded)
        if grades[index] >= choice.from_judgment
        and texts[index] not in ideals
        and not any(ideal.overlaps(graded[other]) for other in taken)
    ]
    if not ideals or not compared:
        return len(ideals), ()
    words = snapshot.caches.words
    return len(ideals), _scored(
        pool,
        [graded[index].place for index in compared],
        grades[compared],
        words.numbered([texts[index] for index in compared]),
        words.numbered(ideals),
        choice,
    )


def _scored(
    pool: Pool,
    names: Iterable[str],
    judgments: Numbers,
    texts: Words,
    ideals: Words,
    choice: IdealChoice,
) -> tuple[ScoredPassage, ...]:
    columns = []
    for concept in REACH:
        shared = overlap(texts, ideals, concept, sets=choice.sets)
        for part in PARTS:
            scores = shared.scores(part)
            columns.append(scores.mean(axis=1) if choice.mean else scores.max(axis=1))
    by_text = map(tuple, np.stack(columns, axis=1).tolist())
    rows = zip(names, judgments.tolist(), by_text, strict=True)
    return tuple(ScoredPassage(pool.query_id, *row) for row in rows)


def _refuse_sample(snapshot: Snapshot, choice: IdealChoice) -> None:
    if choice.highlights:
        highlights = chain.from_iterable(snapshot.bank.ideals.values())
        judged = {ideal.grade for ideal in highlights if ideal.grade}
    else:
        pools = snapshot.collection.pools.values()
        judgments = {*chain.from_iterable(pool.judgments.tolist() for pool in pools)}
        judged = {max(judgment, 0) for judgment in judgments - {UNJUDGED}}
    if not judged:
        raise EvaluationError(
            "Nothing is judged, so ROUGE has nothing to agree with: `curator import "
            "WORKSPACE --judgments FILE` imports judgments, `curator ideals WORKSPACE "
            "--record FILE` graded highlights."
        )
    if unknown := sorted({*choice.sample} - judged):
        raise EvaluationError(
            f"No passage is judged {unknown[0]}, so none can be drawn as an ideal "
            f"answer; judgments here are {', '.join(map(str, sorted(judged)))}."
        )


GRADES = {"fair": 1, "good": 2, "excellent": 3, "perfect": 4}
"""The grades of the paper with the paper's numbers."""

EXPECTED = "rows of query_id, passage_id, start, end, judge and grade"
MAX_POSITION = 10**9
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordAgreement:
    """Agreement of two annotators on the words of the passages either highlighted in.

    Over the queries in which both highlighted something. ``kappa`` is Cohen's, None if
    it is 0/0.
    """

    first: str = field(metadata=column("annotator"))
    second: str = field(metadata=column("and"))
    passages: int
    words: int
    by_first: int
    by_second: int
    by_both: int
    kappa: float | None = field(metadata=column(title="Cohen’s κ"))


def record_ideals(workspace: OpenWorkspace, highlights: Source) -> Recorded:
    """Save the highlights of a file or of records in one transaction.

    Rows have ``query_id``, ``passage_id``, ``start`` and ``end`` in characters (without
    both, the whole passage), ``grade`` (a number from 1 or a word of GRADES) and
    ``judge``. Each judge's highlights form one batch. Raises InputFileError, also for a
    listed viewer unless ``refuse_viewers`` is False.
    """
    rows = read_rows(highlights, name="highlight", expected=EXPECTED)
    with write_transaction(workspace.connection):
        snapshot = workspace.current_snapshot().full
        named = ((row.place, row.get("judge"), row) for row in rows)
        return record_edits(
            workspace,
            snapshot.bank,
            named,
            lambda bank, row, judge: _edits(replace(snapshot, bank=bank), row, judge),
        )


def _edits(snapshot: Snapshot, row: Record, by: str) -> list[MarkIdeal]:
    query_id = required_text(row, "query_id")
    passage_id = required_text(row, "passage_id")
    span: tuple[int, int | None] = (0, None)
    if "start" in row or "end" in row:
        start, end = (
            whole_number_in(row.place, required_text(row, name), name, 0, MAX_POSITION)
            for name in ("start", "end")
        )
        span = start, end
    grade = None
    if row.get("grade") is not None:
        text = required_text(row, "grade").lower()
        grade = GRADES.get(text) or whole_number_in(row.place, text, "grade", 1, 100)
    return ideal_edits(
        snapshot, query_id, passage_id, [span], marked=True, judge=by, grade=grade
    )


def word_agreement(
    snapshot: Snapshot, query_id: str | None = None
) -> Rows[WordAgreement]:
    """Return Cohen's kappa on words for every pair of annotators.

    A word counts as highlighted if a highlight contains any of its characters.
    """
    by_judge: defaultdict[str, dict[str, dict[str, list[Ideal]]]] = defaultdict(dict)
    for query in snapshot.query_ids(query_id):
        for ideal in snapshot.bank.ideals_of(query):
            if ideal.judge:
                of_query = by_judge[ideal.judge].setdefault(query, {})
                of_query.setdefault(ideal.passage_id, []).append(ideal)
    pairs = []
    for first, second in combinations(sorted(by_judge), 2):
        marks, flags = (by_judge[first], by_judge[second]), []
        for query in marks[0].keys() & marks[1].keys():
            passage_ids = [*dict.fromkeys([*marks[0][query], *marks[1][query]])]
            texts = passage_texts(snapshot.connection, passage_ids)
            flags += [
                np.array([highlighted(text, of[query].get(name, ())) for of in marks])
                for name, text in texts.items()
            ]
        if flags:
            by_first, by_second = np.concatenate(flags, axis=1)
            table = confusion(by_first, by_second)
            (_, only), (alone, common) = table
            counts = len(by_first), alone + common, only + common, common
            kappa = cohens_kappa(table)
            pairs.append(WordAgreement(first, second, len(flags), *counts, kappa))
    notes = [] if pairs else ["No query has highlights of two annotators."]
    return Rows(pairs, WordAgreement, notes, "words highlighted")


def highlighted(text: str, ideals: Sequence[Ideal]) -> NDArray[np.bool_]:
    """(words,): True for each word of the text that a highlight touches."""
    marked = np.zeros(len(text), dtype=np.bool_)
    for ideal in ideals:
        marked[ideal.start : ideal.end] = True
    spans = [word.span() for word in WORD.finditer(text)]
    return np.array([marked[start:end].any() for start, end in spans], dtype=np.bool_)
