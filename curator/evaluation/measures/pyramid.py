"""Nugget pyramids: recall of the items that judges find important.

Judges call each item vital or okay. In the pyramid an item weighs as many judges as
called it vital; in the classic measure it weighs 1 if vital, else 0. Matched
are the items that any of a system's first ``k`` passages is correct for, l are the
non-white-space characters of these passages, and

    R = weights matched / all weights
    α = 100 · matched items of any weight
    P = 1 if l < α, else 1 − (l − α) / l;  0 where l = 0
    F = (β² + 1) P R / (β² P + R);  0 where P = R = 0

Dividing weights by the query's largest, as the paper does, changes no R.

Source: Lin & Demner-Fushman 2006, figure 1 (classic) and section 4 (pyramid).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery, values_at_ranks
from curator.evaluation.measures.measure import (
    Measure,
    Name,
    Row,
    Scores,
    fraction_row,
    require_items,
)

Weighting = Literal["pyramid", "classic"]
Part = Literal["r", "p", "f"]

BETA = 3.0  # as TREC 2004 and 2005 set it; 5 in 2003
HIGHEST_BETA = 100
ALLOWANCE = 100  # non-white-space characters a matched item

_NUGGETS = (
    "how much of the nuggets is in {first} of a system, each weighing as many votes as "
    "call it vital"
)
_VITAL = "how much of the vital nuggets is in {first} of a system"
NO_VOTES = (
    "There are no votes yet on the questions or nuggets that are graded here. Judges "
    "vote on Judge, with `v` and `o`."
)

# A name may hold brackets and commas: it ends where another option begins.
_OPTION = re.compile(
    r'\s*(?P<option>judge|without|beta)\s*=\s*(?P<value>"(?:[^"\\]|\\.)*"|[^"\s].*?)'
    r"\s*(?:,(?=\s*(?:judge|without|beta)\s*=)|$)"
)
# Text that would be parsed differently unquoted.
_TO_QUOTE = re.compile(r'^\s|\s$|"|[\x00-\x1f]|,\s*(judge|without|beta)\s*=')


class VoteInput(NamedTuple):
    """Input of a query for ``exclusions``: voters, and if votes and weights exist."""

    votable: bool
    voters: frozenset[str]
    weighs: bool


@dataclass(frozen=True)
class NuggetMeasure(Measure):
    """Recall, precision or F of the items that judges find important, in [0, 1].

    ``weighting`` is the rule for votes, ``judge`` the only judge who counts in the
    classic measure; without one, an item is vital if more than half of its voters call
    it vital. Votes of judges in ``without`` are ignored. An item without votes weighs
    nothing, and gives allowance. On an item that was decided all voters count as having
    voted so, except for a single ``judge``.

    In a query without a weight the classic measure is 0 for every system; the pyramid
    leaves such a query out, and its row is 0.
    """

    part: Part = "r"
    weighting: Weighting = "pyramid"
    judge: str | None = None
    beta: float = BETA
    without: tuple[str, ...] = ()

    place = 70
    names = (
        Name(
            "weighted-cover",
            "Cover with each question weighing as many votes as call it vital",
            "weighted Cover",
        ),
        *(Name(f"nugget-{x}", _NUGGETS, f"nugget {x.upper()}") for x in "rpf"),
        *(Name(f"vital-{x}", _VITAL, f"vital {x.upper()}") for x in "rf"),
    )
    needs = "votes"
    offered = ("weighted-cover", "nugget-f", "nugget-p", "vital-f", "vital-r")
    compared = ("weighted-cover", "nugget-f")
    listed = ", ".join(name.family for name in names)
    cut_off = "settings"
    cited = (
        "J. Lin and D. Demner-Fushman. Will Pyramids Built of Nuggets Topple Over? "
        "HLT-NAACL 2006."
    )
    source = "Lin & Demner-Fushman 2006"

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        """Parse a name such as ``vital-f(judge=ann,beta=5)``."""
        head, bracket, arguments = name.partition("(")
        family = head.strip().lower()
        if not cls.is_named(family):
            return None
        judge, beta, without = _options(family, bracket + arguments.rstrip())
        require_beta(beta)
        return cls(
            measure_name(family, judge, beta, without),
            threshold,
            k,
            part=_part(family),
            weighting="classic" if family.startswith("vital") else "pyramid",
            judge=judge,
            beta=beta,
            without=without,
        )

    def excludes(self, graded: GradedQuery) -> bool:
        return self.weighting == "pyramid" and not self.weights(graded).any()

    def exclusion_input(self, graded: GradedQuery) -> VoteInput:
        """Collect the voters of the query, and whether any item has weight."""
        votable = graded.reading != "direct"
        weighs = votable and bool(self.weights(graded).any())
        return VoteInput(votable, frozenset(graded.tally.judges), weighs)

    def exclusions(self, query_inputs: Sequence[VoteInput]) -> tuple[bool, str]:
        """Return True if there is no board, and a sentence on queries without weights.

        The sentence is "" if every query has an item of weight. There is no board if no
        judge whose votes count has voted on any item.
        """
        if not all(query.votable for query in query_inputs):
            return False, ""  # its rows raise the reason
        if not query_inputs:
            return True, "No question is kept here, so there is nothing to score."
        voters = frozenset[str]().union(*(query.voters for query in query_inputs))
        counted = voters - {*self.without}
        if not voters:
            return True, NO_VOTES
        if not counted or self.judge not in (None, *counted):
            return True, (
                f"{self.name}: no judge who counts has voted on an active item. Judges "
                f"who have: {', '.join(sorted(voters))}."
            )
        without = sum(not query.weighs for query in query_inputs)
        excluded = self.weighting == "pyramid"
        then = "left out of the mean" if excluded else "every system scores 0 there"
        note = f"{queries_words(without)} without an item that is vital: {then}."
        return False, note if without else ""

    def weights(self, graded: GradedQuery) -> NDArray[np.int64]:
        """(items,): the weight of each item, a whole number."""
        if self.judge is not None:
            return np.asarray(graded.tally.vital_votes([self.judge])[0], dtype=np.int64)
        tally = graded.counted_tally.without(self.without)
        vital = tally.vital.sum(axis=0)
        if self.weighting == "pyramid":
            return np.asarray(vital, dtype=np.int64)
        return np.asarray(2 * vital > tally.voted.sum(axis=0), dtype=np.int64)

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        weights = self.weights(graded)
        matched = graded.covered(self.threshold, self.depth)
        possible = graded.covered(self.threshold, self.depth, possibly=True)
        total = int(weights.sum())
        if not total:
            no_items = np.zeros(matched.shape[1], dtype=np.int64)
            return fraction_row(no_items, no_items, 1)
        if self.part == "r":
            return fraction_row(weights @ matched, weights @ possible, total)
        letters = letters_retrieved(graded, self.depth)
        # More matched items raise R and the allowance, and with both P and F.
        score, upper = (
            self._combined(weights @ matches / total, matches.sum(axis=0), letters)
            for matches in (matched, possible)
        )
        return Row(score, score, score if np.array_equal(score, upper) else upper)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        if self.excludes(graded):
            return np.zeros((len(graded.item_ids), len(graded.pool.top)))
        return super().without_each(graded)

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded, self.name)
        weights = self.weights(graded)
        matched = graded.covered(self.threshold, self.depth)
        total = int(weights.sum())
        if not total:
            return np.zeros(matched.shape)
        remaining = (total - weights)[:, None]
        got = weights @ matched - weights[:, None] * matched
        no_recall = np.zeros(matched.shape)
        recall = np.divide(got, remaining, out=no_recall, where=remaining > 0)
        letters = letters_retrieved(graded, self.depth)
        scores = self._combined(recall, matched.sum(axis=0) - matched, letters)
        # A query that loses its last weight leaves the pyramid's mean.
        scores[total == weights] = np.nan if self.weighting == "pyramid" else 0.0
        return scores

    def _combined(
        self, recall: Scores, matched: NDArray[np.int64], letters: Scores
    ) -> Scores:
        if self.part == "r":
            return recall
        precision = length_precision(matched, letters)
        return precision if self.part == "p" else f_score(precision, recall, self.beta)


def letters_retrieved(graded: GradedQuery, depth: int | None) -> Scores:
    """(systems,): the number of non-white-space characters of the first passages."""
    assert graded.letters is not None, "graded with votes but without letters"
    letters = graded.letters.astype(np.float64)
    return np.asarray(values_at_ranks(letters, graded.pool.top_k(depth)).sum(axis=-1))


def length_precision(matched: NDArray[np.int64], letters: Scores) -> Scores:
    """P = min(1, α / l), 0 where l = 0, of matched items (…, systems)."""
    allowance = ALLOWANCE * matched.astype(np.float64)
    lengths = np.broadcast_to(letters, allowance.shape)
    share = np.divide(
        allowance, lengths, out=np.zeros(allowance.shape), where=lengths > 0
    )
    return np.minimum(share, 1.0)


def f_score(precision: Scores, recall: Scores, beta: float) -> Scores:
    """F_β = (β² + 1) P R / (β² P + R), 0 where both are 0."""
    below = beta**2 * precision + recall
    above = (beta**2 + 1) * precision * recall
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def queries_words(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"


def measure_name(
    family: str,
    judge: str | None = None,
    beta: float = BETA,
    without: Iterable[str] = (),
) -> str:
    """Build the name of a nugget measure; judges' names are quoted if necessary."""
    named = [("judge", judge)] if judge is not None else []
    named += [("without", name) for name in sorted({*without})]
    options = [
        f"{option}={json.dumps(value, ensure_ascii=False)}"
        if _TO_QUOTE.search(value)
        else f"{option}={value}"
        for option, value in named
    ]
    if beta != BETA:
        options.append(f"beta={int(beta) if beta == int(beta) else beta!r}")
    return f"{family}({','.join(options)})" if options else family


