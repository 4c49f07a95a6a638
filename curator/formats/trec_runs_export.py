"""TREC runs out: ``query_id Q0 passage_id rank score tag``, the tag names the system.

Ranks, gaps and passages listed again are written as they stand, from 0 where they came
so, and reading the run gives the same rankings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from curator.collection.rankings import RankedPassage, Ranking, in_trec_eval_order
from curator.errors import CuratorError
from curator.formats.text.records import NOT_IN_IDS, described, on_one_line

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.+-]|^[.-]")


@dataclass
class RunOddities:
    """What other readers would see otherwise, counted while runs are written."""

    lists: int = 0
    in_other_order: int = 0  # for trec_eval, which goes by score
    gaps: int = 0  # ranks without a passage above others, which trec_eval closes
    repeats: int = 0  # lines of a passage that its list has already


def run_tags(systems: Iterable[str]) -> dict[str, str]:
    """The tag of each system: its name, with ``_`` for what no column can hold.

    Raises CuratorError where two systems would have one tag.
    """
    tags = {system: NOT_IN_IDS.sub("_", system) for system in systems}
    by_tag: dict[str, str] = {}
    for system, tag in tags.items():
        other = by_tag.setdefault(tag, system)
        if other != system:
            raise CuratorError(
                on_one_line(
                    f"Systems {described(other)} and {described(system)} would both "
                    f"be '{tag}' in a TREC run, whose columns hold no blanks. Export "
                    "--autograder, which keeps their names."
                )
            )
    return tags


def run_file_names(tags: Iterable[str]) -> dict[str, str]:
    """A file name for each tag, all different, also where case does not count."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for tag in tags:
        stem = _NOT_IN_FILE_NAMES.sub("_", tag)[:100]
        name, number = f"{stem}.run", 2
        while name.lower() in taken:
            name, number = f"{stem}-{number}.run", number + 1
        taken.add(name.lower())
        names[tag] = name
    return names


def write_run(
    stream: TextIO,
    rankings: Iterable[Ranking],
    tags: Mapping[str, str],
    oddities: RunOddities,
    from_0: Collection[str] = (),
) -> None:
    """Write the rankings as they come, and note in ``oddities`` what is odd.

    A ranking without a passage has no line. Systems ``from_0`` count ranks from there.
    """
    for ranking in rankings:
        tag = tags[ranking.system]
        lines: list[RankedPassage] = []
        first = 0 if ranking.system in from_0 else 1
        for rank, slot in enumerate(ranking.slots, start=first):
            if slot is None:
                continue
            lines.append(RankedPassage(slot.passage_id, rank, slot.score))
            oddities.repeats += slot.repeats
            stream.write(
                f"{ranking.query_id} Q0 {slot.passage_id} {rank} {slot.score!r} {tag}\n"
            )
        oddities.lists += bool(lines)
        if lines:
            oddities.gaps += lines[-1].rank - first + 1 - len(lines)
        oddities.in_other_order += not in_trec_eval_order(lines)
