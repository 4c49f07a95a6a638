"""What a judge is told is the same, whatever the marks are that they may not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.twins import twin_workspaces
from tests.snapshot.reading import everything

COUNTED = {"progress"}
"""What is counted of everybody's marks."""


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return twin_workspaces(tmp_path_factory.mktemp("twins"))


@pytest.mark.parametrize("judge", ["ann", "vic", "owner"])
def test_no_verb_depends_on_hidden_marks(twins: tuple[Path, Path], judge: str) -> None:
    first, second = (
        everything(Workspace.open(path, judge=judge, as_judge=judge != "owner"))
        for path in twins
    )
    differing = {name for name in first if first[name] != second[name]}
    if judge == "owner":  # the marks do differ, wherever they are shown
        assert {"bank", "history", "check_quality", "judges"} <= differing
    else:
        assert differing <= COUNTED
