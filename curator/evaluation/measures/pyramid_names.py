"""Nugget measures by name: ``nugget-f(beta=5)``, ``vital-f(judge=ann)``."""

from __future__ import annotations

import json
import re
from typing import Literal

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.measures.pyramid import (
    BETA,
    HIGHEST_BETA,
    NUGGET_MEASURES,
    NuggetMeasure,
    Weighting,
)

_OPTIONS = re.compile(
    r'\(\s*(?:judge\s*=\s*(?P<judge>"(?:[^"\\]|\\.)*"|[^"\s].*?)\s*)?'
    r"(?:(?:(?<=\()|,)\s*beta\s*=\s*(?P<beta>[\d.]+(?:e[-+]?\d+)?)\s*)?\)"
)
_BETA_FIRST = re.compile(
    r"\(\s*(?P<beta>beta\s*=\s*[\d.]+)\s*,\s*(?P<judge>judge\s*=.+)\)"
)
# What would be read otherwise than it was written.
_TO_QUOTE = re.compile(r'^\s|\s$|"|[\x00-\x1f]|,\s*beta\s*=')


def measure_name(family: str, judge: str | None = None, beta: float = BETA) -> str:
    """The name of a nugget measure; a judge's is quoted where it has to be."""
    options = []
    if judge is not None:
        quoted = json.dumps(judge, ensure_ascii=False)
        options.append(f"judge={quoted if _TO_QUOTE.search(judge) else judge}")
    if beta != BETA:
        options.append(f"beta={int(beta) if beta == int(beta) else beta!r}")
    return f"{family}({','.join(options)})" if options else family


def nugget_measure(name: str, threshold: int, k: int) -> NuggetMeasure | None:
    """The measure of this name, such as ``vital-f(judge=ann,beta=5)``; None if none.

    Raises UnknownNameError for a family that is one, with options that it has not.
    """
    head, bracket, rest = name.partition("(")
    family = head.strip().lower()
    if family not in NUGGET_MEASURES:
        return None
    judge, beta = _options(family, bracket + rest.rstrip())
    classic = family.startswith("vital")
    part: Literal["r", "p", "f"] = "r"
    if family[-2:] in ("-p", "-f"):
        part = "p" if family[-1] == "p" else "f"
    if judge is not None and not classic:
        raise UnknownNameError(
            f"{family} weighs every judge's votes; one judge's alone are "
            f"vital-r(judge={judge}) and vital-f(judge={judge})."
        )
    if beta is not None and part != "f":
        raise UnknownNameError(f"{family} has no beta; nugget-f and vital-f have.")
    beta = BETA if beta is None else beta
    require_beta(beta)
    weighting: Weighting = "classic" if classic else "pyramid"
    called = measure_name(family, judge, beta)
    return NuggetMeasure(called, part, weighting, threshold, k, judge, beta)


def require_beta(beta: float) -> None:
    """Raise EvaluationError for a β out of range."""
    if not 0 < beta <= HIGHEST_BETA:
        raise EvaluationError(
            f"beta is {beta:g}; expected more than 0, at most {HIGHEST_BETA}."
        )


def _options(family: str, text: str) -> tuple[str | None, float | None]:
    """(judge, beta) of ``(judge=NAME,beta=5)``, either or none of them."""
    if not text:
        return None, None
    turned = _BETA_FIRST.fullmatch(text)
    if turned:
        text = f"({turned['judge']},{turned['beta']})"
    found = _OPTIONS.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        judge = found["judge"]
        if judge is not None and judge.startswith('"'):
            judge = str(json.loads(judge))
        return judge, None if found["beta"] is None else float(found["beta"])
    except ValueError:
        raise UnknownNameError(
            f"{family} has no options '{text}'. There are (beta=5) of nugget-f and "
            "vital-f, and (judge=NAME) of vital-r and vital-f, or both: "
            "vital-f(judge=NAME,beta=5)."
        ) from None
