"""Exports of the collection: queries, passages, runs, judgments, official ranks, gold.

What came in goes out whole: importing all of it again gives the same collection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from pathlib import Path

from curator.collection.rankings import Ranking
from curator.errors import CuratorError
from curator.formats.gold import write_gold
from curator.formats.official_ranks import write_official_ranks
from curator.formats.passages import write_passages
from curator.formats.queries import write_queries
from curator.formats.text.notices import counted, listed
from curator.formats.text.output_files import output_file
from curator.formats.trec_qrels import write_qrels
from curator.formats.trec_runs import (
    FORMAT,
    RunOddities,
    run_file_names,
    run_tags,
    write_run,
)
from curator.store import export as stored
from curator.store.connection import snapshot
from curator.verbs.files.export_request import (
    ExportOrder,
    ExportSummary,
    left_out,
    refuse_blind,
)
from curator.verbs.files.losses import lost


def export_queries(order: ExportOrder) -> ExportSummary:
    """Every query with a text, its background and its subtopics."""
    queries = order.state.collection.queries
    extras = stored.read_extras(order.state.connection)
    with output_file(order.target) as stream:
        without = write_queries(stream, queries, extras)
    notices = []
    if without:
        notices.append(left_out(without, "query without a text", "queries without one"))
    return _summary(order, len(queries) - without, "queries", notices)


def export_passages(order: ExportOrder) -> ExportSummary:
    """Every passage with a text, in the order they came in."""
    connection = order.state.connection
    extras = stored.read_extras(connection)
    with output_file(order.target) as stream, snapshot(connection):
        passages = stored.passages_with_text(connection)
        written = write_passages(stream, passages, extras)
    return _summary(order, written, "passages")


def export_gold(order: ExportOrder) -> ExportSummary:
    """The gold articles, a line a passage."""
    extras = stored.read_extras(order.state.connection)
    with output_file(order.target) as stream:
        passages = stored.gold_passages(order.state.connection)
        written = write_gold(stream, passages, extras)
    return _summary(order, len(written), "gold articles")


def export_judgments(order: ExportOrder) -> ExportSummary:
    """The official judgments as qrels, also those of passages without a text."""
    refuse_blind(order)
    found = stored.judgments(order.state.connection)
    with output_file(order.target) as stream:
        write_qrels(stream, found)
    return _summary(order, len(found), "judgments")


def export_official(order: ExportOrder) -> ExportSummary:
    """The official ranks as a JSON object."""
    refuse_blind(order)
    official = order.state.collection.official
    with output_file(order.target) as stream:
        write_official_ranks(stream, official)
    return _summary(order, len(official), "official ranks")


def export_runs(order: ExportOrder) -> ExportSummary:
    """Every system's rankings: a file of all, or a folder with a file for each.

    A target that is a folder, or a new name without an ending, is a folder.
    """
    refuse_blind(order)
    connection, oddities = order.state.connection, RunOddities()
    tags = run_tags(order.state.collection.systems)
    target = order.target
    with snapshot(connection):
        rankings = stored.rankings(connection)
        extras = stored.read_extras(connection)
        from_0 = {one for one in tags if ("run_form", one, FORMAT) in extras}
        empty = stored.empty_rankings(connection)
        if target.is_dir() or not (target.exists() or target.suffix):
            _write_folder(target, rankings, tags, oddities, from_0)
        else:
            with output_file(target) as stream:
                write_run(stream, rankings, tags, oddities, from_0)
    notices = _run_notices(oddities, tags, empty)
    return _summary(order, oddities.lists, "rankings", notices)


def without_passages(empty: Mapping[str, int]) -> list[str]:
    """That systems answered nothing, and where, has no line: a notice, if there are."""
    if not empty:
        return []
    words = "ranking without a passage", "rankings without a passage"
    said = left_out(sum(empty.values()), *words).removesuffix(".")
    return [f"{said}: {listed(empty)}."]


def _write_folder(
    folder: Path,
    rankings: Iterable[Ranking],
    tags: dict[str, str],
    oddities: RunOddities,
    from_0: Collection[str],
) -> None:
    names = run_file_names(tags.values())
    try:
        folder.mkdir(exist_ok=True)
        others = {one.name for one in folder.iterdir()} - set(names.values())
    except OSError as error:
        raise CuratorError(f"Cannot write '{folder}': {error.strerror}.") from None
    if others:
        raise CuratorError(
            f"The folder '{folder}' holds other files ({listed(others)}), which an "
            "import would read as runs too. Name a folder of its own."
        )
    for system, of_system in groupby(rankings, key=lambda one: one.system):
        with output_file(folder / names[tags[system]]) as stream:
            write_run(stream, of_system, tags, oddities, from_0)


def _run_notices(
    oddities: RunOddities, tags: dict[str, str], empty: Mapping[str, int]
) -> list[str]:
    notices = []
    renamed = [f"{name} as {tag}" for name, tag in tags.items() if name != tag]
    if renamed:
        notices.append(
            "A TREC run has no blanks in its columns, so systems are written under "
            f"other names: {listed(renamed)}."
        )
    if oddities.in_other_order:
        notices.append(
            f"{oddities.in_other_order:,} of {counted(oddities.lists, 'ranking')} "
            "would be ordered differently by trec_eval, which goes by score; here "
            "ranks count."
        )
    if oddities.gaps:
        notices.append(
            f"{counted(oddities.gaps, 'rank')} without a passage, which trec_eval "
            "closes, so that what is below counts for more there; here the rank counts."
        )
    if oddities.repeats:
        notices.append(
            f"{counted(oddities.repeats, 'line')} of a passage listed before, which "
            "trec_eval refuses; here its best rank counts."
        )
    return notices + without_passages(empty)


def _summary(
    order: ExportOrder, written: int, what: str, notices: Iterable[str] = ()
) -> ExportSummary:
    return ExportSummary(
        order.kind,
        order.target,
        written,
        what,
        tuple(notices),
        lost(order.state, order.kind),
    )
