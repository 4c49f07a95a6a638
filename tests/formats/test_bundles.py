"""A bundle's zip is read only if it is whole, and exactly what its manifest says."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.errors import BundleError
from curator.formats import bundles
from curator.formats.bundles import (
    MANIFEST,
    SUMS,
    BundleWriter,
    manifest_sha256,
    opened_bundle,
)
from tests.samples.files import lowered

NUMBERS = {"kind": "qrels"}


def written(path: Path) -> Path:
    """A bundle of two files."""
    source = path.with_name("source")
    source.write_text('{"a": 1}\n["é"]\n', encoding="utf-8")
    with open(path, "wb") as stream:
        writer = BundleWriter(stream)
        writer.add("tables/one.jsonl", source)
        writer.add("qrels/two.qrels", source, NUMBERS)
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


def listed(members: Members, **more: Any) -> Members:
    """The members under a manifest that lists them."""
    files = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in members
    }
    manifest = {"format": bundles.FORMAT, "files": files} | more
    manifest["sha256"] = manifest_sha256(manifest)
    return [*members, (MANIFEST, json.dumps(manifest).encode())]


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
        assert list(bundle.lines("tables/one.jsonl")) == [(1, {"a": 1}), (2, ["é"])]
        assert bundle.text("README.txt") == "Read.\n"
        assert bundle.members["qrels/two.qrels"].numbers == NUMBERS
        assert bundle.members["tables/one.jsonl"].numbers is None
        assert set(bundle.members) == {
            *("tables/one.jsonl", "qrels/two.qrels", "README.txt", SUMS)
        }


def test_what_operating_systems_put_into_a_zip_is_left_out_and_named(path):
    beside = {
        "__MACOSX/._manifest.json": b"\0\5",
        "tables/.DS_Store": b"\0",
        "tables/._one.jsonl": b"\0",
        "Thumbs.db": b"\0",
        "qrels/desktop.ini": b"[.ShellClassInfo]",
    }
    rewritten(path, [*beside.items(), *members_of(path)])
    with opened_bundle(path) as bundle:
        assert beside.keys().isdisjoint(bundle.members)
        assert len(bundle.members) == 4
        (notice,) = bundle.notices
    assert all(name in notice for name in beside)


def test_equal_content_gives_equal_bytes(path, tmp_path):
    assert written(tmp_path / "y.zip").read_bytes() == path.read_bytes()


def cut(members: Members) -> Members:
    return [one for one in members if one[0] != "README.txt"]


WRONG: dict[str, tuple[Callable[[Members], Members], str]] = {
    "no manifest": (
        lambda members: members[:-1],
        "has no manifest.json, so it is not a bundle",
    ),
    "a manifest that is no JSON": (
        lambda members: [*members[:-1], (MANIFEST, b"{")],
        "manifest.json: is not JSON",
    ),
    "a manifest that is a list": (
        lambda members: [*members[:-1], (MANIFEST, b"[]")],
        "manifest.json: the format is a list of 0",
    ),
    "a manifest of deep nesting": (
        lambda members: [*members[:-1], (MANIFEST, b"[" * 200_000)],
        "manifest.json: is not JSON",
    ),
    "another format": (
        lambda members: listed(members[:-1], format="curator bundle 2"),
        "the format is 'curator bundle 2'; this program reads 'curator bundle 1'",
    ),
    "a manifest changed by hand": (
        lambda members: [
            *members[:-1],
            (MANIFEST, members[-1][1].replace(b'"ann"', b'"bob"')),
        ],
        "manifest.json: its SHA-256 is",
    ),
    "a manifest with half a character": (
        lambda members: [
            *members[:-1],
            (MANIFEST, members[-1][1].replace(b'"ann"', b'"\\ud800"')),
        ],
        "manifest.json: its SHA-256 is None",
    ),
    "a member changed by hand": (
        lambda members: [("README.txt", b"Red..\n"), *cut(members)],
        "README.txt: its SHA-256 is",
    ),
    "a longer member": (
        lambda members: [("README.txt", b"Read more.\n"), *cut(members)],
        "README.txt: is longer than 6 bytes",
    ),
    "a shorter member": (
        lambda members: [("README.txt", b"R\n"), *cut(members)],
        "README.txt: has 2 bytes; the manifest says 6",
    ),
    "a member that is not listed": (
        lambda members: [*members, ("more.txt", b"")],
        "the manifest does not list 'more.txt'",
    ),
    "a member that is missing": (cut, "'README.txt' is missing"),
    "a member twice": (
        lambda members: [*members, members[0]],
        "is in it twice",
    ),
    "two members that differ in case": (
        lambda members: [*members, ("readme.TXT", b"")],
        "the file 'readme.TXT' is in it twice",
    ),
    "a path out of it": (
        lambda members: listed([("../x", b"")]),
        "the name '../x' is invalid or leads out of it",
    ),
    "an absolute path": (
        lambda members: listed([("/etc/x", b"")]),
        "the name '/etc/x' is invalid or leads out of it",
    ),
    "a path of Windows": (
        lambda members: listed([("C:\\x", b"")]),
        "is invalid or leads out of it",
    ),
    "a line break in a name": (
        lambda members: listed([("a\nb", b"")]),
        "the name 'a\\nb' is invalid or leads out of it",
    ),
    "a folder that the manifest lists": (
        lambda members: listed([("a/", b"")]),
        "'a/' is missing; the manifest lists it",
    ),
    "a folder with content": (
        lambda members: listed([("a/", b"x")]),
        "the name 'a/' is invalid or leads out of it",
    ),
    "files that are a list": (
        lambda members: listed([], files=[]),
        "manifest.json: 'files' is not an object",
    ),
    "a size that is a text": (
        lambda members: listed([], files={"a": {"sha256": "", "size": "1"}}),
        "manifest.json: 'a' has no size or no SHA-256",
    ),
    "numbers that are a list": (
        lambda members: listed(
            [], files={"a": {"sha256": "", "size": 1, "numbers": []}}
        ),
        "manifest.json: 'a' has no size or no SHA-256",
    ),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")  # of who writes such a zip
@pytest.mark.parametrize("what", WRONG)
def test_a_bundle_that_is_not_what_its_manifest_says_is_refused(what, path):
    change, said = WRONG[what]
    rewritten(path, change(members_of(path)))
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "this is not a whole zip"),
        (b"q1 0 p1 2\n", "this is not a whole zip"),
        (b"PK\3\4" + bytes(100), "this is not a whole zip"),
    ],
)
def test_another_file_is_refused(content, said, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    assert said in refusal(path)


def test_folders_that_zipping_again_puts_in_are_passed_over(path):
    rewritten(path, [("qrels/", b""), ("tables/", b""), *members_of(path)])
    with opened_bundle(path) as bundle:
        assert bundle.text("qrels/two.qrels") == '{"a": 1}\n["é"]\n'


def test_a_bundle_is_read_from_the_folder_that_was_zipped(path):
    beside = [("full/", b""), ("__MACOSX/full/._manifest.json", b"\0\5")]
    members = [(f"full/{name}", content) for name, content in members_of(path)]
    rewritten(path, [*beside, *members])
    with opened_bundle(path) as bundle:
        assert bundle.text("qrels/two.qrels") == '{"a": 1}\n["é"]\n'


def test_what_would_unpack_to_too_much_is_refused_before_it_is(path, monkeypatch):
    lowered(monkeypatch, ratio=500, free=1000)
    members = listed([("zeros", bytes(1_000_000))])
    rewritten(path, members)
    monkeypatch.setattr(bundles.BundleReader, "_check", None)  # which would unpack it
    # by hand: 1000 and 500 bytes for each of the file's
    most = 1000 + 500 * path.stat().st_size
    assert most < 1_000_000
    assert "unpacks to more than 500 times its size" in refusal(path)


def test_a_member_that_unpacks_to_more_than_it_says_is_read_no_further(path):
    members = listed([("zeros", b"")])
    rewritten(path, [("zeros", bytes(50_000_000)), *members[1:]])
    assert "zeros: is longer than 0 bytes" in refusal(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_whose_output_cannot_be_bounded_is_refused(compression, path):
    rewritten(path, members_of(path), compression)
    assert "compressed by a method bundles do not use" in refusal(path)


def test_too_many_members_are_refused(path, monkeypatch):
    lowered(monkeypatch, members=3)
    monkeypatch.setattr(bundles.zipfile, "ZipFile", None)  # which would read them all
    assert "more than 3 files, or set CURATOR_MAX_MEMBERS" in refusal(path)


def test_a_damaged_bundle_is_refused_or_reads_the_same(path):
    whole = path.read_bytes()
    with opened_bundle(path) as bundle:
        expected = bundle.manifest
    refused = []
    for seed in range(400):
        chance = random.Random(seed)
        content = bytearray(whole)
        at = chance.randrange(len(content))
        match chance.randrange(3):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at : at + chance.randint(1, 60)]
            case _:
                content[at:at] = chance.randbytes(chance.randint(1, 9))
        path.write_bytes(content)
        try:
            with opened_bundle(path) as bundle:
                assert bundle.manifest == expected
        except BundleError as error:
            refused.append(str(error))
    assert not [said for said in refused if "\n" in said]
    # what may be otherwise: times, flags and comments of the zip itself
    assert len(refused) > 300
