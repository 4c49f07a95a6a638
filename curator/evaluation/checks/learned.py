"""What people would say of a unit, told from what graders say and from checked units.

A unit is a pair of item and passage, or a passage. What people say of it, from 0 to 1,
is taken to be a sum: a weight for what each grader says, an effect of the query, of the
item and of the passage, a slope for every question of the query where the unit is a
passage, and noise. Weights and effects are normal a priori, so all that is unknown is
solved for at once, effects of what nobody checked stay 0, and with no check at all the
graders count alike: a linear mixed model (Henderson 1975), that is, a Gaussian process
(Rasmussen & Williams 2006, chapter 2). How large effects and noise are is chosen where
the checks are most likely (ibid., 5.4.1), each near what is usual.

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
"""What people say of units before anybody has said anything, from 0 to 1."""

ENOUGH: Final = 30
"""From so many checks on something is learned; with fewer, graders count alike."""

_USUAL_VALUE: Final = (0.4, 0.3)  # mean and standard deviation of a grader's values
_AS_MANY: Final = 5  # checks, as which what is usual counts

# As shares of the standard deviation of what people say.
_INTERCEPT, _COMMON, _CONTEXT = 0.5, 0.4, 0.1
_OWN: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
_EFFECTS: Final = (0.0, 0.15, 0.3, 0.45, 0.6)
_NOISES: Final = (0.45, 0.6, 0.75, 0.9, 1.05)
_USUAL_EFFECT, _USUAL_NOISE, _USUAL_OWN = 0.3, 0.9, 0.2
_SWEEPS = 2
_MOST_NOISE: Final = 0.85  # what is expected is spread to twice as wide at most


@dataclass(frozen=True, eq=False)
class Signals:
    """What is known of units of one query, before anybody checks them.

    ``values`` is (units, graders), how far each grader says that it is answered, from 0
    to 1, NaN where it has said nothing. ``context`` is (units, more): what else speaks
    for it. ``groups`` are (units,) numbers each: units with the same number share an
    effect. ``profiles`` are (units, questions) each: what one grader says of a passage,
    question by question.
    """

    values: Floats
    context: Floats
    groups: tuple[Numbers, ...] = ()
    profiles: tuple[Floats, ...] = ()

    def rows(self, units: Numbers) -> Signals:
        """These units alone."""
        return Signals(
            self.values[units],
            self.context[units],
            tuple(one[units] for one in self.groups),
            tuple(one[units] for one in self.profiles),
        )

    def of_grader(self, grader: int) -> Signals:
        """What this grader alone says, without any effect."""
        return Signals(self.values[:, [grader]], self.context[:, :0])


@dataclass(frozen=True, eq=False)
class QueryChecks:
    """Checked units of one query: their signals, and what people say, from 0 to 1.

    ``among`` is how many units there are of the items or the pool they are of; 0: of
    so many that those checked are hardly any.
    """

    signals: Signals
    answers: Floats
    among: int = 0


@dataclass(frozen=True, eq=False)
class _Block:
    """The checks of a query, as the equations have them."""

    features: Floats  # (checks, weights)
    kernels: Floats  # (effects, checks, checks)
    answers: Floats


@dataclass(frozen=True, eq=False)
class _Solved:
    """The equations solved for one choice of the effects' and the noise's sizes."""

    likelihood: float  # its negative logarithm, all but a constant
    weights: Floats
    covariance: Floats  # of the weights, (weights, weights)
    residuals: tuple[Floats, ...]  # by block: noise-weighed, what effects are made of
    without: tuple[Floats, ...]  # by block: each check as predicted from all others
    without_query: tuple[Floats, ...]  # and from those of other queries


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned of a number of checks; predicts any unit.

    ``error`` is the mean squared error with which each check is predicted from all the
    others, ``error_by_query`` from those of other queries; ``input_errors`` are those
    of each grader alone, put on people's scale by a straight line. NaN without checks.
    """

    checks: Mapping[str, QueryChecks]
    sizes: Floats  # standard deviations: of each effect, last of the noise
    scale: _Scale
    solved: _Solved
    input_errors: tuple[float, ...] = ()

    @property
    def count(self) -> int:
        """How many checks it learned from; 0 where there are too few."""
        return sum(len(one.answers) for one in self.checks.values())

    @property
    def noise(self) -> float:
        """The standard deviation of what is left unexplained."""
        return float(self.sizes[-1])

    @cached_property
    def error(self) -> float:
        return self._error(self.solved.without)

    @cached_property
    def error_by_query(self) -> float:
        return self._error(self.solved.without_query)

    @property
    def best_input(self) -> int | None:
        """The grader that does at least as well alone; None where none does.

        It is off everywhere; what was learned only where nobody checked.
        """
        if not self.count or not self.input_errors:
            return None
        best = int(np.argmin(self.input_errors))
        among = sum(one.among for one in self.checks.values())
        learned = self.error * (1 - self.count / among if among else 1)
        return best if self.input_errors[best] <= learned else None

    @cached_property
    def predicted(self) -> Mapping[str, Floats]:
        """By query: each check as predicted from all the others."""
        return dict(zip(self.checks, self.solved.without, strict=True))

    @cached_property
    def predicted_by_query(self) -> Mapping[str, Floats]:
        """By query: each check as predicted from those of other queries."""
        return dict(zip(self.checks, self.solved.without_query, strict=True))

    def predict(self, query_id: str, units: Signals) -> Floats:
        """(units,): what people would say, expected; it may leave [0, 1] a little."""
        found = self.scale.features(units) @ self.solved.weights
        if query_id in self.checks:
            place = list(self.checks).index(query_id)
            found = found + self._carried(
                units, self.checks[query_id].signals, self.solved.residuals[place]
            )
        return np.asarray(found)

    def as_spread(self, expected: Floats) -> Floats:
        """What is expected, as widely spread as what people say, with the same mean.

        It is nearer to the mean than they are, the noise being left out, so that too
        little of it reaches a high grade (constrained Bayes estimates: Louis 1984).
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
        """(units, draws): what people would say but for noise, for drawn ``weights``.

        Effects are drawn a priori and then moved by what the checks say otherwise
        (Matheron's rule; Wilson et al. 2020).
        """
        checked = self.checks.get(query_id)
        found = self.scale.features(units) @ weights
        drawn = [] if checked is None else [self.scale.features(checked.signals)]
        at_checks = drawn[0] @ weights if checked is not None else None
        draws = weights.shape[1]
        for number, size in enumerate(self.sizes[:-1]):
            if not size:
                continue
            if number < len(units.groups):
                group = units.groups[number]
                known = checked.signals.groups[number] if checked is not None else group
                most = int(max(group.max(initial=-1), known.max(initial=-1))) + 1
                effects = size * rng.standard_normal((most, draws))
                found = found + effects[group]
                if at_checks is not None:
                    at_checks = at_checks + effects[known]
                continue
            profile = units.profiles[number - len(units.groups)]
            slopes = size * rng.standard_normal((profile.shape[1], draws))
            found = found + profile @ slopes
            if at_checks is not None and checked is not None:
                own = checked.signals.profiles[number - len(units.groups)]
                at_checks = at_checks + own @ slopes
        if checked is not None and at_checks is not None:
            noise = self.noise * rng.standard_normal(at_checks.shape)
            block = _block(self.scale, checked)
            inner = _covariance(block, self.sizes)
            left = np.linalg.solve(inner, checked.answers[:, None] - at_checks - noise)
            found = found + self._carried(
                units, checked.signals, np.asarray(left, dtype=np.float64)
            )
        return np.asarray(found)

    def _carried(self, units: Signals, checked: Signals, residuals: Floats) -> Floats:
        """What the checks of a query say of its units beyond the weights."""
        carried = np.zeros((len(units.values), *residuals.shape[1:]))
        for group, own, size in zip(
            units.groups, checked.groups, self.sizes, strict=False
        ):
            if size:
                most = int(max(group.max(initial=-1), own.max(initial=-1))) + 1
                sums = np.zeros((most, *residuals.shape[1:]))
                np.add.at(sums, own, residuals)
                carried += size**2 * sums[group]
        for profile, known, size in zip(
            units.profiles,
            checked.profiles,
            self.sizes[len(units.groups) :],
            strict=False,
        ):
            if size:
                carried += size**2 * (profile @ (known.T @ residuals))
        return carried

    def _error(self, predicted: Sequence[Floats]) -> float:
        if not self.count:
            return float("nan")
        off = [
            (one.answers - p)
            for one, p in zip(self.checks.values(), predicted, strict=True)
        ]
        return float(np.mean(np.concatenate(off) ** 2))


@dataclass(frozen=True, eq=False)
class _Scale:
    """How signals become features, and what is expected of their weights.

    Values are centred and scaled by those that were checked, so that an edit elsewhere
    moves no prediction.
    """

    middle: Floats
    spread: Floats
    context_middle: Floats
    context_spread: Floats
    expected: Floats  # the weights' means a priori
    tightness: Floats  # and their standard deviations
    sd: float  # of what people say
    graders: int

    @property
    def mean(self) -> float:
        """Of what people say."""
        return float(self.expected[0])

    def with_own(self, own: float) -> _Scale:
        """The same, where a grader's weight may differ so far from the others'."""
        tightness = self.tightness.copy()
        tightness[2 : self.graders + 1] = own
        return replace(self, tightness=tightness)

    def features(self, units: Signals) -> Floats:
        """(units, weights): 1, what graders say on average, each beyond, context."""
        shares = (units.values - self.middle) / self.spread
        shares = np.where(np.isnan(shares), 0.0, shares)
        common = shares.mean(axis=1, keepdims=True)
        beyond = shares[:, :-1] - common
        context = (units.context - self.context_middle) / self.context_spread
        context = np.where(np.isnan(context), 0.0, context)
        return np.concatenate(
            [np.ones((len(shares), 1)), common, beyond, context], axis=1
        )


def learn(checks: Mapping[str, QueryChecks], like: Signals) -> Learned:
    """What these checks by query say of all units; ``like`` has the units' shape.


    Effects and noise are as large as makes the checks likely. Beside it each grader is
    put on people's scale alone, to be compared with. Of fewer than ``ENOUGH`` nothing
    is learned: chance would say more than they do.
    """
    kept = {query_id: one for query_id, one in checks.items() if len(one.answers)}
    if sum(len(one.answers) for one in kept.values()) < ENOUGH:
        return _learn({}, like)
    learned = _learn(kept, like)
    alone = [
        _learn(
            {
                q: QueryChecks(one.signals.of_grader(grader), one.answers)
                for q, one in kept.items()
            },
            like.of_grader(grader),
        ).error
        for grader in range(like.values.shape[1])
    ]
    return replace(learned, input_errors=tuple(alone))


def _learn(checks: Mapping[str, QueryChecks], like: Signals) -> Learned:
    scale = _scale_of(checks, like)
    blocks = [_block(scale, one) for one in checks.values()]
    effects = len(like.groups) + len(like.profiles)
    # Effects, noise, and last how far a grader may differ from the others in weight.
    shares = [*[_USUAL_EFFECT] * effects, _USUAL_NOISE, _USUAL_OWN]
    grids = [*[_EFFECTS] * effects, _NOISES, _OWN if like.values.shape[1] > 1 else ()]
    sizes = usual = scale.sd * np.array(shares)

    def cost(sizes: Floats) -> float:
        away = np.log((sizes + 0.1 * scale.sd) / (usual + 0.1 * scale.sd))
        solved = _solve(scale.with_own(sizes[-1]), blocks, sizes[:-1])
        return solved.likelihood + 0.5 * float(away @ away)

    if blocks:
        least = cost(sizes)
        for _ in range(_SWEEPS):
            before = sizes
            for at, among in enumerate(grids):
                for share in among:
                    tried = sizes.copy()
                    tried[at] = share * scale.sd
                    if tried[at] != sizes[at] and (this := cost(tried)) < least - 1e-9:
                        least, sizes = this, tried
            if (sizes == before).all():
                break
    scale, sizes = scale.with_own(sizes[-1]), sizes[:-1]
    return Learned(checks, sizes, scale, _solve(scale, blocks, sizes, last=True))


def _scale_of(checks: Mapping[str, QueryChecks], like: Signals) -> _Scale:
    every = [one.signals for one in checks.values()]
    answers = np.concatenate([[], *(one.answers for one in checks.values())])
    values = np.concatenate([like.values[:0], *(one.values for one in every)])
    context = np.concatenate([like.context[:0], *(one.context for one in every)])
    middle, spread = _usual(values, *_USUAL_VALUE)
    context_middle, context_spread = _usual(context, *_USUAL_VALUE)
    mean, deviation = _usual(answers[:, None], USUAL_MEAN, USUAL_SD)
    sd = float(deviation[0])
    own, more = like.values.shape[1] - 1, like.context.shape[1]
    return _Scale(
        middle,
        spread,
        context_middle,
        context_spread,
        np.array([float(mean[0]), _COMMON * sd, *[0.0] * (own + more)]),
        sd * np.array([_INTERCEPT, _COMMON, *[_USUAL_OWN] * own, *[_CONTEXT] * more]),
        sd,
        own + 1,
    )


def _usual(values: Floats, mean: float, sd: float) -> tuple[Floats, Floats]:
    """(columns,) twice: mean and deviation, as if some usual values were among them."""
    known = ~np.isnan(values)
    number = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    means = (filled.sum(axis=0) + _AS_MANY * mean) / (number + _AS_MANY)
    off = np.where(known, values - means, 0.0)
    squares = (off**2).sum(axis=0) + _AS_MANY * (sd**2 + (mean - means) ** 2)
    return means, np.sqrt(squares / (number + _AS_MANY))


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
    """(checks, checks): of what people say, beside what the weights explain."""
    effects = np.tensordot(sizes[:-1] ** 2, block.kernels, 1)
    return np.asarray(effects + sizes[-1] ** 2 * np.eye(len(block.answers)))


def _solve(
    scale: _Scale, blocks: Sequence[_Block], sizes: Floats, *, last: bool = False
) -> _Solved:
    """The equations solved; ``last``: with what predictions need, too."""
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
        left = toward - block.features.T @ off
        alone = scale.expected + np.linalg.solve(others, left)
        without_query.append(block.features @ alone)
    return _Solved(
        likelihood,
        weights,
        covariance,
        tuple(residuals),
        tuple(without),
        tuple(without_query),
    )
