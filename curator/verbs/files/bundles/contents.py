"""Files of a bundle: their names and contents.

Files for people are written by the exporters of single files.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.errors import BundleError, InputFileError
from curator.formats.bundles import FORMER_FORMAT, BundleReader, opened_bundle
from curator.formats.text.json_text import json_line
from curator.formats.text.output_files import SUFFIX, file_sha256, manifest_path
from curator.formats.text.records import described, on_one_line
from curator.store import releases as store_releases
from curator.store.bundles import readable
from curator.verbs.files.export import export_as, export_result
from curator.verbs.files.export_request import ExportRequest

README_NAME = "README.txt"

# Names that Windows reserves for devices, with any ending.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)

SHARED_FIELDS = frozenset({"file", "sha256", "at", "by", "made_by", "collection"})
"""Fields of a single file's manifest that a bundle's manifest has only once."""


def readable_files(request: ExportRequest, folder: Path) -> Iterator[tuple[str, Path]]:
    """List (name in the bundle, file) of files for people that contain no numbers.

    Each file exists until the next is requested.
    """
    snapshot, connection = request.snapshot, request.snapshot.connection
    target = folder / "lines.jsonl"
    _write_lines(target, readable.history_records(connection))
    yield "history.jsonl", target
    first_question = next(iter(snapshot.bank), None)
    single: dict[str, tuple[str, object]] = {
        "bank.jsonl": ("bank", first_question),
        "questions.csv": ("bank", first_question),
        "collection/queries.jsonl": ("queries", snapshot.collection.queries),
        "collection/passages.jsonl": ("passages", True),
        "collection/judgments.qrels": ("judgments", True),
        "collection/official.json": ("official", snapshot.collection.official),
        "collection/gold.jsonl": ("gold", True),
    }
    for name, (kind, content) in single.items():
        file = folder / Path(name).name
        if content and export_as(replace(request, target=file), kind).written:
            yield name, file
    if snapshot.collection.systems:
        runs = folder / "runs"
        export_as(replace(request, target=runs), "runs")
        for run in sorted(runs.iterdir()):
            yield f"{RUNS}{run.name}", run
    for record in snapshot.gradebook.records:
        # Grades derived from marks are in no table; the history has the marks.
        if not record.derived and _write_lines(
            target, readable.grade_records(connection, record.grader_id)
        ):
            yield f"grades/{file_name(record.name)}.jsonl", target
    for release in reversed(store_releases.read_releases(connection)):
        _, frozen = store_releases.read_release(connection, release.name)
        target.write_text(frozen.canonical, encoding="utf-8", newline="\n")
        yield f"{RELEASES}{file_name(release.name)}.json", target


def write_numbers(request: ExportRequest) -> dict[str, Any]:
    """Write a file of numbers, and return its manifest without the shared fields."""
    sidecar = export_result(request).sidecar
    manifest = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar else {}
    return {k: v for k, v in manifest.items() if k not in SHARED_FIELDS}


def _write_lines(target: Path, records: Iterable[Mapping[str, Any]]) -> bool:
    """Write the records as lines of JSON; return True if there are any."""
    with open(target, "w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(map(json_line, records))
        return stream.tell() > 0


def file_name(name: str) -> str:
    """Convert the name of a grader, measure or release to a part of a file's name."""
    plain = re.sub(r"[^\w.@()=,+-]+", "_", name).strip("._ ")[:100] or "unnamed"
    return f"_{plain}" if _DEVICE.match(plain) else plain


README = """\
This is a Curator bundle: a bank of exam questions with all data behind its numbers.

To check it without Curator, unpack it and run

    sha256sum -c SHA256SUMS

To rebuild the workspace, compute every number again and compare:

    pip install exam-curator
    curator import NEW.db --bundle THIS.zip
    curator verify NEW.db

Files to read. Each is present only if it has contents.

    bank.jsonl            the kept questions, in Autograder's form
    questions.csv         the same as a spreadsheet
    history.jsonl         every change to the bank, one a line: who, when, before,
                          after, why
    grades/GRADER.jsonl   every grade, one a line: query, question, passage, rating,
                          and the model's response where it answered in text
    collection/           queries, passages, official judgments and ranks, gold
                          articles; runs/ has a TREC run for each system
    qrels/GRADER.qrels    the labels that follow from the grades, for trec_eval
    boards/GRADER-MEASURE.tsv
                          a leaderboard
    releases/NAME.*       a frozen bank in its canonical form (the SHA-256 of this file
                          is the release's hash), its labels and its board

Files to rebuild from.

    workspace.db          the workspace, an SQLite database
    manifest.json         versions, when and by whom, and the settings of the numbers
                          in each file
    SHA256SUMS            the hashes of all other files, as sha256sum reads them

Not included: jobs and prompts in progress; the secret that masks the names of systems
in blind mode (a rebuilt workspace gets a new one); and restricted queries, listed in
the manifest under left_out (all numbers are of the other queries).
"""


