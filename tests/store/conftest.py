"""The small collection, open for two judges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from curator.workspace import Workspace


@pytest.fixture
def ann(workspace: Workspace) -> Workspace:
    """The small collection, open as ann."""
    return workspace


@pytest.fixture
def bob(ann: Workspace) -> Iterator[Workspace]:
    """The same file, open as bob."""
    with Workspace.open(ann.path, judge="bob") as opened:
        yield opened
