"""``near``: the question that another says almost the same as, by meaning.

Vectors by hand: a text's vector is an angle, and a cosine that of the angle between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from curator.bank.edits import Add, Keep, Propose, Retire
from curator.verbs.curate.impact import NEAR_COSINE
from curator.workspace import Workspace
from tests.samples.proposals import opened
from tests.samples.workspaces import FakeEncoder

NEAR = math.degrees(math.acos(NEAR_COSINE))  # the widest angle that is near


class Angles(FakeEncoder):
    """The vector of "…@30?" points to 30 degrees; others are far from any."""

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        vectors = []
        for text in texts:
            _, at, degrees = text.rstrip("?").partition("@")
            angle = math.radians(float(degrees)) if at else math.pi
            pointed = [[math.cos(angle), math.sin(angle), 0.0, 0.0]]
            vectors.append(np.array(pointed, dtype=np.float16))
        return vectors


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path) as workspace:
        workspace.apply(Retire("rain/a"))
        yield workspace


def keep(workspace: Workspace, *texts: str) -> None:
    workspace.apply([Add("rain", text) for text in texts])


def propose(workspace: Workspace, *texts: str) -> None:
    edits = [Propose("rain", text, "{}") for text in texts]
    workspace.apply(edits, by="chat:some-model")


def near_texts(workspace: Workspace) -> dict[str | None, str | None]:
    """Text by text: what each question of query rain is nearest to."""
    text_of = {q.question_id: q.text for q in workspace.bank().questions_of("rain")}
    found = workspace.near("rain")
    return {text_of[one]: text_of[other.question_id] for one, other in found.items()}


def test_a_proposal_is_near_to_the_nearest_kept_question(workspace):
    keep(workspace, "Far@0?", "Near@100?", "Nearer@104?")
    propose(workspace, "New@105?")
    workspace.grade("embedding", encoder=Angles())
    assert near_texts(workspace)["New@105?"] == "Nearer@104?"
    (*_, found) = workspace.near("rain").values()
    assert found.cosine == pytest.approx(math.cos(math.radians(1)), abs=1e-3)


def test_a_kept_question_is_compared_with_kept_ones_only(workspace):
    keep(workspace, "One@0?", "Two@5?", "Three@90?")
    propose(workspace, "New@90?")
    workspace.grade("embedding", encoder=Angles())
    assert near_texts(workspace) == {
        "One@0?": "Two@5?",
        "Two@5?": "One@0?",
        "New@90?": "Three@90?",
    }


def test_of_proposals_that_are_near_to_one_another_the_later_is_marked(workspace):
    propose(workspace, "First@0?", "Second@1?", "Third@2?")
    workspace.grade("embedding", encoder=Angles())
    assert near_texts(workspace) == {"Second@1?": "First@0?", "Third@2?": "Second@1?"}


def test_near_is_from_the_threshold_on(workspace):
    keep(workspace, "Kept@0?")
    propose(workspace, f"In@{NEAR - 0.5:.2f}?", f"Out@{-NEAR - 0.5:.2f}?")
    workspace.grade("embedding", encoder=Angles())
    assert near_texts(workspace) == {f"In@{NEAR - 0.5:.2f}?": "Kept@0?"}


def test_what_was_dropped_or_retired_is_near_to_nothing(workspace):
    keep(workspace, "Kept@0?")
    propose(workspace, "First@1?", "Second@2?")
    workspace.grade("embedding", encoder=Angles())
    _, kept, first, second = workspace.bank().questions_of("rain")
    workspace.apply(Retire(first.question_id))
    assert near_texts(workspace) == {"Second@2?": "Kept@0?"}
    workspace.apply(Retire(kept.question_id))
    assert near_texts(workspace) == {}
    workspace.undo()
    workspace.apply(Keep(second.question_id))
    assert near_texts(workspace) == {"Second@2?": "Kept@0?", "Kept@0?": "Second@2?"}


def test_without_vectors_nothing_is_near(workspace):
    keep(workspace, "One@0?", "Two@0?")
    propose(workspace, "New@0?")
    assert workspace.near("rain") == {}
    workspace.grade("embedding", encoder=Angles())
    assert len(workspace.near("rain")) == 3
