"""Manifests of exported files: settings, and the hash of the bank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator.errors import CuratorError
from curator.formats.text.output_files import is_sqlite, output_file

SUFFIX = ".manifest.json"


def manifest_path(target: Path) -> Path:
    """Return the path of a file's manifest, in the same folder."""
    return target.with_name(target.name + SUFFIX)


def refuse_manifest(target: Path) -> None:
    """Raise CuratorError if the manifest of a file cannot be written."""
    path = manifest_path(target)
    if path.is_dir() or (path.is_file() and is_sqlite(path)):
        what = "a folder" if path.is_dir() else "an SQLite file, perhaps a workspace"
        raise CuratorError(
            f"'{path}' is {what}, and the manifest of '{target}' would stand there; "
            "name another file."
        )


def write_manifest(target: Path, fields: Mapping[str, Any]) -> Path | None:
    """Write the manifest of ``target`` with name and SHA-256; None for a pipe."""
    if not target.is_file():
        return None
    path = manifest_path(target)
    value = {"file": target.name, "sha256": file_sha256(target), **fields}
    with output_file(path) as stream:
        stream.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
    return path


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes as they lie on disk."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
