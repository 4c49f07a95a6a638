"""A small collection to ask models about, and what an obliging model says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curator.bank.questions import Question, QuestionState
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.samples.chat_server import MODEL
from tests.samples.workspaces import (
    collection_files,
    copied,
    graded_passage,
    run_file,
)

TIDES = "Why are there tides?"
RAIN = "Why does it rain?"
ORDER = GenerationRequest(model=MODEL)


def listed(*texts: str) -> str:
    """A response as asked for: a Python list."""
    return json.dumps(list(texts))


def three_questions(prompt: str) -> str:
    """Three questions about a prompt, others for every prompt."""
    return listed(*questions_about(prompt))


def questions_about(prompt: str) -> list[str]:
    """What ``three_questions`` lists."""
    about = hashlib.sha256(prompt.encode()).hexdigest()[:8]
    return [f"What of {about}, number {n}?" for n in (1, 2, 3)]


def topic_files(folder: Path) -> dict[str, Path]:
    """Two queries with a title and one without; one with subtopics. By hand:

    ``rain`` asks "What is a cloud?", which r1 answers; of r2, r3 and r4 nothing is
    asked. System one ranks r1, r2; two ranks r2, r3; three ranks r1, r3, r4. Nobody
    judged r2 and r4; r3 is relevant, r1 is not.
    """
    rain = {"one": ["r1", "r2"], "two": ["r2", "r3"], "three": ["r1", "r3", "r4"]}
    subtopics = [
        {"subtopic_id": "moon", "text": "The moon's pull"},
        {"subtopic_id": "sun"},
    ]
    tides = {"query_id": "tides", "title": TIDES, "background": "I sail."}
    files = collection_files(
        folder,
        queries=[
            tides | {"subtopics": subtopics},
            {"query_id": "rain", "title": RAIN},
        ],
        passages={"t1": "The moon pulls the sea."},
        questions={"rain": {"rain/a": "What is a cloud?"}},
        graded={
            "rain": [
                graded_passage(p, "rain", {"rain/a": rating}, text=f"Rain, {p}.")
                for p, rating in {"r1": 5, "r2": 0, "r3": 3, "r4": 1}.items()
            ]
        },
        runs={s: {"rain": passages, "tides": ["t1"]} for s, passages in rain.items()},
        judgments="rain 0 r1 0\nrain 0 r3 2\n",
    )
    run_file(files["runs"] / "only-id.run", {"only-id": ["t1"]}, "one")
    return files


def topic_workspace(folder: Path) -> Path:
    """The path of a new workspace of ``topic_files``, imported by ann."""
    copied(_make, folder)
    return folder / "topics.db"


def _make(folder: Path) -> None:
    with Workspace.open(folder / "topics.db", create=True, judge="ann") as workspace:
        files = topic_files(folder / "files")
        workspace.import_(**files, min_relevance=2, add_queries=True)


@contextmanager
def opened(folder: Path) -> Iterator[Workspace]:
    """A new workspace of ``topic_files``, open as ann."""
    with Workspace.open(topic_workspace(folder), judge="ann") as workspace:
        yield workspace


def texts_of(
    workspace: Workspace, query_id: str, state: QuestionState
) -> list[str | None]:
    """The texts of a query's questions in this state, in the bank's order."""
    return [question.text for question in in_state(workspace, query_id, state)]


def in_state(
    workspace: Workspace, query_id: str, state: QuestionState
) -> list[Question]:
    """A query's questions in this state, in the bank's order."""
    return [q for q in workspace.bank().questions_of(query_id) if q.state == state]
