"""Boards: scores by system and topic, a line a score, and tables of systems.

Columns are ``measure topic score`` of trec_eval, whose file is called by its system;
``run measure topic score`` (tot), ``run topic measure score`` (ir_measures) and
``topic run measure score`` (rag4reports). A board is their means, the lines of the
topic ``all``, which also tell by their place which columns these are.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TextIO

from curator.collection.pools import OFFICIAL_SCORE
from curator.errors import AmbiguousFileError
from curator.evaluation.ranks import average_ranks
from curator.evaluation.settings import judged_measure
from curator.formats import codec
from curator.formats.bundles import zip_entry
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import is_number, read_files
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted, listed
from curator.formats.text.output_files import output_file
from curator.formats.text.records import error_at, name_of, number_in
from curator.formats.text.spreadsheets import plain_line, write_csv
from curator.formats.trec.runs import run_file_names, run_tags

EXPECTED = "lines of scores: run topic measure score, the means as topic all"
ALL = "all"
FORMS = {
    "tot": ("run", "measure", "topic"),
    "ir_measures": ("run", "topic", "measure"),
}
"""The columns before the score, by the name of the form."""
Boards = dict[str, dict[str, float]]  # scores by measure and system


def form_of(name: str) -> str:
    """The form that a file's ending promises, gzipped too; "" for none."""
    ending = Path(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    return ending if ending in FORMS else ""


def is_scores(line: str) -> bool:
    """Return True if a first line is one of scores, and not of qrels."""
    match line.split():
        case [_, _, score]:
            return is_number(score)
        case [_, _, _, score]:
            return is_number(score) and not score.lstrip("+-").isdigit()
    return False


def read_scored_boards(
    path: Path, *, progress: Progress | None = None
) -> tuple[ParsedImport, Boards]:
    """Read a file or folder of scores: what it is taken for, boards by measure.

    Raises InputFileError, also where there are no means.
    """
    parsed = ParsedImport(path.name, "scores by system, of which the means")
    boards: Boards = {}
    read = partial(_add_file, boards)
    parsed.notices += read_files(path, "official", EXPECTED, read, progress=progress)
    return parsed, boards


def _add_file(boards: Boards, lines: TextLines) -> None:
    rows: list[tuple[int, list[str]]] = []
    for text in lines:
        rows.append((lines.number, text.split()))
        width = len(rows[-1][1])
        if width not in (3, 4) or width != len(rows[0][1]):
            raise lines.error(
                f"{counted(width, 'column')} here; scores have 3 (measure topic score) "
                "or 4 (run topic measure score) on every line."
            )
    names: tuple[str, ...] = ("measure", "topic")
    if len(rows[0][1]) == 4:
        names = _columns(lines, [cells for _, cells in rows])
    for number, cells in rows:
        lines.number = number
        of = dict(zip(names, cells, strict=False))
        score = number_in(lines, cells[-1], "score")
        if of["topic"] != ALL:
            continue
        system = name_of(lines, of.get("run", lines.path.name), "run")
        board = boards.setdefault(of["measure"], {})
        if board.setdefault(system, score) != score:
            raise lines.error(
                f"run '{system}' has two means of {of['measure']}; keep one."
            )


def _columns(lines: TextLines, rows: list[list[str]]) -> tuple[str, ...]:
    """The names of four columns, by the place of the topic of means."""
    for names in (*FORMS.values(), ("topic", "run", "measure")):
        place = names.index("topic")
        if any(cells[place] == ALL for cells in rows):
            return names
    message = f"no line is of the topic '{ALL}', of the means; write them, too."
    raise error_at(lines.path, None, message)


def official_board(
    parsed: ParsedImport, boards: Boards, path: Path, measure: str | None
) -> ParsedImport:
    """Return one measure's board as an import: ranks and scores.

    Raises InputFileError for a measure that is not there, or none named of several.
    """
    named = listed(boards)
    if not any(boards.values()):
        raise error_at(path, None, f"has no means; expected {EXPECTED}.")
    if measure is None and len(boards) > 1:
        message = f"has several measures, {named}; give --official-measure NAME."
        raise AmbiguousFileError(str(error_at(path, None, message)))
    measure = measure or next(iter(boards))
    if measure not in boards:
        raise error_at(path, None, f"has no measure '{measure}'; there are {named}.")
    board = boards[measure]
    parsed.taken_for += f", of {measure}"
    ranks = average_ranks(list(board.values())).tolist()
    parsed.official = dict(zip(board, ranks, strict=True))
    entity, form = OFFICIAL_SCORE
    parsed.extras |= {
        (entity, system, form): repr(score) for system, score in board.items()
    }
    return parsed


# trec_eval's name of a measure by ours, without and with a cut-off.
_WHOLE = {
    "AP": "map",
    "Bpref": "bpref",
    "nDCG": "ndcg",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumRet": "num_ret",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "SetAP": "set_map",
    "SetF": "set_F",
    "SetP": "set_P",
    "SetR": "set_recall",
    "infAP": "infAP",
}
_CUT = {
    "AP": "map_cut",
    "P": "P",
    "R": "recall",
    "Success": "success",
    "nDCG": "ndcg_cut",
}
# The threshold is no part of trec_eval's names: there it is the option -l.
_NAMED = re.compile(r"(?P<family>[A-Za-z]+)(?:\(rel=\d+\))?(?:@(?P<k>\d+))?")


def trec_eval_name(measure: str) -> str:
    """``P@20`` as ``P_20``, ``RR`` as ``recip_rank``; others in trec_eval's letters.

    A measure that trec_eval does not have keeps its name, with ``_`` for every
    character but letters, digits, ``_``, ``.`` and ``-``.
    """
    named = _NAMED.fullmatch(measure)
    if named and named["k"] and named["family"] in _CUT:
        return f"{_CUT[named['family']]}_{int(named['k'])}"
    if named and not named["k"] and named["family"] in _WHOLE:
        return _WHOLE[named["family"]]
    recall = re.fullmatch(r"IPrec(?:\(rel=\d+\))?@(0?\.\d+|[01]\.0*|[01])", measure)
    if recall:
        return f"iprec_at_recall_{float(recall[1]):.2f}"
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", measure).strip("_")


def trec_eval_line(measure: str, topic: str, score: float) -> str:
    """``%-22s\\t%s\\t%6.4f``, the line that trec_eval prints."""
    name = trec_eval_name(judged_measure(measure) or measure)
    return f"{name:<22}\t{topic}\t{score:6.4f}"


def score_lines(
    form: str, measure: str, scores: Iterable[tuple[str, str, float]]
) -> Iterator[str]:
    """Lines of this form for (system, topic, score); of trec_eval without the system.

    Scores have all digits but in trec_eval's form. A blank in a system's name becomes
    ``_``, as in a run's tag.
    """
    scores = list(scores)
    tags = run_tags({system: None for system, *_ in scores})
    for system, topic, score in scores:
        if form == "trec_eval":
            yield trec_eval_line(measure, topic, score)
            continue
        of = {"run": tags[system], "measure": measure, "topic": topic}
        yield "\t".join([*(of[name] for name in FORMS[form]), repr(score)])


def write_by_system(target: Path, lines: Mapping[str, Iterable[str]]) -> None:
    """A zip of a file for each system, called as it is in a run: trec_eval's scores."""
    tags = run_tags(lines)
    names = run_file_names(tags.values())
    with (
        output_file(target) as stream,
        zipfile.ZipFile(stream.buffer, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for system, scores in lines.items():
            content = "".join(scores).encode()
            name = names[tags[system]].removesuffix(".run")
            packed.writestr(zip_entry(name, len(content)), content)


# Boards as tables

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
    in_csv = [name != BETWEEN for name in lines[0]]
    write_csv(stream, (list(compress(line, in_csv)) for line in lines))


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
