"""``check_quality``: how far each grader can be believed, told from people's checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits.adjudicate import counted_pairs
from curator.bank.marks import Check
from curator.engine.gradebook import GraderRecord
from curator.engine.learned import LearnedSummary
from curator.engine.settings import fitting_rating, grader_name
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.checks.quality import (
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
    HIGHEST_LABEL,
    SAME_LABEL,
    Settings,
)
from curator.formats.text.notices import counted
from curator.results import Result
from curator.verbs.checks.next_checks import Of

STEPS = 10  # thresholds that are looked at where labels are means

Place = tuple[str, str | None, str]
"""Query, the question's words (None: the passage alone is asked about), passage."""


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """A pair that people looked at, and what they decided: None where they did not.

    ``weight`` is how many pairs it stands for, all but a factor; ``drawn`` says whether
    it came by lot.
    """

    query_id: str
    item: str | None
    passage_id: str
    answer: str | None
    weight: float
    drawn: bool


@dataclass(frozen=True)
class GraderQuality:
    """What the checks say of one grader's labels under ``settings``.

    A label is the rating of a pair, or of passages what the rule makes; it says yes
    from ``min_label`` on, and ``best`` is the threshold that fits people best.
    ``checks`` counts the pairs that all rests on, ``ungraded`` those that people
    decided and this grader did not grade. ``thresholds`` and ``by_label`` ascend.
    """

    settings: Settings
    min_label: float
    checks: int
    ungraded: int
    thresholds: tuple[Threshold, ...]
    by_label: tuple[LabelChecks, ...]
    best: float | None
    certificate: Certificate | None

    @property
    def grader(self) -> str:
        """Its full name."""
        return self.settings.grader

    @property
    def found(self) -> Threshold:
        """What the labels are worth from ``min_label`` on."""
        return next(one for one in self.thresholds if one.min_label == self.min_label)


