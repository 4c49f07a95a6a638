"""ROUGE measures by name: ``rouge-su4-r``, ``rouge-1-f1(joined,gold)``."""

from __future__ import annotations

import re
from typing import cast

from curator.errors import UnknownNameError
from curator.evaluation.measures.rouge.measure import SOURCES, Rouge
from curator.evaluation.measures.rouge.overlap import Part
from curator.evaluation.measures.rouge.words import REACH, Concept

WAYS = ("mean", "sets", "discounted", "joined")
PARTS: tuple[Part, ...] = ("p", "r", "f1")
# The order of the options in a name, whatever the order they were given in.
OPTIONS = (*WAYS, "gold", "answers", "marked")
NAMES = tuple(f"rouge-{concept}-{part}" for concept in REACH for part in PARTS)

_NAME = re.compile(r"(?P<plain>rouge-[^()\s]+)\s*(?:\((?P<options>[^()]*)\))?")


def is_rouge(name: str) -> bool:
    """Whether this is meant for the name of a ROUGE measure."""
    return name.strip().lower().startswith("rouge")


def rouge_measure(name: str, k: int) -> Rouge:
    """The measure of this name, on the first ``k`` passages of a ranking.

    Raises UnknownNameError, in one line, for a name or an option there is not.
    """
    found = _NAME.fullmatch(name.strip().lower())
    if not found or found["plain"] not in NAMES:
        raise UnknownNameError(
            f"Unknown measure '{name}'. ROUGE measures are {', '.join(NAMES)}, each "
            f"with options in brackets if wished: {', '.join(OPTIONS)}; such as "
            "rouge-1-f1(joined,gold)."
        )
    given = [one.strip() for one in (found["options"] or "").split(",")]
    asked = {one for one in given if one}
    strange = sorted(asked - set(OPTIONS))
    if strange:
        raise UnknownNameError(
            f"'{name}' has an option there is not, '{strange[0]}'. There are: "
            f"{', '.join(OPTIONS)}."
        )
    _, concept, part = found["plain"].split("-")
    options = [one for one in OPTIONS if one in asked]
    sources = tuple(one for one in SOURCES if one in asked)
    return Rouge(
        name=found["plain"] + (f"({','.join(options)})" if options else ""),
        concept=cast("Concept", concept),
        part=cast("Part", part),
        depth=k,
        mean="mean" in asked,
        sets="sets" in asked,
        discounted="discounted" in asked,
        joined="joined" in asked,
        sources=sources or SOURCES,
    )
