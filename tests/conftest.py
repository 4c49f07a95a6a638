"""What every test may ask for: the demo collection, a workspace, the real data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from tests.samples.hand_made import hand_made_workspace

ROOT = Path(__file__).parent.parent

# Times on a shared machine say nothing about the code.
hypothesis_settings.register_profile("curator", deadline=None, max_examples=50)
hypothesis_settings.load_profile("curator")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Tests run side by side: a second thread of a small model would only wait its turn.
os.environ.setdefault("OMP_NUM_THREADS", "1")


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


@pytest.fixture(scope="session")
def built_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo workspace, built once a test process with the real packaged model."""
    from curator.demo import build_demo

    path = tmp_path_factory.mktemp("demo") / "demo.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURATOR_DEMO", str(path))
        return build_demo()


@pytest.fixture
def demo_db(built_demo: Path, tmp_path: Path) -> Path:
    """A copy of the demo workspace that the test may change."""
    return Path(shutil.copy(built_demo, tmp_path / "demo.db"))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the tiny T5, made once a test run (see tests/tiny_t5.py)."""
    pytest.importorskip("transformers")
    from tests.samples.tiny_t5 import shared_folder, tiny_t5

    return tiny_t5(shared_folder(tmp_path_factory.getbasetemp()))


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    """A workspace of the hand-made collection."""
    return hand_made_workspace(tmp_path / "hand-made")
