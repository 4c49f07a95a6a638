"""Run the embedding model of a server in a separate process.

A server that imports torch responds more slowly, so the model runs in its own process.
The process is started with the server, loads and warms up the model, and then answers
one request at a time over a pipe. It ends when the parent closes its end of the pipe,
or dies.

Messages to the child: (number, texts). From the child, first "ready" or "failed: why",
then (number, vectors). POSIX only: the pipe is handed over as a file descriptor.

    python -m grading.worker FD THREADS [MODEL]
"""

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Literal

from grading.errors import GradingError, WorkerError
from grading.similarity import Vectors

State = Literal["stopped", "starting", "ready", "failed"]

READY = "ready"
FAILED = "failed: "
NICENESS = 10  # the server has priority


class Worker:
    """A model process and its connection, shared by all threads of a server.

    ``model`` is as for ``EmbeddingModel``: a hub name, a folder, None for the default.
    ``threads`` is the number of threads of the model. Nothing runs before ``start``.
    """

    def __init__(self, model: str | None = None, threads: int = 1) -> None:
        self._model = model
        self._threads = threads
        self._child: _Child | None = None
        self._starting = threading.Lock()
        self._asking = threading.Lock()
        self._numbers = itertools.count(1)

    @property
    def state(self) -> State:
        """*stopped* before ``start`` and after ``close``; *failed* until restarted."""
        child = self._child
        return "stopped" if child is None else child.state

    @property
    def error(self) -> str:
        """Reason for the state *failed*, in one line; "" in any other state."""
        child = self._child
        return child.error if child is not None and child.state == "failed" else ""

    @property
    def pid(self) -> int | None:
        """Process id of the child, None if it was not started."""
        child = self._child
        return None if child is None else child.process.pid

    def start(self) -> None:
        """Start the process, unless it is running, and return at once."""
        with self._starting:
            if self.state in ("starting", "ready"):
                return
            if self._child is not None:
                self._child.end(self._asking)
            self._child = _Child(self._model, self._threads)

    def encode(
        self, texts: Sequence[str], timeout: float | None = None
    ) -> list[Vectors]:
        """Encode texts as ``EmbeddingModel.encode`` does.

        Waits for a starting process and for requests of other threads, ``timeout``
        seconds in total. Raises WorkerError if the process is not started, has ended,
        or does not answer in time.
        """
        child = self._child
        if child is None:
            raise WorkerError("The model process is not running; start it")
        deadline = None if timeout is None else time.monotonic() + timeout
        if not child.started.wait(timeout):
            raise WorkerError(
                f"The model is still loading after {timeout} s; try again"
            )
        seconds = _seconds_left(deadline)
        if not self._asking.acquire(timeout=-1 if seconds is None else seconds):
            raise WorkerError(f"The model process is busy after {timeout} s; try again")
        try:
            return child.ask(next(self._numbers), list(texts), deadline)
        finally:
            self._asking.release()

    def close(self) -> None:
        """End the process; running requests fail. It can be started again."""
        with self._starting:
            child, self._child = self._child, None
            if child is not None:
                child.end(self._asking)


class _Child:
    """A single run of the process."""

    def __init__(self, model: str | None, threads: int) -> None:
        self.connection, child_end = Pipe()
        arguments = [str(child_end.fileno()), str(threads), *filter(None, [model])]
        command = [sys.executable, "-m", "grading.worker", *arguments]
        settings = {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
        # Python's descriptors are not inherited, except those in pass_fds, so no other
        # child can hold our end open.
        with child_end:
            self.process = subprocess.Popen(
                command,
                pass_fds=[child_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | settings | {"OMP_NUM_THREADS": str(threads)},
                # Ctrl-C in the terminal is for the server only.
                start_new_session=True,
            )
        self.error = ""
        self.started = threading.Event()
        self.greeter = threading.Thread(target=self._receive_greeting, daemon=True)
        self.greeter.start()

    @property
    def state(self) -> State:
        if not self.started.is_set():
            return "starting"
        if not self.error and self.process.poll() is not None:
            self.error = self._exit_message()
        return "failed" if self.error else "ready"

    def _receive_greeting(self) -> None:
        try:
            greeting = str(self.connection.recv())
        except (EOFError, OSError):
            self.error = self._exit_message()
        else:
            self.error = greeting.removeprefix(FAILED) if greeting != READY else ""
        self.started.set()

    def ask(
        self, number: int, texts: list[str], deadline: float | None
    ) -> list[Vectors]:
        if self.state == "failed":
            raise WorkerError(self.error)
        try:
            self.connection.send((number, texts))
            while self.connection.poll(_seconds_left(deadline)):
                answered, vectors = self.connection.recv()
                # Skip answers to requests that timed out.
                if answered == number:
                    return list(vectors)
        except (EOFError, OSError):
            self.error = self._exit_message()
            raise WorkerError(self.error) from None
        raise WorkerError(
            f"No answer from the model process in time, for {len(texts)} texts; "
            "ask for fewer or wait longer"
        )

    def _exit_message(self) -> str:
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "The model process closed its connection; start it again"
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"The model process ended ({how}); start it again"

    def end(self, asking: threading.Lock) -> None:
        # End the process first: waiting threads then see the end of the connection, and
        # no thread reads from a closed one.
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.greeter.join()
        with asking:
            self.connection.close()


def _seconds_left(deadline: float | None) -> float | None:
    """Seconds until ``deadline``, at least 0; None without a deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def main(descriptor: str, threads: str, model_name: str | None = None) -> int:
    """Run the child: load the model, warm up, answer until the parent's end closes.

    ``descriptor`` is the number of our end of the pipe.
    """
    connection: Connection[Any, Any] = Connection(int(descriptor))
    requests: SimpleQueue[tuple[int, list[str]]] = SimpleQueue()
    # A separate thread, so that the parent's end is noticed while a model loads.
    threading.Thread(target=_listen, args=(connection, requests), daemon=True).start()
    os.nice(NICENESS)
    try:
        from grading.models.embedding import EmbeddingModel

        model = EmbeddingModel(model_name, threads=int(threads))
        model.encode(["The first call is slower than the others."])
    except GradingError as error:
        connection.send(f"{FAILED}{error}")
        return 1
    connection.send(READY)
    while True:
        number, texts = requests.get()
        connection.send((number, model.encode(texts)))


def _listen(
    connection: "Connection[Any, Any]", requests: "SimpleQueue[tuple[int, list[str]]]"
) -> None:
    """Queue requests; end the process at once when the parent's end is closed."""
    try:
        while True:
            requests.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
