"""``rouge_agreement``: ROUGE of single passages against their official judgments.

Source: Keikha, Park & Croft 2014, sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from curator.collection.pools import UNJUDGED, Pool
from curator.errors import EvaluationError
from curator.evaluation.correlation import seeded
from curator.evaluation.measures.measure import Scores
from curator.evaluation.measures.rouge import (
    NAMES,
    PARTS,
    REACH,
    SOURCES,
    Numbers,
    Source,
    Words,
    overlap,
)
from curator.evaluation.passage_agreement import PassageAgreement, passage_agreement
from curator.figures import Drawing
from curator.results import Result
from curator.snapshot.ideals import NO_IDEALS, ideal_answers
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import passage_texts
from curator.tables.figures import rouge_figure

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

    sources: tuple[Source, ...]
    sample: tuple[int, ...]
    share: float
    seed: int
    mean: bool
    sets: bool
    from_judgment: int
    relevant_from: int | None
    highlights: bool = False


@dataclass(frozen=True, eq=False)
class _ComparedQuery:
    """A query's passages or highlights, their grades and (passages, NAMES) scores."""

    ideals: int
    names: tuple[str, ...] = ()
    grades: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    scores: Scores = field(default_factory=lambda: np.zeros((0, len(NAMES))))


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A judged passage that is no ideal answer, with its ROUGE in order of ``NAMES``.

    A negative judgment is 0.
    """

    query_id: str
    passage_id: str
    judgment: int
    scores: tuple[float, ...]


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
    sources: Iterable[Source] = (),
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
    relevant_from = min_relevance
    if relevant_from is None and not highlights:
        relevant_from = snapshot.collection.min_relevance
    requested, drawn_from = {*sources}, tuple(sorted({*sample}))
    choice = IdealChoice(
        tuple(
            source
            for source in SOURCES
            if source in requested or not (requested or drawn_from)
            if not (highlights and source == "marked")
        ),
        drawn_from,
        share,
        seed,
        mean,
        sets,
        from_judgment,
        relevant_from,
        highlights,
    )
    _refuse_sample(snapshot, choice)
    generator = seeded(seed)
    queries: list[tuple[str, _ComparedQuery]] = []
    ideals = without = 0
    # Sorted by id, so that the draw does not depend on the order of import.
    for query_id in sorted(snapshot.collection.pools):
        pool = snapshot.collection.pools[query_id]
        compare = _highlights if highlights else _query
        compared = compare(snapshot, pool, choice, generator)
        without += not compared.ideals
        if compared.names:
            ideals += compared.ideals
            queries.append((query_id, compared))
    if not queries:
        raise EvaluationError(
            "No judged passage is left besides the ideal answers, so there is nothing "
            f"to compare. {NO_IDEALS if without else ''}".rstrip()
        )
    return RougeAgreement(
        choice,
        tuple(
            passage_agreement(
                name,
                [compared.scores[:, column] for _, compared in queries],
                [compared.grades for _, compared in queries],
                relevant_from=choice.relevant_from,
            )
            for column, name in enumerate(NAMES)
        ),
        tuple(
            ScoredPassage(query_id, name, grade, tuple(row))
            for query_id, compared in queries
            for name, grade, row in zip(
                compared.names,
                compared.grades.tolist(),
                compared.scores.tolist(),
                strict=True,
            )
        ),
        len(queries),
        ideals,
        _notes(choice, len(snapshot.collection.pools) - len(queries)),
    )


def _query(
    snapshot: Snapshot, pool: Pool, choice: IdealChoice, generator: np.random.Generator
) -> _ComparedQuery:
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
        excluded += [
            index for index in judged.tolist() if pool.passage_ids[index] in marked
        ]
    if "gold" in choice.sources:
        excluded += pool.gold
    candidates = judged[(grades >= choice.from_judgment) & ~np.isin(judged, excluded)]
    compared = len(taken) + len(answers)
    if not compared or not len(candidates):
        return _ComparedQuery(compared)
    words = snapshot.caches.words
    rows, texts = words.words_at(
        snapshot.connection, pool, np.concatenate([taken, candidates])
    )
    ideals = texts.select(rows[taken])
    if answers:
        ideals = ideals.append(words.numbered([answer.text for answer in answers]))
    return _ComparedQuery(
        compared,
        tuple(pool.passage_ids[index] for index in candidates.tolist()),
        np.maximum(pool.judgments[candidates], 0).astype(np.int64),
        _scores(texts.select(rows[candidates]), ideals, choice),
    )


def _highlights(
    snapshot: Snapshot, pool: Pool, choice: IdealChoice, generator: np.random.Generator
) -> _ComparedQuery:
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
        return _ComparedQuery(len(ideals))
    words = snapshot.caches.words
    return _ComparedQuery(
        len(ideals),
        tuple(graded[index].place for index in compared),
        grades[compared],
        _scores(
            words.numbered([texts[index] for index in compared]),
            words.numbered(ideals),
            choice,
        ),
    )


def _scores(texts: Words, ideals: Words, choice: IdealChoice) -> Scores:
    """(texts, NAMES): each text's best over the ideal answers, or the mean."""
    columns = []
    for concept in REACH:
        shared = overlap(texts, ideals, concept, sets=choice.sets)
        for part in PARTS:
            scores = shared.scores(part)
            columns.append(scores.mean(axis=1) if choice.mean else scores.max(axis=1))
    return np.stack(columns, axis=1)


def _refuse_sample(snapshot: Snapshot, choice: IdealChoice) -> None:
    """Raise EvaluationError if nothing is judged, or nothing as the sample requires."""
    if choice.highlights:
        all_ideals = chain.from_iterable(snapshot.bank.ideals.values())
        judged = {ideal.grade for ideal in all_ideals if ideal.grade}
        if not judged:
            raise EvaluationError(
                "No highlight has a grade: `curator ideals WORKSPACE --record FILE` "
                "imports graded highlights."
            )
    else:
        judged = {
            max(int(judgment), 0)
            for pool in snapshot.collection.pools.values()
            for judgment in np.unique(pool.judgments)
            if judgment != UNJUDGED
        }
    if not judged:
        raise EvaluationError(
            "No passage is judged, so ROUGE has nothing to agree with: `curator import "
            "WORKSPACE --judgments FILE` imports judgments."
        )
    unknown = sorted({*choice.sample} - judged)
    if unknown:
        raise EvaluationError(
            f"No passage is judged {unknown[0]}, so none can be drawn as an ideal "
            f"answer; judgments here are {', '.join(map(str, sorted(judged)))}."
        )


def _notes(choice: IdealChoice, left_out: int) -> tuple[str, ...]:
    notes = []
    if left_out:
        queries = "1 query" if left_out == 1 else f"{left_out:,} queries"
        notes.append(
            f"{queries} without an ideal answer or without another judged passage: "
            "left out."
        )
    if choice.relevant_from is None:
        level = "grade of a highlight" if choice.highlights else "judgment"
        notes.append(
            f"No AUC: the minimum {level} of a relevant answer is not set; give "
            "--min-relevance N."
        )
    return tuple(notes)
