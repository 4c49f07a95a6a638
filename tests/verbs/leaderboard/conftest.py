"""A published collection that people have graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.conftest import MadeOnce


@pytest.fixture(scope="session")
def realsumm(made_once: MadeOnce, shared_data: Path) -> Path:
    """REALSumm's workers and their majority; not to be changed."""

    def make(path: Path) -> None:
        with Workspace.open(path, create=True) as workspace:
            workspace.import_(autograder=shared_data / "realsumm" / "graded.jsonl.gz")

    return made_once("realsumm-people.db", make)
