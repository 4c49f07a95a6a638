"""What every test may ask for: the demo collection, a workspace, the real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

ROOT = Path(__file__).parent.parent

# Times on a shared machine say nothing about the code.
hypothesis_settings.register_profile("curator", deadline=None)
hypothesis_settings.load_profile("curator")
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def demo_folder() -> Path:
    """The demo collection's files."""
    return ROOT / "data" / "demo"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real TREC data beside the checkout; the test is skipped where there is none."""
    folder = Path(os.environ.get("CURATOR_REAL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}")
    return folder