@dataclass(frozen=True)
class Quality(Result[GraderQuality], table="checks.quality_tables"):
    """What checks of pairs, or of passages, say of every grader that grades such.

    People looked at ``drawn`` and ``chosen`` pairs; of these ``undecided`` have no
    majority, and ``gone`` can be drawn no more: their question is not kept in these
    words. ``min_relevance`` is the grade from which a passage is relevant to people.
    """

    of: Of
    graders: tuple[GraderQuality, ...]
    drawn: int
    chosen: int
    undecided: int
    gone: int
    min_relevance: int | None = None
    learned: tuple[LearnedSummary, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that the numbers do not rest on."""
        one, many = self.of.removesuffix("s"), self.of
        said = []
        if self.chosen and not self.drawn:
            said.append(
                f"No {one} was drawn: shares are those of the {many} that somebody "
                "chose, without limits and without a certificate."
            )
        elif self.chosen:
            said.append(
                f"{counted(self.chosen, one)} of {self.chosen + self.drawn:,} were "
                "chosen, not drawn: each stands for itself in the draws after it, and "
                "for nothing where there are none."
            )
        if self.undecided:
            said.append(
                f"{counted(self.undecided, one)} left out as undecided: people are "
                "unsure, or as many say yes as no."
            )
        if self.gone:
            said.append(
                f"{counted(self.gone, one)} left out as gone: the question is no "
                "longer kept in these words, or the passage not in its pool."
            )
        return (
            *said,
            *(one.note for one in self.learned),
            *(
                f"{x.grader} has not graded {counted(x.ungraded, 'checked ' + one)}."
                for x in self.graders
                if x.ungraded
            ),
        )


def check_quality(
    state: State,
    of: str | None = None,
    *,
    graders: str | Sequence[str] = (),
    min_rating: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    min_relevance: int | None = None,
) -> Quality:
    """How often each grader's labels are right, from the checks that may be seen.

    Of pairs of question and passage, or of ``passages``, whose labels ``label`` and
    ``min_answered`` make; without ``of`` of pairs if any was checked. To people a
    passage is relevant from ``min_relevance`` on, the collection's if None. People are
    no grader here, nor what was learned from their checks, of which it is said how well
    it tells a check from the others. Raises EvaluationError where nothing was checked
    or graded, UnknownNameError.
    """
    state = state.with_texts.seen  # numbers are told
    asked = _asked(state, of)
    checked = checked_pairs(state, asked)
    if not checked:
        raise EvaluationError(
            f"Nobody has checked a {asked.removesuffix('s')} yet: `curator checks "
            "WORKSPACE next` draws some, `record` takes what people say of them."
        )
    relevant = None if asked == "pairs" else _relevant_from(state, min_relevance)
    named = (graders,) if isinstance(graders, str) else tuple(graders)
    records = [state.grader(grader_name(state, one)) for one in named]
    learned = [one for one in records or state.gradebook.records if one.spec.learned]
    records = [one for one in records if one not in learned]
    if refused := [one.name for one in records if not _is_measured(one, asked)]:
        raise EvaluationError(
            f"Checks of {asked} do not measure '{refused[0]}': it grades none, or is "
            "itself what people say."
        )
    if not named:
        records = [one for one in state.gradebook.records if _is_measured(one, asked)]
    if not (records or learned):
        raise EvaluationError(
            f"No grader has graded {asked} here, so there is nothing to hold the "
            "checks against: `curator grade WORKSPACE`."
        )
    settings = tuple(
        chosen_settings(
            state,
            one.name,
            "P@1",  # whose rules are those of labels
            min_rating=(
                min_rating if named else fitting_rating(state, one.name, min_rating)
            ),
            min_answered=min_answered,
            label=label,
        )
        for one in records
    )
    found = state.cached(
        ("check quality", asked, relevant, settings),
        lambda: _quality(state, asked, checked, settings, relevant),
    )
    graders_of = state.gradebook.learned
    if graders_of is None or not learned:
        return found
    return replace(found, learned=tuple(map(graders_of.summary, learned)))


def certificate(state: State, settings: Settings) -> Certificate | None:
    """What all checks say of the labels under these settings, None without any drawn.

    Of pairs where such were drawn, else of passages.
    """
    for of in get_args(Of):
        try:
            found = check_quality(
                state,
                of,
                graders=settings.grader,
                min_rating=settings.min_rating,
                min_answered=settings.min_answered,
                label=settings.label,
            )
        except EvaluationError:  # nothing was checked, or nothing that this one grades
            continue
        if found.graders and (one := found.graders[0].certificate) is not None:
            return one
    return None


def checked_pairs(state: State, of: Of) -> tuple[CheckedPair, ...]:
    """Every pair, or every passage, that people looked at, in the order of time.

    A pair weighs what its first check does, whoever looked at it again.
    """
    first: dict[Place, Check] = {}
    answers: dict[Place, str] = {}
    for query_id, checks in state.bank.checks.items():
        here = [one for one in checks if (one.item is None) == (of == "passages")]
        for one in here:
            first.setdefault((query_id, one.item, one.passage_id), one)
        about = (
            state.decisions(state.bank).get(query_id, ()),
            state.bank.of_query(query_id),
        )
        said = counted_pairs(here, *about)
        answers |= {(query_id, *pair): one for pair, one in said.items()}
    in_order = sorted(first.items(), key=lambda one: (one[1].at, *map(str, one[0])))
    weights = draw_weights(
        np.array([one.probability or np.nan for _, one in in_order], dtype=np.float64),
        np.array([one.drawn for _, one in in_order], dtype=np.int64),
    )
    return tuple(
        CheckedPair(*place, answers.get(place), weight, one.probability is not None)
        for (place, one), weight in zip(in_order, weights.tolist(), strict=True)
    )


def _asked(state: State, of: str | None) -> Of:
    """What is asked about. Raises EvaluationError for what is neither of both."""
    if of is None:
        checks = (one for many in state.bank.checks.values() for one in many)
        kinds = {one.item is None for one in checks}
        return "passages" if kinds == {True} else "pairs"
    found: Of | None = next((one for one in get_args(Of) if one == of), None)
    if found is None:
        expected = " or ".join(get_args(Of))
        raise EvaluationError(f"of is '{of}'; expected {expected}.")
    return found


def _is_measured(record: GraderRecord, of: Of) -> bool:
    """Whether checks say something of this grader: it grades such, and not by them."""
    return not record.derived and (
        of == "passages" or record.spec.reading.item_kind != "query"
    )


def _relevant_from(state: State, min_relevance: int | None) -> int:
    said = state.collection.min_relevance if min_relevance is None else min_relevance
    if said is None:
        raise EvaluationError(
            "Nobody has said from which grade on a passage is relevant: give "
            "--min-relevance N, or set it for good with `curator import WORKSPACE "
            "--min-relevance N`."
        )
    return said


def _quality(
    state: State,
    of: Of,
    checked: Sequence[CheckedPair],
    settings: Sequence[Settings],
    min_relevance: int | None,
) -> Quality:
    asked = {q: _asked_in(state, q) for q in {one.query_id for one in checked}}
    here = [
        one
        for one in checked
        for words, places in [asked[one.query_id]]
        if one.passage_id in places and (one.item is None or one.item in words)
    ]
    known = [one for one in here if one.answer is not None]
    drawn = sum(one.drawn for one in checked)
    return Quality(
        of,
        tuple(
            _of_grader(state, of, one, known, asked, min_relevance) for one in settings
        ),
        drawn,
        len(checked) - drawn,
        len(here) - len(known),
        len(checked) - len(here),
        min_relevance,
    )


Asked = tuple[frozenset[str], Mapping[str, int]]


def _asked_in(state: State, query_id: str) -> Asked:
    """The words of the kept questions, and where in the pool each passage is."""
    pool = state.collection.pools[query_id]
    words = (one.text for one in state.bank.of_query(query_id) if one.state == "kept")
    aside = frozenset(pool.aside)
    places = {p: i for i, p in enumerate(pool.passage_ids) if i not in aside}
    return frozenset(filter(None, words)), places


def _of_grader(
    state: State,
    of: Of,
    settings: Settings,
    checked: Sequence[CheckedPair],
    asked: Mapping[str, Asked],
    min_relevance: int | None,
) -> GraderQuality:
    rows = {q: _labels(state, of, settings, q) for q in state.query_ids()}
    every = [NONE]
    for query_id, found in rows.items():
        aside = list(state.collection.pools[query_id].aside)
        every += [np.delete(row, aside) for row in found.values()]
    labels = np.concatenate(every)
    labels = labels[labels >= 0] + SAME_LABEL
    min_label, levels = _levels(state, of, settings, labels)
    counts = np.histogram(labels, [*levels, np.inf])[0].tolist()
    given = np.array(
        [
            row[asked[one.query_id][1][one.passage_id]]
            if (row := rows[one.query_id].get(one.item)) is not None
            else NO_LABEL
            for one in checked
        ],
        dtype=np.float64,
    )
    yes = [
        one.answer == "yes"
        if min_relevance is None
        else int(one.answer or 0) >= min_relevance
        for one in checked
    ]
    graded = given >= 0
    weights = np.array([one.weight for one in checked])[graded]
    of_labels = CheckedLabels(
        given[graded] + SAME_LABEL,
        np.array(yes, dtype=np.bool_)[graded],
        weights,
        dict(zip(levels, counts, strict=True)),
        any(one.drawn for one in checked),
    )
    thresholds = tuple(
        of_labels.at(one) for one in levels if one > 0 or one == min_label
    )
    here = next(one for one in thresholds if one.min_label == min_label)
    checks = int((weights > 0).sum())
    return GraderQuality(
        settings,
        min_label,
        checks,
        int((~graded).sum()),
        thresholds,
        of_labels.by_label(),
        best_threshold(thresholds),
        None
        if here.wrong is None or here.upper is None
        else Certificate(of, min_label, checks, here.wrong, here.upper),
    )


NONE: NDArray[Any] = np.empty(0, dtype=np.float64)


def _labels(
    state: State, of: Of, settings: Settings, query_id: str
) -> dict[str | None, NDArray[Any]]:
    """What the grader says, by the question's words, of every passage of the pool.

    Of passages their labels, under None. Of a question that stands twice in the same
    words the first counts, as in draws.
    """
    matrix = state.matrix(settings.grader, query_id, state.bank)
    if of == "passages":
        return {None: graded_labels(matrix, settings.rule)}
    texts = {one.question_id: one.text for one in state.bank.of_query(query_id)}
    found: dict[str | None, NDArray[Any]] = {}
    for item_id, ratings in zip(matrix.item_ids, matrix.ratings, strict=True):
        if text := texts[item_id]:
            found.setdefault(text, ratings)
    return found


def _levels(
    state: State, of: Of, settings: Settings, labels: NDArray[Any]
) -> tuple[float, tuple[float, ...]]:
    """The label from which it says yes, and the labels that are told apart, from 0.

    Every whole number of the scale; of means, ten steps over it.
    """
    reading = state.grader(settings.grader).spec.reading.kind
    highest = HIGHEST_LABEL[reading]
    if of == "pairs":
        return state.threshold(settings), tuple(range(highest + 1))
    min_label = state.relevant_from(settings)
    steps: Sequence[float]
    if settings.rule.fractional and reading != "direct":
        steps = [highest * step / STEPS for step in range(STEPS + 1)]
    else:
        if settings.label == "answered" or reading == "direct":
            highest = int(labels.max(initial=1))
        steps = range(highest + 1)
    return min_label, tuple(sorted({*steps, min_label}))
