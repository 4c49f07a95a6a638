"""A T5's answers by CTranslate2, over a copy of its weights in another number format.

The copy is made once, from the model's files, in the user's cache folder. Its digests
are checked whenever it is loaded: one that is not whole is made anew.

What ``compute`` names is CTranslate2's: "int8_float32" multiplies weights in int8 with
what comes in, rounded to int8 token by token, and does all else in float32; "bfloat16"
needs a GPU, where neither has been run. Importing this module imports ctranslate2.
"""

from __future__ import annotations

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
from grading.models.parts import build_once

_DIGESTS = "fingerprint"  # the file that says what the copy's other files are
_WORDS = "shared_vocabulary.json"
_WEIGHT = 63  # the largest in int8: 2 · 63 · 255, and no more, is below 2^15
_CPU_TOKENS, _GPU_TOKENS = 2048, 16_384


class CTranslate2Generator:
    """Answers by beam search that stops early, or greedily with one beam.

    ``copy`` names the copy, which is made of the model that ``load`` gives, in float32.
    ``batch_tokens`` is how many tokens, padding included, make a good batch here.
    Raises MissingModelError on a machine that does not compute in this format.
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
        there_is_one = ctranslate2.get_cuda_device_count() > 0
        device = device or ("cuda" if there_is_one else "cpu")
        self.batch_tokens = _GPU_TOKENS if device == "cuda" else _CPU_TOKENS
        try:
            known = ctranslate2.get_supported_compute_types(device)
        except (RuntimeError, ValueError) as error:  # no such device, or no driver
            raise _refused(compute, str(error)) from error
        if compute not in known:
            raise _refused(compute, f"{device} has no such arithmetic")
        place = user_cache_path("curator") / copy
        if not _is_whole(place):
            build_once(
                place,
                partial(_is_whole, place),
                partial(_made, load, tokenizer, compute),
                failed="The copy for CTranslate2 cannot be written to",
            )
        # It knows tokens by their words alone; of two that are alike, by the first.
        self._words: list[str] = loads((place / _WORDS).read_text("utf-8"))
        try:
            translator = ctranslate2.Translator(
                str(place),
                device=device,
                compute_type=compute,
                intra_threads=torch.get_num_threads(),
            )
            # A GPU's libraries are looked for when they are first needed.
            translator.translate_batch([self._words[:1]], max_decoding_length=1)
        except RuntimeError as error:
            raise _refused(compute, str(error)) from error
        numbered = reversed([*enumerate(self._words)])
        self._ids = {word: token for token, word in numbered}
        self._translated = partial(
            translator.translate_batch,
            beam_size=beams,
            patience=1,
            length_penalty=length_penalty,
            max_decoding_length=answer_tokens,
            max_input_length=0,
            return_end_token=True,
        )

    def answers(self, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
        """Each prompt's answer as token ids, end mark included; in order."""
        words = [[self._words[token] for token in prompt] for prompt in prompts]
        return [
            [self._ids[word] for word in found.hypotheses[0]]
            for found in self._translated(words)
        ]


def _refused(compute: str, why: str) -> MissingModelError:
    return MissingModelError(
        f"CTranslate2 does not compute in {compute} here ({' '.join(why.split())}); "
        "name another number format, such as float32"
    )


def _is_whole(place: Path) -> bool:
    try:
        return (place / _DIGESTS).read_bytes() == _digests(place).encode()
    except OSError:  # not there, or something else in its place
        return False


def _digests(place: Path) -> str:
    return fingerprint(place, (one for one in place.iterdir() if one.name != _DIGESTS))


def _made(load: Callable[[], Any], tokenizer: Any, compute: str, fresh: Path) -> Path:
    """The copy, made in a folder that is empty."""
    place, model = fresh / "copy", load()
    place.mkdir()
    # It takes this for whether the decoder's output is scaled, as it once was.
    model.config.tie_word_embeddings = model.config.scale_decoder_outputs
    with torch.no_grad():
        spec = T5Loader()(model, tokenizer)
        spec.validate()
        if compute == "int8_float32":
            visit_spec(spec, _in_int8)
            spec.optimize()
        else:
            spec.optimize(compute)
    spec.save(str(place))
    (place / _DIGESTS).write_text(_digests(place))
    return place


def _in_int8(layer: Any, name: str, value: Any) -> None:
    """Round each row of a layer's weights to whole numbers, and keep by what to divide.

    CTranslate2's own conversion uses all of int8. On a CPU without VNNI two products of
    such weights may be added up in 16 bits, which do not hold them.
    """
    if not (name.endswith("/weight") and hasattr(layer, "weight_scale")):
        return
    most = _WEIGHT if isinstance(layer, LinearSpec) else 127
    weights = value.numpy()
    highest = np.abs(weights).max(axis=1, keepdims=True)
    scale = np.divide(most, highest, where=highest > 1e-30, out=np.ones_like(highest))
    layer.weight = NumpyVariable(np.rint(weights * scale).astype(np.int8))
    layer.weight_scale = NumpyVariable(scale[:, 0])
