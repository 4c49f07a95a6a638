"""FLAN-T5 on this machine: prompts in, the answers the published workbench would get.

Importing this module loads nothing heavy: torch and transformers come in with the
first ``FlanT5``. Models are looked up on this machine only; none is ever fetched
behind the user's back.
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

# How the published grades were decoded (the RUBRIC workbench's text2text-generation
# call). HF's max_length counts the mark that every answer starts from.
BEAMS = 5
EARLY_STOPPING = True
LENGTH_PENALTY = 1.0
MAX_TOKENS = 512
ANSWER_TOKENS = MAX_TOKENS - 1

COMPUTE: dict[Dtype, str] = {"int8": "int8_float32", "ct2-bfloat16": "bfloat16"}
"""Number formats that CTranslate2 answers in, and what it calls the computing there."""
CONVERSION = "ctranslate2/1"  # bump when copies of a model would be other ones

WINDOW = 2048  # prompts that are sorted by length together
_OWNER = "google"
_INSTALL = 'pip install "exam-curator[{}]"'
_BESIDE = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)


def flan_t5_identity(name_or_path: str) -> ModelIdentity:
    """Identity of the model that ``FlanT5(name_or_path)`` would load; loads nothing.

    A folder has no name, so that a moved copy is the same model. "flan-t5-large" and
    "google/flan-t5-large" are one. Raises MissingModelError, with the line that
    fetches it, for a model that is not on this machine.
    """
    folder = _folder(name_or_path)
    name = "" if Path(name_or_path).is_dir() else _repository(name_or_path)
    return ModelIdentity(name, fingerprint(folder, _model_files(folder)))


def decoding_options(
    decoding: Decoding,
    dtype: Dtype,
    *,
    max_tokens: int = MAX_TOKENS,
    answer_tokens: int = ANSWER_TOKENS,
) -> tuple[tuple[str, str], ...]:
    """All that can change an answer beside model and prompt, as (name, value).

    Not the device and not the size of a batch.
    """
    options = {
        "answer_tokens": str(answer_tokens),
        "beams": str(BEAMS if decoding == "beam" else 1),
        "dtype": dtype,
        "prompt_tokens": str(max_tokens),
        "truncation": VERSION,
    }
    if dtype in COMPUTE:
        options["decoder"] = f"{CONVERSION} {COMPUTE[dtype]}"
    if decoding == "beam":
        options["early_stopping"] = str(EARLY_STOPPING).lower()
        options["length_penalty"] = str(LENGTH_PENALTY)
    return tuple(sorted(options.items()))


class FlanT5:
    """A FLAN-T5, loaded: ``ask`` gives its answers to prompts.

    ``name_or_path`` is "google/flan-t5-large" (or -small, -base, -xl; "google/" may
    be left out) whose files are on this machine, or a folder. ``decoding`` is the
    published beam search, or greedy. ``dtype`` None is ``default_dtype()``, one of
    ``COMPUTE`` has CTranslate2 answer; ``device`` None is CUDA, else Apple's MPS, which
    CTranslate2 does not know, else the CPU. A passage is cut where a prompt has
    more than ``max_tokens`` tokens; an answer ends after ``answer_tokens``, by default
    where the published ones did. ``batch_tokens`` bounds a batch, padding included.
    ``threads`` limits torch in the whole process.

    The same prompt gets the same answer whatever it is asked with: bit for bit on the
    CPU it was measured on, elsewhere up to rounding (see ``t5_generation``); by
    CTranslate2 up to rounding everywhere.

    Raises MissingModelError, in one line, for a model that is not here.
    """

    def __init__(
        self,
        name_or_path: str,
        *,
        decoding: Decoding = "beam",
        dtype: Dtype | None = None,
        device: str | None = None,
        max_tokens: int = MAX_TOKENS,
        batch_tokens: int | None = None,
        threads: int | None = None,
        answer_tokens: int = ANSWER_TOKENS,
    ) -> None:
        folder = _folder(name_or_path)
        self.identity = flan_t5_identity(name_or_path)
        self.dtype: Dtype = dtype or default_dtype()
        self.decoding = decoding_options(
            decoding, self.dtype, max_tokens=max_tokens, answer_tokens=answer_tokens
        )
        self._max_tokens = max_tokens
        self._tokenizer = _tokenizer(folder, threads)
        self._answerer: Any = self._opened(folder, device)(
            beams=BEAMS if decoding == "beam" else 1,
            answer_tokens=answer_tokens,
            length_penalty=LENGTH_PENALTY,
        )
        self._batch_tokens = batch_tokens or self._answerer.batch_tokens

    def _opened(self, folder: Path, device: str | None) -> Callable[..., Any]:
        """What answers in this number format, but for how it decodes."""
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
                + _INSTALL.format("ctranslate2")
            ) from None
        made_of = self.identity.revision.removeprefix("sha256:")[:16]
        copy = f"{CONVERSION.replace('/', '-')}-{compute}-{made_of}"
        return partial(
            t5_ctranslate2.CTranslate2Generator,
            partial(_model, folder, "float32", "cpu"),
            self._tokenizer,
            copy,
            compute,
            device=device,
        )

    def ask(self, prompts: Sequence[PromptParts]) -> Batches:
        """Each prompt's response once, batch by batch as they are ready.

        Long prompts come first. A prompt that does not fit even without its passage
        raises PromptTooLongError after all others were answered. Memory that does not
        suffice halves the batches, for good; GradingError where it does not suffice
        for one prompt.
        """
        error: PromptTooLongError | None = None
        for start in range(0, len(prompts), WINDOW):
            window = prompts[start : start + WINDOW]
            asked: dict[int, FittedPrompt] = {}
            prompts_here = fit_prompts(
                self._tokenizer, window, max_tokens=self._max_tokens
            )
            for position, prompt in enumerate(prompts_here, start):
                if isinstance(prompt, PromptTooLongError):
                    error = error or prompt
                else:
                    asked[position] = prompt
            yield from self._answered(asked)
        if error is not None:
            raise error

    def _answered(self, asked: dict[int, FittedPrompt]) -> Batches:
        lengths = {position: len(prompt.ids) for position, prompt in asked.items()}
        waiting = length_batches(lengths, max_tokens=self._batch_tokens)
        while waiting:
            batch = waiting.pop(0)
            answers = self._answers([asked[position].ids for position in batch])
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
                responses.append((position, Response(raw, asked[position].cut, *sizes)))
            yield responses

    def _answers(self, prompts: list[list[int]]) -> list[list[int]] | None:
        """Each prompt's answer as token ids; None where memory does not suffice."""
        try:
            answers: list[list[int]] = self._answerer.answers(prompts)
            return answers
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
        # Only here, outside the handler, is the error's hold on its tensors gone.
        gc.collect()
        release_memory()
        return None


