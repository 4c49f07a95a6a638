"""``check_quality``: how often graders' labels agree with people's checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from curator.bank.hasty import hasty_checks
from curator.bank.marks import Check, without_gold
from curator.bank.opinions import majorities, opinions, valid_decisions
from curator.edit_words import RETIRE, REWORD
from curator.errors import EvaluationError
from curator.evaluation.checks.quality import (
    CONFIDENCE,
    Certificate,
    CheckedLabels,
    LabelChecks,
    Threshold,
    best_threshold,
    draw_weights,
)
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.evaluation.settings import (
    DEFAULT_MIN_ANSWERED,
    FIRST_MEASURE,
    HIGHEST_LABEL,
    SAME_LABEL,
    Settings,
)
from curator.formats.text.notices import counted
from curator.results import HIDDEN, Result, column, computed, to_json
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.learned import LearnedSummary
from curator.snapshot.settings import fitting_rating, grader_name
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.checks.next_checks import CheckKind, resolve_kind

STEPS = 10  # thresholds compared where labels are means

PairKey = tuple[str, str | None, str]
"""Query, the question's text (None for a passage alone), passage."""


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """A pair that people checked, and their answer; None where they are undecided.

    ``weight`` is proportional to the number of pairs it represents; ``drawn`` is True
    for a pair drawn at random, ``set_aside`` for one with hasty answers only.
    """

    query_id: str
    item: str | None
    passage_id: str
    answer: str | None
    weight: float
    drawn: bool
    set_aside: bool = False


def _threshold_json(chosen: Threshold) -> dict[str, Any]:
    wrong = {
        "share": chosen.wrong,
        "upper": chosen.upper,
        "confidence": CONFIDENCE,
        "effective": chosen.effective,
    }
    return {**to_json(chosen), "wrong": wrong}


@dataclass(frozen=True)
class GraderQuality:
    """A grader's labels compared with the checks, under ``settings``.

    A label is here the rating of a pair, or the label of a passage. It says yes from
    ``min_label`` on; with ``best`` instead, labels would agree best with people.
    ``checks`` counts the pairs used, ``ungraded`` the pairs decided by people without a
    grade of this grader. ``thresholds`` and ``by_label`` ascend.
    """

    settings: Settings = field(metadata=HIDDEN)
    min_label: float = field(metadata=column(json="min_rating"))
    checks: int
    ungraded: int
    thresholds: tuple[Threshold, ...] = field(metadata=column(json="by_min_rating"))
    by_label: tuple[LabelChecks, ...] = field(metadata=column(json="by_rating"))
    best: float | None = field(metadata=column(json="best_min_rating"))
    certificate: Certificate | None = field(
        metadata=column(to_json=lambda by: by and by.sentence)
    )

    @property
    @computed()
    def grader(self) -> str:
        return self.settings.grader

    @property
    @computed(flat=True, to_json=_threshold_json)
    def chosen_threshold(self) -> Threshold:
        """The results at the threshold ``min_label``."""
        return next(
            threshold
            for threshold in self.thresholds
            if threshold.min_label == self.min_label
        )


@dataclass(frozen=True)
class Quality(Result[GraderQuality], table="checks.quality_tables"):
    """Checks of pairs, or of passages, compared with every grader that grades them.

    People checked ``drawn`` and ``chosen`` pairs; of these ``undecided`` have no
    majority, ``outdated`` can no longer be drawn, as their question is not kept in
    these words, and ``set_aside`` have hasty answers only (``curator.bank.hasty``).
    ``min_relevance`` is the lowest grade of a relevant passage.
    """

    of: CheckKind
    graders: tuple[GraderQuality, ...]
    drawn: int
    chosen: int
    undecided: int
    outdated: int = field(metadata=column(json="gone"))
    set_aside: int = 0
    min_relevance: int | None = field(
        default=None, metadata=column(json_if=lambda grade: grade is not None)
    )
    learned: tuple[LearnedSummary, ...] = ()

    @property
    @computed()
    def notes(self) -> tuple[str, ...]:
        """Warnings about what the numbers leave out."""
        singular = self.of.removesuffix("s")
        notes = []
        if self.chosen:
            limits = "each represents only itself"
            if not self.drawn:
                limits = "shares are without limits or a certificate"
            notes.append(
                f"{counted(self.chosen, singular)} of {self.chosen + self.drawn:,} "
                f"were chosen, not drawn at random: {limits}."
            )
        left_out = {
            "left out as undecided: people are unsure or tied": self.undecided,
            "set aside: answered faster than people read, until their judge confirms "
            "them on the page Check": self.set_aside,
            f"left out as outdated: the question was {RETIRE.past} or {REWORD.past}, "
            "or the passage left the pool": self.outdated,
        }
        notes += [
            f"{counted(number, singular)} {reason}."
            for reason, number in left_out.items()
            if number
        ]
        return (
            *notes,
            *(summary.note for summary in self.learned),
            *(
                f"{quality.grader} has not graded "
                f"{counted(quality.ungraded, 'checked ' + singular)}."
                for quality in self.graders
                if quality.ungraded
            ),
        )


