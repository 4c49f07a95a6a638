"""Many queries about which a model is asked, one for each test.

Each has two subtopics, of which only the first has a question, and two passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from curator.bank.questions import Question
from curator.verbs.proposals.decisions import DecisionCounts
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.samples.page_proposals import NAMED, TEXTS
from tests.samples.workspaces import graded_file, graded_passage, run_file, write_lines

SUBTOPIC = "How it came to be"
NAMES = [f"q{number:02}" for number in range(1, 16)]
QUERIES = iter(NAMES)


def asked_workspace(folder: Path, names: Sequence[str]) -> Path:
    """The workspace's path, newly made; the model to ask is set up."""
    queries = [
        {
            "query_id": name,
            "text": f"What is it in {name}?",
            "subtopics": [
                {"subtopic_id": f"{name}/s", "text": "What it is"},
                {"subtopic_id": f"{name}/t", "text": SUBTOPIC},
            ],
        }
        for name in names
    ]
    banks = [
        {
            "query_id": name,
            "query_text": f"What is it in {name}?",
            "items": [
                {
                    "query_id": name,
                    "question_id": f"{name}/s/a",
                    "question_text": "Why is it?",
                    "facet_id": f"{name}/s",
                }
            ],
        }
        for name in names
    ]
    passages = {
        name: [
            graded_passage(
                f"{name}p1", name, {f"{name}/s/a": 5}, text="It is because it was made."
            ),
            graded_passage(
                f"{name}p2",
                name,
                {f"{name}/s/a": 0},
                text="It belongs to the one here.",
            ),
        ]
        for name in names
    }
    runs = folder / "runs"
    runs.mkdir()
    run_file(runs / "one.run", {name: [f"{name}p1"] for name in names}, "one")
    run_file(runs / "two.run", {name: [f"{name}p2"] for name in names}, "two")
    made = folder / "asked.db"
    with Workspace.open(made, create=True, judge="ann") as workspace:
        workspace.import_(
            queries=write_lines(folder / "queries.jsonl", queries),
            bank=write_lines(folder / "bank.jsonl", banks),
            autograder=graded_file(folder / "graded.jsonl", passages),
            runs=runs,
        )
        workspace.set_up(generation=GenerationRequest(NAMED))
    return made


@dataclass(frozen=True)
class Place:
    """One query of a served workspace, and a judge who works on no other."""

    path: Path
    address: str
    query_id: str

    @property
    def judge(self) -> str:
        """The judge's name."""
        return f"judge of {self.query_id}"

    @property
    def subtopic_id(self) -> str:
        """The subtopic without a question."""
        return f"{self.query_id}/t"

    @property
    def url(self) -> str:
        """The query's page."""
        asked = {"query": self.query_id, "judge": self.judge}
        return f"{self.address}/?{urlencode(asked)}"

    def bank(self) -> dict[str, Question]:
        """The query's questions as they are saved, by their texts."""
        with Workspace.open(self.path) as workspace:
            found = workspace.bank().questions_of(self.query_id)
            return {one.title: one for one in found}

    def states(self) -> list[str]:
        """What became of the four texts, in the order they were listed."""
        found = self.bank()
        return [found[text].state for text in TEXTS]

    def batches(self) -> list[set[str]]:
        """The kinds of events in each of the judge's batches, the first first."""
        found: dict[int, set[str]] = {}
        with Workspace.open(self.path) as workspace:
            for event in reversed(workspace.history(query_id=self.query_id)):
                if event.by == self.judge:
                    found.setdefault(event.batch_id, set()).add(event.change.kind)
        return list(found.values())

    def decisions(self) -> DecisionCounts:
        """What the judge made of what was proposed."""
        with Workspace.open(self.path) as workspace:
            (own,) = (
                one for one in workspace.decisions().judges if one.judge == self.judge
            )
        return own
