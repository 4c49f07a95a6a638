"""Lines of runs gathered by system and query until all of them are known.

A system's ranks may start at 0 in one query and show no 0 in another, so nothing can
be said of one list before the last line is read.
"""

from __future__ import annotations

from collections import defaultdict

from curator.collection.rankings import (
    RankedPassage,
    Ranking,
    RunOddities,
    rank_base,
    ranking_from_lines,
)
from curator.formats.text.notices import counted, listed
from curator.formats.text.records import FileLocation

MAX_SLOTS = 50_000_000  # ranks of all lists, gaps included


class RankedLists:
    """Lines of any number of systems and queries."""

    def __init__(self) -> None:
        self.oddities = RunOddities()
        self._lines: dict[str, dict[str, list[RankedPassage]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, system: str, query_id: str, line: RankedPassage) -> None:
        """Take one line."""
        self._lines[system][query_id].append(line)

    def rankings(self, place: FileLocation) -> list[Ranking]:
        """All rankings: systems by name, each one's queries in the order they came.

        Raises the place's error for ranks that leave tens of millions of gaps.
        """
        deepest = (
            max(line.rank for line in lines) + 1
            for by_query in self._lines.values()
            for lines in by_query.values()
        )
        if sum(deepest) > MAX_SLOTS:
            raise place.error(
                f"the ranks leave more than {MAX_SLOTS:,} places empty; number each "
                "list from 1."
            )
        self.oddities = RunOddities()
        rankings: list[Ranking] = []
        for system in sorted(self._lines):
            by_query = self._lines[system]
            base = min(rank_base(lines) for lines in by_query.values())
            rankings.extend(
                ranking_from_lines(
                    system, query_id, lines, base=base, oddities=self.oddities
                )
                for query_id, lines in by_query.items()
            )
        return rankings

    def notices(self, *, why_gaps: str) -> list[str]:
        """Return notices about the lists that ``rankings`` made."""
        odd = self.oddities
        shifted = len(odd.shifted_systems)
        counts = "counts" if shifted == 1 else "count"
        found = {
            f"{counted(shifted, 'system')} {counts} ranks from 0, shifted by one: "
            f"{listed(odd.shifted_systems)}.": shifted,
            f"{counted(odd.gaps, 'rank')} without a passage ({why_gaps}): each keeps "
            "its place and answers nothing.": odd.gaps,
            f"{counted(odd.duplicates, 'entry', 'entries')} of a passage listed "
            "before: its best rank counts, the later one stays empty.": odd.duplicates,
            f"{counted(odd.shared_ranks, 'entry', 'entries')} at a rank taken "
            "already: ordered by score, those below moved down.": odd.shared_ranks,
            f"{odd.lists_in_other_score_order:,} of {counted(odd.lists, 'ranking')} "
            "would be ordered differently by trec_eval, which goes by score; here "
            "ranks count.": odd.lists_in_other_score_order,
        }
        return [notice for notice, applies in found.items() if applies]
