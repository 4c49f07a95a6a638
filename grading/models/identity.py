"""Identify models by their public name and a hash of their files.

Models are looked up on this machine only; nothing is downloaded. Loads neither torch
nor a model.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.errors import MissingModelError

_SHA256 = re.compile(r"[0-9a-f]{64}")

# Types of files that sentence-transformers loads and vectors depend on.
_MODEL_FILES = frozenset({".json", ".txt", ".model", ".safetensors", ".bin"})
_OTHER_BACKENDS = frozenset({"onnx", "openvino"})


@dataclass(frozen=True)
class ModelIdentity:
    """Public name of a model and a hash of its files, independent of its folder."""

    name: str
    revision: str


def model_folder(name_or_path: str, *, owner: str) -> Path | None:
    """Return the folder itself, the local copy of a model of the hub, or None.

    A name without "/" is one of ``owner``'s models if ``owner`` is given. Does not
    connect to the hub. Raises ImportError if a name is given and huggingface_hub is not
    installed.
    """
    if Path(name_or_path).is_dir():
        return Path(name_or_path)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    has_owner = "/" in name_or_path or not owner
    repository = name_or_path if has_owner else f"{owner}/{name_or_path}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None


def model_files(folder: Path) -> list[Path]:
    """List the files of a sentence-transformers model that affect its vectors."""
    return [
        path
        for path in folder.rglob("*")
        if path.suffix in _MODEL_FILES
        and path.is_file()
        and not _OTHER_BACKENDS.intersection(path.relative_to(folder).parts)
    ]


def fingerprint(folder: Path, files: Iterable[Path]) -> str:
    """Hash the names, relative to ``folder``, and the contents of ``files``."""
    digest = hashlib.sha256()
    for path in sorted(files):
        inside = path.relative_to(folder).as_posix()
        digest.update(f"{inside} {file_sha256(path)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's contents, in hex."""
    # The hub's cache links to large files by their SHA-256, which saves reading
    # gigabytes.
    stored = path.resolve()
    if path.is_symlink() and stored.parent.name == "blobs":
        if not stored.is_file():
            raise FileNotFoundError(stored)
        if _SHA256.fullmatch(stored.name):
            return stored.name
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def loading(folder: Path, what: str) -> Iterator[None]:
    """Load ``what`` from ``folder`` with transformers without printed output.

    Raises MissingModelError, in one line, for files that cannot be loaded, and
    ImportError if transformers is not installed.
    """
    # One thread suffices for tokenizers; with more they warn when a process forks.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from safetensors import SafetensorError
    from transformers.utils import logging

    chatter: Any = logging  # untyped there
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise loading_error(folder, what, error) from error


def loading_error(folder: Path, what: str, error: Exception) -> MissingModelError:
    """Return the error for files that ``what`` cannot be loaded from."""
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    again = "it" if what == "tokenizer" else "the model"
    return MissingModelError(
        f"{folder} has no {what} that can be loaded ({why}); give another folder, or "
        f"fetch {again} again with `hf download`"
    )
