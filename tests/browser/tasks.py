"""Many small queries, one for each test, so that tests can share a server.

Each has questions a, b, c and two passages: p answers a and b and is retrieved by
"one", q answers c and is retrieved by "two".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from curator.bank.edits import Edit
from curator.bank.questions import Question
from curator.store.history import Event
from curator.workspace import Workspace
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)

NAMES = [f"t{number:02}" for number in range(1, 91)]
TASKS = iter(NAMES)


@dataclass(frozen=True)
class Task:
    """One query of a served workspace."""

    path: Path
    address: str
    query_id: str

    def url(self, question: str | None = None, **params: str) -> str:
        """Its page, with this question selected."""
        asked = {"query": self.query_id, **params}
        if question is not None:
            asked["question"] = self.question_id(question)
        return f"{self.address}/?{urlencode(asked)}"

    def question_id(self, letter: str) -> str:
        """The id of its question a, b or c."""
        return f"{self.query_id}/{letter}"

    def question(self, letter: str) -> Question:
        """The question as it is saved."""
        with Workspace.open(self.path) as workspace:
            return workspace.bank().question(self.question_id(letter))

    def questions(self) -> tuple[Question, ...]:
        """All its questions as they are saved."""
        with Workspace.open(self.path) as workspace:
            return workspace.bank().questions_of(self.query_id)

    def ben_saves(self, *edits: Edit) -> None:
        """Another judge saves these."""
        with Workspace.open(self.path, judge="ben") as workspace:
            for edit in edits:
                workspace.apply(edit)

    def events(self) -> list[Event]:
        """What people did to it, the first first."""
        with Workspace.open(self.path) as workspace:
            return list(reversed(workspace.history(query_id=self.query_id)))

    def kinds(self) -> list[str]:
        """What kinds of edits these were."""
        return [event.change.kind for event in self.events()]


def tasks_workspace(folder: Path) -> Path:
    """The workspace's path, newly made."""
    bank = question_bank(
        folder / "bank.jsonl",
        {
            name: {
                f"{name}/a": "Why is it?",
                f"{name}/b": "How is it?",
                f"{name}/c": "When is it?",
            }
            for name in NAMES
        },
    )
    graded = graded_file(
        folder / "graded.jsonl",
        {
            name: [
                graded_passage(
                    f"{name}p",
                    name,
                    {f"{name}/a": 5, f"{name}/b": 4, f"{name}/c": 0},
                    text=f"Because of it, in {name}.",
                ),
                graded_passage(
                    f"{name}q", name, {f"{name}/a": 0, f"{name}/b": 0, f"{name}/c": 5}
                ),
            ]
            for name in NAMES
        },
    )
    runs = folder / "runs"
    runs.mkdir()
    run_file(runs / "one.run", {name: [f"{name}p"] for name in NAMES}, "one")
    run_file(runs / "two.run", {name: [f"{name}q"] for name in NAMES}, "two")
    queries = write_lines(
        folder / "queries.jsonl",
        [{"query_id": name, "text": f"What is {name}?"} for name in NAMES],
    )
    qrels = folder / "judgments.qrels"
    qrels.write_text("".join(f"{name} 0 {name}p 2\n" for name in NAMES))
    path = folder / "tasks.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            queries=queries,
            bank=bank,
            autograder=graded,
            runs=runs,
            judgments=qrels,
            min_relevance=2,
            title="Tasks",
        )
    return path
