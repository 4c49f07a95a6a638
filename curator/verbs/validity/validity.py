"""``validity``: graders, label rules and measures side by side.

How alike each board is to each reference, so that an organizer sees what to trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast, get_args

from curator.collection.pools import UNJUDGED
from curator.engine.settings import (
    Named,
    fitting_rating,
    grader_name,
    name_of,
    reference_name,
    reference_settings,
    several,
)
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import CuratorError, EvaluationError, UnknownNameError
from curator.evaluation.comparison import RESAMPLES
from curator.evaluation.correlation import Correlation, RandomTies
from curator.evaluation.measures import Measure
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_LABEL,
    JUDGMENTS,
    OFFICIAL,
    Label,
    Settings,
)
from curator.results import Rows
from curator.verbs.leaderboard.leaderboard import Correlated, correlated, is_ruled

USUAL = ("nDCG@10", "P@20", "cover", "graded-alpha-nDCG@20")
JUDGED = f"{JUDGMENTS}:nDCG@10"


def validity(
    state: State,
    measures: Named | Sequence[Named] = (),
    *,
    graders: str | Sequence[str] = (),
    labels: str | Sequence[str] = (),
    against: str | Sequence[str] = (),
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    bootstrap: int = RESAMPLES,
    seed: int = 0,
) -> Rows[Correlated]:
    """Every measure under every grader and label rule, against every reference.

    Without any named: the usual measures, all graders, all rules where a measure rests
    on labels, and the official ranks and judgments as far as there are any. References
    as ``correlate`` has them; a grader is not held against itself. ``bootstrap``
    resamples of the queries, from ``seed``, give Kendall's tau its interval, 0 none.
    A board that there cannot be has no coefficients, and its ``note`` says why. Raises
    EvaluationError without a reference, UnknownNameError for names there are not.
    """
    references = (against,) if isinstance(against, str) else tuple(against)
    references = tuple(
        reference_name(state, one) for one in references or usual_references(state)
    )
    wanted = tuple(name_of(one) for one in several(measures))
    named = (graders,) if isinstance(graders, str) else tuple(graders)
    names = [grader_name(state, one) for one in named] or [
        record.name for record in state.gradebook.records
    ]
    rules = (labels,) if isinstance(labels, str) else tuple(labels)
    if strange := [one for one in rules if one not in get_args(Label)]:
        raise EvaluationError(
            f"No label rule '{strange[0]}'. There are: {', '.join(get_args(Label))}."
        )
    if not names:
        grader_name(state, None)  # which says how grades come about

    def compared() -> Iterator[Correlated]:
        for one in references:
            for measure in wanted or USUAL:
                for name in names:
                    try:
                        rating = min_rating
                        if not named:  # all: each by a rating that it gives
                            rating = fitting_rating(state, name, min_rating)
                        chosen = chosen_settings(state, name, measure, rating, k)
                    except UnknownNameError:
                        if wanted:
                            raise
                        continue  # not a measure here
                    for settings in of_rules(state, chosen, rules):
                        reference = reference_settings(
                            state, settings, one, {"min_rating": min_rating, "k": k}
                        )
                        if reference.grader != name:
                            held = _held(state, settings, reference, bootstrap, seed)
                            ruled = is_ruled(state, settings)
                            yield Correlated(settings, one, held, ruled)

    key = ("validity", references, wanted, tuple(names), rules, min_rating, k)
    found = state.cached((*key, bootstrap, seed), lambda: tuple(compared()))
    if not found:
        raise EvaluationError("No grader but the reference is here to be held to it.")
    return Rows(found, "validity.validity_table")


def usual_references(state: State) -> tuple[str, ...]:
    """The official board and that of the judgments, as far as there are any.

    Raises EvaluationError where there is neither.
    """
    collection = state.collection
    judged = any((one.judgments != UNJUDGED).any() for one in collection.pools.values())
    named = tuple(f"{OFFICIAL}:{name}" for name in collection.official_boards)
    references = (OFFICIAL,) * bool(collection.official) + named
    references += (JUDGED,) * judged
    if not references:
        raise EvaluationError(
            "Nothing to hold boards against: no official ranks and no judgments here. "
            "Name a grader as the reference, such as --against grader:people, or bring "
            "them by `curator import WORKSPACE --official FILE.json`."
        )
    return references


def of_rules(
    state: State, settings: Settings, rules: Sequence[str] = ()
) -> list[Settings]:
    """The settings under each label rule that makes a measure of its own here.

    Of ``rules``, or of all; under the usual one alone where labels decide nothing, and
    of a grader of passages, whose one rating is the label.
    """
    if not is_ruled(state, settings):
        return [replace(settings, label=DEFAULT_LABEL)]
    found: dict[Measure, Settings] = {}
    for rule in rules or get_args(Label):
        ruled = replace(settings, label=cast(Label, rule))
        found.setdefault(state.measure(ruled), ruled)
    return [*found.values()]


def _held(
    state: State, settings: Settings, reference: Settings, bootstrap: int, seed: int
) -> Correlation | RandomTies:
    """How alike the board and the reference are, or why that cannot be said."""
    try:
        return correlated(state, settings, reference, bootstrap=bootstrap, seed=seed)
    except CuratorError as error:
        none = Correlation(0, None, None, None, note=str(error))
        return replace(none, resamples=bootstrap, seed=seed)
