"""`python -m benchmarks.grading`: prompts a second with FLAN-T5, and where time goes.

Our runner and CTranslate2 in int8 beside the plain way, on the same prompts and the
same random weights of a FLAN-T5 shape: what the published workbench's pipeline did,
batches of 8 in the order of the file, padded, float32, five beams by transformers' own
``generate``. Answers end after 20 tokens in all.

On a machine that others use, ``--threads 1`` on the CPU counts the process's own
seconds instead of the clock's.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.collections import build_dl19, dl19_files
from benchmarks.flan_t5_shapes import (
    END,
    SHAPES,
    dl19_prompts,
    save_model,
    save_tokenizer,
)
from curator.snapshot.gradebook import GraderRecord
from curator.verbs.grading.missing import GradeSelection
from curator.verbs.grading.resolve_grader import register_grader
from curator.verbs.grading.run_grader import PromptRun
from curator.verbs.grading.summary import RunCounts
from curator.workspace import Workspace
from grading.graders.text import TextGrader
from grading.models.devices import default_device, default_dtype
from grading.models.flan_t5 import COMPUTE, FlanT5
from grading.models.protocol import PromptParts, Response
from grading.models.t5_prompts import FittedPrompt, fit_prompts
from grading.prompts.released import PROMPTS
from grading.ratings import SELF_RATING
from grading.responders import ENGINE, Dtype, GraderSpec, Reading, Responder

ANSWER_TOKENS = 20
PLAIN_BATCH = 8
# Dense bfloat16, from the makers' data sheets; 10^12 operations a second.
PEAKS = {"H100": 989.0, "H200": 989.0, "A100": 312.0, "L40": 362.0, "L4": 121.0}

READING = Reading("rated", "question", SELF_RATING)

Outputs = list[str]


def main() -> None:
    """Print a table for answers of the length of a rating, and for long ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading")
    parser.add_argument("--prompts", type=int, default=120)
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--device", help="cuda, mps or cpu; the best there is")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    files = dl19_files()
    if files is None:
        print("DL19 is not at hand: set CURATOR_REAL_DATA to its folder's parent.")
        return
    print(f"all but the model: {database_milliseconds(files):.3f} ms a grade")
    dl19 = files["bank"].parent
    device = options.device or default_device()
    prompts = dl19_prompts(dl19, options.prompts)
    dtypes: list[Dtype] = ["float32", "bfloat16", *COMPUTE]
    if device != "cuda":
        dtypes.remove("ct2-bfloat16")
    if device == "mps":
        dtypes.remove("int8")
    print(f"{options.shape} shape, {len(prompts)} prompts, {device}")
    for short_answers in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            fertility = save_tokenizer(Path(folder), dl19)
            shape = SHAPES[options.shape]
            save_model(Path(folder), shape, short_answers=short_answers)
            kind = "as short as a rating" if short_answers else "that run on"
            print(f"\nanswers {kind}, {fertility:.2f} tokens a word")
            compare(Path(folder), prompts, dtypes, device, options)


def compare(
    folder: Path,
    prompts: Sequence[PromptParts],
    dtypes: Sequence[Dtype],
    device: str,
    options: argparse.Namespace,
) -> None:
    """Run every way in turn, several times, so that all see the same machine."""
    if options.threads:
        import torch

        torch.set_num_threads(options.threads)
    own_seconds = device == "cpu" and options.threads == 1
    clock = time.process_time if own_seconds else time.perf_counter
    models = {
        dtype: FlanT5(
            str(folder),
            dtype=dtype,
            device=device,
            answer_tokens=ANSWER_TOKENS,
        )
        for dtype in dtypes
    }
    t5, tokenizer = models["float32"]._generator._model, models["float32"]._tokenizer
    ways: dict[str, Callable[[], Outputs]] = {
        "plain, float32": lambda: plain_outputs(t5, tokenizer, prompts)
    }
    parts: dict[str, dict[str, Timed]] = {}
    for dtype, model in models.items():
        whose = "CTranslate2" if dtype in COMPUTE else "ours"
        if dtype not in COMPUTE:
            parts[f"ours, {dtype}"] = measured_parts(model, clock)
        ways[f"{whose}, {dtype}"] = lambda model=model: our_outputs(model, prompts)
    times: dict[str, list[float]] = defaultdict(list)
    outputs: dict[str, Outputs] = {}
    for _ in range(options.runs):
        for name, way in ways.items():
            start = clock()
            outputs[name] = way()
            times[name].append(clock() - start)
    reference = statistics.median(times["plain, float32"])
    for name in ways:
        median = statistics.median(times[name])
        equal = sum(
            a == b
            for a, b in zip(outputs[name], outputs["plain, float32"], strict=True)
        )
        spent = ", ".join(
            f"{part} {timed.seconds / options.runs:.2f} s"
            for part, timed in parts.get(name, {}).items()
        )
        print(
            f"{name:<26}{len(prompts) / median:>8.2f} prompts/s"
            f"{reference / median:>7.2f} times"
            f"{equal / len(prompts):>8.1%} equal  {spent}",
            flush=True,
        )
    if device == "cuda":
        own = default_dtype()
        median = statistics.median(times[f"ours, {own}"])
        print_share_of_peak(models[own], prompts, median)


