"""``validity``: comparison of graders, label rules and measures.

Correlates each board with each reference, so that an organizer sees what to trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import cast, get_args

from curator.errors import CuratorError, EvaluationError, UnknownNameError
from curator.evaluation.comparison import RESAMPLES
from curator.evaluation.correlation import Correlation
from curator.evaluation.leaderboard import is_judged
from curator.evaluation.measures import Measure, accepts_label
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_LABEL,
    JUDGMENTS,
    OFFICIAL,
    Label,
    Settings,
)
from curator.results import Rows
from curator.snapshot.settings import (
    MeasureOrName,
    fitting_rating,
    grader_name,
    measure_list,
    measure_name,
    reference_name,
    reference_settings,
)
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.leaderboard.leaderboard import (
    BoardCorrelation,
    correlated,
    uses_label_rule,
)

DEFAULT_MEASURES = ("nDCG@10", "P@20", "cover", "graded-alpha-nDCG@20")
JUDGMENT_REFERENCE = f"{JUDGMENTS}:nDCG@10"


def validity(
    snapshot: Snapshot,
    measures: MeasureOrName | Sequence[MeasureOrName] = (),
    *,
    graders: str | Sequence[str] = (),
    labels: str | Sequence[str] = (),
    against: str | Sequence[str] = (),
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    bootstrap: int = RESAMPLES,
    seed: int = 0,
) -> Rows[BoardCorrelation]:
    """Correlate every measure under every grader and label rule with every reference.

    References are official ranks, judgments or the grades of people; a grader is not
    compared with itself. A board that cannot be computed has no coefficients, and a
    note gives the reason. Raises EvaluationError without a reference, UnknownNameError
    for unknown names.

    Args:
        measures (--measure -m NAME): Measure; repeat for several. [nDCG@10, P@20,
            cover, graded-alpha-nDCG@20]
        against (--against NAME): official, judgments:MEASURE or grader:NAME[:MEASURE];
            repeat for several. [the official ranks and judgments]
    """
    references = tuple(
        reference_name(snapshot, reference)
        for reference in _names(against) or default_references(snapshot)
    )
    measure_names = tuple(measure_name(measure) for measure in measure_list(measures))
    names = [grader_name(snapshot, name) for name in _names(graders)] or [
        record.name for record in snapshot.gradebook.records
    ]
    rules = _names(labels)
    if unknown := [rule for rule in rules if rule not in get_args(Label)]:
        raise EvaluationError(
            f"No label rule '{unknown[0]}'. Available: {', '.join(get_args(Label))}."
        )
    if not names:
        grader_name(snapshot, None)  # raises an error that explains how to grade

    notes: dict[str, None] = {}

    def boards(name: str, measure: MeasureOrName) -> list[Settings]:
        """Settings of a grader's board under every label rule."""
        try:
            rating = min_rating
            if not graders:  # all: each at a rating that it gives
                rating = fitting_rating(snapshot, name, min_rating)
            chosen = chosen_settings(snapshot, name, measure, rating, k)
        except UnknownNameError:
            if measure_names:
                raise
            return []  # the measure does not apply here
        if measure_names and uses_label_rule(snapshot, chosen):
            for rule in cast("Sequence[Label]", rules):
                try:
                    snapshot.measure(replace(chosen, label=rule))
                except CuratorError as error:
                    notes[str(error)] = None
        return rule_settings(snapshot, chosen, rules)

    def compared() -> Iterator[BoardCorrelation]:
        same = {"min_rating": min_rating, "k": k}
        for against_name, measure, name in product(
            references, measure_names or DEFAULT_MEASURES, names
        ):
            for settings in boards(name, measure):
                reference = reference_settings(snapshot, settings, against_name, same)
                if reference.grader != name:
                    yield BoardCorrelation(
                        settings,
                        against_name,
                        _correlate(snapshot, settings, reference, bootstrap, seed),
                        uses_label_rule(snapshot, settings),
                    )

    key = ("validity", references, measure_names, tuple(names), rules, min_rating, k)
    rows, notes = snapshot.cached(
        (*key, bootstrap, seed), lambda: (tuple(compared()), notes)
    )
    if not rows:
        reason = "There is no other grader to compare with the reference."
        raise EvaluationError(next(iter(notes), reason))
    return Rows(rows, "validity.validity_table", notes)


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def default_references(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the official boards and that of the judgments, if any.

    Raises EvaluationError without either.
    """
    collection = snapshot.collection
    judged = any(map(is_judged, collection.pools.values()))
    named = tuple(f"{OFFICIAL}:{name}" for name in collection.official_boards)
    references = (OFFICIAL, *named) if collection.official else named
    if judged:
        references += (JUDGMENT_REFERENCE,)
    if not references:
        raise EvaluationError(
            "No reference for boards: there are no official ranks and no judgments. "
            "Name a grader as the reference, such as --against grader:people, or "
            "import ranks with `curator import WORKSPACE --official FILE.json`."
        )
    return references


def rule_settings(
    snapshot: Snapshot, settings: Settings, rules: Sequence[str]
) -> list[Settings]:
    """Return the settings under each label rule that changes the measure.

    Uses those of ``rules`` (of all without any) that the measure accepts. Only the
    default rule if labels do not matter, and for passage graders, whose single rating
    is the label.
    """
    if not uses_label_rule(snapshot, settings):
        return [replace(settings, label=DEFAULT_LABEL)]
    settings_by_measure: dict[Measure, Settings] = {}
    for rule in cast("Sequence[Label]", rules or get_args(Label)):
        if accepts_label(settings.measure, rule):
            ruled = replace(settings, label=rule)
            settings_by_measure.setdefault(snapshot.measure(ruled), ruled)
    return [*settings_by_measure.values()]


def _correlate(
    snapshot: Snapshot,
    settings: Settings,
    reference: Settings,
    bootstrap: int,
    seed: int,
) -> Correlation:
    try:
        return correlated(snapshot, settings, reference, bootstrap=bootstrap, seed=seed)
    except CuratorError as error:
        empty = Correlation(0, None, None, None, note=str(error))
        return replace(empty, resamples=bootstrap, seed=seed)
