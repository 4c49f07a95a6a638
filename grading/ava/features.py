"""The linear model's four features: what question, reference and candidate share.

Source: Vu & Moschitti 2020, section 4.1. What the paper leaves open, the splitting
into tokens, is decided here.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from grading.ava.triples import Triple
from grading.errors import InvalidSpecError

FEATURES_VERSION = "ava-features/1"  # bump when any text would give other features
FEATURES = ("sim-token(s,r)", "sim-text(r,t)", "sim-text(r,q)", "sim-text(q,t)")
"""The features x1 to x4 by the paper's names, in its order."""

PRINTED = "printed"
REVERSE = "reverse"
INCLUSIONS = (PRINTED, REVERSE)
"""Which text has to be included in which for x1: r in s as printed, or s in r."""

_TOKEN = re.compile(r"[^\W_]+")
_REMEMBERED = 4096  # texts of which the tokens are kept: a reference stands in many


def token_run(text: str) -> tuple[str, ...]:
    """The tokens of ``text`` in order: its runs of letters and digits, lower-cased.

    Of every script; composed first, so that two ways to write an accent are one.
    """
    return tuple(_TOKEN.findall(unicodedata.normalize("NFC", text).lower()))


@lru_cache(maxsize=_REMEMBERED)
def tokens(text: str) -> frozenset[str]:
    """The set of tokens of ``text``; a word that stands there twice counts once."""
    return frozenset(token_run(text))


def sim_text(a: str, b: str) -> float:
    """2|A ∩ B| / (|A| + |B|) over the token sets of the two texts, in [0, 1].

    0 where neither has a token. Source: section 4.1.
    """
    left, right = tokens(a), tokens(b)
    both = len(left) + len(right)
    return 2 * len(left & right) / both if both else 0.0


def sim_token(
    short_answer: str | None, reference: str, *, inclusion: str = PRINTED
) -> float:
    """1 if the reference is included in the short answer, else 0.

    So the paper prints it. As a short answer is a part of its reference, the feature
    is then nearly always 0; ``inclusion="reverse"`` asks whether the short answer is
    included in the reference. Included is a contiguous run of whole tokens in order:
    "39 million" is not in "139 million". 0 without a short answer, and a text without
    tokens is included in nothing.

    Raises InvalidSpecError for another ``inclusion``. Source: section 4.1.
    """
    if checked_inclusion(inclusion) == PRINTED:
        part, whole = token_run(reference), token_run(short_answer or "")
    else:
        part, whole = token_run(short_answer or ""), token_run(reference)
    found = any(
        whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1)
    )
    return float(bool(part) and found)


def features(
    triple: Triple, *, inclusion: str = PRINTED
) -> tuple[float, float, float, float]:
    """x1 to x4 of one triple, each in [0, 1], in the order of ``FEATURES``."""
    question, reference = triple.question, triple.reference
    return (
        sim_token(triple.short_answer, reference, inclusion=inclusion),
        sim_text(reference, triple.candidate),
        sim_text(reference, question),
        sim_text(question, triple.candidate),
    )


def feature_matrix(
    triples: Sequence[Triple], *, inclusion: str = PRINTED
) -> npt.NDArray[np.float64]:
    """The features of every triple, a row each; (0, 4) for none."""
    rows = [features(one, inclusion=inclusion) for one in triples]
    return np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))


def checked_inclusion(name: str) -> str:
    """The name, if it is one of ``INCLUSIONS``.

    Raises InvalidSpecError with the names there are.
    """
    if name not in INCLUSIONS:
        raise InvalidSpecError(
            f"Unknown inclusion '{name}' of the linear model's first feature. There "
            f"are: {', '.join(INCLUSIONS)}"
        )
    return name
