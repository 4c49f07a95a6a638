"""Bundles out: a zip whose manifest names every file by its hash.

Equal content gives equal bytes: entries have no time of their own and stand in order.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from curator.evaluation.frozen import canonical_json
from curator.formats.own_files import MANIFEST, SUMS

FORMAT = "curator bundle 1"

_CHUNK = 1 << 20
_OLDEST = (1980, 1, 1, 0, 0, 0)  # what a zip's entry has for a time at least


@dataclass(frozen=True)
class Member:
    """A file of a bundle as the manifest has it.

    ``numbers`` says what a file of numbers rests on, None for every other file.
    """

    name: str
    sha256: str
    size: int
    numbers: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The member's place in the manifest."""
        value: dict[str, Any] = {"sha256": self.sha256, "size": self.size}
        return value if self.numbers is None else value | {"numbers": self.numbers}


class BundleWriter:
    """A zip being written to a stream, file by file, the manifest at its end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
        self._members: dict[str, Member] = {}

    def free_name(self, name: str) -> str:
        """The name, with a number before its ending where it is taken already."""
        return free_name(name, self._members)

    def add(
        self, name: str, source: Path, numbers: Mapping[str, Any] | None = None
    ) -> None:
        """Put a file in under this name."""
        with open(source, "rb") as file:
            self._add(name, file, source.stat().st_size, numbers)

    def add_text(self, name: str, text: str) -> None:
        """Put a text in as a file."""
        content = text.encode()
        self._add(name, io.BytesIO(content), len(content), None)

    def _add(
        self,
        name: str,
        file: BinaryIO,
        size: int,
        numbers: Mapping[str, Any] | None,
    ) -> None:
        hashed = hashlib.sha256()
        with self._zip.open(_entry(name, size), "w") as member:
            while chunk := file.read(_CHUNK):
                hashed.update(chunk)
                member.write(chunk)
        self._members[name] = Member(name, hashed.hexdigest(), size, numbers)

    def finish(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Write the sums and the manifest with what is said of the whole."""
        self.add_text(SUMS, sums_of(self._members.values()))
        files = {name: self._members[name].to_json() for name in sorted(self._members)}
        manifest = {"format": FORMAT, **said, "files": files}
        manifest["sha256"] = manifest_sha256(manifest)
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        self._zip.writestr(_entry(MANIFEST, len(text.encode())), text)
        return manifest

    def close(self) -> None:
        """Write the zip's own end, also of one that was given up."""
        self._zip.close()


def free_name(name: str, members: Iterable[str]) -> str:
    """The name, with a number before its ending where a member has it already."""
    taken = {one.casefold() for one in members}
    path, free, number = PurePosixPath(name), name, 2
    while free.casefold() in taken:
        free = str(path.with_name(f"{path.stem}-{number}{path.suffix}"))
        number += 1
    return free


def sums_of(members: Iterable[Member]) -> str:
    """The lines by which sha256sum checks these members."""
    in_order = sorted(members, key=lambda one: one.name)
    return "".join(f"{one.sha256}  {one.name}\n" for one in in_order)


def _entry(name: str, size: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _OLDEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same on every system
    entry.external_attr = 0o644 << 16
    entry.file_size = size
    return entry


def manifest_sha256(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of the manifest's canonical form without the field of that name."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()
