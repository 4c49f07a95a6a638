"""The measures by name: our own, and every one of ``ir-measures``.

Every module here with a :class:`Measure` is found automatically; nothing lists them.
The measures that judges use most are computed on arrays; the others are computed by
``ir-measures``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.measures.measure import Measure as Measure
from curator.evaluation.measures.measure import Name, Need
from curator.evaluation.settings import Label, ReadingKind, Settings, correct_from


def _measures() -> tuple[type[Measure], ...]:
    """List the named measures of the modules of this package, by ``place``."""
    measures = []
    for module in iter_modules(__path__):
        path = f"{__name__}.{module.name}"
        for value in vars(import_module(path)).values():
            is_measure = isinstance(value, type) and issubclass(value, Measure)
            if is_measure and value.names and value.__module__ == path:
                measures.append(value)
    return tuple(sorted(measures, key=lambda measure: measure.place))


MEASURES = _measures()


def measure_for(settings: Settings, reading: ReadingKind) -> Measure:
    """Return the measure that ``settings`` name, for graders of this kind.

    ``min_rating`` is the relevance threshold of rated graders, 1 that of the others;
    a threshold in the measure's own name, as in ``P(rel=2)@20``, wins. Raises
    UnknownNameError with the nearest names, EvaluationError for a measure that cannot
    be computed on labels of this rule.
    """
    correct = correct_from(reading, settings.min_rating)
    relevant = settings.relevant_from(reading)
    for measure in MEASURES:
        threshold = relevant if measure.based_on == "labels" else correct
        parsed = measure.named(settings.measure, threshold, settings.k)
        if parsed is not None:
            return parsed.with_label_rule(settings.rule)
    raise UnknownNameError(_unknown(settings.measure))


def accepts_label(name: str, label: Label) -> bool:
    """Return False for a measure that refuses labels of this rule."""
    try:
        measure_for(Settings("", name, label=label), "rated")
    except EvaluationError:
        return False
    except UnknownNameError:  # refused elsewhere, or a board of judgments
        return True
    return True


@lru_cache(maxsize=256)
def measure_type(name: str) -> type[Measure]:
    """Return the class of a measure's name; that of ``ir-measures`` for others."""
    family = _family(name).strip()
    return next(
        (measure for measure in MEASURES if measure.is_named(family)), MEASURES[-1]
    )


def uses_k(name: str) -> bool:
    """Return True if ``k``, and not the measure's name, sets its cut-off."""
    return measure_type(name).cut_off == "settings"


def compares_texts(name: str) -> bool:
    """Return True if the measure uses texts only, no questions or grades."""
    return measure_type(name).based_on == "texts"


def offered(has: Collection[Need]) -> tuple[str, ...]:
    """List the measures to offer, given the available data; others work by name."""
    return tuple(
        name for measure in MEASURES if measure.needs in has for name in measure.offered
    )


def compared() -> tuple[str, ...]:
    """List the measures that are compared by default."""
    return tuple(name for measure in MEASURES for name in measure.compared)


def title(name: str) -> str:
    """Return a measure's name as in a sentence: ``Cover``, ``n-EXAM``, ``P@20``."""
    known_name, (family, at, depth) = _named(name), name.partition("@")
    # A name with parameters stays unchanged.
    if known_name is None or known_name.family.lower() != family.lower():
        return name
    return f"{known_name.title or family}{at}{depth}"


def meaning(name: str) -> str:
    """Return a clause that defines the measure; {first} is replaced by its passages."""
    known_name = _named(name)
    return known_name.means if known_name else "as ir-measures defines it"


def _named(name: str) -> Name | None:
    family = _family(name).strip()
    names = [entry for measure in MEASURES for entry in measure.names]
    return next(
        (entry for entry in names if entry.family in (family, family.lower())), None
    )


def _family(name: str) -> str:
    return re.split(r"[@(]", name)[0]


def _unknown(name: str) -> str:
    """Return an error message with all measures, nearest names first."""
    import ir_measures

    # Those of labels are listed as those of ir-measures.
    not_on_labels = [measure for measure in MEASURES if measure.based_on != "labels"]
    families = [entry.family for measure in not_on_labels for entry in measure.names]
    families += sorted(ir_measures.measures.registry)
    by_lower = {family.lower(): family for family in families}
    near = difflib.get_close_matches(_family(name).lower(), by_lower, n=3, cutoff=0.5)
    names = " or ".join(by_lower[family] for family in near)
    hint = f" Did you mean {names}?" if near else ""
    listed = ", ".join(
        measure.listed or ", ".join(measure.offered) for measure in not_on_labels
    )
    return (
        f"Unknown measure '{name}'.{hint} Available: {listed}, or any "
        "ir-measures name with its cut-off, such as P@20, nDCG@10 or AP."
    )
