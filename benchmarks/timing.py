"""Medians of repeated calls, and how they are printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Milliseconds of one thing done several times."""

    name: str
    median: float
    largest: float
    runs: int
    budget: float | None = None
    note: str = ""

    def line(self) -> str:
        """One row of the table that `make bench` prints."""
        budget = "" if self.budget is None else f"{self.budget:,.0f}"
        kept = (
            ""
            if self.budget is None
            else ("yes" if self.median <= self.budget else "NO")
        )
        return (
            f"{self.name:<58}{self.median:>11,.2f}{self.largest:>11,.2f}{self.runs:>5}"
            f"{budget:>9}  {kept:<4}{self.note}"
        )


HEADING = (
    f"{'ms':<58}{'median':>11}{'largest':>11}{'runs':>5}{'budget':>9}  {'kept':<4}"
)


def timed(
    name: str,
    action: Callable[[int], object],
    *,
    runs: int,
    budget: float | None = None,
    note: str = "",
) -> Timing:
    """The action's times over ``runs`` calls after one that does not count."""
    action(0)
    times = []
    for number in range(1, runs + 1):
        start = time.perf_counter()
        action(number)
        times.append((time.perf_counter() - start) * 1000)
    return Timing(name, statistics.median(times), max(times), runs, budget, note)
