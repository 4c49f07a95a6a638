"""What every test may ask for: the demo collection, a workspace, the real data."""

from __future__ import annotations

import fcntl
import os
import shutil
import ssl
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.samples.workspaces import EncodedBefore, recorded_vectors, small_workspace

MadeOnce = Callable[[str, Callable[[Path], object]], Path]
ROOT = Path(__file__).parent.parent
DEMO_VECTORS = "demo-vectors.pickle"

# Times on a shared machine say nothing about the code.
hypothesis_settings.register_profile("curator", deadline=None, max_examples=50)
hypothesis_settings.load_profile("curator")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Compiled tests and modules are kept, whatever is set here: or every process, and there
# are hundreds, compiles them again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Every workspace waits for the disk several times; memory does not keep them waiting.
MEMORY, ENOUGH = Path("/dev/shm"), 4 * 2**30
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
# No test speaks TLS: to read all that it would trust costs every chat client 40 ms,
# and to be ready for it with nothing to trust 10.
os.environ.setdefault("SSL_CERT_DIR", os.devnull)
ssl.create_default_context = cache(ssl.create_default_context)
# Streamlit notes what every element was asked with, to report it; servers do not.
os.environ.setdefault("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
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
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Makes a file unless a process of this test run has; all of them read it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def made(name: str, make: Callable[[Path], object]) -> Path:
        path, half = folder / name, folder / f"half-{name}"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                make(half)
                half.rename(path)
        return path

    return made


@pytest.fixture(scope="session")
def instant_demo(made_once: MadeOnce) -> Path:
    """The demo as `curator demo` builds it, which is what the documents show."""
    from curator.demo import build_demo

    def make(path: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CURATOR_DEMO", str(path))
            with recorded_vectors(path.parent / DEMO_VECTORS):
                build_demo()

    return made_once("instant-demo.db", make)


@pytest.fixture(scope="session")
def built_demo(made_once: MadeOnce, instant_demo: Path) -> Path:
    """The demo collection, built once a test run with the real packaged model.

    Graded by ``embedding`` alone; the demo itself is graded by ``instant``, of which
    this has the vectors: it is of the same texts.
    """
    from curator.demo import demo_folder, import_demo

    def make(path: Path) -> None:
        encoder = EncodedBefore(instant_demo.parent / DEMO_VECTORS)
        with Workspace.open(path, create=True, judge="demo") as workspace:
            import_demo(workspace, demo_folder())
            workspace.grade("embedding", encoder=encoder)

    return made_once("demo.db", make)


@pytest.fixture(scope="session")
def built_dl19(made_once: MadeOnce, shared_data: Path) -> Path:
    """A workspace of the published DL19 files; a test that changes it copies it."""
    folder = shared_data / "dl19"

    def make(path: Path) -> None:
        with Workspace.open(path, create=True, judge="ann") as workspace:
            workspace.import_(
                autograder=folder / "graded.jsonl.gz",
                bank=folder / "questions.jsonl.gz",
                queries=folder / "queries.json",
                official=folder / "official_leaderboard.json",
                min_relevance=2,
            )

    return made_once("dl19.db", make)


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


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of the small collection in ``tmp_path``, open as ann."""
    with small_workspace(tmp_path) as opened:
        yield opened
