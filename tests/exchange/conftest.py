from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The TREC data beside the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no TREC data at {SHARED_DATA}")
    return SHARED_DATA