def require_beta(beta: float) -> None:
    """Raise EvaluationError for a β out of range."""
    if not 0 < beta <= HIGHEST_BETA:
        raise EvaluationError(
            f"beta is {beta:g}; expected more than 0, at most {HIGHEST_BETA}."
        )


def _part(family: str) -> Part:
    parts: dict[str, Part] = {"-p": "p", "-f": "f"}
    return parts.get(family[-2:], "r")


def _options(family: str, text: str) -> tuple[str | None, float, tuple[str, ...]]:
    """Parse (judge, beta, without) of ``(judge=NAME,beta=5)``; each is optional."""
    options: dict[str, list[str]] = {"judge": [], "beta": [], "without": []}
    inner, position = text[1:-1].rstrip(), 0
    try:
        while position < len(inner):
            option = _OPTION.match(inner, position)
            if option is None:
                raise ValueError
            value, position = option["value"], option.end()
            value = str(json.loads(value)) if value.startswith('"') else value
            options[option["option"]].append(value)
        judges, betas, without = options.values()
        # float() reads inf and nan, too.
        numbers = all(re.fullmatch(r"[\d.]+(?:e[-+]?\d+)?", beta) for beta in betas)
        has_beta, has_judge = _part(family) == "f", family.startswith("vital")
        if not (
            (not text or (text[0] == "(" and text[-1] == ")"))
            and numbers
            and len(betas) <= has_beta
            and len(judges) <= has_judge
            and not (judges and without)
        ):
            raise ValueError
        beta = float(betas[0]) if betas else BETA
    except ValueError:
        raise UnknownNameError(
            f"{family} has no options '{text}'. Available: (beta=5) for nugget-f and "
            "vital-f, (judge=NAME) for vital-r and vital-f, and (without=NAME) for all "
            "without judge, once for each judge left out: "
            "nugget-f(without=NAME,beta=5)."
        ) from None
    return next(iter(judges), None), beta, tuple(sorted({*without}))
