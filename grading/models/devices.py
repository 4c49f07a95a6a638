"""Which device this machine computes on, and in which number format it is fast."""

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
def dtype_here() -> Dtype:
    """The number format this machine computes fast in; loads no torch.

    bfloat16 with an NVIDIA GPU that has it in hardware, or a CPU that has
    (measured with avx512_bf16: twice the prompts); float32 anywhere else.
    """
    if (generation := _cuda_generation()) is not None:
        return "bfloat16" if generation >= 8 else "float32"
    try:
        processor = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "float32"
    return "bfloat16" if _FAST_BFLOAT16.search(processor) else "float32"


def device_here() -> str:
    """torch's name of the device that a model runs on unless it is told otherwise."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def release_memory() -> None:
    """Give back what a batch that was too large has left behind on a GPU."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, which every device and library says in its own way."""
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in message
        for words in ("out of memory", "not enough memory", "failed to allocate memory")
    )


def _cuda_generation() -> int | None:
    """The GPUs' lowest compute capability, major number; 8 where none can be asked.

    None without an NVIDIA driver, or a torch that can use it.
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