COLLECTION = {
    "collection/judgments.qrels": "judgments",
    "collection/official.json": "official",
}
RUNS = "collection/runs/"
RELEASES = "releases/"


@dataclass(frozen=True)
class NumbersFile:
    """An exported file of numbers: its path, its manifest and its text."""

    path: str
    manifest: Mapping[str, Any]
    text: str


def left_out_of(bundle: BundleReader) -> list[str]:
    """Restricted queries that the bundle was written without. Raises BundleError."""
    query_ids: list[str] = bundle.field("left_out", list, [])
    if not all(isinstance(entry, str) and entry.isprintable() for entry in query_ids):
        raise bundle.error("'left_out' is not a list of queries.", "manifest.json")
    return query_ids


def files_of_numbers(
    path: Path, queries: Collection[str]
) -> tuple[list[str], list[NumbersFile]]:
    """Read (problems, files of numbers) of a bundle or of a single file.

    They will be computed in a workspace of these ``queries``. Raises BundleError and
    InputFileError for a file that cannot be read, and for a bundle without some of
    these queries, as its numbers are different.
    """
    path = path.with_name(path.name.removesuffix(SUFFIX))  # a manifest names its file
    try:
        with open(path, "rb") as file:
            is_zip = file.read(2) == b"PK"
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from None
    if is_zip:
        if manifest_path(path).is_file():  # a bundle has its manifest inside
            raise InputFileError(
                f"{path.name}: a board zipped for trec_eval cannot be compared. "
                "`curator export WORKSPACE --leaderboard FILE.tot` writes one that can."
            )
        with opened_bundle(path) as bundle:
            for query_id in left_out_of(bundle):
                if query_id in queries:
                    raise BundleError(
                        f"{path.name}: was written without restricted queries such as "
                        f"'{query_id}', which this workspace has: verify NEW.db after "
                        f"`curator import NEW.db --bundle {path.name}`."
                    )
            numbers = bundled_numbers(bundle)
            return [], [replace(n, path=f"{path.name}, {n.path}") for n in numbers]
    sidecar, wrong = manifest_path(path), []
    try:
        manifest = json.loads(sidecar.read_text(encoding="utf-8"))
        content = path.read_bytes()
        packed = content.startswith(b"\x1f\x8b")
        text = (gzip.decompress(content) if packed else content).decode()
    except FileNotFoundError:
        raise InputFileError(
            f"{path.name}: its manifest '{sidecar.name}' is missing. `curator export` "
            "writes both; keep them together."
        ) from None
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        message = f"{path.name}: it or its manifest cannot be read ({error})."
        raise InputFileError(on_one_line(message)) from None
    if not isinstance(manifest, dict):
        message = f"{sidecar.name}: is {described(manifest)}, not a manifest."
        raise InputFileError(message)
    if manifest.get("sha256") != file_sha256(path):
        wrong.append(
            f"{path.name} is not the file described by its manifest: its SHA-256 is "
            f"{file_sha256(path)}"
        )
    return wrong, [NumbersFile(path.name, manifest, text)]


def bundled_numbers(bundle: BundleReader) -> Iterator[NumbersFile]:
    """List the files of numbers in a bundle, and of its judgments, ranks and runs.

    Runs, which may be long, have a hash instead of their text.
    """
    numbers = bundle.field("numbers", dict, {})
    if bundle.manifest["format"] == FORMER_FORMAT:
        files = bundle.field("files", dict).items()
        described_files = {n: file for n, file in files if isinstance(file, dict)}
        numbers = {n: file.get("numbers") for n, file in described_files.items()}
    for name, sha256 in bundle.sha256.items():
        if isinstance(manifest := numbers.get(name), dict):
            yield NumbersFile(name, manifest, bundle.text(name))
        elif name in COLLECTION:
            yield NumbersFile(name, {"kind": COLLECTION[name]}, bundle.text(name))
        elif name.startswith(RUNS):
            manifest = {"kind": "runs", "member": name, "sha256": sha256}
            yield NumbersFile(name, manifest, "")
