"""Bundles: one zip of files with a manifest that names every one by its hash.

Equal content gives equal bytes: entries have no time of their own and stand in order.
What comes in is read through limits and hashed before anything else is done with it;
what the zip says of itself (names, sizes) is never relied upon.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from curator.errors import BundleError
from curator.evaluation.releases import canonical_json
from curator.formats import codec, limits
from curator.formats.text.json_text import refuse_many_values
from curator.formats.text.notices import counted
from curator.formats.text.records import described, on_one_line
from curator.formats.text.system_files import is_system_file, system_files_notice

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
"""The members that every bundle has."""

_CHUNK = 1 << 20
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\\:]")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # a compression nobody here knows
    RuntimeError,  # an encrypted member
    OSError,
    ValueError,
)


class BundleReader:
    """A bundle that is open, every member of which is what the manifest says."""

    def __init__(self, path: Path, packed: zipfile.ZipFile) -> None:
        self.path = path
        self._zip = packed
        # What is unpacked and zipped again has its folders as entries of their own,
        # and what the operating system put beside the files.
        self._files = [
            entry
            for entry in packed.infolist()
            if not (entry.filename.endswith("/") and entry.file_size == 0)
            and not is_system_file(entry.filename)
        ]
        self.notices = system_files_notice(packed.NameToInfo)
        _take_out_of_folder(packed, self._files)
        self.manifest = self._checked_manifest()
        self.members = self._listed()
        for member in self.members.values():
            self._check(member)

    def error(
        self, message: str, name: str = "", line: int | None = None
    ) -> BundleError:
        """``x.zip, tables/query.jsonl, line 3: message``, on one line."""
        where = ", ".join(
            part for part in (self.path.name, name, line and f"line {line}") if part
        )
        return BundleError(on_one_line(f"{where}: {message}"))

    def lines(self, name: str) -> Iterator[tuple[int, Any]]:
        """The JSON value of every line of a member, with the line's number."""
        try:
            with self._zip.open(name) as member:
                stream = io.BufferedReader(member, _CHUNK)  # type: ignore[type-var]
                number = 0
                most = limits.current().line
                while line := stream.readline(most + 1):
                    number += 1
                    if len(line) > most:
                        message = limits.beyond("line", "is longer than {}")
                        raise self.error(message, name, number)
                    try:
                        value = _loads(line.decode())
                    except (ValueError, RecursionError) as error:
                        message = f"is not JSON that this program writes ({error})."
                        raise self.error(message, name, number) from None
                    yield number, value
        except _BROKEN as error:
            raise self.error(f"cannot be read ({error}).", name) from None

    def text(self, name: str) -> str:
        """A whole member as text."""
        content = b"".join(self._chunks(name, self.members[name].size))
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise self.error("is not UTF-8.", name) from None

    def _checked_manifest(self) -> dict[str, Any]:
        entries = self._files
        seen: set[str] = set()
        for entry in entries:
            name = entry.filename
            if not _is_plain(name):
                raise self.error(
                    f"the name {described(name)} is invalid or leads out of it."
                )
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self.error(
                    f"{described(name)} is compressed by a method bundles do not use; "
                    "expected deflate."
                )
            if name.casefold() in seen:
                raise self.error(f"the file {described(name)} is in it twice.")
            seen.add(name.casefold())
        if MANIFEST not in self._zip.NameToInfo:
            raise self.error(
                f"has no {MANIFEST}, so it is not a bundle; `curator export WORKSPACE "
                "--bundle x.zip` writes one."
            )
        text = b"".join(self._chunks(MANIFEST, limits.current().document))
        try:
            found = _loads(text.decode())
        except (ValueError, RecursionError) as error:
            raise self.error(f"is not JSON ({error}).", MANIFEST) from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            stated = found.get("format") if isinstance(found, dict) else found
            raise self.error(
                f"the format is {described(stated)}; this program reads '{FORMAT}'.",
                MANIFEST,
            )
        computed = None
        with suppress(ValueError, RecursionError):  # half a character, or infinity
            computed = manifest_sha256(found)
        if found.get("sha256") != computed:
            raise self.error(
                f"its SHA-256 is {computed}, not {described(found.get('sha256'))}: it "
                "was changed since it was written. Ask for the bundle again.",
                MANIFEST,
            )
        return found

    def _listed(self) -> dict[str, Member]:
        files = self.manifest.get("files")
        if not isinstance(files, dict):
            raise self.error("'files' is not an object.", MANIFEST)
        members = {name: self._member(name, entry) for name, entry in files.items()}
        there = {entry.filename for entry in self._files} - {MANIFEST}
        for name in sorted(there - members.keys()):
            raise self.error(f"the manifest does not list {described(name)}.")
        for name in sorted(members.keys() - there):
            raise self.error(f"{described(name)} is missing; the manifest lists it.")
        whole = sum(one.size for one in members.values())
        most = limits.current()
        if whole > most.bundle:
            raise self.error(limits.beyond("bundle", "has more than {} unpacked"))
        if whole > most.unpacked(self.path.stat().st_size):
            raise self.error(
                limits.beyond("ratio", "unpacks to more than {} times its size")
            )
        return members

    def _member(self, name: str, entry: Any) -> Member:
        match entry:
            case {"size": int(size), "sha256": str(sha256)} if size >= 0:
                numbers = entry.get("numbers")
                if type(size) is int and isinstance(numbers, dict | None):
                    return Member(name, sha256, size, numbers)
        raise self.error(f"{described(name)} has no size or no SHA-256.", MANIFEST)

    def _check(self, member: Member) -> None:
        hashed, size = hashlib.sha256(), 0
        for chunk in self._chunks(member.name, member.size):
            hashed.update(chunk)
            size += len(chunk)
        if size != member.size:
            raise self.error(
                f"has {size:,} bytes; the manifest says {member.size:,}.", member.name
            )
        if hashed.hexdigest() != member.sha256:
            raise self.error(
                f"its SHA-256 is {hashed.hexdigest()}, not {member.sha256:.64}: it was "
                "changed since it was written. Ask for the bundle again.",
                member.name,
            )

    def _chunks(self, name: str, most: int) -> Iterator[bytes]:
        """A member's bytes. Raises BundleError where there are more than ``most``."""
        read = 0
        try:
            with self._zip.open(name) as member:
                while chunk := member.read(min(_CHUNK, most + 1 - read)):
                    read += len(chunk)
                    if read > most:
                        raise self.error(
                            f"is longer than {counted(most, 'byte')}.", name
                        )
                    yield chunk
        except _BROKEN as error:
            raise self.error(
                f"cannot be read ({error}). Copy or download the bundle again.", name
            ) from None


