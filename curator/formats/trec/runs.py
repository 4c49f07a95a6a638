"""TREC runs: ``query_id Q0 passage_id rank score tag``; the tag names the system.

Ranks, gaps and passages listed again are written as they stand, from 0 where they came
so, and reading the run gives the same rankings.

An extra of format "runs", ("run_form", "<system>"), has ``first_rank`` 0 of a system
that counts from there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TextIO

from curator.collection.rankings import (
    RankedPassage,
    Ranking,
    RunOddities,
    has_trec_eval_order,
    rank_base,
    ranking_from_lines,
)
from curator.errors import CuratorError
from curator.formats import codec
from curator.formats.bundles import free_name
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import file_start, is_json, is_number, read_files
from curator.formats.text.lines import TextLines, collector_paused
from curator.formats.text.notices import Oddities, counted, left_out, listed
from curator.formats.text.output_files import make_folder, output_file
from curator.formats.text.records import (
    MAX_RANK,
    NOT_IN_IDS,
    FileLocation,
    columns_in,
    described,
    identifier,
    number_in,
    number_of,
    on_one_line,
    whole_number_in,
)
from curator.formats.trec.qrels import has_object_pairs, object_pairs

FORMAT = "runs"
SECOND = "Q0"
"""What nearly every run has in its second column; another constant is passed over."""
COLUMNS = "query_id Q0 passage_id rank score tag"
EXPECTED = f"lines of a TREC run: {COLUMNS}"


MAX_SLOTS = 50_000_000  # ranks of all lists, gaps included


class RankedLists:
    """Lines of runs, gathered by system and query until all of them are known.

    A system's ranks may start at 0 in one query and show no 0 in another, so one
    list cannot be judged before the last line is read.
    """

    def __init__(self) -> None:
        self.oddities = RunOddities()
        self._lines: dict[str, dict[str, list[RankedPassage]]] = {}

    def add(self, system: str, query_id: str, line: RankedPassage) -> None:
        """Take one line."""
        by_query = self._lines.setdefault(system, {})
        by_query.setdefault(query_id, []).append(line)

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
        sentences = {
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
        return [notice for notice, applies in sentences.items() if applies]


def read_runs(path: Path, *, progress: Progress | None = None) -> ParsedImport:
    """The rankings of a run, or of every file in a folder of runs.

    A run in ranx's JSON is named by its file, and higher scores rank first. Hidden
    files and folders inside are passed over. Raises InputFileError, also where two
    files rank one query for one system.
    """
    parsed = ParsedImport(path.name, "TREC runs" if path.is_dir() else "a TREC run")
    lists, home = RankedLists(), dict[tuple[str, str], Path]()
    known_ids = dict[str, str]()

    def read(lines: TextLines) -> None:
        for place, system, query_id, line in _listed(lines, known_ids):
            if home.setdefault((system, query_id), lines.path) is not lines.path:
                raise place.error(
                    f"system '{system}' ranks query '{query_id}' in "
                    f"{home[system, query_id].name} too; give the runs different tags."
                )
            lists.add(system, query_id, line)

    with collector_paused():
        left_out = read_files(path, FORMAT, EXPECTED, read, progress=progress)
    if not path.is_dir() and is_json(file_start(path).line):
        parsed.taken_for = "a run in ranx's JSON"
    parsed.rankings = lists.rankings(TextLines(path, expected=EXPECTED))
    for system in lists.oddities.shifted_systems:
        parsed.extras["run_form", system, FORMAT] = '{"first_rank":0}'
    parsed.notices = lists.notices(why_gaps="the run names none") + left_out
    return parsed


def _listed(
    lines: TextLines, known_ids: dict[str, str]
) -> Iterator[tuple[FileLocation, str, str, RankedPassage]]:
    """Place, system, query id and ranked passage of every line."""
    if is_json(lines.peek()):
        yield from _listed_by_score(lines)
        return
    for text in lines:
        columns = columns_in(lines, text, COLUMNS)
        if columns[2] == SECOND != columns[1]:
            raise lines.error(
                f"'{SECOND}' is in the third column, where the passage id belongs; a "
                f"run has {COLUMNS}."
            )
        # One string however many lines name it.
        for place, what in ((0, "query id"), (2, "passage id"), (5, "tag")):
            if columns[place] not in known_ids:
                known_ids[columns[place]] = identifier(lines, columns[place], what)
            columns[place] = known_ids[columns[place]]
        line = RankedPassage(
            columns[2],
            whole_number_in(lines, columns[3], "rank", 0, MAX_RANK),
            number_in(lines, columns[4], "score"),
        )
        yield lines, columns[5], columns[0], line


def _listed_by_score(
    lines: TextLines,
) -> Iterator[tuple[FileLocation, str, str, RankedPassage]]:
    system = lines.path.name.removesuffix(".gz").removesuffix(".json")
    scores: dict[str, list[tuple[float, str]]] = {}
    for place, query_id, passage_id, value in object_pairs(lines):
        score = number_of(place, value, "the score")
        passage_id = identifier(place, passage_id, "passage id")
        scores.setdefault(identifier(place, query_id, "query id"), []).append(
            (score, passage_id)
        )
    for query_id, scored in scores.items():
        # Equal scores are ordered by passage id, as trec_eval does.
        for rank, (score, passage_id) in enumerate(sorted(scored, reverse=True), 1):
            yield lines, system, query_id, RankedPassage(passage_id, rank, score)


_NOT_IN_FILE_NAMES = re.compile(r"[^\w.+-]|^[.-]")


_WRITTEN = {
    "renamed": "[system] under another name, since a TREC run has no blanks in its "
    "columns: {}.",
    "order": "[ranking] that trec_eval would order differently, since it goes by "
    "score; here ranks count.",
    "gaps": "[rank] without a passage, which trec_eval closes, so that what is below "
    "counts for more there; here the rank counts.",
    "repeats": "[line] of a passage listed before, which trec_eval refuses; here its "
    "best rank counts.",
}


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
    for tag in tags:
        stem = _NOT_IN_FILE_NAMES.sub("_", tag)[:100]
        names[tag] = free_name(f"{stem}.run", names.values())
    return names


def write_run(
    stream: TextIO,
    rankings: Iterable[Ranking],
    tags: Mapping[str, str],
    odd: Oddities,
    from_0: Collection[str] = (),
) -> int:
    """Write the rankings as they come; return how many have a passage.

    ``odd`` counts what other readers see differently. A ranking without a passage has
    no line. Systems ``from_0`` count ranks from there.
    """
    written = 0
    for ranking in rankings:
        tag = tags[ranking.system]
        lines: list[RankedPassage] = []
        first = 0 if ranking.system in from_0 else 1
        for rank, slot in enumerate(ranking.slots, start=first):
            if slot is None:
                continue
            lines.append(RankedPassage(slot.passage_id, rank, slot.score))
            odd.count("repeats", slot.repeats)
            stream.write(
                f"{ranking.query_id} Q0 {slot.passage_id} {rank} {slot.score!r} {tag}\n"
            )
        if lines:
            written += 1
            odd.count("gaps", lines[-1].rank - first + 1 - len(lines))
        odd.count("order", not has_trec_eval_order(lines))
    return written


def without_passages(empty: Mapping[str, int]) -> list[str]:
    """Return a notice of rankings without passages, which have no line."""
    if not empty:
        return []
    words = "ranking without a passage", "rankings without a passage"
    omitted = left_out(sum(empty.values()), *words).removesuffix(".")
    return [f"{omitted}: {listed(empty)}."]


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Every system's rankings: a file of all, or a folder with a file for each.

    A target that is a folder, or a new name without an ending, is a folder.
    """
    odd, tags, written = Oddities(_WRITTEN), run_tags(contents.systems), 0
    rankings, extras = contents.rankings(), contents.extras()
    from_0 = {system for system in tags if ("run_form", system, FORMAT) in extras}
    if target.is_dir() or not (target.exists() or target.suffix):
        names = run_file_names(tags.values())
        make_folder(target, names.values())
        for system, of_system in groupby(rankings, key=lambda ranking: ranking.system):
            with output_file(target / names[tags[system]]) as stream:
                written += write_run(stream, of_system, tags, odd, from_0)
    else:
        with output_file(target) as stream:
            written = write_run(stream, rankings, tags, odd, from_0)
    for system, tag in tags.items():
        if system != tag:
            odd.name("renamed", f"{system} as {tag}")
    notices = odd.notices() + without_passages(contents.empty_rankings())
    return codec.WriteResult(written, "rankings", notices)


def _fits(start: codec.FileStart) -> bool:
    match start.line.split():
        case [_, _, _, rank, score, _] if is_number(rank):
            return is_number(score)
    return has_object_pairs(start, integers=False)


CODECS = (
    codec.Codec(
        "runs",
        codec.Imports(
            option=codec.ImportOption(
                "runs", "run", r"\.run\b|(^|[\W_])runs?([\W_]|$)|^input\.", folders=True
            ),
            called="TREC run or ranx's JSON, or a folder of runs",
            read=read_runs,
            fits=_fits,
        ),
        codec.Exports(
            label="Runs",
            what="What the systems retrieved, all in one TREC run file.",
            group=codec.COLLECTION,
            forms=(("TREC run, gzipped", ".run.gz"), ("TREC run", ".run")),
            carries=codec.carried("rankings"),
            write=_write,
            large=True,
            tells_systems=True,
        ),
    ),
)
