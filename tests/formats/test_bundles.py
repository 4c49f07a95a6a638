"""A bundle's zip is read only if it is whole, and exactly what its hashes say."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.errors import BundleError
from curator.formats import bundles
from curator.formats.bundles import (
    FORMAT,
    MANIFEST,
    SUMS,
    BundleWriter,
    opened_bundle,
)
from tests.samples.files import lowered

LINES = '{"a": 1}\n["é"]\n'


def written(path: Path) -> Path:
    """A bundle of two files."""
    source = path.with_name("source")
    source.write_text(LINES, encoding="utf-8")
    with open(path, "wb") as stream:
        writer = BundleWriter(stream)
        writer.add("qrels/two.qrels", source)
        writer.add_text("README.txt", "Read.\n")
        writer.finish({"at": "2026-01-02", "by": "ann"})
        writer.close()
    source.unlink()
    return path


@pytest.fixture
def path(tmp_path) -> Path:
    return written(tmp_path / "x.zip")


Members = list[tuple[str, bytes]]


def rewritten(path: Path, members: Members, compression: int = 8) -> None:
    """The zip with these entries in the place of its own."""
    with zipfile.ZipFile(path, "w", compression) as zipped:
        for name, content in members:
            zipped.writestr(name, content)


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as zipped:
        return [(name, zipped.read(name)) for name in zipped.namelist()]


def listed(members: Members, manifest: bytes | None = None) -> Members:
    """The members with a manifest and their hashes."""
    if manifest is None:
        manifest = json.dumps({"format": FORMAT}).encode()
    members = [*members, (MANIFEST, manifest)]
    lines = [f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in members]
    return [*members, (SUMS, "".join(lines).encode())]


def refusal(path: Path) -> str:
    with pytest.raises(BundleError) as refused, opened_bundle(path):
        pass
    said = str(refused.value)
    assert "\n" not in said
    assert said.isprintable()
    return said


def test_what_was_written_is_read(path):
    with opened_bundle(path) as bundle:
        assert bundle.manifest["by"] == "ann"
        assert bundle.text("README.txt") == "Read.\n"
        assert bundle.text("qrels/two.qrels") == LINES
        assert set(bundle.sha256) == {"qrels/two.qrels", "README.txt", MANIFEST}


def cut(members: Members) -> Members:
    return [one for one in members if one[0] != "README.txt"]


WRONG: dict[str, tuple[Callable[[Members], Members], str]] = {
    "no hashes": (
        lambda members: members[:-1],
        "has no SHA256SUMS, so it is not a bundle",
    ),
    "another format": (
        lambda members: listed([], b'{"format": "curator bundle 3"}'),
        "the format is 'curator bundle 3'; this program reads 'curator bundle 2'",
    ),
    "a member changed by hand": (
        lambda members: [("README.txt", b"Red..\n"), *cut(members)],
        "README.txt: its SHA-256 is",
    ),
    "a member that is not listed": (
        lambda members: [*members, ("more.txt", b"")],
        "'more.txt' is not in SHA256SUMS",
    ),
    "a member that is missing": (cut, "'README.txt' is missing"),
    "a member twice": (
        lambda members: [*members, members[0]],
        "a file is in it twice",
    ),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")  # of who writes such a zip
@pytest.mark.parametrize("what", WRONG)
def test_a_bundle_that_is_not_what_its_manifest_says_is_refused(what, path):
    change, said = WRONG[what]
    rewritten(path, change(members_of(path)))
    assert said in refusal(path)


@pytest.mark.parametrize("folder", ["", "full/"])
def test_a_bundle_is_read_from_the_folder_that_was_zipped(path, folder):
    beside = [(f"{folder}qrels/", b""), ("__MACOSX/full/._manifest.json", b"\0\5")]
    members = [(f"{folder}{name}", content) for name, content in members_of(path)]
    rewritten(path, [*beside, *members])
    with opened_bundle(path) as bundle:
        assert bundle.text("qrels/two.qrels") == LINES


def test_what_would_unpack_to_too_much_is_refused_before_it_is(path, monkeypatch):
    lowered(monkeypatch, ratio=500, free=1000)
    rewritten(path, listed([("zeros", bytes(1_000_000))]))
    monkeypatch.setattr(bundles.BundleReader, "open", None)  # which would unpack it
    # by hand: 1000 and 500 bytes for each of the file's
    most = 1000 + 500 * path.stat().st_size
    assert most < 1_000_000
    assert "unpacks to more than 500 times its size" in refusal(path)


def test_a_member_that_unpacks_to_more_than_it_says_is_read_no_further(path):
    rewritten(path, listed([("zeros", bytes(5_000_000))]))
    content = path.read_bytes()
    size = (5_000_000).to_bytes(4, "little")
    assert content.count(size) == 2  # at the member, and in the list
    path.write_bytes(content.replace(size, (5).to_bytes(4, "little")))
    assert "zeros: cannot be read (Bad CRC-32" in refusal(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_whose_output_cannot_be_bounded_is_refused(compression, path):
    rewritten(path, members_of(path), compression)
    assert "is not compressed by deflate" in refusal(path)


def test_too_many_members_are_refused(path, monkeypatch):
    lowered(monkeypatch, members=3)
    monkeypatch.setattr(bundles.zipfile, "ZipFile", None)  # which would read them all
    assert "more than 3 files, or set CURATOR_MAX_MEMBERS" in refusal(path)