def check_quality(
    snapshot: Snapshot,
    of: str | None = None,
    *,
    graders: str | Sequence[str] = (),
    min_rating: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    min_relevance: int | None = None,
) -> Quality:
    """Estimate how reliable each grader's labels are by the checks the viewer sees.

    Precision and recall for labels of the minimum rating or more, with 95 % limits; the
    largest likely number of wrong labels, with 95 % confidence; and the minimum rating
    that agrees best with people. Graders made of people's marks are left out; those
    learned from checks are measured by leaving the check out. Raises EvaluationError
    where nothing was checked or graded, UnknownNameError for an unknown grader.

    Args:
        of (pairs|passages): Checks of pairs of question and passage, or of passages
            alone. [pairs, if any was checked]
        min_relevance (N): Lowest grade by people of a relevant passage. [that of the
            judgments]
    """
    snapshot = snapshot.with_texts  # aggregates include restricted queries
    kind = _parse_kind(snapshot, of)
    checked = checked_pairs(snapshot, kind)
    if not checked:
        raise EvaluationError(
            f"No {kind.removesuffix('s')} has been checked yet. Draw some with "
            "`curator checks WORKSPACE next`, and save the answers with `record`."
        )
    relevant = None if kind == "pairs" else _lowest_relevant(snapshot, min_relevance)
    named = (graders,) if isinstance(graders, str) else tuple(graders)
    records = [snapshot.grader(grader_name(snapshot, name)) for name in named]
    considered = records or snapshot.gradebook.records
    learned = [record for record in considered if record.spec.learned]
    records = [record for record in records if record not in learned]
    if refused := [record.name for record in records if not _is_measured(record, kind)]:
        raise EvaluationError(
            f"Checks of {kind} do not measure '{refused[0]}': it grades none, or its "
            "grades come from people."
        )
    if not named:
        records = [record for record in considered if _is_measured(record, kind)]
    if not (records or learned):
        raise EvaluationError(
            f"No grader has graded {kind} here, so there is nothing to compare the "
            "checks with. Run `curator grade WORKSPACE`."
        )
    settings = tuple(
        chosen_settings(
            snapshot,
            record.name,
            FIRST_MEASURE,  # the measure matters to no label
            min_rating=min_rating
            if named
            else fitting_rating(snapshot, record.name, min_rating),
            min_answered=min_answered,
            label=label,
        )
        for record in records
    )
    quality = snapshot.cached(
        ("check quality", kind, relevant, settings),
        lambda: _quality(snapshot, kind, checked, settings, relevant),
    )
    learned_graders = snapshot.gradebook.learned
    if learned_graders is None or not learned:
        return quality
    return replace(quality, learned=tuple(map(learned_graders.summary, learned)))


def certificate(snapshot: Snapshot, settings: Settings) -> Certificate | None:
    """Certify the labels under these settings by all checks; None without drawn checks.

    Uses drawn pairs if there are any, else passages.
    """
    for kind in get_args(CheckKind):
        try:
            quality = check_quality(
                snapshot,
                kind,
                graders=settings.grader,
                min_rating=settings.min_rating,
                min_answered=settings.min_answered,
                label=settings.label,
            )
        except EvaluationError:  # nothing was checked, or this grader does not grade it
            continue
        if quality.graders and quality.graders[0].certificate:
            return quality.graders[0].certificate
    return None


