"""Which model lies in a folder: its public name and a hash of its files.

Models are looked up on this machine only; nothing is fetched. Loads neither torch nor
a model.
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

# What sentence-transformers reads from a model's folder and its answers depend on.
_MODEL_FILES = frozenset({".json", ".txt", ".model", ".safetensors", ".bin"})
_OTHER_BACKENDS = frozenset({"onnx", "openvino"})


@dataclass(frozen=True)
class ModelIdentity:
    """What a model is, wherever it lies: its public name and a hash of its files."""

    name: str
    revision: str


def model_folder(name_or_path: str, *, owner: str) -> Path | None:
    """The folder itself, or the hub's copy of that name on this machine, or None.

    A bare name is one of ``owner``'s models, or stands as it is where ``owner`` is "".
    Fails at once, without asking the hub.
    Raises ImportError where a name is given and huggingface_hub is not installed.
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
    """The files of a sentence-transformers model that its vectors depend on."""
    return [
        path
        for path in folder.rglob("*")
        if path.suffix in _MODEL_FILES
        and path.is_file()
        and not _OTHER_BACKENDS.intersection(path.relative_to(folder).parts)
    ]


def fingerprint(folder: Path, files: Iterable[Path]) -> str:
    """Hash over the names, relative to ``folder``, and the contents of ``files``."""
    digest = hashlib.sha256()
    for path in sorted(files):
        inside = path.relative_to(folder).as_posix()
        digest.update(f"{inside} {file_sha256(path)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's contents, in hex."""
    # The hub's cache names a large file by its SHA-256 and links to it: no need to
    # read gigabytes for what the name says.
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
    """Nothing is printed while ``what`` is loaded from ``folder`` with transformers.

    Raises MissingModelError, in one line, for files that cannot be loaded, ImportError
    where transformers is not installed.
    """
    # One thread of tokenizers is plenty, and it warns when a process forks later.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from safetensors import SafetensorError
    from transformers.utils import logging

    chatter: Any = logging  # untyped there
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise unreadable(folder, what, error) from error


def unreadable(folder: Path, what: str, error: Exception) -> MissingModelError:
    """One line for files that ``what`` cannot be loaded from."""
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    again = "it" if what == "tokenizer" else "the model"
    return MissingModelError(
        f"{folder} holds no {what} that can be loaded ({why}); give another folder, or "
        f"fetch {again} again with `hf download`"
    )
