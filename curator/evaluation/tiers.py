"""Tiers of a board: systems that chance alone could have put in their order.

The best system leads the first tier, and every system that is not significantly worse
than it belongs to it. The best system that is left leads the next tier, and so on. A
system whose scores vary much may so stand below one of a later tier.
"""

from __future__ import annotations

from collections.abc import Sequence

from curator.evaluation.randomisation import PairTests


def tiers(systems: Sequence[str], tests: PairTests) -> dict[str, int]:
    """Tier by system, from 1; ``systems`` are in the order of the board.

    A pair without a test counts as not different.
    """
    significant = {
        frozenset((one.first, one.second)) for one in tests.pairs if one.significant
    }
    tier_of: dict[str, int] = {}
    left = list(systems)
    number = 0
    while left:
        number += 1
        leader = left[0]
        members = [s for s in left if frozenset((leader, s)) not in significant]
        tier_of.update(dict.fromkeys(members, number))
        left = [system for system in left if system not in tier_of]
    return {system: tier_of[system] for system in systems}
