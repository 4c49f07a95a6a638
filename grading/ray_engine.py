"""Run models on a Ray cluster, one worker per model copy.

An engine only changes which processes compute a batch. The process that grades, Ray's
*driver*, still selects what to grade, claims it and stores the results.

A *worker* is an actor with a model. It opens the grader by its name on its own machine,
with the weights and keys there: only names, prompts, texts and the address of a chat
model are sent. It refuses a model that differs from the driver's, loads it once, and
returns results as they are ready. If a worker dies, another one repeats the part
without results.

``ray`` is imported at the first connection.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from grading.ava import open_ava
from grading.ava.grader import AvaGrader
from grading.ava.model import Ava, Scores, Triple
from grading.ava.transformer import TransformerAva
from grading.errors import EngineError, MissingModelError
from grading.graders.computed import GraderEncoder
from grading.graders.text import TextGrader
from grading.models.embedding import EmbeddingModel
from grading.models.endpoint import Endpoint
from grading.models.identity import ModelIdentity
from grading.models.protocol import Batch, PromptParts
from grading.ray_workers import Results, Work, Workers
from grading.registry import is_local, reopen
from grading.responders import GraderSpec
from grading.similarity import Vectors

ADDRESS_VARIABLE = "RAY_ADDRESS"
INSTALL = 'Grading on Ray needs the ray package: pip install "exam-curator[ray]"'

PROBE_SECONDS = 5.0  # seconds to accept a connection
CONNECT_SECONDS = 12.0  # more seconds to answer as a Ray cluster
THREADS = 8  # of a worker on a CPU; more are hardly faster
STORE_BYTES = 256 << 20  # bytes of shared memory on this machine


def describe_ray() -> str:
    """Describe the Ray cluster that would be used, "" without the package."""
    if find_spec("ray") is None:
        return ""
    address = os.environ.get(ADDRESS_VARIABLE, "")
    return f"the Ray at {address}" if address else "a Ray started on this machine"


@dataclass
class RayEngine:
    """A Ray cluster, connected at the first use.

    ``address`` is HOST:PORT or "auto", by default RAY_ADDRESS; without both a Ray is
    started on this machine and stopped at the end. ``workers`` is the maximum number of
    workers; by default one per GPU, or without GPUs one per eight CPUs or machine. Only
    one grader has workers at a time. Raises EngineError, in one line.
    """

    address: str = ""
    workers: int | None = None
    _ray: Any = field(default=None, init=False, repr=False)
    _started_ray: bool = field(default=False, init=False, repr=False)
    _workers: Workers | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if find_spec("ray") is None:
            raise EngineError(INSTALL)
        self.address = self.address or os.environ.get(ADDRESS_VARIABLE, "")
        _host_and_port(self.address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._started_ray:
            self._ray.shutdown()

    @property
    def worker_count(self) -> int:
        """Number of workers, at least 1, by which batches are larger."""
        return max(1, len(self._workers.workers)) if self._workers else 1

    def with_workers(self, grader: TextGrader, limit: int | None = None) -> TextGrader:
        """Return the grader with its model on the workers.

        ``limit`` is the maximum of answer tokens, None for the model's default.
        """
        spec = grader.spec
        # A remote model needs no GPU of the cluster.
        computes = is_local(spec.engine)

        def open_model() -> _Model:
            # The environment of another machine may have another address.
            endpoint = "" if computes else Endpoint.from_url(grader.endpoint).url
            open_work = partial(_open_text_model, spec, endpoint, limit)
            return _Model(self.start_workers(open_work, computes=computes))

        return replace(grader, open_model=open_model)

    def with_scoring_workers(self, grader: AvaGrader) -> AvaGrader:
        """Return the grader with its network on the workers.

        A linear model is unchanged: computing its scores is faster than sending texts.
        """
        model = grader.model
        if not isinstance(model, TransformerAva):
            return grader
        workers = self.start_workers(
            partial(_open_scorer, model.folder, model.fingerprint)
        )
        return replace(grader, model=_Scorer(model, workers))

    def encoder(self, spec: GraderSpec, model: str | None) -> GraderEncoder:
        """Return the encoder on workers for a computing grader."""
        return _Encoder(self, partial(_open_encoder, spec, model))

    def start_workers(
        self, open_work: Callable[[], Work], *, computes: bool = True
    ) -> Workers:
        """Start workers with this model, after ending those of the grader before."""
        if self._workers is not None:
            self._workers.close()
        placement = partial(self._placement, computes)
        if not placement()[1]:
            raise EngineError(
                f"{self._name} has no machine with a CPU or GPU for workers; add one "
                "with `ray start --address=HOST:PORT`"
            )
        self._workers = Workers(self._ray, open_work, placement, self._name)
        return self._workers

    @property
    def _name(self) -> str:
        return f"The Ray at {self.address}" if self.address else "This machine's Ray"

    def _placement(self, computes: bool) -> tuple[Mapping[str, int], int]:
        """Return the resources of a worker, and the number of workers that fit now."""
        self._connect()
        nodes = self._ray.nodes()
        machines = [node["Resources"] for node in nodes if node["Alive"]]
        gpus = sum(int(machine.get("GPU", 0)) for machine in machines)
        cpus = [int(has["CPU"]) for has in machines if has.get("CPU", 0) >= 1]
        if computes and gpus:
            needs, room = {"num_gpus": 1, "num_cpus": 0}, gpus
        elif computes and cpus:
            threads = min(THREADS, *cpus)
            while sum(count // threads for count in cpus) < (self.workers or 0):
                if threads == 1:
                    break
                threads -= 1
            room = sum(count // threads for count in cpus)
            needs = {"num_cpus": threads}
        else:
            needs, room = {"num_cpus": 1}, len(cpus)
        return needs, min(room, self.workers or room)

    def _connect(self) -> None:
        if self._ray is not None:
            return
        local = not self.address
        _probe(self.address)
        # Ray reads these at import; a local Ray then listens on loopback only.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")
        if local:
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        import ray

        logging.getLogger("ray").setLevel(logging.ERROR)
        if not ray.is_initialized():
            options: dict[str, Any] = {"include_dashboard": False} if local else {}
            if local:
                options["object_store_memory"] = STORE_BYTES
            options |= {"log_to_driver": False, "configure_logging": False}
            connect = partial(ray.init, self.address or "local", **options)
            _join(connect, self._name, within=None if local else CONNECT_SECONDS)
            self._started_ray = True
            # Keeps Ray's messages out of a command's output.
            ray._private.worker.print_to_stdstream = lambda *_, **__: None
        self._ray = ray


@dataclass(frozen=True)
class _Model:
    """A ``TextModel`` on workers."""

    workers: Workers

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch, None, None]:
        return self.workers.results(prompts)


class _Encoder(GraderEncoder):
    """An ``Encoder`` on workers, which are started at the first text.

    With all vectors cached, or for lexical graders, none are started.
    """

    def __init__(self, engine: RayEngine, open_work: Callable[[], Work]) -> None:
        self._engine, self._open_work = engine, open_work
        self._workers: Workers | None = None

    @property
    def worker_count(self) -> int:
        return self._engine.worker_count

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        self._workers = self._workers or self._engine.start_workers(self._open_work)
        return self._workers.all_results(texts)


@dataclass(frozen=True)
class _Scorer:
    """An ``Ava`` model on workers."""

    model: Ava
    workers: Workers

    @property
    def card(self) -> Any:
        return self.model.card

    @property
    def fingerprint(self) -> str:
        return self.model.fingerprint

    def scores(self, triples: Sequence[Triple]) -> Scores:
        import numpy as np

        return np.array(self.workers.all_results(triples), dtype=np.float64)


def _open_text_model(spec: GraderSpec, endpoint: str, limit: int | None = None) -> Work:
    """Open a model that answers prompts, on a worker."""
    grader = cast(TextGrader, reopen(spec, spec.name, endpoint=endpoint))
    if limit is not None:
        grader = grader.with_answer_limit(limit)
    return grader.model.ask


def _open_encoder(spec: GraderSpec, name: str | None) -> Work:
    """Open an embedding model, on a worker."""
    import ray

    model = EmbeddingModel(name, device="cuda" if ray.get_gpu_ids() else "cpu")
    stated = ModelIdentity(spec.responder.model, spec.responder.revision)
    _check_same(name or "The default model", stated, model.identity)

    def read(texts: Sequence[str]) -> Results:
        yield list(enumerate(model.encode(texts)))

    return read


def _open_scorer(folder: Path, fingerprint: str) -> Work:
    """Open an AVA model, on a worker."""
    model = open_ava(folder)
    _check_same(str(folder), fingerprint, model.fingerprint)

    def score(triples: Sequence[Triple]) -> Results:
        yield list(enumerate(model.scores(triples).tolist()))

    return score


def _check_same(name: str, expected: object, actual: object) -> None:
    if actual != expected:
        raise MissingModelError(
            f"{name} differs from the model where the grading was started; put "
            "the same files on both machines"
        )


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Parse an address; None for "auto" or "". Raises EngineError."""
    if address in ("", "auto"):
        return None
    host, colon, port = address.rpartition(":")
    host = host.strip("[]")
    if not (host and colon and port.isdecimal()) or "/" in host or int(port) > 65535:
        raise EngineError(
            f"'{address}' is not an address of a Ray cluster; expected HOST:PORT, such "
            "as 10.0.0.1:6379, on a machine that joined the cluster with "
            "`ray start --address=HOST:PORT`"
        )
    return host, int(port)


