"""FLAN-T5 on this machine, with the decoding of the published workbench.

torch and transformers are imported by the first ``FlanT5``. Models are looked up on
this machine only; none is downloaded.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Generator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from grading.errors import GradingError, MissingModelError, PromptTooLongError
from grading.models.devices import (
    default_device,
    default_dtype,
    is_out_of_memory,
    release_memory,
)
from grading.models.identity import (
    ModelIdentity,
    fingerprint,
    loading,
    model_folder,
)
from grading.models.protocol import Batch, PromptParts, Response
from grading.models.t5_prompts import (
    VERSION,
    FittedPrompt,
    fit_prompts,
    length_batches,
    padded_length,
)
from grading.responders import Dtype

__all__ = ["FlanT5", "decoding_options", "default_dtype", "flan_t5_identity"]

Decoding = Literal["beam", "greedy"]
Batches = Generator[Batch, None, None]

# Decoding of the published grades (text2text-generation in the RUBRIC workbench). HF's
# max_length includes the start token of every answer.
BEAMS = 5
EARLY_STOPPING = True
LENGTH_PENALTY = 1.0
MAX_TOKENS = 512
ANSWER_TOKENS = MAX_TOKENS - 1

COMPUTE: dict[Dtype, str] = {"int8": "int8_float32", "ct2-bfloat16": "bfloat16"}
"""Number formats of CTranslate2 models, with its names of the compute types."""
CONVERSION = "ctranslate2/1"  # bump when a model would be converted differently

WINDOW = 2048  # prompts sorted by length together
_OWNER = "google"
_OPTIONAL_FILES = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)


def flan_t5_identity(name_or_path: str) -> ModelIdentity:
    """Identify the model that ``FlanT5(name_or_path)`` would load, without loading it.

    A folder has no name, so that a moved copy is the same model. "flan-t5-large" and
    "google/flan-t5-large" are the same. Raises MissingModelError, with the command that
    downloads it, for a model that is not on this machine.
    """
    folder = _folder(name_or_path)
    name = "" if Path(name_or_path).is_dir() else _repository(name_or_path)
    return ModelIdentity(name, fingerprint(folder, _model_files(folder)))


def decoding_options(
    decoding: Decoding, dtype: Dtype, *, answer_tokens: int = ANSWER_TOKENS
) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs that affect answers, besides model and prompt.

    Device and batch size do not.
    """
    options = {
        "answer_tokens": str(answer_tokens),
        "beams": str(BEAMS if decoding == "beam" else 1),
        "dtype": dtype,
        "prompt_tokens": str(MAX_TOKENS),
        "truncation": VERSION,
    }
    if dtype in COMPUTE:
        options["decoder"] = f"{CONVERSION} {COMPUTE[dtype]}"
    if decoding == "beam":
        options["early_stopping"] = str(EARLY_STOPPING).lower()
        options["length_penalty"] = str(LENGTH_PENALTY)
    return tuple(sorted(options.items()))


