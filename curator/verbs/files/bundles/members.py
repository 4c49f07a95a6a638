"""The files of a bundle that no table is, held beside those its tables give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from curator.engine.state import State
from curator.formats.bundles import BundleReader, free_name, sums_of
from curator.formats.manifests import file_sha256
from curator.formats.recognition import SUMS
from curator.formats.text.notices import counted, listed
from curator.store import releases as store_releases
from curator.verbs.files.bundles.contents import (
    README_NAME,
    canonical_form,
    grades_of,
    readable_files,
)
from curator.verbs.files.export_request import ExportOrder


def notices_on_files(state: State, bundle: BundleReader, folder: Path) -> list[str]:
    """What is to be said of the files to be read, beside the tables.

    Another version of this program may have written them otherwise. Numbers are not
    computed here.
    """
    order = ExportOrder(state, "bundle", folder / "unused")
    folder = folder / "readable"
    folder.mkdir()
    seen, differing = {README_NAME, SUMS}, []
    for wanted, source in _to_be_read(order, folder):
        name = free_name(wanted, seen)
        seen.add(name)
        member = bundle.members.get(name)
        if member is None or member.sha256 != file_sha256(source):
            differing.append(name)
    others = [one for one in bundle.members.values() if one.name != SUMS]
    if SUMS not in bundle.members or bundle.text(SUMS) != sums_of(others):
        differing.append(SUMS)
    notices = []
    if differing:
        notices.append(
            f"{listed(differing)}: not written as this version writes "
            f"{'it' if len(differing) == 1 else 'them'} from the same tables; the "
            "tables count."
        )
    numbers = {one.name for one in others if one.numbers is not None}
    if unknown := [
        one.name
        for one in others
        if one.name not in seen | numbers and not one.name.startswith("tables/")
    ]:
        notices.append(
            f"{listed(unknown)}: no file that this version writes from the same "
            f"tables; {'it was' if len(unknown) == 1 else 'they were'} not read."
        )
    if numbers:
        notices.append(
            f"The numbers of {counted(len(numbers), 'file')} (qrels, boards) were not "
            "computed again; `curator verify WORKSPACE` does, and compares them."
        )
    return notices


def _to_be_read(order: ExportOrder, folder: Path) -> Iterator[tuple[str, Path]]:
    """(name, file) of all that people read and that is no number, as in a bundle.

    Each file is good until the next is asked for.
    """
    yield from readable_files(order, folder)
    for record in order.state.gradebook.records:
        if grades := grades_of(order.state.connection, record, folder):
            yield grades
    for release in reversed(store_releases.read_releases(order.state.connection)):
        yield canonical_form(order.state.connection, release.name, folder)
