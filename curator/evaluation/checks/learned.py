"""Model that predicts people's answers from graders' values and checked units.

A unit is a pair of item and passage, or a passage. People's answer, from 0 to 1, is
modelled as a sum: a weight for each grader's value, an effect of the query, of the item
and of the passage, a slope for every question of the query if the unit is a passage,
and noise. Weights and effects are normal a priori, so all unknowns are solved for at
once, effects without checks stay 0, and without any check the graders count alike: a
linear mixed model (Henderson 1975), that is, a Gaussian process (Rasmussen & Williams
2006, chapter 2). The sizes of effects and noise are those with the highest likelihood
of the checks (ibid., 5.4.1), each near its usual value.

Every effect is within one query, so the checks of a query are a block, and the weights,
which all share, are a few numbers: some hundred small systems of equations, no large
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

USUAL_MEAN: Final = 0.35
USUAL_SD: Final = 0.4
"""Mean and standard deviation of answers, from 0 to 1, assumed without checks."""

ENOUGH: Final = 30
"""Fewest checks to learn from; with fewer, graders count alike."""

_USUAL_VALUE: Final = (0.4, 0.3)  # mean and standard deviation of a grader's values
_PRIOR_CHECKS: Final = 5  # weight of the usual values, in checks

# As shares of the standard deviation of people's answers.
_INTERCEPT, _COMMON, _CONTEXT = 0.5, 0.4, 0.1
_DIFFERENCES: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
_EFFECTS: Final = (0.0, 0.15, 0.3, 0.45, 0.6)
_NOISES: Final = (0.45, 0.6, 0.75, 0.9, 1.05)
_USUAL_EFFECT, _USUAL_NOISE, _USUAL_DIFFERENCE = 0.3, 0.9, 0.2
_SWEEPS = 2
_MOST_NOISE: Final = 0.85  # what is expected is spread to twice as wide at most


@dataclass(frozen=True, eq=False)
class Signals:
    """Input of the model for units of one query, without checks.

    ``values`` is (units, graders), how far each grader says that it is answered, from 0
    to 1, NaN without a grade. ``context`` is (units, more): further evidence.
    ``groups`` are (units,) numbers each: units with the same number share an effect.
    ``profiles`` are (units, questions) each: one grader's values of a passage, question
    by question.
    """

    values: Floats
    context: Floats
    groups: tuple[Numbers, ...] = ()
    profiles: tuple[Floats, ...] = ()

    def select(self, units: Numbers) -> Signals:
        """Select units."""
        return Signals(
            self.values[units],
            self.context[units],
            tuple(group[units] for group in self.groups),
            tuple(profile[units] for profile in self.profiles),
        )

    def select_grader(self, grader: int) -> Signals:
        """Select the values of one grader, without any effect."""
        return Signals(self.values[:, [grader]], self.context[:, :0])


@dataclass(frozen=True, eq=False)
class QueryChecks:
    """Checked units of one query: their signals, and people's answers, from 0 to 1.

    ``population`` is the number of units of the items or the pool they are from; 0 for
    so many that the checked ones are negligible.
    """

    signals: Signals
    answers: Floats
    population: int = 0


@dataclass(frozen=True, eq=False)
class _Block:
    """Equations of the checks of one query."""

    features: Floats  # (checks, weights)
    kernels: Floats  # (effects, checks, checks)
    answers: Floats


@dataclass(frozen=True, eq=False)
class _Solved:
    """Solution of the equations for one choice of the sizes of effects and noise."""

    likelihood: float  # its negative logarithm, up to a constant
    weights: Floats
    covariance: Floats  # of the weights, (weights, weights)
    residuals: tuple[Floats, ...]  # by block: weighted by noise, for the effects
    without: tuple[Floats, ...]  # by block: each check as predicted from all others
    without_query: tuple[Floats, ...]  # and from those of other queries


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A model learned from checks; predicts any unit.

    ``error`` is the mean squared error of the prediction of each check from all the
    others, ``error_by_query`` from those of other queries; ``input_errors`` are those
    of each grader alone, scaled to people's answers by a straight line. NaN without
    checks.
    """

    checks: Mapping[str, QueryChecks]
    sizes: Floats  # standard deviations: of each effect, last of the noise
    scale: _Scale
    solved: _Solved
    input_errors: tuple[float, ...] = ()

    @property
    def count(self) -> int:
        """Number of checks learned from; 0 if there are too few."""
        return sum(len(checked.answers) for checked in self.checks.values())

    @property
    def noise(self) -> float:
        """Standard deviation of the unexplained part."""
        return float(self.sizes[-1])

    @cached_property
    def error(self) -> float:
        return self._error(self.solved.without)

    @cached_property
    def error_by_query(self) -> float:
        return self._error(self.solved.without_query)

    @property
    def best_input(self) -> int | None:
        """Index of the grader that does at least as well alone; None if none does.

        A grader errs on all units, the model only on unchecked ones.
        """
        if not self.count or not self.input_errors:
            return None
        best = int(np.argmin(self.input_errors))
        population = sum(checked.population for checked in self.checks.values())
        learned = self.error * (1 - self.count / population if population else 1)
        return best if self.input_errors[best] <= learned else None

    @cached_property
    def predicted(self) -> Mapping[str, Floats]:
        """By query: each check as predicted from all the others."""
        return dict(zip(self.checks, self.solved.without, strict=True))

    def predict(self, query_id: str, units: Signals) -> Floats:
        """(units,): the expected answers of people; at times just outside [0, 1]."""
        expected = self.scale.features(units) @ self.solved.weights
        if query_id in self.checks:
            place = list(self.checks).index(query_id)
            expected = expected + self._check_effects(
                units, self.checks[query_id].signals, self.solved.residuals[place]
            )
        return np.asarray(expected)

    def widen(self, expected: Floats) -> Floats:
        """Spread expected answers as widely as people's answers, with the same mean.

        Expected answers are nearer to the mean, because they lack the noise, so that
        too few reach a high grade (constrained Bayes estimates: Louis 1984).
        """
        mean = self.scale.mean
        noise = min(self.noise / self.scale.sd, _MOST_NOISE)
        return np.asarray(mean + (expected - mean) / np.sqrt(1 - noise**2))

    def draw_weights(self, count: int, rng: np.random.Generator) -> Floats:
        """(weights, count): draws of the weights, which all queries share."""
        low = np.linalg.cholesky(self.solved.covariance)
        noise = rng.standard_normal((len(low), count))
        return np.asarray(self.solved.weights[:, None] + low @ noise)

    def draw(
        self,
        query_id: str,
        units: Signals,
        weights: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """(units, draws): people's answers without noise, for drawn ``weights``.

        Effects are drawn a priori and then corrected by the checks (Matheron's rule;
        Wilson et al. 2020).
        """
        checked = self.checks.get(query_id)
        parts = [units, *([checked.signals] if checked else [])]
        answers = [self.scale.features(part) @ weights for part in parts]
        draws = weights.shape[1]
        for number, size in enumerate(self.sizes[:-1]):
            if not size:
                continue
            if number < len(units.groups):
                groups = [part.groups[number] for part in parts]
                effects = size * rng.standard_normal((_count(groups), draws))
                changes = [effects[group] for group in groups]
            else:
                profiles = [part.profiles[number - len(units.groups)] for part in parts]
                slopes = size * rng.standard_normal((profiles[0].shape[1], draws))
                changes = [profile @ slopes for profile in profiles]
            answers = [a + change for a, change in zip(answers, changes, strict=True)]
        if checked is None:
            return np.asarray(answers[0])
        noise = self.noise * rng.standard_normal(answers[1].shape)
        inner = _covariance(_block(self.scale, checked), self.sizes)
        off = checked.answers[:, None] - answers[1] - noise
        residuals = np.asarray(np.linalg.solve(inner, off), dtype=np.float64)
        return np.asarray(
            answers[0] + self._check_effects(units, checked.signals, residuals)
        )

    def _check_effects(
        self, units: Signals, checked: Signals, residuals: Floats
    ) -> Floats:
        """Sum the effects of a query's checks on its units, beyond the weights."""
        carried = np.zeros((len(units.values), *residuals.shape[1:]))
        sizes, count = self.sizes[:-1], len(units.groups)
        for group, checked_group, size in zip(
            units.groups, checked.groups, sizes[:count], strict=True
        ):
            if size:
                sums = np.zeros((_count((group, checked_group)), *residuals.shape[1:]))
                np.add.at(sums, checked_group, residuals)
                carried += size**2 * sums[group]
        for profile, checked_profile, size in zip(
            units.profiles, checked.profiles, sizes[count:], strict=True
        ):
            if size:
                carried += size**2 * (profile @ (checked_profile.T @ residuals))
        return carried

    def _error(self, predicted: Sequence[Floats]) -> float:
        if not self.count:
            return float("nan")
        off = [
            (checked.answers - values)
            for checked, values in zip(self.checks.values(), predicted, strict=True)
        ]
        return float(np.mean(np.concatenate(off) ** 2))


@dataclass(frozen=True, eq=False)
class _Scale:
    """Scaling of signals to features, and the prior of their weights.

    Values are centred and scaled by the checked ones, so that an edit elsewhere moves
    no prediction.
    """

    middle: Floats
    spread: Floats
    context_middle: Floats
    context_spread: Floats
    expected: Floats  # the weights' means a priori
    tightness: Floats  # and their standard deviations
    sd: float  # of people's answers
    graders: int

    @property
    def mean(self) -> float:
        return float(self.expected[0])

    def with_difference(self, difference: float) -> _Scale:
        """Allow a grader's weight to differ this far from the others'."""
        tightness = self.tightness.copy()
        tightness[2 : self.graders + 1] = difference
        return replace(self, tightness=tightness)

    def features(self, units: Signals) -> Floats:
        """(units, weights): 1, mean of graders, each grader's deviation, context."""
        shares = (units.values - self.middle) / self.spread
        shares = np.where(np.isnan(shares), 0.0, shares)
        common = shares.mean(axis=1, keepdims=True)
        beyond = shares[:, :-1] - common
        context = (units.context - self.context_middle) / self.context_spread
        context = np.where(np.isnan(context), 0.0, context)
        return np.concatenate(
            [np.ones((len(shares), 1)), common, beyond, context], axis=1
        )


def _count(groups: Sequence[Numbers]) -> int:
    return int(max(group.max(initial=-1) for group in groups)) + 1


def learn(checks: Mapping[str, QueryChecks], template: Signals) -> LearnedModel:
    """Learn from checks by query; ``template`` has the shape of all units.

    Effects and noise are as large as makes the checks most likely. For comparison each
    grader is also scaled to people's answers alone. Fewer than ``ENOUGH`` checks are
    ignored, because chance would outweigh them.
    """
    kept = {
        query_id: checked
        for query_id, checked in checks.items()
        if len(checked.answers)
    }
    if sum(len(checked.answers) for checked in kept.values()) < ENOUGH:
        return _learn({}, template)
    learned = _learn(kept, template)
    alone = [
        _learn(
            {
                q: QueryChecks(checked.signals.select_grader(grader), checked.answers)
                for q, checked in kept.items()
            },
            template.select_grader(grader),
        ).error
        for grader in range(template.values.shape[1])
    ]
    return replace(learned, input_errors=tuple(alone))


def _learn(checks: Mapping[str, QueryChecks], template: Signals) -> LearnedModel:
    scale = _scale_of(checks, template)
    blocks = [_block(scale, checked) for checked in checks.values()]
    effects = len(template.groups) + len(template.profiles)
    # Effects, noise, and last the difference of a grader's weight from the others'.
    shares = [*[_USUAL_EFFECT] * effects, _USUAL_NOISE, _USUAL_DIFFERENCE]
    grids = [
        *[_EFFECTS] * effects,
        _NOISES,
        _DIFFERENCES if template.values.shape[1] > 1 else (),
    ]
    sizes = usual = scale.sd * np.array(shares)

    def cost(sizes: Floats) -> float:
        distance = np.log((sizes + 0.1 * scale.sd) / (usual + 0.1 * scale.sd))
        solved = _solve(scale.with_difference(sizes[-1]), blocks, sizes[:-1])
        return solved.likelihood + 0.5 * float(distance @ distance)

    if blocks:
        least = cost(sizes)
        for _ in range(_SWEEPS):
            before = sizes
            for at, grid in enumerate(grids):
                for share in grid:
                    tried = sizes.copy()
                    tried[at] = share * scale.sd
                    if (
                        tried[at] != sizes[at]
                        and (current := cost(tried)) < least - 1e-9
                    ):
                        least, sizes = current, tried
            if (sizes == before).all():
                break
    scale, sizes = scale.with_difference(sizes[-1]), sizes[:-1]
    return LearnedModel(checks, sizes, scale, _solve(scale, blocks, sizes, last=True))


def _scale_of(checks: Mapping[str, QueryChecks], template: Signals) -> _Scale:
    all_signals = [checked.signals for checked in checks.values()]
    answers = np.concatenate([[], *(checked.answers for checked in checks.values())])
    values = np.concatenate(
        [template.values[:0], *(signals.values for signals in all_signals)]
    )
    context = np.concatenate(
        [template.context[:0], *(signals.context for signals in all_signals)]
    )
    middle, spread = _usual(values, *_USUAL_VALUE)
    context_middle, context_spread = _usual(context, *_USUAL_VALUE)
    mean, deviation = _usual(answers[:, None], USUAL_MEAN, USUAL_SD)
    sd = float(deviation[0])
    differences, more = template.values.shape[1] - 1, template.context.shape[1]
    return _Scale(
        middle,
        spread,
        context_middle,
        context_spread,
        np.array([float(mean[0]), _COMMON * sd, *[0.0] * (differences + more)]),
        sd
        * np.array(
            [
                _INTERCEPT,
                _COMMON,
                *[_USUAL_DIFFERENCE] * differences,
                *[_CONTEXT] * more,
            ]
        ),
        sd,
        differences + 1,
    )


def _usual(values: Floats, mean: float, sd: float) -> tuple[Floats, Floats]:
    """(columns,) twice: mean and deviation, with some usual values added."""
    present = ~np.isnan(values)
    number = present.sum(axis=0)
    filled = np.where(present, values, 0.0)
    means = (filled.sum(axis=0) + _PRIOR_CHECKS * mean) / (number + _PRIOR_CHECKS)
    off = np.where(present, values - means, 0.0)
    squares = (off**2).sum(axis=0) + _PRIOR_CHECKS * (sd**2 + (mean - means) ** 2)
    return means, np.sqrt(squares / (number + _PRIOR_CHECKS))


def _block(scale: _Scale, checks: QueryChecks) -> _Block:
    signals, number = checks.signals, len(checks.answers)
    kernels = [(g[:, None] == g[None]).astype(np.float64) for g in signals.groups]
    kernels += [profile @ profile.T for profile in signals.profiles]
    return _Block(
        scale.features(signals),
        np.array(kernels).reshape(len(kernels), number, number),
        checks.answers,
    )


def _covariance(block: _Block, sizes: Floats) -> Floats:
    """(checks, checks): covariance of the answers beyond the weights."""
    effects = np.tensordot(sizes[:-1] ** 2, block.kernels, 1)
    return np.asarray(effects + sizes[-1] ** 2 * np.eye(len(block.answers)))


def _solve(
    scale: _Scale, blocks: Sequence[_Block], sizes: Floats, *, last: bool = False
) -> _Solved:
    """Solve the equations; ``last`` also computes the fields for predictions."""
    precision, toward = np.diag(1 / scale.tightness**2), np.zeros(len(scale.expected))
    squares = logarithms = 0.0
    inverses, weighed = [], []
    for block in blocks:
        inner = _covariance(block, sizes)
        inverse = np.linalg.inv(inner)
        off = block.answers - block.features @ scale.expected
        features = inverse @ block.features
        precision = precision + block.features.T @ features
        toward = toward + features.T @ off
        squares += float(off @ inverse @ off)
        logarithms += float(np.linalg.slogdet(inner)[1])
        inverses.append(inverse)
        weighed.append((features, inverse @ off))
    covariance: Floats = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    moved: Floats = np.asarray(covariance @ toward, dtype=np.float64)
    likelihood = 0.5 * (
        squares
        - float(toward @ moved)
        + logarithms
        + float(np.linalg.slogdet(precision)[1])
        + 2 * float(np.log(scale.tightness).sum())
    )
    weights = scale.expected + moved
    if not last:
        return _Solved(likelihood, weights, covariance, (), (), ())
    residuals, without, without_query = [], [], []
    for block, inverse, (features, off) in zip(blocks, inverses, weighed, strict=True):
        residual = off - features @ moved
        spread = np.diag(inverse) - np.einsum(
            "ij,jk,ik->i", features, covariance, features
        )
        residuals.append(residual)
        without.append(block.answers - residual / spread)
        others = precision - block.features.T @ features
        other_sums = toward - block.features.T @ off
        alone = scale.expected + np.linalg.solve(others, other_sums)
        without_query.append(block.features @ alone)
    return _Solved(
        likelihood,
        weights,
        covariance,
        tuple(residuals),
        tuple(without),
        tuple(without_query),
    )
