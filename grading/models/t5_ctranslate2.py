"""Generate answers of T5 models by CTranslate2, with converted weights.

The weights are converted once, into the user's cache folder. Their hashes are checked
at each loading, and a damaged copy is replaced.

``compute`` is a compute type of CTranslate2: "int8_float32" multiplies int8 weights
with inputs that are rounded to int8 per token, and computes all else in float32;
"bfloat16" needs a GPU. Neither has been tested on a GPU. Importing this module imports
ctranslate2.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from json import loads
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import torch
from ctranslate2.converters.transformers import T5Loader
from ctranslate2.specs.common_spec import LinearSpec
from ctranslate2.specs.model_spec import NumpyVariable, visit_spec
from platformdirs import user_cache_path

from grading.errors import MissingModelError
from grading.models.identity import fingerprint

_DIGESTS = "fingerprint"  # the file with the hash of the copy's other files
_WORDS = "shared_vocabulary.json"
_WEIGHT = 63  # the largest in int8: 2 · 63 · 255, and no more, is below 2^15
_CPU_TOKENS, _GPU_TOKENS = 2048, 16_384


class CTranslate2Generator:
    """Generates answers by beam search with early stopping, or greedily with one beam.

    ``copy`` is the folder name of the converted model, ``load`` returns the original
    in float32. ``batch_tokens`` is a good number of tokens per batch, including
    padding. Raises MissingModelError on a machine that does not support ``compute``.
    """

    def __init__(
        self,
        load: Callable[[], Any],
        tokenizer: Any,
        copy: str,
        compute: str,
        *,
        device: str | None,
        beams: int,
        answer_tokens: int,
        length_penalty: float,
    ) -> None:
        has_cuda = ctranslate2.get_cuda_device_count() > 0
        device = device or ("cuda" if has_cuda else "cpu")
        self.batch_tokens = _GPU_TOKENS if device == "cuda" else _CPU_TOKENS
        try:
            supported = ctranslate2.get_supported_compute_types(device)
        except (RuntimeError, ValueError) as error:  # no such device, or no driver
            raise _unsupported(compute, str(error)) from error
        if compute not in supported:
            raise _unsupported(compute, f"{device} has no such arithmetic")
        place = user_cache_path("curator") / copy
        if not _is_complete(place):
            _build_once(
                place,
                partial(_is_complete, place),
                partial(_convert, load, tokenizer, compute),
                failed="The copy for CTranslate2 cannot be written to",
            )
        # CTranslate2 identifies tokens by their words; of equal ones the first counts.
        self._words: list[str] = loads((place / _WORDS).read_text("utf-8"))
        try:
            translator = ctranslate2.Translator(
                str(place),
                device=device,
                compute_type=compute,
                intra_threads=torch.get_num_threads(),
            )
            # The GPU's libraries are loaded at the first use.
            translator.translate_batch([self._words[:1]], max_decoding_length=1)
        except RuntimeError as error:
            raise _unsupported(compute, str(error)) from error
        numbered = reversed([*enumerate(self._words)])
        self._ids = {word: token for token, word in numbered}
        self._translate = partial(
            translator.translate_batch,
            beam_size=beams,
            patience=1,
            length_penalty=length_penalty,
            max_decoding_length=answer_tokens,
            max_input_length=0,
            return_end_token=True,
        )

    def answers(self, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
        """Generate each prompt's answer as token ids, including the end token."""
        words = [[self._words[token] for token in prompt] for prompt in prompts]
        return [
            [self._ids[word] for word in result.hypotheses[0]]
            for result in self._translate(words)
        ]


def _unsupported(compute: str, why: str) -> MissingModelError:
    return MissingModelError(
        f"CTranslate2 does not compute in {compute} here ({' '.join(why.split())}); "
        "name another number format, such as float32"
    )


def _build_once(
    place: Path,
    is_complete: Callable[[], bool],
    make: Callable[[Path], Path],
    *,
    failed: str,
) -> None:
    """Create the folder ``place`` atomically, by one process at a time.

    ``make`` fills an empty folder and returns the part of it to move to ``place``.
    Raises MissingModelError, beginning with ``failed``, if it cannot be written.
    """
    from filelock import FileLock

    fresh = Path(f"{place}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"):
            if is_complete():  # another process was faster
                return
            shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
            fresh.mkdir()
            try:
                result = make(fresh)
                shutil.rmtree(place, ignore_errors=True)
                result.replace(place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise MissingModelError(
            f"{failed} {place}: {error.strerror or error}; free space there and check "
            "its permissions"
        ) from error


def _is_complete(place: Path) -> bool:
    try:
        return (place / _DIGESTS).read_bytes() == _digests(place).encode()
    except OSError:  # missing, or not a folder
        return False


def _digests(place: Path) -> str:
    return fingerprint(
        place, (file for file in place.iterdir() if file.name != _DIGESTS)
    )


def _convert(
    load: Callable[[], Any], tokenizer: Any, compute: str, fresh: Path
) -> Path:
    """Convert the model into an empty folder."""
    place, model = fresh / "copy", load()
    place.mkdir()
    # CTranslate2 decides by this option whether the decoder's output is scaled.
    model.config.tie_word_embeddings = model.config.scale_decoder_outputs
    with torch.no_grad():
        spec = T5Loader()(model, tokenizer)
        spec.validate()
        if compute == "int8_float32":
            visit_spec(spec, _quantize)
            spec.optimize()
        else:
            spec.optimize(compute)
    spec.save(str(place))
    (place / _DIGESTS).write_text(_digests(place))
    return place


def _quantize(layer: Any, name: str, value: Any) -> None:
    """Round each row of a layer's weights to int8, and store its scale.

    CTranslate2's own conversion uses the full range of int8. On a CPU without VNNI the
    sum of two products of such weights may overflow 16 bits.
    """
    if not (name.endswith("/weight") and hasattr(layer, "weight_scale")):
        return
    limit = _WEIGHT if isinstance(layer, LinearSpec) else 127
    weights = value.numpy()
    highest = np.abs(weights).max(axis=1, keepdims=True)
    scale = np.divide(limit, highest, where=highest > 1e-30, out=np.ones_like(highest))
    layer.weight = NumpyVariable(np.rint(weights * scale).astype(np.int8))
    layer.weight_scale = NumpyVariable(scale[:, 0])