def checked_pairs(snapshot: Snapshot, kind: CheckKind) -> tuple[CheckedPair, ...]:
    """List every pair, or passage, that people checked, in order of time.

    A pair has the weight of its first check, also where it was checked again. Hasty
    answers do not count, nor those to gold items.
    """
    first: dict[PairKey, Check] = {}
    answers: dict[PairKey, str] = {}
    set_aside: set[PairKey] = set()
    hasty = hasty_checks(snapshot.bank.checks)
    for query_id, checks in snapshot.bank.checks.items():
        matching = [
            check
            for check in without_gold(checks)
            if (check.item is None) == (kind == "passages")
        ]
        for check in matching:
            first.setdefault((query_id, check.item, check.passage_id), check)
        about = (
            snapshot.decisions(snapshot.bank).get(query_id, ()),
            snapshot.bank.questions_of(query_id),
        )
        read = [check for check in matching if (query_id, check) not in hasty]
        decisions = valid_decisions("check", opinions("check", matching), *about)
        final = majorities(opinions("check", read)) | decisions
        answers |= {(query_id, *pair): answer for pair, answer in final.items()}
        read_pairs = {(check.item, check.passage_id) for check in read} | final.keys()
        set_aside |= {
            (query_id, check.item, check.passage_id)
            for check in matching
            if (check.item, check.passage_id) not in read_pairs
        }
    by_time = sorted(
        first.items(), key=lambda entry: (entry[1].at, *map(str, entry[0]))
    )
    weights = draw_weights(
        np.array(
            [check.probability or np.nan for _, check in by_time], dtype=np.float64
        ),
        np.array([check.drawn for _, check in by_time], dtype=np.int64),
    )
    return tuple(
        CheckedPair(
            *key,
            answers.get(key),
            weight,
            check.probability is not None,
            key in set_aside,
        )
        for (key, check), weight in zip(by_time, weights.tolist(), strict=True)
    )


def _parse_kind(snapshot: Snapshot, of: str | None) -> CheckKind:
    """Parse "pairs" or "passages"; by default what was checked."""
    if of is None:
        checks = (
            check
            for query_checks in snapshot.bank.checks.values()
            for check in query_checks
        )
        kinds = {check.item is None for check in checks}
        return "passages" if kinds == {True} else "pairs"
    return resolve_kind(snapshot, None, of)


def _is_measured(record: GraderRecord, kind: CheckKind) -> bool:
    # A grader derived from checks is not measured by them.
    return not record.derived and (
        kind == "passages" or record.spec.reading.item_kind != "query"
    )


def _lowest_relevant(snapshot: Snapshot, min_relevance: int | None) -> int:
    collection = snapshot.collection
    lowest = collection.min_relevance if min_relevance is None else min_relevance
    if lowest is None:
        raise EvaluationError(
            "No minimum relevance is set: give --min-relevance N, or set it with "
            "`curator import WORKSPACE --min-relevance N`."
        )
    return lowest


def _quality(
    snapshot: Snapshot,
    kind: CheckKind,
    checked: Sequence[CheckedPair],
    settings: Sequence[Settings],
    min_relevance: int | None,
) -> Quality:
    query_ids = {pair.query_id for pair in checked}
    checkable = {query_id: _checkable_in(snapshot, query_id) for query_id in query_ids}
    current_pairs = [
        pair
        for pair in checked
        for texts, positions in [checkable[pair.query_id]]
        if pair.passage_id in positions and (pair.item is None or pair.item in texts)
    ]
    with_answer = [pair for pair in current_pairs if pair.answer is not None]
    drawn = sum(pair.drawn for pair in checked)
    set_aside = sum(pair.set_aside for pair in current_pairs)
    return Quality(
        kind,
        tuple(
            _grader_quality(
                snapshot, kind, grader, with_answer, checkable, min_relevance
            )
            for grader in settings
        ),
        drawn,
        len(checked) - drawn,
        len(current_pairs) - len(with_answer) - set_aside,
        len(checked) - len(current_pairs),
        set_aside,
        min_relevance,
    )


_Checkable = tuple[frozenset[str], Mapping[str, int]]
"""The questions and passages of a query that can be checked: texts, positions."""


