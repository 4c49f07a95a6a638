"""Which answers the Answers page lists: where checks differ, or not judged by me. PURE.

Each choice has an option's id, which the URL carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from curator.bank.edits.verdict import Words
from curator.ui.shared import words
from curator.verbs.answers.answer_checks import AnswerChecks, CheckedAnswer

ANY = "any"  # where any two differ
UNJUDGED = "unjudged"
LISTED = 100  # answers; the rest is counted
NOBODY_DIFFERS = "Nobody differs: on every answer all who have decided say the same."
ALL_JUDGED = "No answer is left: you have judged every one."


@dataclass(frozen=True)
class Listing:
    """The answers of one option. ``judged`` are those that this judge has judged.

    ``kept`` is listed among those not judged although it is: what was judged last.
    """

    found: AnswerChecks
    option: str
    between: tuple[str, str] | None
    judged: frozenset[Words]
    kept: frozenset[Words] = frozenset()

    @property
    def title(self) -> str:
        """What the list is called."""
        return "Not judged by me" if self.option == UNJUDGED else "Disagreements"

    @property
    def about(self) -> str:
        """What the counts by query count."""
        if self.option == UNJUDGED:
            return "answers that you have not judged"
        return "answers that not all call the same"

    @property
    def nothing(self) -> str:
        """Why nothing is listed."""
        return ALL_JUDGED if self.option == UNJUDGED else NOBODY_DIFFERS

    def counts(self) -> dict[str, int]:
        """How many there are in each query with an answer."""
        if self.option == UNJUDGED:
            return self.found.counts_by_query(self.found.unjudged(self.judged))
        return self.found.counts_by_query(self.found.differing(self.between))

    def answers(self, within: str | None) -> tuple[int, tuple[CheckedAnswer, ...]]:
        """How many, and the first ``LISTED``, of the query ``within`` or of all."""
        unjudged = self.option == UNJUDGED
        return self.found.listed(
            self.found.unjudged(self.judged - self.kept)
            if unjudged
            else self.found.differing(self.between),
            query_id=within,
            limit=LISTED,
            first_passages_first=unjudged,
        )


def usual_option(found: AnswerChecks) -> str:
    """Where any two differ; with strings alone nobody does before a verdict."""
    return UNJUDGED if len(found.checks) == 1 else ANY


def options(labels: Mapping[str, str]) -> dict[str, str]:
    """What may be listed, in words by id."""
    pairs = {
        option: f"where {labels[a]} and {labels[b]} differ"
        for option, (a, b) in pairs_by_option(labels).items()
    }
    return {ANY: "where any two differ", **pairs, UNJUDGED: "not judged by me"}


def pairs_by_option(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Every two checks by their option. A name may have a | in it: that is escaped."""
    return {
        f"{_escaped(a)}|{_escaped(b)}": (a, b) for a, b in combinations(tuple(names), 2)
    }


def listed_words(listed: int, total: int, option: str) -> str:
    """``52``, ``100 of 1,204``, and which come first."""
    said = f"{total:,}" if listed == total else f"{listed:,} of {total:,}"
    first = "in systems’ first passages" if option == UNJUDGED else "of most passages"
    return f"{said}, those {first} first" if total > 1 else said


def more_words(listed: int, total: int) -> str:
    """How many more there are than are listed; "" of none."""
    more = total - listed
    return f"and {words.count(more, 'more answer')}, not listed here" if more else ""


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("|", "%7C")
