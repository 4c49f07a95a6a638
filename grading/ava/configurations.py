"""Which texts an AVA transformer reads together, by the paper's names.

A part is a pair (a, a') for one encoder instance, each of a and a' one of the letters
q, r, t or a concatenation of two. Source: Vu & Moschitti 2020, section 4.2, Table 5.

    a0:q,r   a0:r,t   a0:q,t      one pair
    a0       all three, their representations concatenated
    a1:q,rt  a1:r,qt  a1:t,qr     one text against the other two
    a1:q,rt+t,qr ...              two of these
    a1       all three
    a2:r,qt+t,qr ...              two, each read a second time beside the other
"""

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations

from grading.errors import InvalidSpecError

LINEAR = "linear"
A0_PAIRS = ("q,r", "r,t", "q,t")
A1_TRIPLES = ("q,rt", "r,qt", "t,qr")
BEST = "a2:r,qt+t,qr"  # the paper's best, and its choice for system-wise evaluation


@dataclass(frozen=True)
class Configuration:
    """The parts that are read, and whether each is read again beside its peer."""

    name: str
    parts: tuple[tuple[str, str], ...]
    peer_attention: bool = False


def _all() -> dict[str, Configuration]:
    names: dict[str, tuple[str, ...]] = {}
    for pair in A0_PAIRS:
        names[f"a0:{pair}"] = (pair,)
    names["a0"] = A0_PAIRS
    for triple in A1_TRIPLES:
        names[f"a1:{triple}"] = (triple,)
    # In the order of Table 6.
    twos = [("q,rt", "t,qr"), ("r,qt", "t,qr"), ("r,qt", "q,rt")]
    assert {frozenset(two) for two in twos} == {
        frozenset(two) for two in combinations(A1_TRIPLES, 2)
    }
    for two in twos:
        names[f"a1:{'+'.join(two)}"] = two
    names["a1"] = A1_TRIPLES
    for two in twos:
        names[f"a2:{'+'.join(two)}"] = two
    return {
        name: Configuration(
            name,
            tuple((part.split(",")[0], part.split(",")[1]) for part in parts),
            name.startswith("a2"),
        )
        for name, parts in names.items()
    }


CONFIGURATIONS = _all()


def configuration_named(name: str) -> Configuration:
    """The configuration of this name; ``a2`` alone is the paper's best.

    Raises InvalidSpecError with the nearest name and all there are.
    """
    found = CONFIGURATIONS.get(BEST if name == "a2" else name.replace(" ", ""))
    if found is None:
        near = get_close_matches(name.lower(), CONFIGURATIONS, 1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise InvalidSpecError(
            f"Unknown configuration '{name}'.{hint} There are: {LINEAR}, "
            f"{', '.join(CONFIGURATIONS)}"
        )
    return found
