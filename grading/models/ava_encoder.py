"""The encoder that an AVA transformer starts from: where it is, and who it is.

Encoders are looked up on this machine only; none is ever fetched behind the user's
back. Loads neither torch nor a model.
"""

from __future__ import annotations

from pathlib import Path

from grading.ava.folders import reading
from grading.errors import MissingModelError
from grading.models.identity import ModelIdentity, fingerprint, model_folder

DEFAULT_ENCODER = "roberta-base"  # Vu & Moschitti 2020, section 6.2
INSTALL = 'pip install "exam-curator[ava]"'

# Hub names without an owner: as older programs stored them, and as it stands today.
_OWNERS = ("", "FacebookAI")
_READ = frozenset({".json", ".txt", ".model", ".safetensors"})


def encoder_folder(name_or_path: str) -> Path:
    """The folder itself, or the hub's copy of that name on this machine.

    Raises MissingModelError with the line that fetches it.
    """
    try:
        with reading(Path(name_or_path)):
            found = [model_folder(name_or_path, owner=owner) for owner in _OWNERS]
            for folder in found:
                if folder is not None and (folder / "config.json").is_file():
                    return folder
    except ImportError:
        raise not_installed() from None
    raise MissingModelError(
        f"No encoder '{name_or_path}' on this machine: give the folder of a Hugging "
        f"Face encoder, or fetch one with `hf download {_fetched(name_or_path)}`"
    )


def encoder_identity(name_or_path: str) -> ModelIdentity:
    """Its name without the folders above it, and a hash of the files it is loaded from.

    Raises MissingModelError for an encoder that is not on this machine.
    """
    folder = encoder_folder(name_or_path)
    is_path = Path(name_or_path).is_dir()
    name = folder.resolve().name if is_path else name_or_path
    with reading(folder):
        files = [path for path in folder.iterdir() if path.is_file()]
        read = [path for path in files if path.suffix in _READ]
        if not any(path.suffix == ".safetensors" for path in read):
            read += [path for path in files if path.suffix == ".bin"]
        return ModelIdentity(name, fingerprint(folder, read))


def not_installed() -> MissingModelError:
    """The error where torch or transformers are not there."""
    return MissingModelError(f"AVA's transformers are not installed: {INSTALL}")


def _fetched(name_or_path: str) -> str:
    """The name to fetch; the default where a path was given."""
    is_path = name_or_path.startswith((".", "/", "~")) or name_or_path.count("/") > 1
    return DEFAULT_ENCODER if is_path or not name_or_path else name_or_path