def plain_outputs(t5: Any, tokenizer: Any, prompts: Sequence[PromptParts]) -> Outputs:
    """What transformers' text2text-generation pipeline did with them."""
    import torch

    outputs: Outputs = []
    for start in range(0, len(prompts), PLAIN_BATCH):
        batch = tokenizer(
            [prompt.text for prompt in prompts[start : start + PLAIN_BATCH]],
            padding=True,
            truncation=True,
            max_length=512,
            return_tensors="pt",
        ).to(t5.device)
        with torch.inference_mode():
            answers = t5.generate(
                **batch,
                num_beams=5,
                early_stopping=True,
                length_penalty=1.0,
                do_sample=False,
                max_new_tokens=ANSWER_TOKENS,
                eos_token_id=END,
            )
        outputs += tokenizer.batch_decode(answers, skip_special_tokens=True)
    return outputs


def our_outputs(model: FlanT5, prompts: Sequence[PromptParts]) -> Outputs:
    """Our runner's, in the prompts' order."""
    responses = dict(pair for batch in model.ask(prompts) for pair in batch)
    return [responses[position].raw for position in range(len(prompts))]


class Timed:
    """A function, or a tokenizer, that adds up the seconds its calls take."""

    def __init__(
        self, plain: Any, clock: Callable[[], float], settled: Callable[[], None]
    ) -> None:
        self._plain = plain
        self._clock = clock
        self._settled = settled
        self.seconds = 0.0

    def __call__(self, *values: Any, **options: Any) -> Any:
        start = self._clock()
        result = self._plain(*values, **options)
        self._settled()
        self.seconds += self._clock() - start
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)


class Instant:
    """Says 0 to everything, at once, in batches as a model would."""

    def ask(
        self, prompts: Sequence[PromptParts]
    ) -> Iterator[list[tuple[int, Response]]]:
        for start in range(0, len(prompts), 64):
            end = min(start + 64, len(prompts))
            yield [(at, Response("0")) for at in range(start, end)]


def database_milliseconds(files: dict[str, Path]) -> float:
    """What all but the model takes a grade: prompts, claims, responses, ratings."""
    name = "flan-t5-small/float32"
    spec = GraderSpec(name, Responder("none", "", "", ((ENGINE, "flan-t5"),)), READING)
    prompt = PROMPTS["self-rating"]
    grader = TextGrader(spec, prompt, Instant)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dl19.db"
        build_dl19(path, files)
        with Workspace.open(path) as workspace:
            record = register_grader(workspace.connection, GraderRecord(0, spec))
            run = PromptRun(
                workspace,
                record,
                grader,
                selection=GradeSelection(),
                tally=(tally := RunCounts()),
            )
            start = time.perf_counter()
            run.run(lambda done, total: None)
            seconds = time.perf_counter() - start
    return 1000 * seconds / tally.prompts


def measured_parts(model: FlanT5, clock: Callable[[], float]) -> dict[str, Timed]:
    """The parts of the work, which count their seconds from now on."""

    def measured(owner: Any, name: str) -> Timed:
        timed = Timed(getattr(owner, name), clock, lambda: _wait(model))
        setattr(owner, name, timed)
        return timed

    return {
        "tokenizing": measured(model, "_tokenizer"),
        "encoder": measured(model._generator, "encode"),
        "decoder": measured(model._generator, "decode"),
    }


def _wait(model: FlanT5) -> None:
    """Until the device has done what it was told to do."""
    import torch

    if model._generator._device.type == "cuda":
        torch.cuda.synchronize()


def print_share_of_peak(
    model: FlanT5, prompts: Sequence[PromptParts], seconds: float
) -> None:
    """The encoder's matrix products alone, beside what the chip could do."""
    import torch

    name = torch.cuda.get_device_name()
    peak = next((PEAKS[chip] for chip in PEAKS if chip in name), None)
    tokens = sum(
        len(prompt.ids)
        for prompt in fit_prompts(model._tokenizer, prompts, max_tokens=512)
        if isinstance(prompt, FittedPrompt)
    )
    weights = sum(w.numel() for w in model._generator._model.encoder.block.parameters())
    done = 2 * weights * tokens / seconds / 1e12
    share = "" if peak is None else f", {done / peak:.0%} of its bfloat16 peak"
    print(f"{name}: {done:.1f} · 10^12 operations a second{share}")


if __name__ == "__main__":
    main()
