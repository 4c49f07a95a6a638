"""The workspace whose pairs are checked."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(hand_made: Path) -> Path:
    """The hand-made workspace: seven pairs, rated 5, 5, 4 and four times 0."""
    return hand_made
