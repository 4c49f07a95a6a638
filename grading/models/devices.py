"""Devices and fast number formats of this machine."""

import re
import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grading.responders import Dtype

_FAST_BFLOAT16 = re.compile(r"^flags\s*:.*\b(amx_bf16|avx512_bf16)\b", re.MULTILINE)
_CAPABILITY = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]


@cache
def default_dtype() -> Dtype:
    """Return the fastest number format of this machine, without loading torch.

    bfloat16 for an NVIDIA GPU or a CPU with hardware support (measured with
    avx512_bf16: twice the prompts); float32 otherwise.
    """
    if (generation := _cuda_generation()) is not None:
        return "bfloat16" if generation >= 8 else "float32"
    try:
        processor = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "float32"
    return "bfloat16" if _FAST_BFLOAT16.search(processor) else "float32"


def default_device() -> str:
    """Return torch's name of the device that models run on by default."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def release_memory() -> None:
    """Free cached GPU memory after a batch that was too large."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if memory ran out, by the messages of all devices and libraries."""
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in message
        for words in ("out of memory", "not enough memory", "failed to allocate memory")
    )


def _cuda_generation() -> int | None:
    """Lowest major compute capability of the GPUs; 8 if it cannot be queried.

    None without an NVIDIA driver, or without a torch for it.
    """
    try:
        built_for_cpu = version("torch").endswith("+cpu")
    except PackageNotFoundError:
        return None
    driver = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi")
    if built_for_cpu or not driver:
        return None
    try:
        run = subprocess.run(_CAPABILITY, capture_output=True, text=True, timeout=10)
        return min(int(line.split(".")[0]) for line in run.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 8
