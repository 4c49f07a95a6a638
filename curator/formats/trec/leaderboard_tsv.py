"""The leaderboard out, as the RUBRIC workbench lays it out, and as CSV.

EXAM and n-EXAM have the workbench's columns, any other measure its own after these.
Both open in a spreadsheet, so both neutralise names that would be formulas there;
``official_ranks`` undoes it. The CSV has no columns for "+/-".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from curator.formats import codec
from curator.formats.text.spreadsheets import Cell, plain_line, write_csv

COLUMNS = (
    *("method", "exam", "+/-", "exam-std", "n-exam", "+/-", "n-exam-std"),
    "orig_TREC_leaderboard_rank",
)
"""What the workbench calls "std" is the standard error."""

OVERALL = "_overall_"


@dataclass(frozen=True)
class LeaderboardRow:
    """One system's EXAM and n-EXAM; None where one is not defined or not known."""

    system: str
    exam: float | None = None
    exam_stderr: float | None = None
    n_exam: float | None = None
    n_exam_stderr: float | None = None
    official_rank: float | None = None


@dataclass(frozen=True)
class LeaderboardCorrelation:
    """A correlation of EXAM's and n-EXAM's boards with the official ranks."""

    name: str  # "spearman" or "kendall"
    exam: float | None = None
    n_exam: float | None = None


@dataclass(frozen=True)
class ExtraMeasure:
    """A measure after the workbench's columns: score, "+/-" and standard error.

    ``scores`` maps system to (score, standard error), ``correlations`` a correlation's
    name to its value.
    """

    name: str
    scores: Mapping[str, tuple[float | None, float | None]]
    correlations: Mapping[str, float | None] = field(default_factory=dict)

    def cells(self, method: str) -> tuple[str, str, str]:
        """The three cells of a system's line, or of a correlation's."""
        if method in self.scores:
            score, stderr = self.scores[method]
            return _score(score), "+/-", _score(stderr)
        return _score(self.correlations.get(method)), "", ""


def write_leaderboard(
    stream: TextIO,
    rows: Iterable[LeaderboardRow],
    *,
    correlations: Iterable[LeaderboardCorrelation] = (),
    extra: Sequence[ExtraMeasure] = (),
) -> None:
    """Write the rows as they come; the whole pool is the row named ``OVERALL``."""
    names = [plain_line(one.name) for one in extra]
    headings = [(name, "+/-", f"{name}-std") for name in names]
    lines: list[tuple[str, ...]] = [(*COLUMNS, *(n for h in headings for n in h))]
    for row in rows:
        scores = (row.exam, row.exam_stderr, row.n_exam, row.n_exam_stderr)
        exam, exam_stderr, n_exam, n_exam_stderr = map(_score, scores)
        rank = "" if row.official_rank is None else rank_text(row.official_rank)
        lines.append(
            (
                *(plain_line(row.system), exam, "+/-", exam_stderr),
                *(n_exam, "+/-", n_exam_stderr, rank),
                *(cell for one in extra for cell in one.cells(row.system)),
            )
        )
    for found in correlations:
        exam, n_exam = _score(found.exam), _score(found.n_exam)
        more = (cell for one in extra for cell in one.cells(found.name))
        lines.append((found.name, exam, "", "", n_exam, "", "", "", *more))
    for line in lines:
        stream.write("\t".join(line) + "\n")


def write_leaderboard_csv(
    stream: TextIO,
    rows: Iterable[LeaderboardRow],
    *,
    correlations: Iterable[LeaderboardCorrelation] = (),
    extra: Sequence[ExtraMeasure] = (),
) -> None:
    """Write the same board as CSV, every score with all of its digits."""
    headings = tuple(name for name in COLUMNS if name != "+/-")
    more = tuple(name for one in extra for name in (one.name, f"{one.name}-std"))
    lines: list[tuple[Cell, ...]] = [(*headings, *more)]
    for row in rows:
        scores = (row.exam, row.exam_stderr, row.n_exam, row.n_exam_stderr)
        beside = (
            cell for one in extra for cell in one.scores.get(row.system, (None, None))
        )
        rank = None if row.official_rank is None else rank_text(row.official_rank)
        lines.append((row.system, *scores, rank, *beside))
    for found in correlations:
        coefficients = (
            cell for one in extra for cell in (one.correlations.get(found.name), None)
        )
        exam, n_exam = found.exam, found.n_exam
        lines.append((found.name, exam, None, n_exam, None, None, *coefficients))
    write_csv(stream, lines)


def rank_text(rank: float) -> str:
    """The rank with all of its digits, and none after the point of a whole one."""
    return str(int(rank)) if rank.is_integer() else repr(rank)


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


CODECS = (
    codec.Codec(
        "leaderboard",
        exports=codec.Exports(
            help="The board as TSV; with all digits as .csv.",
            label="Board",
            what="Every system’s score with its standard error.",
            group=codec.NUMBERS,
            forms=(("TSV", ".tsv"), codec.CSV),
            carries=codec.carried("official ranks"),
            under_settings=True,
            of_numbers=True,
            of_a_release=True,
        ),
    ),
)
