"""The measures by name: our own, and every one of ``ir-measures``.

A measure is a hashable value made from settings by :func:`measure_for`. Those judges
look at all day are computed on arrays; the rest is left to ``ir-measures``.
"""

from __future__ import annotations

import difflib
import re
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.any_measure import AnyMeasure
from curator.evaluation.measures.binary import Precision, ReciprocalRank, Success
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.discounted_gain import NormalizedDiscountedGain
from curator.evaluation.measures.n_exam import NExam
from curator.evaluation.measures.pyramid import NUGGET_MEASURES
from curator.evaluation.measures.pyramid_names import nugget_measure
from curator.evaluation.measures.rouge.measure import Rouge
from curator.evaluation.measures.rouge.names import NAMES as ROUGE_NAMES
from curator.evaluation.measures.rouge.names import is_rouge, rouge_measure
from curator.evaluation.rows import Row
from curator.evaluation.settings import ReadingKind, Settings, correct_from

OWN_MEASURES = ("cover", "n-exam", *NUGGET_MEASURES)
MAX_CUTOFF = 999_999

# What the array implementations understand; anything else goes to ir-measures.
_PLAIN = re.compile(
    r"(?P<family>P|nDCG|RR|Success)(?:\(rel=(?P<rel>[1-9])\))?(?:@(?P<k>[1-9]\d{0,5}))?"
)


class Measure(Protocol):
    """A number per system and query, and what it looks at."""

    @property
    def name(self) -> str:
        """The name it is shown and asked for under."""
        ...

    @property
    def depth(self) -> int | None:
        """How many ranks it looks at; None for the whole ranking."""
        ...

    def row(self, graded: GradedQuery) -> Row:
        """The query's score of every system."""
        ...

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """(items, systems): the scores if that item were not in the bank.

        NaN for the only item of a query, which would leave the measure.
        """
        ...

    def flips(self, graded: GradedQuery) -> NDArray[np.float64] | None:
        """(flips, systems): what one label read the other way changes in the scores.

        The scores of this query, of known grades, in no particular order and each
        change once or more; for Cover one grade read the other way. None for a
        measure that does not offer it.
        """
        ...


def measure_for(settings: Settings, reading: ReadingKind) -> Measure:
    """The measure that ``settings`` name, for graders of this kind.

    ``min_rating`` is the relevance threshold of rated graders, 1 that of the others;
    a threshold in the measure's own name, as in ``P(rel=2)@20``, wins. Raises
    UnknownNameError with the nearest names.
    """
    threshold = correct_from(reading, settings.min_rating)
    if settings.measure.lower() in ("cover", "exam"):  # 2024's name and 2021's
        return Cover(threshold, settings.k)
    if settings.measure.lower() == "n-exam":
        return NExam(threshold, settings.k)
    nuggets = nugget_measure(settings.measure, threshold, settings.k)
    if nuggets is not None:
        return nuggets
    if is_rouge(settings.measure):
        return rouge_measure(settings.measure, settings.k)
    plain = _PLAIN.fullmatch(settings.measure)
    if plain:
        rel = int(plain["rel"]) if plain["rel"] else threshold
        k = int(plain["k"]) if plain["k"] else None
        match plain["family"], k:
            case "nDCG", _ if not plain["rel"]:
                return NormalizedDiscountedGain(settings.measure, k)
            case "RR", _:
                return ReciprocalRank(settings.measure, rel, k)
            case "P", int():
                return Precision(settings.measure, rel, k)
            case "Success", int():
                return Success(settings.measure, rel, k)
    return any_measure(settings.measure, threshold)


def rests_on_grades(measure: Measure) -> bool:
    """Whether questions and their grades decide it; texts alone decide ROUGE."""
    return not isinstance(measure, Rouge)


def any_measure(name: str, threshold: int) -> AnyMeasure:
    """A measure of ``ir-measures``, relevant from ``threshold`` unless it says.

    Raises UnknownNameError for a name it does not know or that lacks a cut-off,
    EvaluationError for a measure that cannot be computed here.
    """
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
        if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
            measure = measure(rel=threshold)
        # Some names parse without naming a cut-off they cannot do without.
        measure.validate_params()
    except (NameError, ValueError, TypeError, AssertionError, RecursionError):
        raise UnknownNameError(unknown_measure(name)) from None
    cutoff = measure.params.get("cutoff")
    # trec_eval ends the whole process where a cut-off is 0.
    if cutoff is not None and not 1 <= cutoff <= MAX_CUTOFF:
        raise EvaluationError(
            f"{name} looks {cutoff} passages deep; expected 1 to {MAX_CUTOFF:,}."
        )
    try:
        ir_measures.evaluator([measure], {"q": {"p": 1}})
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise EvaluationError(f"{measure} cannot be computed here: {reason}") from None
    return AnyMeasure(name, str(measure), None if cutoff is None else int(cutoff))


def unknown_measure(name: str) -> str:
    """One line that says what measures there are, nearest names first."""
    import ir_measures

    families = [*OWN_MEASURES, *ROUGE_NAMES, *sorted(ir_measures.measures.registry)]
    asked = re.split(r"[@(]", name)[0]
    by_lower = {family.lower(): family for family in families}
    near = difflib.get_close_matches(asked.lower(), by_lower, n=3, cutoff=0.5)
    if asked in families:
        hint = f" {asked} is one, but with other parameters."
    else:
        names = " or ".join(by_lower[n] for n in near)
        hint = f" Did you mean {names}?" if names else ""
    return (
        f"Unknown measure '{name}'.{hint} Available: {', '.join(OWN_MEASURES)}, "
        "rouge-1-f1 and its like, or any "
        "ir-measures name with its cut-off, such as P@20, nDCG@10 or AP."
    )