def _probe(address: str) -> None:
    """Raise EngineError if nothing listens there; Ray would wait for minutes."""
    if (place := _host_and_port(address)) is None:
        return
    try:
        socket.create_connection(place, timeout=PROBE_SECONDS).close()
    except OSError as error:
        raise EngineError(
            f"No server answers at {address} ({error.strerror or error}); start Ray "
            "there with `ray start --head`, or leave out the address to run it here"
        ) from None


def _join(
    connect: Callable[[], object], where: str, *, within: float | None = None
) -> None:
    """Connect, in another thread if ``within`` seconds are given.

    Without them in this thread, since a local Ray ends with the thread that started it.
    """
    failures: list[BaseException] = []

    def run() -> None:
        try:
            connect()
        except (Exception, SystemExit) as error:  # Ray raises both
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with _silence():
        if within is None:
            run()
        else:
            thread.start()
            thread.join(within)
    if failures:
        why = " ".join(str(failures[0]).split()) or type(failures[0]).__name__
        raise EngineError(f"{where} cannot be reached: {why}")
    if thread.is_alive():
        raise EngineError(
            f"{where} has not answered like a Ray for {within:g} s; check that "
            "the address is that of `ray start --head`"
        )


@contextmanager
def _silence() -> Iterator[None]:
    """Discard stderr, to which Ray's core writes each step of a connection."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
