"""Bundles: a zip of a database and readable files, and the SHA-256 of each.

Names, sizes and contents may be anybody's. Sizes are limited and every file is hashed
before anything else is read; no file is unpacked under its own name.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from curator.errors import BundleError
from curator.formats import codec, limits
from curator.formats.recognition import is_system_file, system_files_notice
from curator.formats.text.json_text import json_read
from curator.formats.text.records import described, on_one_line

MANIFEST, SUMS, DATABASE = "manifest.json", "SHA256SUMS", "workspace.db"
"""The files that every bundle has."""

FORMAT = "curator bundle 2"
FORMER_FORMAT = "curator bundle 1"
"""The format before: rows of tables as JSON, and hashes in the manifest, too."""

CHUNK = 1 << 20
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # an unknown compression
    RuntimeError,  # an encrypted file
    OSError,
    ValueError,
    struct.error,
)


class BundleReader:
    """An open bundle whose files have the hashes in SHA256SUMS."""

    def __init__(self, path: Path, packed: zipfile.ZipFile) -> None:
        self.path = path
        self.notices = system_files_notice(packed.namelist())
        self._zip = packed
        self._entries = self._named_entries()
        self._check_sizes()
        self.manifest = self._read_manifest()
        self.sha256 = self._checked_hashes()
        """SHA-256 of each file by name."""

    def error(
        self, message: str, name: str = "", line: int | None = None
    ) -> BundleError:
        """``x.zip, bank.jsonl, line 3: message``, on one line."""
        where = ", ".join(
            part for part in (self.path.name, name, line and f"line {line}") if part
        )
        return BundleError(on_one_line(f"{where}: {message}"))

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for reading. Errors of reading it become BundleErrors."""
        try:
            with self._zip.open(self._entries[name]) as stream:
                yield stream
        except _BROKEN as error:
            raise self.error(
                f"cannot be read ({error}). Copy or download the bundle again.", name
            ) from None

    def text(self, name: str) -> str:
        """Return a whole file as text."""
        with self.open(name) as stream:
            content = stream.read()
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise self.error("is not UTF-8.", name) from None

    def field(self, name: str, kind: type, default: Any = None) -> Any:
        """Return a field of the manifest. Raises BundleError for another type."""
        value = self.manifest.get(name, default)
        if not isinstance(value, kind):
            raise self.error(f"'{name}' is {described(value)}.", MANIFEST)
        return value

    def _named_entries(self) -> dict[str, zipfile.ZipInfo]:
        """Return the files by name, outside the folder that they may all be in.

        Folders and files of the operating system are left out.
        """
        names = {
            name: entry
            for entry in self._zip.infolist()
            if not (name := entry.filename.replace("\\", "/")).endswith("/")
            and not is_system_file(name)
        }
        if len(self._zip.infolist()) > len(set(self._zip.namelist())):
            raise self.error("a file is in it twice.")
        folder, _, _ = next(iter(names), "").partition("/")
        if f"{folder}/{SUMS}" in names:
            names = {
                name.removeprefix(f"{folder}/"): entry for name, entry in names.items()
            }
        for name in (SUMS, MANIFEST):
            if name not in names:
                raise self.error(
                    f"has no {name}, so it is not a bundle; `curator export WORKSPACE "
                    "--bundle x.zip` writes one."
                )
        return names

    def _check_sizes(self) -> None:
        """Refuse what unpacks to too much. zipfile reads no more than a stated size."""
        for name, entry in self._entries.items():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self.error("is not compressed by deflate.", name)
        limit = limits.current()
        size = sum(entry.file_size for entry in self._entries.values())
        if size > limit.bundle:
            raise self.error(limits.beyond("bundle", "has more than {} unpacked"))
        if size > limit.unpacked(self.path.stat().st_size):
            message = "unpacks to more than {} times its size"
            raise self.error(limits.beyond("ratio", message))
        for name in (SUMS, MANIFEST):
            if self._entries[name].file_size > limit.document:
                message = limits.beyond("document", "is longer than {}")
                raise self.error(message, name)

    def _read_manifest(self) -> dict[str, Any]:
        try:
            manifest = json_read(self.text(MANIFEST))
        except (ValueError, RecursionError) as error:
            raise self.error(f"is not JSON ({error}).", MANIFEST) from None
        manifest = manifest if isinstance(manifest, dict) else {}
        stated = manifest.get("format")
        if stated not in (FORMAT, FORMER_FORMAT):
            raise self.error(
                f"the format is {described(stated)}; this program reads '{FORMAT}'. "
                "Upgrade with `pip install --upgrade exam-curator`.",
                MANIFEST,
            )
        return manifest

    def _checked_hashes(self) -> dict[str, str]:
        lines = filter(None, self.text(SUMS).split("\n"))
        stated = {line.partition("  ")[2]: line.partition("  ")[0] for line in lines}
        names = self._entries.keys() - {SUMS}
        if self.manifest["format"] == FORMER_FORMAT:  # the manifest was not in it
            names -= {MANIFEST}
        for name in sorted(names ^ stated.keys()):
            missing = "is missing" if name in stated else f"is not in {SUMS}"
            raise self.error(f"{described(name)} {missing}.")
        for name in sorted(names):
            with self.open(name) as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
            if sha256 != stated[name]:
                raise self.error(
                    f"its SHA-256 is {sha256}, not {stated[name]:.64}: it has changed "
                    "since it was written. Ask for the bundle again.",
                    name,
                )
        return stated


