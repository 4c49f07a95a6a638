"""The measures by name: our own, and every one of ``ir-measures``.

Every module here that holds a :class:`Measure` is found by itself; nothing lists them.
Those judges look at all day are computed on arrays; the rest is left to
``ir-measures``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules

from curator.errors import UnknownNameError
from curator.evaluation.measures.measure import Measure, Name, Need
from curator.evaluation.settings import (
    JUDGMENTS,
    OFFICIAL,
    ReadingKind,
    Settings,
    correct_from,
)

__all__ = [
    "MEASURES",
    "Measure",
    "compared",
    "compares_texts",
    "looks_at_k",
    "meaning",
    "measure_for",
    "measure_type",
    "offered",
    "title",
    "usage",
]

OF = {
    **{"grades": "", "gold": "", "votes": "of votes ", "ideals": "of ideal answers "},
    "citations": "of citations ",
}


def _measures() -> tuple[type[Measure], ...]:
    """Every measure in a module of this package that has a name, in their order."""
    found = []
    for module in iter_modules(__path__):
        path = f"{__name__}.{module.name}"
        for one in vars(import_module(path)).values():
            if isinstance(one, type) and issubclass(one, Measure) and one.names:
                found += [one] if one.__module__ == path else []
    return tuple(sorted(found, key=lambda one: one.place))


MEASURES = _measures()


def measure_for(settings: Settings, reading: ReadingKind) -> Measure:
    """The measure that ``settings`` name, for graders of this kind.

    ``min_rating`` is the relevance threshold of rated graders, 1 that of the others;
    a threshold in the measure's own name, as in ``P(rel=2)@20``, wins. Raises
    UnknownNameError with the nearest names, EvaluationError for a measure that cannot
    be computed on labels of this rule.
    """
    correct = correct_from(reading, settings.min_rating)
    relevant = settings.relevant_from(reading)
    for measure in MEASURES:
        threshold = relevant if measure.rests_on == "labels" else correct
        found = measure.named(settings.measure, threshold, settings.k)
        if found is not None:
            return found.of_labels(settings.rule)
    raise UnknownNameError(_unknown(settings.measure))


def measure_type(name: str) -> type[Measure]:
    """What a name says before its parameters; else it is left to ``ir-measures``."""
    family = _family(name).strip()
    return next((one for one in MEASURES if one.is_named(family)), MEASURES[-1])


def looks_at_k(name: str) -> bool:
    """Whether ``k``, and not its own name, says how deep the measure looks."""
    return measure_type(name).looks_at_k


def compares_texts(name: str) -> bool:
    """Whether texts alone decide it, and neither questions nor their grades."""
    return measure_type(name).rests_on == "texts"


def offered(has: Collection[Need]) -> tuple[str, ...]:
    """The names worth offering where there is all this; any other can be asked for."""
    return tuple(n for one in MEASURES if one.needs in has for n in one.offered)


def compared() -> tuple[str, ...]:
    """The names that stand side by side where nobody has chosen."""
    return tuple(name for one in MEASURES for name in one.compared)


def title(name: str) -> str:
    """A measure as it is written in a sentence: ``Cover``, ``n-EXAM``, ``P@20``."""
    found = _named(name)
    # With parameters it is written as it is.
    if found is None or found.family != name.lower():
        return name
    return found.title or name


def meaning(name: str) -> str:
    """What the measure is, in a clause; {first} stands for what it looks at."""
    found = _named(name)
    return found.means if found else "as ir-measures defines it"


def usage() -> str:
    """Which names ``--measure`` takes, as the command line's help says it."""
    *ours, others = [one for one in MEASURES if one.usage]
    by_lead = groupby(ours, key=lambda one: OF[one.needs])
    groups = [lead + ", ".join(one.usage for one in of) for lead, of in by_lead]
    official = f"{OFFICIAL}, and {JUDGMENTS}:<ir-measures name>"
    return "; ".join([others.usage, *groups, official])


def _named(name: str) -> Name | None:
    family = _family(name).strip()
    names = [one for measure in MEASURES for one in measure.names]
    return next((one for one in names if one.family in (family, family.lower())), None)


def _family(name: str) -> str:
    return re.split(r"[@(]", name)[0]


def _unknown(name: str) -> str:
    """One line that says what measures there are, nearest names first."""
    import ir_measures

    families = [
        *(name.family for one in MEASURES for name in one.names if one.listed),
        *sorted(ir_measures.measures.registry),
    ]
    asked = _family(name)
    by_lower = {family.lower(): family for family in families}
    near = difflib.get_close_matches(asked.lower(), by_lower, n=3, cutoff=0.5)
    if asked in families:
        hint = f" {asked} is one, but with other parameters."
    else:
        names = " or ".join(by_lower[n] for n in near)
        hint = f" Did you mean {names}?" if names else ""
    return (
        f"Unknown measure '{name}'.{hint} Available: "
        f"{', '.join(one.listed for one in MEASURES if one.listed)}, or any "
        "ir-measures name with its cut-off, such as P@20, nDCG@10 or AP."
    )