class FlanT5:
    """A loaded FLAN-T5.

    ``name_or_path`` is "google/flan-t5-large" (or -small, -base, -xl; "google/" may
    be left out) with its files on this machine, or a folder. ``decoding`` is the
    published beam search, or greedy. ``dtype`` None is ``default_dtype()``; those of
    ``COMPUTE`` run in CTranslate2. ``device`` None is CUDA, else Apple's MPS (not with
    CTranslate2), else the CPU. A passage is cut if the prompt has more than
    ``MAX_TOKENS`` tokens; an answer ends after ``answer_tokens``, by default as
    published.

    Equal prompts get equal answers in any batch: bit for bit on the CPU it was measured
    on, elsewhere up to rounding (see ``t5_generation``), and with CTranslate2 up to
    rounding everywhere.

    Raises MissingModelError, in one line, for a model that is not on this machine.
    """

    def __init__(
        self,
        name_or_path: str,
        *,
        decoding: Decoding = "beam",
        dtype: Dtype | None = None,
        device: str | None = None,
        answer_tokens: int = ANSWER_TOKENS,
    ) -> None:
        folder = _folder(name_or_path)
        self.identity = flan_t5_identity(name_or_path)
        self.dtype: Dtype = dtype or default_dtype()
        self.decoding = decoding_options(
            decoding, self.dtype, answer_tokens=answer_tokens
        )
        self._tokenizer = _tokenizer(folder)
        self._generator: Any = self._generator_class(folder, device)(
            beams=BEAMS if decoding == "beam" else 1,
            answer_tokens=answer_tokens,
            length_penalty=LENGTH_PENALTY,
        )
        self._batch_tokens = self._generator.batch_tokens

    def _generator_class(self, folder: Path, device: str | None) -> Callable[..., Any]:
        """Constructor of the generator for this number format; takes the decoding."""
        if (compute := COMPUTE.get(self.dtype)) is None:
            from grading.models import t5_generation

            return partial(
                t5_generation.TransformersGenerator, _model(folder, self.dtype, device)
            )
        try:
            from grading.models import t5_ctranslate2
        except ImportError:
            raise MissingModelError(
                f"FLAN-T5 in {self.dtype} needs ctranslate2: "
                'pip install "exam-curator[ctranslate2]"'
            ) from None
        source = self.identity.revision.removeprefix("sha256:")[:16]
        copy = f"{CONVERSION.replace('/', '-')}-{compute}-{source}"
        return partial(
            t5_ctranslate2.CTranslate2Generator,
            partial(_model, folder, "float32", "cpu"),
            self._tokenizer,
            copy,
            compute,
            device=device,
        )

    def ask(self, prompts: Sequence[PromptParts]) -> Batches:
        """Yield each prompt's response once, in batches, long prompts first.

        A prompt that does not fit even without its passage raises PromptTooLongError
        after all others were answered. If memory does not suffice, the batch size is
        halved permanently; GradingError if it does not suffice for one prompt.
        """
        error: PromptTooLongError | None = None
        for start in range(0, len(prompts), WINDOW):
            window = prompts[start : start + WINDOW]
            fitting: dict[int, FittedPrompt] = {}
            fitted = fit_prompts(self._tokenizer, window, max_tokens=MAX_TOKENS)
            for position, prompt in enumerate(fitted, start):
                if isinstance(prompt, PromptTooLongError):
                    error = error or prompt
                else:
                    fitting[position] = prompt
            yield from self._respond(fitting)
        if error is not None:
            raise error

    def _respond(self, prompts: dict[int, FittedPrompt]) -> Batches:
        lengths = {position: len(prompt.ids) for position, prompt in prompts.items()}
        waiting = length_batches(lengths, max_tokens=self._batch_tokens)
        while waiting:
            batch = waiting.pop(0)
            answers = self._answers([prompts[position].ids for position in batch])
            if answers is None:
                if len(batch) == 1:
                    raise GradingError(
                        f"Not enough memory for one prompt of {lengths[batch[0]]} "
                        "tokens; choose a smaller FLAN-T5, or fewer prompt tokens"
                    )
                padded = sum(padded_length(lengths[position]) for position in batch)
                self._batch_tokens = max(1, padded // 2)
                waiting = length_batches(lengths, max_tokens=self._batch_tokens)
                continue
            responses: Batch = []
            for position, answer in zip(batch, answers, strict=True):
                raw = self._tokenizer.decode(
                    answer, skip_special_tokens=True, clean_up_tokenization_spaces=False
                )
                sizes = lengths.pop(position), len(answer)
                responses.append(
                    (position, Response(raw, prompts[position].cut, *sizes))
                )
            yield responses

    def _answers(self, prompts: list[list[int]]) -> list[list[int]] | None:
        """Answers as token ids; None if memory does not suffice."""
        try:
            answers: list[list[int]] = self._generator.answers(prompts)
            return answers
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
        # Only outside the handler does the error no longer hold its tensors.
        gc.collect()
        release_memory()
        return None


def _repository(name: str) -> str:
    return name if "/" in name else f"{_OWNER}/{name}"


def _folder(name_or_path: str) -> Path:
    folder = model_folder(name_or_path, owner=_OWNER)
    if folder is None and name_or_path.startswith((".", "/", "~")):
        raise MissingModelError(
            f"No folder '{name_or_path}' on this machine; check the path"
        )
    if folder is None:
        raise MissingModelError(
            f"No FLAN-T5 '{name_or_path}' on this machine: fetch it with "
            f"`hf download {_repository(name_or_path)}`, or give the folder of a copy"
        )
    return folder


def _model_files(folder: Path) -> list[Path]:
    """List the files that a T5 is loaded from, without other frameworks' weights.

    Raises MissingModelError if config, tokenizer or weights are missing.
    """

    def present(*names: str) -> list[Path]:
        return [folder / name for name in names if (folder / name).is_file()]

    needed = {
        "config.json": present("config.json"),
        # As in transformers, spiece.model is used only without tokenizer.json.
        "a tokenizer": present("tokenizer.json", "spiece.model")[:1],
        "weights": _weights(folder),
    }
    missing = [what for what, files in needed.items() if not files]
    if missing:
        raise MissingModelError(
            f"{folder} has no complete FLAN-T5: {' and '.join(missing)} missing; "
            "fetch the model again with `hf download`, or give another folder"
        )
    return [*chain(*needed.values()), *present(*_OPTIONAL_FILES)]


def _weights(folder: Path) -> list[Path]:
    """List all files of the weights to load, or none if one is missing."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        index = folder / f"{name}.index.json"
        if (folder / name).is_file():
            return [folder / name]
        if index.is_file():
            try:
                parts = set(json.loads(index.read_text())["weight_map"].values())
            except (OSError, ValueError, KeyError, AttributeError, TypeError):
                return []  # an invalid index
            files = [index, *(folder / part for part in parts)]
            return files if all(file.is_file() for file in files) else []
    return []


def _tokenizer(folder: Path) -> Any:
    import torch  # noqa: F401
    from transformers import AutoTokenizer

    with loading(folder, "T5"):
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def _model(folder: Path, dtype: str, device: str | None) -> Any:
    import torch
    from transformers import T5ForConditionalGeneration

    with loading(folder, "T5"):
        model: Any = T5ForConditionalGeneration.from_pretrained(
            folder, dtype=getattr(torch, dtype), local_files_only=True
        )
    return model.to(device or default_device())
