"""The files of a bundle: which there are, what they are called, how they are written.

What people read is written by the exporters of single files.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.engine.gradebook import GraderRecord
from curator.errors import BundleError, InputFileError
from curator.formats.bundles import BundleReader, opened_bundle
from curator.formats.manifests import SUFFIX, file_sha256, manifest_path
from curator.formats.text.json_text import json_line
from curator.formats.text.records import described, on_one_line
from curator.store import releases as store_releases
from curator.store.bundles import readable
from curator.verbs.files.export import export_as
from curator.verbs.files.export_request import ExportRequest, ExportSummary
from curator.verbs.files.numbers import (
    export_leaderboard,
    export_qrels,
    export_question_qrels,
)

EXPORTERS: dict[str, Callable[[ExportRequest], ExportSummary]] = {
    "qrels": export_qrels,
    "question_qrels": export_question_qrels,
    "leaderboard": export_leaderboard,
}
"""What writes a file of numbers, by the kind that its manifest names."""

README_NAME = "README.txt"

# What Windows takes for a device, whatever its ending.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)

SAID_ONCE = frozenset({"file", "sha256", "at", "by", "made_by", "collection"})
"""Fields of a manifest beside a file that the bundle's manifest has once for all."""


def readable_files(request: ExportRequest, folder: Path) -> Iterator[tuple[str, Path]]:
    """(name in the bundle, file) of what people read that holds no numbers of ours.

    Each file is good until the next is asked for.
    """
    state, connection = request.state, request.state.connection
    history = folder / "history.jsonl"
    write_lines(history, readable.history_records(connection))
    yield "history.jsonl", history
    asked = next(iter(state.bank), None)
    single: dict[str, tuple[str, object]] = {
        "bank.jsonl": ("bank", asked),
        "questions.csv": ("bank", asked),
        "collection/queries.jsonl": ("queries", state.collection.queries),
        "collection/passages.jsonl": ("passages", True),
        "collection/judgments.qrels": ("judgments", True),
        "collection/official.json": ("official", state.collection.official),
        "collection/gold.jsonl": ("gold", True),
    }
    for name, (kind, there) in single.items():
        target = folder / Path(name).name
        if there and export_as(replace(request, target=target), kind).written:
            yield name, target
    if state.collection.systems:
        runs = folder / "runs"
        export_as(replace(request, target=runs), "runs")
        for run in sorted(runs.iterdir()):
            yield f"collection/runs/{run.name}", run


def grades_of(
    connection: sqlite3.Connection, record: GraderRecord, folder: Path
) -> tuple[str, Path] | None:
    """Name and file of a grader's grades to be read, None where it has none.

    What follows from people's verdicts and checks is in no table; these stand in the
    history.
    """
    if record.derived:
        return None
    target = folder / "grades.jsonl"
    if not write_lines(target, readable.grade_records(connection, record.grader_id)):
        return None
    return f"grades/{file_name(record.name)}.jsonl", target


def canonical_form(
    connection: sqlite3.Connection, release: str, folder: Path
) -> tuple[str, Path]:
    """Name and file of the release of this name in its canonical form."""
    _, found = store_releases.read_release(connection, release)
    target = folder / "release.json"
    target.write_text(found.canonical, encoding="utf-8", newline="\n")
    return f"releases/{file_name(release)}.json", target


def write_numbers(request: ExportRequest) -> dict[str, Any]:
    """Write a file of numbers; what its manifest says of it."""
    sidecar = EXPORTERS[request.kind](request).sidecar
    manifest = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar else {}
    return {k: v for k, v in manifest.items() if k not in SAID_ONCE}


