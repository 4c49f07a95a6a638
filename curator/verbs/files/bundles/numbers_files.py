"""Files of numbers that somebody has, with what their manifests say they rest on."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.bundles import BundleReader, opened_bundle
from curator.formats.manifests import SUFFIX, file_sha256, manifest_path
from curator.formats.text.records import described, on_one_line

COLLECTION = {
    "collection/judgments.qrels": "judgments",
    "collection/official.json": "official",
}
RUNS = "collection/runs/"


@dataclass(frozen=True)
class NumbersFile:
    """An exported file: where it was, what it rests on by its manifest, its text."""

    path: str
    said: Mapping[str, Any]
    text: str


def files_of_numbers(path: Path) -> tuple[list[str], list[NumbersFile]]:
    """(what is wrong, the files of numbers) of a bundle or of a single file.

    Raises BundleError and InputFileError for a file that cannot be read.
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
        with opened_bundle(path) as bundle:
            return [], [
                replace(one, path=f"{path.name}, {one.path}")
                for one in bundled_numbers(bundle)
            ]
    said = _sidecar(path)
    wrong = []
    if said.get("sha256") != file_sha256(path):
        wrong.append(
            f"{path.name} is not the file that its manifest names: its SHA-256 is "
            f"{file_sha256(path)}"
        )
    return wrong, [NumbersFile(path.name, said, _text(path))]


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
            said = {"kind": "runs", "member": name, "sha256": member.sha256}
            yield NumbersFile(name, said, "")


def _sidecar(path: Path) -> dict[str, Any]:
    beside = manifest_path(path)
    try:
        said = json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputFileError(
            f"{path.name}: no '{beside.name}' beside it, which says what its numbers "
            "rest on; `curator export` writes both, keep them together."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        said = on_one_line(f"{beside.name}: cannot be read ({error}).")
        raise InputFileError(said) from None
    if not isinstance(said, dict):
        raise InputFileError(f"{beside.name}: is {described(said)}, no manifest.")
    return said


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
