"""The model process: its life, its answers, and that it never outlives its parent.

The process is real; a stub is in the place of its model, by the ``sitecustomize`` that
Python imports before anything else.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from grading.errors import WorkerError
from grading.worker import Worker

ROOT = Path(__file__).parents[2]

STUB = """
import time
import numpy as np
import grading.models.embedding as embedding

class Stub:
    def __init__(self, *arguments, **options):
        pass

    def encode(self, texts):
        # Longer by far than anybody waits for it.
        time.sleep(max(0.5 * text.startswith("slow") for text in texts))
        return [np.frombuffer(text.encode(), "u1").astype("f2") for text in texts]

embedding.EmbeddingModel = Stub
"""

PARENT = """
import sys
from grading.worker import Worker
worker = Worker()
worker.start()
if "ready" in sys.argv:
    worker.encode(["wait until ready"])
print(worker.pid, flush=True)
sys.stdin.read()
"""


def is_running(pid):
    """Whether the process is there and no zombie that nobody has reaped."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except FileNotFoundError:
        return False


def ends_within(seconds, pid):
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def start_parent(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def stubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that start meanwhile have a stub for their model."""
    (tmp_path / "sitecustomize.py").write_text(STUB)
    paths = [str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in paths if p))


@pytest.fixture
def worker(stubbed: None) -> Iterator[Worker]:
    worker = Worker()
    worker.start()
    yield worker
    worker.close()


def test_threads_share_one_worker_and_each_gets_its_own_answer(worker):
    texts = [f"question number {n}" for n in range(12)]
    assert worker.state == "starting"
    alone = [worker.encode([text])[0] for text in texts]
    assert worker.state == "ready"
    assert len({bytes(one) for one in alone}) == 12
    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(lambda text: worker.encode([text])[0], texts))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_crashed_worker_fails_in_one_line_and_can_be_started_again():
    worker = Worker()
    worker.start()
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="signal 9") as error:
        worker.encode(["text"], timeout=60)
    assert "\n" not in str(error.value)
    assert worker.state == "failed"
    worker.start()
    assert worker.state == "starting"
    worker.close()


def test_a_ready_worker_dies_with_a_killed_parent(stubbed):
    with start_parent("ready") as parent:
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
        parent.wait()
        assert ends_within(30, pid)