def write_lines(target: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write the records, a line of JSON each; how many there were."""
    number = 0
    with open(target, "w", encoding="utf-8", newline="\n") as stream:
        for record in records:
            stream.write(json_line(record))
            number += 1
    return number


def table_path(name: str) -> str:
    """Where a table's rows stand in the bundle."""
    return f"tables/{name}.jsonl"


def file_name(name: str) -> str:
    """A grader's, measure's or release's name as part of a file's name."""
    plain = re.sub(r"[^\w.@()=,+-]+", "_", name).strip("._ ")[:100] or "unnamed"
    return f"_{plain}" if _DEVICE.match(plain) else plain


README = """\
This is a Curator bundle: a bank of exam questions with everything that its numbers
rest on.

To check it without Curator, unpack it and run

    sha256sum -c SHA256SUMS

To rebuild the workspace, compute every number again and compare:

    pip install exam-curator
    curator import NEW.db --bundle THIS.zip
    curator verify NEW.db

Files to be read. Each stands here only if there is something to put into it.

    bank.jsonl            the kept questions, in Autograder's form
    questions.csv         the same as a spreadsheet
    history.jsonl         every change to the bank, one a line: who, when, before,
                          after, why
    grades/GRADER.jsonl   every grade, one a line: query, question, passage, rating,
                          and the model's own words where it answered in words
    collection/           queries, passages, official judgments and ranks, gold
                          articles; runs/ has a TREC run for each system
    qrels/GRADER.qrels    the labels that follow from the grades, for trec_eval
    boards/GRADER-MEASURE.tsv
                          a leaderboard
    releases/NAME.*       a frozen bank in its canonical form (the SHA-256 of this file
                          is the release's hash), its labels and its board

Files to rebuild from.

    tables/TABLE.jsonl    the rows of one table of the workspace; blobs as base64
    manifest.json         versions, when and by whom, and for every other file its
                          size, its SHA-256, and the settings of its numbers
    SHA256SUMS            the same hashes, as sha256sum reads them

Not in here: jobs, and what a model was being asked at that moment; the secret that
masks the names of systems in blind mode, of which a rebuilt workspace gets its own;
and restricted queries, which the manifest names under left_out: every number here is
of the other queries.
"""


COLLECTION = {
    "collection/judgments.qrels": "judgments",
    "collection/official.json": "official",
}
RUNS = "collection/runs/"


@dataclass(frozen=True)
class NumbersFile:
    """An exported file: where it was, what it rests on by its manifest, its text."""

    path: str
    manifest: Mapping[str, Any]
    text: str


def left_out_of(bundle: BundleReader) -> list[str]:
    """The restricted queries that it was written without. Raises BundleError."""
    found = bundle.manifest.get("left_out", [])
    if not isinstance(found, list) or not all(
        isinstance(one, str) and one.isprintable() for one in found
    ):
        raise bundle.error("'left_out' is no list of queries.", "manifest.json")
    return found


def files_of_numbers(
    path: Path, queries: Collection[str]
) -> tuple[list[str], list[NumbersFile]]:
    """(what is wrong, the files of numbers) of a bundle or of a single file.

    They are to be computed in a workspace of these ``queries``. Raises BundleError and
    InputFileError for a file that cannot be read, and for a bundle that was written
    without some of them, whose numbers are others.
    """
    path = path.with_name(path.name.removesuffix(SUFFIX))  # of a manifest, its file
    start = b""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from None
    if start.startswith(b"PK"):
        _refuse_zipped_board(path)
        with opened_bundle(path) as bundle:
            if here := [one for one in left_out_of(bundle) if one in queries]:
                raise BundleError(
                    f"{path.name}: was written without restricted queries, of which "
                    f"'{here[0]}' is in this workspace, so its numbers are others: "
                    f"`curator import NEW.db --bundle {path.name}`, and verify NEW.db."
                )
            return [], [
                replace(one, path=f"{path.name}, {one.path}")
                for one in bundled_numbers(bundle)
            ]
    manifest = _sidecar(path)
    wrong = []
    if manifest.get("sha256") != file_sha256(path):
        wrong.append(
            f"{path.name} is not the file that its manifest names: its SHA-256 is "
            f"{file_sha256(path)}"
        )
    return wrong, [NumbersFile(path.name, manifest, _text(path))]


def _refuse_zipped_board(path: Path) -> None:
    """Raise InputFileError for a zip whose manifest says that it is a board."""
    if not manifest_path(path).is_file():
        return  # as with a bundle, which has its own inside
    beside = _sidecar(path)
    if beside.get("kind") == "leaderboard" and beside.get("sha256") == file_sha256(
        path
    ):
        raise InputFileError(
            f"{path.name}: is a board zipped for trec_eval, which is not compared; "
            "`curator export WORKSPACE --leaderboard FILE.tot` writes one that is."
        )


def bundled_numbers(bundle: BundleReader) -> Iterator[NumbersFile]:
    """Files of numbers in a bundle, and of the collection that boards rest on.

    Of runs, which may be long, there is no text but their hash.
    """
    for name, member in bundle.members.items():
        if member.numbers is not None:
            yield NumbersFile(name, member.numbers, bundle.text(name))
        elif name in COLLECTION:
            yield NumbersFile(name, {"kind": COLLECTION[name]}, bundle.text(name))
        elif name.startswith(RUNS):
            manifest = {"kind": "runs", "member": name, "sha256": member.sha256}
            yield NumbersFile(name, manifest, "")


def _sidecar(path: Path) -> dict[str, Any]:
    beside = manifest_path(path)
    try:
        manifest = json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputFileError(
            f"{path.name}: no '{beside.name}' beside it, which says what its numbers "
            "rest on; `curator export` writes both, keep them together."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        message = on_one_line(f"{beside.name}: cannot be read ({error}).")
        raise InputFileError(message) from None
    if not isinstance(manifest, dict):
        raise InputFileError(f"{beside.name}: is {described(manifest)}, no manifest.")
    return manifest


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        return content.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputFileError(
            on_one_line(f"{path.name}: cannot be read as text ({error}).")
        ) from None