@contextmanager
def opened_bundle(path: Path) -> Iterator[BundleReader]:
    """The bundle at ``path``, checked whole. Raises BundleError, one line."""
    if path.is_dir():
        raise BundleError(
            f"{path}: this is a folder; give the zip that the bundle is, or zip what "
            "is in the folder."
        )
    try:
        packed = _open_zip(path)
    except FileNotFoundError:
        raise BundleError(f"{path}: there is no such file. Check the path.") from None
    except _BROKEN as error:
        raise BundleError(
            on_one_line(
                f"{path.name}: this is not a whole zip ({error}); expected a bundle as "
                "`curator export WORKSPACE --bundle x.zip` writes it."
            )
        ) from None
    with packed:
        yield BundleReader(path, packed)


_END = struct.Struct("<4s6xHI")
"""Of a zip's last record: its mark, how many entries, the bytes of their list."""
_LONGEST_END = 22 + 0xFFFF  # with a comment
_LONGEST_ENTRY = 1000  # bytes in the list, whose names are short


def _open_zip(path: Path) -> zipfile.ZipFile:
    """The zip, unless its list of entries, which opening it reads, is too long."""
    most = limits.current().members
    with open(path, "rb") as file:
        file.seek(max(path.stat().st_size - _LONGEST_END, 0))
        end = file.read()
    at = end.rfind(b"PK\5\6")
    if 0 <= at <= len(end) - _END.size:
        _, entries, size = _END.unpack_from(end, at)
        if entries > most or size > most * _LONGEST_ENTRY:
            message = limits.beyond("members", "this zip has more than {} files")
            raise BundleError(on_one_line(f"{path.name}: {message}"))
    return zipfile.ZipFile(path)


