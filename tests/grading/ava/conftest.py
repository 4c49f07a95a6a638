"""What the tests of AVA's transformers share: tiny encoders, on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.samples.tiny_encoder import tiny_encoder
from tests.samples.triples import KINDS, WORDS


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny matrices are slower on two threads."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By kind: the folder of a tiny encoder that knows ``WORDS``."""
    folder = tmp_path_factory.mktemp("encoders")
    return {kind: tiny_encoder(folder / kind, WORDS, kind) for kind in KINDS}
