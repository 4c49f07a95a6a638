"""Models on a Ray: workers that hold one each, on whatever machines it has.

An engine replaces who computes a batch, and nothing else. What is asked, under which
claims, and who stores the answers stays with the process that grades, Ray's *driver*.

A *worker* is an actor with a model. It opens the grader by its name on its own machine,
with the weights and keys that are there: names, prompts, texts and the address of a
chat model are all that is sent. It refuses a model that is another one than the
driver's, loads it once, and gives results back as the model has them. One that dies,
alone or with its machine, costs what it had not given back by then: that is asked of
another.

Importing this module loads nothing; ``ray`` comes in with the first connection.
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

PROBE_SECONDS = 5.0  # seconds within which somebody has to take a connection
CONNECT_SECONDS = 12.0  # seconds more within which that has to prove to be a Ray
THREADS = 8  # of a worker on a CPU; more make a model little faster
STORE_BYTES = 256 << 20  # bytes of shared memory for what is under way, on this machine


def describe_ray() -> str:
    """On which Ray models would run here, in words; "" without the package."""
    if find_spec("ray") is None:
        return ""
    address = os.environ.get(ADDRESS_VARIABLE, "")
    return f"the Ray at {address}" if address else "a Ray started on this machine"


@dataclass
class RayEngine:
    """A Ray, connected to when something is first to be asked.

    ``address`` is the cluster's, HOST:PORT or "auto"; without one RAY_ADDRESS, else a
    Ray is started on this machine, for it alone, and ended with this. ``workers`` is
    how many there are at most: else one a GPU, or one for every eight CPUs or machine
    without GPUs. Only one grader's workers are there at a time. EngineError says in
    one line what stands in the way.
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
        """How many workers there are, so that as much can be in hand; at least 1."""
        return max(1, len(self._workers.workers)) if self._workers else 1

    def with_workers(self, grader: TextGrader, limit: int | None = None) -> TextGrader:
        """The grader, whose model is that of the workers.

        ``limit`` is of the tokens of an answer, None for the model's own.
        """
        spec = grader.spec
        # One that is asked over a line has no use for a machine's power.
        computes = is_local(spec.engine)

        def open_model() -> _Model:
            # Another machine's environment may name another server than was shown here.
            endpoint = "" if computes else Endpoint.from_url(grader.endpoint).url
            opening = partial(_open_text_model, spec, endpoint, limit)
            return _Model(self.start_workers(opening, computes=computes))

        return replace(grader, open_model=open_model)

    def with_scoring_workers(self, grader: AvaGrader) -> AvaGrader:
        """The grader, whose model is that of the workers; one without a network stays.

        A linear model's scores are had sooner than sent for.
        """
        model = grader.model
        if not isinstance(model, TransformerAva):
            return grader
        workers = self.start_workers(
            partial(_open_scorer, model.folder, model.fingerprint)
        )
        return replace(grader, model=_Scorer(model, workers))

    def encoder(self, spec: GraderSpec, model: str | None) -> GraderEncoder:
        """What encodes texts by the model of a grader that computes."""
        return _Encoder(self, partial(_open_encoder, spec, model))

    def start_workers(
        self, opening: Callable[[], Work], *, computes: bool = True
    ) -> Workers:
        """Workers that open this; those of the grader before make room."""
        if self._workers is not None:
            self._workers.close()
        placement = partial(self._placement, computes)
        if not placement()[1]:
            raise EngineError(
                f"{self._name} has no machine with a CPU or GPU for workers; start "
                "some with `ray start --address=HOST:PORT`"
            )
        self._workers = Workers(self._ray, opening, placement, self._name)
        return self._workers

    @property
    def _name(self) -> str:
        return f"The Ray at {self.address}" if self.address else "This machine's Ray"

    def _placement(self, computes: bool) -> tuple[Mapping[str, int], int]:
        """What a worker asks of a machine, and for how many there is room now."""
        self._connect()
        machines = [one["Resources"] for one in self._ray.nodes() if one["Alive"]]
        gpus = sum(int(one.get("GPU", 0)) for one in machines)
        cpus = [int(one["CPU"]) for one in machines if one.get("CPU", 0) >= 1]
        if computes and gpus:
            needs, room = {"num_gpus": 1, "num_cpus": 0}, gpus
        elif computes and cpus:
            threads = min(THREADS, *cpus)
            while sum(one // threads for one in cpus) < (self.workers or 0):
                if threads == 1:
                    break
                threads -= 1
            room = sum(one // threads for one in cpus)
            needs = {"num_cpus": threads}
        else:
            needs, room = {"num_cpus": 1}, len(cpus)
        return needs, min(room, self.workers or room)

    def _connect(self) -> None:
        if self._ray is not None:
            return
        local = not self.address
        _probe(self.address)
        # Read when Ray is imported: this machine's own then listens on loopback alone.
        settings = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"} if local else {}
        settings |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "error"}
        with _environment(settings):
            import ray

            logging.getLogger("ray").setLevel(logging.ERROR)
            if not ray.is_initialized():
                init = partial(ray.init, log_to_driver=False, configure_logging=False)
                if local:
                    own = {
                        "include_dashboard": False,
                        "object_store_memory": STORE_BYTES,
                    }
                    _join(partial(init, "local", **own), self._name)
                else:
                    _join(
                        partial(init, self.address), self._name, within=CONNECT_SECONDS
                    )
                self._started_ray = True
                # It would print what happens to machines among a command's results.
                ray._private.worker.print_to_stdstream = _ignore
        self._ray = ray


@dataclass(frozen=True)
class _Model:
    """A ``TextModel`` of workers."""

    workers: Workers

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch, None, None]:
        return self.workers.results(prompts)


