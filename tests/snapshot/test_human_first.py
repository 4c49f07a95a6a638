"""Human-first mode: nothing shows a proposal to a judge who has to write first.

Each test looks for the proposal's words in whatever any method of the workspace says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from curator.bank.edits import (
    Add,
    Keep,
    Propose,
    Restore,
    Retire,
)
from curator.errors import CuratorError
from curator.generation.prompts import custom_prompt
from curator.workspace import Workspace
from tests.samples.proposals import ORDER, topic_workspace
from tests.samples.workspaces import FakeEncoder
from tests.snapshot.reading import everything

SECRET = "quetzalcoatlus"  # in whatever is hidden
HIDDEN = f"Why {SECRET}?"
MODEL = "chat:some-model"
ALL_THERE_IS = custom_prompt("{query_title} {existing_questions}")


class AllAlike(FakeEncoder):
    """One vector for every text: everything is near to everything, and answers it."""

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        return [np.ones((1, 4), dtype=np.float16) / 2 for _ in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Judges write two questions first; something is proposed about rain."""
    path = topic_workspace(tmp_path)
    with Workspace.open(path) as organizer:
        organizer.set_up(human_first=2)
        organizer.apply([Propose("rain", HIDDEN, '{"generation": 99}')], by=MODEL)
        organizer.grade("embedding", encoder=AllAlike())
    return path


@pytest.fixture
def ann(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="ann", as_judge=True) as workspace:
        yield workspace


@pytest.fixture
def organizer(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="organizer") as workspace:
        yield workspace


ASKED = {
    "edits": [Retire("rain/a")],
    "grader": "embedding",
    "passage_id": "r2",
    "passage_ids": ["r1", "r2", "r3", "r4"],
    "query_id": "rain",
    "question_id": "rain/a",
    "words": SECRET,
}


def everything_on_rain(workspace: Workspace, folder: Path) -> dict[str, str]:
    """Return the result of every verb, export and prompt on query rain, by name."""
    said = everything(workspace, **ASKED)
    latest = workspace.baselines().latest
    settings = workspace.settings(grader="embedding", measure="cover")
    orders = {"prompt": {"prompt": ALL_THERE_IS}, "prompt on r2": {"passage_id": "r2"}}
    for name, order in orders.items():
        request = replace(ORDER, query_id="rain", **order)
        said[name] = repr(workspace.generate(request, dry_run=True))
    for event in range(latest + 1):
        said[f"bank at {event}"] = repr(workspace.bank_at(event).questions_of("rain"))
        said[f"since {event}"] = repr(workspace.impact(since=event, settings=settings))
    for kind in ("bank", "autograder", "qrels"):
        target = folder / f"{kind}.out"
        with suppress(CuratorError):  # blind judges export no grades
            workspace.export(kind, target, settings, allow_partial=True)
            said[f"exported {kind}"] = target.read_text()
    return said


def telling(workspace: Workspace, folder: Path) -> set[str]:
    """The methods that tell the proposal's words, or name it."""
    hidden = hidden_id(workspace.path)
    return {
        name
        for name, said in everything_on_rain(workspace, folder).items()
        if SECRET in said or hidden in said
    }


def hidden_id(path: Path) -> str:
    with Workspace.open(path) as organizer:
        (found,) = [q for q in organizer.bank() if q.text == HIDDEN]
    return found.question_id


TELLS = {"bank", "questions", "history", "if_kept", "near", "prompt", "overview"}


def test_whoever_is_no_judge_sees_all_of_it(organizer, tmp_path):
    assert telling(organizer, tmp_path) >= TELLS


def test_a_judge_who_has_to_write_first_sees_nothing_of_it(ann, tmp_path):
    assert telling(ann, tmp_path) == set()
    gate = ann.gate("rain")
    assert (gate.required, gate.written, gate.remaining, gate.closed) == (2, 0, 2, True)
    assert ann.status().counts["proposed"] == 0


def test_it_opens_in_the_query_where_that_many_were_written(ann, tmp_path):
    ann.apply(Add("rain", "First?"))
    assert ann.gate("rain").remaining == 1
    assert telling(ann, tmp_path) == set()
    ann.apply(Add("rain", "Second?"))
    assert (ann.gate("rain").remaining, ann.gate("rain").closed) == (0, False)
    assert telling(ann, tmp_path) >= TELLS
    # In another query nothing was written.
    assert ann.gate("tides").closed
    ann.undo("rain")
    assert (ann.gate("rain").written, telling(ann, tmp_path)) == (1, set())
    with Workspace.open(ann.path, judge="bob", as_judge=True) as bob:
        bob.apply([Add("rain", "Third?"), Add("rain", "Fourth?")])
        assert telling(bob, tmp_path) >= TELLS
    assert (ann.gate("rain").written, telling(ann, tmp_path)) == (1, set())


def test_a_hidden_proposal_that_a_judge_types_is_written_until_it_is_taken_back(
    ann, organizer, tmp_path
):
    ann.apply(Add("rain", HIDDEN))
    assert ann.gate("rain").written == 1
    assert [q.text for q in ann.bank().questions_of("rain")][-1] == HIDDEN
    ann.undo("rain")
    assert ann.gate("rain").written == 0
    assert [q.state for q in organizer.bank().questions_of("rain")] == [
        "kept",
        "proposed",
    ]
    assert telling(ann, tmp_path) == set()


def test_a_proposal_that_somebody_kept_is_part_of_the_bank(ann, path, organizer):
    organizer.apply(Keep(hidden_id(path)))
    assert HIDDEN in repr(ann.bank().questions_of("rain"))
    assert HIDDEN in repr(ann.history(query_id="rain"))
    organizer.apply([Retire(hidden_id(path)), Retire("rain/a")])
    assert HIDDEN in repr(ann.bank().questions_of("rain"))
    assert "What is a cloud?" in repr(ann.history(query_id="rain"))


def test_a_proposal_that_somebody_dropped_stays_hidden(ann, path, organizer, tmp_path):
    """A model's words lead a judge no less for having been dropped."""
    organizer.apply(Retire(hidden_id(path), reason="off topic"))
    assert telling(ann, tmp_path) == set()
    organizer.apply(Restore(hidden_id(path)))
    assert HIDDEN in repr(ann.bank().questions_of("rain"))


def test_hiding_changes_no_number_of_the_boards(ann, organizer):
    settings = ann.settings(measure="cover")
    assert ann.leaderboard(settings) == organizer.leaderboard(settings)
    with_proposal = organizer.graders()
    assert [(g.known, g.needed) for g in ann.graders()] == [
        (g.known, g.needed) for g in with_proposal
    ]