def _is_plain(name: str) -> bool:
    parts = name.split("/")
    return (
        0 < len(name) <= 400
        and name.isprintable()
        and not _NOT_IN_NAMES.search(name)
        and all(part and part.strip(". ") for part in parts)
    )


def _take_out_of_folder(packed: zipfile.ZipFile, files: list[zipfile.ZipInfo]) -> None:
    """Name the files without their folder where the whole bundle is in one."""
    folders = {entry.filename.partition("/")[0] for entry in files}
    folder = f"{folders.pop()}/" if len(folders) == 1 else ""
    if folder + MANIFEST in packed.NameToInfo:
        for entry in files:
            entry.filename = entry.filename.removeprefix(folder)
        packed.NameToInfo = {entry.filename: entry for entry in files}


def _loads(text: str) -> Any:
    refuse_many_values(text)
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a number")


FORMAT = "curator bundle 1"

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

    def add(
        self, name: str, source: Path, numbers: Mapping[str, Any] | None = None
    ) -> str:
        """Put a file in under this name, or one with a number in it; which it is."""
        name = free_name(name, self._members)
        hashed, size = hashlib.sha256(), source.stat().st_size
        with (
            open(source, "rb") as file,
            self._zip.open(zip_entry(name, size), "w") as member,
        ):
            while chunk := file.read(_CHUNK):
                hashed.update(chunk)
                member.write(chunk)
        self._members[name] = Member(name, hashed.hexdigest(), size, numbers)
        return name

    def add_text(self, name: str, text: str) -> None:
        """Put a text in as a file."""
        content = text.encode()
        self._zip.writestr(zip_entry(name, len(content)), content)
        sha256 = hashlib.sha256(content).hexdigest()
        self._members[name] = Member(name, sha256, len(content))

    def finish(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Write the checksums and the manifest."""
        self.add_text(SUMS, sums_of(self._members.values()))
        files = {name: self._members[name].to_json() for name in sorted(self._members)}
        manifest = {"format": FORMAT, **about, "files": files}
        manifest["sha256"] = manifest_sha256(manifest)
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        self._zip.writestr(zip_entry(MANIFEST, len(text.encode())), text)
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


def zip_entry(name: str, size: int) -> zipfile.ZipInfo:
    """A file's entry, the same whenever and wherever it is written."""
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


def _fits(start: codec.FileStart) -> bool:
    if start.line or start.value is not None:
        return False
    try:
        with _open_zip(start.path) as archive:
            names = set(archive.namelist())
    except BundleError:
        return True  # whoever reads it says so
    # What the library raises for a damaged one; a later version than it knows is one.
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile, struct.error):
        return False
    folders = (name.removesuffix(MANIFEST) for name in names if MANIFEST in name)
    return MANIFEST in names or any(f"{one}{SUMS}" in names for one in folders)


CODECS = (
    codec.Codec(
        "bundle",
        codec.Imports(
            option=codec.ImportOption(
                name="bundle",
                what="a bundle",
                label="bundle",
                sign=r"\.zip$",
            ),
            fits=_fits,
        ),
        codec.Exports(
            label="Bundle",
            what="Everything, in one file that rebuilds this workspace and proves its "
            "numbers.",
            group=codec.ALL,
            forms=(("zip", ".zip"),),
            carries=codec.EVERYTHING,
            large=True,
            tells_systems=True,
            tells_votes=True,
            under_settings=True,
            of_numbers=True,
            not_released="A bundle holds the workspace with all of its releases",
        ),
    ),
)
