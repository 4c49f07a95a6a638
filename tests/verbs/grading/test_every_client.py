"""Every client of models through all that a grader goes through, two made-up ones too.

What a client says of itself is all that anybody knows of it: nothing here is told which
one it is, and the made-up ones stand in no file of the program. A new client needs its
module and a sample here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.bank.edits import Reword
from curator.verbs.grading import jobs as work
from curator.verbs.setup import GraderState
from curator.web.pages.settings.grading.graders import state_and_action
from curator.workspace import Workspace
from grading import registry
from grading.ava.card import Card, Data
from grading.graders.client import Client
from grading.graders.lexical import LexicalGrader
from grading.graders.text import TextGrader, parse_grader_name
from grading.models.protocol import Batch, PromptParts, Response
from grading.registry import clients, open_grader, reopen
from grading.responders import GraderSpec
from tests.samples.chat_server import ChatServer
from tests.samples.command_line import json_of
from tests.samples.local_grader import ANSWERING
from tests.samples.local_grader import grade as answered
from tests.samples.workspaces import (
    FakeEncoder,
    graded_file,
    graded_passage,
    question_bank,
)


@dataclass
class Sample:
    """A grader of a client, by a name that opens it here.

    ``asked`` says how much its model was asked so far. ``rests_on`` is the grader whose
    answers have to be there, if any; ``more`` is handed to ``grade``.
    """

    name: str
    asked: Callable[[], int]
    rests_on: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


# One for each client; what a sample needs stands in for it, or is made here.


@contextmanager
def chat(request: pytest.FixtureRequest) -> Iterator[Sample]:
    patch = request.getfixturevalue("monkeypatch")
    with ChatServer("4") as server:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield Sample("chat:test-model", lambda: len(server.requests))


@contextmanager
def flan_t5(request: pytest.FixtureRequest) -> Iterator[Sample]:
    patch, asked = request.getfixturevalue("monkeypatch"), list[PromptParts]()

    def ask(grader: TextGrader, prompts: Sequence[PromptParts]) -> Generator[Batch]:
        asked.extend(prompts)
        yield from grader.model.ask(prompts)

    patch.setattr(TextGrader, "ask", ask)
    folder = request.getfixturevalue("tiny_model")
    yield Sample(f"flan-t5:{folder}/float32", lambda: len(asked))


@contextmanager
def vectors(request: pytest.FixtureRequest) -> Iterator[Sample]:
    encoder = FakeEncoder()
    yield Sample("embedding", lambda: len(encoder.texts), more={"encoder": encoder})


@contextmanager
def lexical(request: pytest.FixtureRequest) -> Iterator[Sample]:
    patch, asked = request.getfixturevalue("monkeypatch"), list[object]()
    grade = LexicalGrader.grade

    def counted(self: LexicalGrader, items: Any, *more: Any) -> Any:
        asked.extend(items)
        return grade(self, items, *more)

    patch.setattr(LexicalGrader, "grade", counted)
    yield Sample("lexical", lambda: len(asked))


class HalfAva:
    """Every answer is as right as wrong."""

    fingerprint = "1"

    def __init__(self, card: Card) -> None:
        self.card = card
        self.seen: list[object] = []

    def scores(self, triples: Sequence[object]) -> np.ndarray:
        self.seen += triples
        return np.full(len(triples), 0.5)


@contextmanager
def ava(request: pytest.FixtureRequest) -> Iterator[Sample]:
    folder = request.getfixturevalue("tmp_path") / "ava"
    folder.mkdir()
    model = HalfAva(Card("ava", "linear", Data((), 0, 0, 0, 0, 0, 0)))
    model.card.write(folder)
    opening = sys.modules[clients()["ava"].from_name.__module__]
    patch = request.getfixturevalue("monkeypatch")
    patch.setattr(opening, "open_ava", lambda _: model)
    yield Sample(f"ava:{folder}+{ANSWERING}", lambda: len(model.seen), ANSWERING)


@contextmanager
def instant(request: pytest.FixtureRequest) -> Iterator[Sample]:
    encoder = FakeEncoder()
    yield Sample("instant", lambda: len(encoder.texts), more={"encoder": encoder})


SAMPLES = {
    "chat": chat,
    "flan-t5": flan_t5,
    "vectors": vectors,
    "lexical": lexical,
    "instant": instant,
    "ava": ava,
}


class Echo:
    """Answers every prompt with a 4, one by one."""

    def __init__(self) -> None:
        self.seen = 0

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch]:
        for at, _ in enumerate(prompts):
            self.seen += 1
            yield [(at, Response("4", tokens_in=1, tokens_out=1))]


@contextmanager
def made_up(request: pytest.FixtureRequest, *, paid: bool) -> Iterator[Sample]:
    """A client that no file of the program has ever heard of."""
    echo, engine = Echo(), "paid-echo" if paid else "echo"

    def grader(name: str, *, prompt: Any = None, **_: Any) -> TextGrader:
        named = parse_grader_name(name, prompt)
        model = named.model.partition(":")[2]
        return named.grader(engine, model, (), lambda: echo)

    client = Client(
        engine=engine,
        names={f"{engine}:<model>": "says 4"},
        paid=paid,
        local=not paid,
        takes_prompts=True,
        from_name=grader,
    )
    known = {**clients(), engine: client}
    patch = request.getfixturevalue("monkeypatch")
    patch.setattr(registry, "clients", lambda: known)
    yield Sample(f"{engine}:one", lambda: echo.seen)


@pytest.fixture(params=[*SAMPLES, "echo", "paid-echo"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sample(engine: str, request: pytest.FixtureRequest) -> Iterator[Sample]:
    if engine in SAMPLES:
        opened = SAMPLES[engine](request)
    else:
        opened = made_up(request, paid=engine == "paid-echo")
    with opened as one:
        yield one


@pytest.fixture
def client(sample: Sample, engine: str) -> Client:
    return registry.clients()[engine]


@pytest.fixture
def workspace(sample: Sample, tmp_path: Path) -> Iterator[Workspace]:
    """Two queries of a question each, five passages, and what the sample rests on."""
    pools = {"q1": ("p1", "p2", "p3"), "q2": ("p4", "p5")}
    bank = question_bank(
        tmp_path / "bank.jsonl",
        {one: {f"{one}/a": f"What of {one}?"} for one in pools},
        answers={f"{one}/a": [f"answer {one}"] for one in pools},
    )
    graded = {
        one: [
            graded_passage(p, one, {}, text=f"This is {p}.", ranks={"a": rank})
            for rank, p in enumerate(pool, 1)
        ]
        for one, pool in pools.items()
    }
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", graded), bank=bank
        )
        if sample.rests_on:
            said = {
                (f"{one}/a", p): f"It is {p}."
                for one, pool in pools.items()
                for p in pool
            }
            answered(workspace.path, sample.rests_on, said)
        yield workspace


PAIRS = 5  # by hand: 1 question by 3 passages, 1 by 2


def state_of(workspace: Workspace, name: str) -> GraderState:
    (state,) = (one for one in workspace.graders() if one.name == name)
    return state


def test_every_client_has_a_sample_here() -> None:
    assert set(SAMPLES) == set(clients())


def test_a_grader_is_known_by_its_identity_and_opens_again(
    sample: Sample, client: Client, workspace: Workspace
) -> None:
    workspace.grade(sample.name, **sample.more)
    spec = next(
        one.spec
        for one in workspace.current_snapshot().gradebook.records
        if one.spec.engine == client.engine
    )
    again = GraderSpec.from_json(spec.to_json())
    assert (again, again.key) == (spec, spec.key)
    if not client.checks_answers:
        # The words' rarity is the workspace's own.
        opened = open_grader(sample.name).spec
        assert opened.responder == spec.responder
        assert spec.reading.frequencies or opened.key == spec.key
        assert reopen(spec, spec.name).spec.key == spec.key
    assert workspace.grade(spec.name, **sample.more).asked == 0


def test_a_dry_run_counts_asks_nothing_and_leaves_nothing_behind(
    sample: Sample, client: Client, workspace: Workspace
) -> None:
    before = [one.name for one in workspace.graders()]
    found = workspace.grade(sample.name, dry_run=True)
    assert (found.asked, found.queries) == (PAIRS, 2)
    assert found.prompts == (PAIRS if client.takes_prompts else 0)
    assert bool(found.tokens_in) == client.takes_prompts
    told = json_of("grade", workspace.path, "--grader", sample.name, "--dry-run")
    assert told["asked"] == PAIRS
    assert sample.asked() == 0
    assert [one.name for one in workspace.graders()] == before


def test_what_costs_money_is_asked_on_somebodys_word_only(
    sample: Sample,
    client: Client,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = workspace.grade(sample.name, **sample.more).grader
    workspace.apply(Reword("q1/a", "What else of q1?"))
    asked = sample.asked()
    state = state_of(workspace, name)
    assert state.unasked == 3  # by hand: the passages of q1
    assert state.paid == client.paid
    # The Grading tab has it counted first.
    _, action = state_and_action(state, busy=False)
    assert action == ("count" if client.paid else "grade")
    # Only what runs here goes on by itself.
    goes_on = client.local and not state.computed
    assert workspace.lags_behind_edits(name) == goes_on
    # A job that somebody starts counts before its process begins.
    monkeypatch.setattr(work, "_start_process", lambda *_: None)
    if not sample.rests_on:  # whose model is not here
        assert workspace.start_job(name).total == 3
    assert sample.asked() == asked


def test_an_interrupted_grading_goes_on_where_it_was(
    sample: Sample, workspace: Workspace
) -> None:
    class StoppedError(Exception):
        pass

    kept = 0

    def interrupt(done: int, total: int) -> None:
        nonlocal kept
        kept = done
        if done:
            raise StoppedError

    with pytest.raises(StoppedError):
        workspace.grade(sample.name, progress=interrupt, **sample.more)
    assert kept > 0
    # Opened anew, as the next process would.
    with Workspace.open(workspace.path, judge="ann") as again:
        assert again.grade(sample.name, dry_run=True).asked == PAIRS - kept
        assert again.grade(sample.name, **sample.more).asked == PAIRS - kept
        assert again.grade(sample.name, dry_run=True).asked == 0
        assert again.verify().problems == ()