class _Encoder(GraderEncoder):
    """An ``Encoder`` of workers, who are started for the first text.

    Who has read everything already, or weighs words, needs none.
    """

    def __init__(self, engine: RayEngine, opening: Callable[[], Work]) -> None:
        self._engine, self._opening = engine, opening
        self._workers: Workers | None = None

    @property
    def worker_count(self) -> int:
        return self._engine.worker_count

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        self._workers = self._workers or self._engine.start_workers(self._opening)
        return self._workers.all_results(texts)


@dataclass(frozen=True)
class _Scorer:
    """An ``Ava`` whose triples workers score."""

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
    """On a worker: the model of a grader that answers prompts."""
    grader = cast(TextGrader, reopen(spec, spec.name, endpoint=endpoint))
    if limit is not None:
        grader = grader.with_answer_limit(limit)
    return grader.model.ask


def _open_encoder(spec: GraderSpec, name: str | None) -> Work:
    """On a worker: the model of a grader that compares vectors."""
    import ray

    model = EmbeddingModel(name, device="cuda" if ray.get_gpu_ids() else "cpu")
    stated = ModelIdentity(spec.responder.model, spec.responder.revision)
    _check_same(name or "The default model", stated, model.identity)

    def read(texts: Sequence[str]) -> Results:
        yield list(enumerate(model.encode(texts)))

    return read


def _open_scorer(folder: Path, fingerprint: str) -> Work:
    """On a worker: an AVA model."""
    model = open_ava(folder)
    _check_same(str(folder), fingerprint, model.fingerprint)

    def score(triples: Sequence[Triple]) -> Results:
        yield list(enumerate(model.scores(triples).tolist()))

    return score


def _check_same(name: str, stated: object, found: object) -> None:
    if found != stated:
        raise MissingModelError(
            f"{name} is not the model here that it is where the grading was started; "
            "put the same files there"
        )


def _ignore(*_: object, **__: object) -> None: ...


def _host_and_port(address: str) -> tuple[str, int] | None:
    """What an address names; None for "auto" and where there is none."""
    if address in ("", "auto"):
        return None
    host, colon, port = address.rpartition(":")
    host = host.strip("[]")
    if not (host and colon and port.isdecimal()) or "/" in host or int(port) > 65535:
        raise EngineError(
            f"'{address}' is no address of a Ray; expected HOST:PORT, such as "
            "10.0.0.1:6379, from a machine that `ray start --address=HOST:PORT` has "
            "made one of the cluster"
        )
    return host, int(port)


def _probe(address: str) -> None:
    """See that somebody takes connections there; Ray itself waits for minutes."""
    if (place := _host_and_port(address)) is None:
        return
    try:
        socket.create_connection(place, timeout=PROBE_SECONDS).close()
    except OSError as error:
        raise EngineError(
            f"Nobody answers at {address} ({error.strerror or error}); start a Ray "
            "there with `ray start --head`, or leave the address out for one here"
        ) from None


def _join(
    connect: Callable[[], object], where: str, *, within: float | None = None
) -> None:
    """Connect; ``within`` these seconds in a thread that is left alone after them.

    Without, in this one: the processes of a Ray end with the thread that began them.
    """
    failures: list[BaseException] = []

    def run() -> None:
        try:
            connect()
        except (Exception, SystemExit) as error:  # Ray leaves by both
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
        raise EngineError(f"{where} cannot be joined: {why}")
    if thread.is_alive():
        raise EngineError(
            f"{where} has not answered like a Ray for {within:g} s; look whether "
            "the address is that of `ray start --head`"
        )


@contextmanager
def _silence() -> Iterator[None]:
    """Without what Ray's own core writes of every step of a connection."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """These variables where they are not set, for as long as this lasts."""
    new = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            del os.environ[name]
