"""Which device this machine computes on, and in which number format it is fast."""

import re
import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

Dtype = Literal["float32", "bfloat16"]

_FAST_BFLOAT16 = frozenset({"amx_bf16", "avx512_bf16"})


@cache
def dtype_here() -> Dtype:
    """The number format this machine computes fast in; loads no torch.

    bfloat16 with an NVIDIA GPU that has it in hardware, or a CPU that has
    (measured with avx512_bf16: twice the prompts); float32 anywhere else.
    """
    if _cuda_here():
        return "bfloat16" if _cuda_generation() >= 8 else "float32"
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        return "float32"
    fast = flags is not None and not _FAST_BFLOAT16.isdisjoint(flags[1].split())
    return "bfloat16" if fast else "float32"


def device_here() -> str:
    """torch's name of the device that a model runs on unless it is told otherwise."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def out_of_memory(error: RuntimeError) -> bool:
    """Whether torch ran out of memory, which every device says in its own way."""
    said = str(error).lower()
    return "out of memory" in said or "not enough memory" in said


def _cuda_here() -> bool:
    """Whether this machine has an NVIDIA driver and a torch that can use it."""
    try:
        built_for_cpu = version("torch").endswith("+cpu")
    except PackageNotFoundError:
        return False
    driver = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi")
    return bool(driver) and not built_for_cpu


def _cuda_generation() -> int:
    """The GPUs' lowest compute capability, major number; 8 where none can be asked."""
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=10)
        return min(int(line.split(".")[0]) for line in said.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 8
