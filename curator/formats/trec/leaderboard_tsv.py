"""The leaderboard out, as the RUBRIC workbench lays it out, and as CSV.

EXAM and n-EXAM have the workbench's columns, any other measure its own after these.
Both open in a spreadsheet, so both neutralise names that would be formulas there;
``official_ranks`` undoes it. The CSV has no columns for "+/-".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TextIO

from curator.formats import codec
from curator.formats.text.spreadsheets import plain_line, write_csv

BETWEEN = "+/-"
COLUMNS = (
    *("method", "exam", BETWEEN, "exam-std", "n-exam", BETWEEN, "n-exam-std"),
    "orig_TREC_leaderboard_rank",
)
"""What the workbench calls "std" is the standard error."""

OVERALL = "_overall_"
GOLD = "_gold_"


@dataclass(frozen=True)
class BoardColumn:
    """A measure: (score, standard error) by system, None where one is not known.

    ``correlations`` are those of its board with the official ranks, by their names.
    """

    name: str
    scores: Mapping[str, tuple[float | None, float | None]] = field(
        default_factory=dict
    )
    correlations: Mapping[str, float | None] = field(default_factory=dict)


def write_leaderboard(
    stream: TextIO,
    systems: Sequence[str],
    columns: Sequence[BoardColumn],
    official: Mapping[str, float],
) -> None:
    """Write a line for each system as they come, then one for each correlation.

    ``columns`` are EXAM's, n-EXAM's and any others. The whole pool is the system named
    ``OVERALL``, the gold articles the one named ``GOLD``.
    """
    for line in _lines(systems, columns, official, plain_line):
        cells = (
            f"{item:.4f}" if isinstance(item, float) else item or "" for item in line
        )
        stream.write("\t".join(cells) + "\n")


def write_leaderboard_csv(
    stream: TextIO,
    systems: Sequence[str],
    columns: Sequence[BoardColumn],
    official: Mapping[str, float],
) -> None:
    """Write the same board as CSV, every score with all of its digits."""
    lines = list(_lines(systems, columns, official, str))
    shown = [name != BETWEEN for name in lines[0]]
    write_csv(stream, (list(compress(line, shown)) for line in lines))


def _lines(
    systems: Sequence[str],
    columns: Sequence[BoardColumn],
    official: Mapping[str, float],
    name_of: Callable[[str], str],
) -> Iterator[list[str | float | None]]:
    """The headings and every line."""
    names = [name_of(item.name) for item in columns[2:]]
    yield [*COLUMNS, *(n for name in names for n in (name, BETWEEN, f"{name}-std"))]
    for system in systems:
        rank = official.get(system)
        line: list[str | float | None] = [name_of(system)]
        for number, item in enumerate(columns):
            score, stderr = item.scores.get(system, (None, None))
            between = BETWEEN if number < 2 or system in item.scores else None
            line += [score, between, stderr]
        line.insert(7, None if rank is None else rank_text(rank))
        yield line
    for name in dict.fromkeys(name for item in columns for name in item.correlations):
        line = [name]
        for item in columns:
            line += [item.correlations.get(name), None, None]
        line.insert(7, None)
        yield line


def rank_text(rank: float) -> str:
    """The rank with all of its digits, and none after the point of a whole one."""
    return str(int(rank)) if rank.is_integer() else repr(rank)


CODECS = (
    codec.Codec(
        "leaderboard",
        exports=codec.Exports(
            label="Board",
            what="Every system’s score with its standard error; in the forms of "
            "evaluation tools, in every query.",
            group=codec.NUMBERS,
            forms=(
                *(("TSV", ".tsv"), codec.CSV),
                *(("tot", ".tot"), ("ir_measures", ".ir_measures")),
                ("trec_eval, zipped", ".zip"),
            ),
            carries=codec.carried("official ranks"),
            under_settings=True,
            of_numbers=True,
            of_a_release=True,
        ),
    ),
)