@contextmanager
def opened_bundle(path: Path) -> Iterator[BundleReader]:
    """Open the bundle at ``path``, and check it. Raises BundleError, on one line."""
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
        message = (
            f"{path.name}: this is not a whole zip ({error}); expected a bundle as "
            "`curator export WORKSPACE --bundle x.zip` writes it."
        )
        raise BundleError(on_one_line(message)) from None
    with packed:
        yield BundleReader(path, packed)


_END = struct.Struct("<4s6xHI")
"""Start of a zip's last record: its mark, number of entries, bytes of their list."""
_LONGEST_END = 22 + 0xFFFF  # with a comment
_LONGEST_ENTRY = 1000  # bytes in the list, whose names are short


def _open_zip(path: Path) -> zipfile.ZipFile:
    """Open a zip. Raises BundleError if its list of entries is too long to be read."""
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


class BundleWriter:
    """A zip written to a stream file by file, the hashes at its end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
        self._sha256: dict[str, str] = {}

    def add(self, name: str, source: Path) -> str:
        """Add a file under this name, or one with a number; return the name."""
        name = free_name(name, self._sha256)
        sha256 = hashlib.sha256()
        entry = zip_entry(name, source.stat().st_size)
        with open(source, "rb") as file, self._zip.open(entry, "w") as packed:
            while chunk := file.read(CHUNK):
                sha256.update(chunk)
                packed.write(chunk)
        self._sha256[name] = sha256.hexdigest()
        return name

    def add_text(self, name: str, text: str) -> None:
        """Add a text as a file."""
        content = text.encode()
        self._zip.writestr(zip_entry(name, len(content)), content)
        self._sha256[name] = hashlib.sha256(content).hexdigest()

    def finish(self, manifest: Mapping[str, Any]) -> int:
        """Write the manifest and the hashes; return the number of files."""
        text = json.dumps({"format": FORMAT, **manifest}, ensure_ascii=False, indent=1)
        self.add_text(MANIFEST, text + "\n")
        lines = (f"{self._sha256[name]}  {name}\n" for name in sorted(self._sha256))
        self.add_text(SUMS, "".join(lines))
        return len(self._sha256)

    def close(self) -> None:
        """Write the zip's own end, also of an incomplete bundle."""
        self._zip.close()


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number before its ending if it is taken."""
    folded = {other.casefold() for other in taken}
    path, free, number = PurePosixPath(name), name, 2
    while free.casefold() in folded:
        free = str(path.with_name(f"{path.stem}-{number}{path.suffix}"))
        number += 1
    return free


def zip_entry(name: str, size: int) -> zipfile.ZipInfo:
    """Return a file's entry, the same at any time and on any system."""
    entry = zipfile.ZipInfo(name)  # of 1980
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    entry.file_size = size
    return entry


def _fits(start: codec.FileStart) -> bool:
    if start.line or start.value is not None:
        return False
    try:
        with _open_zip(start.path) as archive:
            names = archive.namelist()
    except BundleError:
        return True  # its reader raises it again
    except _BROKEN:
        return False
    return any(name.replace("\\", "/").rpartition("/")[2] == SUMS for name in names)


# Verbs write these three: `verbs/files/{bundles,report,paper}/`.
CODECS = (
    codec.Codec(
        "bundle",
        codec.Imports(
            option=codec.ImportOption("bundle", "bundle", r"\.zip$"),
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
    codec.Codec(
        "paper",
        exports=codec.Exports(
            target="FOLDER",
            label="Paper kit",
            what="LaTeX of a release: methods, tables, figures and references.",
            group=codec.ALL,
            forms=(("ZIP", ".zip"),),
            carries=codec.EVERYTHING,  # for people: nothing of it is read again
            large=True,
            tells_systems=True,
            of_a_release=True,
            only_released=True,
        ),
    ),
    codec.Codec(
        "report",
        exports=codec.Exports(
            label="Report",
            what="One page to publish: collection, bank, boards, agreement and method.",
            group=codec.ALL,
            forms=(("HTML", ".html"),),
            carries=codec.EVERYTHING,  # for people: nothing of it is read again
            large=True,
            tells_systems=True,
            under_settings=True,
            not_released="A report is of the workspace as it is and lists its releases",
        ),
    ),
)