def _repository(name: str) -> str:
    return name if "/" in name else f"{_OWNER}/{name}"


def _folder(name_or_path: str) -> Path:
    try:
        folder = model_folder(name_or_path, owner=_OWNER)
    except ImportError:
        raise _not_installed() from None
    if folder is None and name_or_path.startswith((".", "/", "~")):
        raise MissingModelError(f"No folder '{name_or_path}' on this machine")
    if folder is None:
        raise MissingModelError(
            f"No FLAN-T5 '{name_or_path}' on this machine: fetch it with "
            f"`hf download {_repository(name_or_path)}`, or give the folder of a copy"
        )
    return folder


def _model_files(folder: Path) -> list[Path]:
    """The files a T5 is loaded from; other frameworks' weights are not among them.

    Raises MissingModelError where config, tokenizer or weights are not all there.
    """

    def present(*names: str) -> list[Path]:
        return [folder / name for name in names if (folder / name).is_file()]

    needed = {
        "config.json": present("config.json"),
        # As transformers has it: a spiece.model counts where there is nothing newer.
        "a tokenizer": present("tokenizer.json", "spiece.model")[:1],
        "weights": _weights(folder),
    }
    missing = [what for what, files in needed.items() if not files]
    if missing:
        raise MissingModelError(
            f"{folder} holds no complete FLAN-T5: {' and '.join(missing)} missing; "
            "fetch the model again with `hf download`, or give another folder"
        )
    return [*chain(*needed.values()), *present(*_BESIDE)]


def _weights(folder: Path) -> list[Path]:
    """The weights that would be loaded, all of them, or nothing."""
    for whole in ("model.safetensors", "pytorch_model.bin"):
        index = folder / f"{whole}.index.json"
        if (folder / whole).is_file():
            return [folder / whole]
        if index.is_file():
            try:
                parts = set(json.loads(index.read_text())["weight_map"].values())
            except (OSError, ValueError, KeyError, AttributeError, TypeError):
                return []  # an index that says nothing leads to no weights
            files = [index, *(folder / part for part in parts)]
            return files if all(file.is_file() for file in files) else []
    return []


def _tokenizer(folder: Path, threads: int | None) -> Any:
    try:
        import torch
        from transformers import AutoTokenizer
    except ImportError:
        raise _not_installed() from None
    if threads is not None:
        torch.set_num_threads(threads)
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


def _not_installed() -> MissingModelError:
    return MissingModelError(
        "FLAN-T5 needs torch and transformers: " + _INSTALL.format("flan-t5")
    )