def _checkable_in(snapshot: Snapshot, query_id: str) -> _Checkable:
    """Texts of the kept questions, and the pool position of each counted passage."""
    pool = snapshot.collection.pools[query_id]
    texts = (
        question.text
        for question in snapshot.bank.questions_of(query_id)
        if question.state == "kept"
    )
    uncounted = frozenset(pool.uncounted)
    positions = {p: i for i, p in enumerate(pool.passage_ids) if i not in uncounted}
    return frozenset(filter(None, texts)), positions


def _grader_quality(
    snapshot: Snapshot,
    kind: CheckKind,
    settings: Settings,
    checked: Sequence[CheckedPair],
    checkable: Mapping[str, _Checkable],
    min_relevance: int | None,
) -> GraderQuality:
    rows = {q: _labels(snapshot, kind, settings, q) for q in snapshot.query_ids()}
    counted_labels: list[NDArray[Any]] = [np.empty(0)]
    for query_id, ratings in rows.items():
        uncounted = list(snapshot.collection.pools[query_id].uncounted)
        counted_labels += [np.delete(row, uncounted) for row in ratings.values()]
    labels = np.concatenate(counted_labels)
    labels = labels[labels >= 0] + SAME_LABEL
    min_label, levels = _levels(snapshot, kind, settings, labels)
    counts = np.histogram(labels, [*levels, np.inf])[0].tolist()
    labels_given = np.full(len(checked), NO_LABEL, dtype=np.float64)
    for index, pair in enumerate(checked):
        row = rows[pair.query_id].get(pair.item)
        if row is not None:
            labels_given[index] = row[checkable[pair.query_id][1][pair.passage_id]]
    if min_relevance is None:
        yes = [pair.answer == "yes" for pair in checked]
    else:
        yes = [int(pair.answer or 0) >= min_relevance for pair in checked]
    graded = labels_given >= 0
    weights = np.array([pair.weight for pair in checked])[graded]
    checked_labels = CheckedLabels(
        labels_given[graded] + SAME_LABEL,
        np.array(yes, dtype=np.bool_)[graded],
        weights,
        dict(zip(levels, counts, strict=True)),
        any(pair.drawn for pair in checked),
    )
    thresholds = tuple(
        checked_labels.at(level) for level in levels if level > 0 or level == min_label
    )
    chosen = next(
        threshold for threshold in thresholds if threshold.min_label == min_label
    )
    checks, certificate = int((weights > 0).sum()), None
    if chosen.wrong is not None and chosen.upper is not None:
        certificate = Certificate(kind, min_label, checks, chosen.wrong, chosen.upper)
    return GraderQuality(
        settings,
        min_label,
        checks,
        int((~graded).sum()),
        thresholds,
        checked_labels.by_label(),
        best_threshold(thresholds),
        certificate,
    )


def _labels(
    snapshot: Snapshot, kind: CheckKind, settings: Settings, query_id: str
) -> dict[str | None, NDArray[Any]]:
    """The grader's ratings of the pool's passages, by the question's text.

    For passages their labels, under None. Of questions with the same text the first
    counts, as in draws.
    """
    matrix = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    if kind == "passages":
        return {None: graded_labels(matrix, settings.rule)}
    texts = {
        question.question_id: question.text
        for question in snapshot.bank.questions_of(query_id)
    }
    ratings_of: dict[str | None, NDArray[Any]] = {}
    for item_id, ratings in zip(matrix.item_ids, matrix.ratings, strict=True):
        if text := texts[item_id]:
            ratings_of.setdefault(text, ratings)
    return ratings_of


def _levels(
    snapshot: Snapshot, kind: CheckKind, settings: Settings, labels: NDArray[Any]
) -> tuple[float, tuple[float, ...]]:
    """The lowest label that says yes, and the labels to compare, from 0.

    Every whole number of the scale; for means, ten steps over it.
    """
    reading = snapshot.grader(settings.grader).spec.reading.kind
    highest = HIGHEST_LABEL[reading]
    if kind == "pairs":
        return snapshot.threshold(settings), tuple(range(highest + 1))
    min_label = snapshot.relevant_from(settings)
    steps: Sequence[float]
    if settings.rule.fractional and reading != "direct":
        steps = [highest * step / STEPS for step in range(STEPS + 1)]
    else:
        if settings.label == "answered" or reading == "direct":
            highest = int(labels.max(initial=1))
        steps = range(highest + 1)
    return min_label, tuple(sorted({*steps, min_label}))
