import logging
from collections.abc import Iterator
from io import StringIO

import pytest

from grading.models.embedding import EmbeddingModel


@pytest.fixture(scope="session")
def minilm() -> EmbeddingModel:
    """The real default model, on one thread: PyTorch counts them for the process.

    A second one would be had by every model after it, and would wait for a core that
    another test has.
    """
    return EmbeddingModel(threads=1)


@pytest.fixture
def logged() -> Iterator[StringIO]:
    """All that is logged, at any level; pytest's own way costs every test a moment."""
    said, root = StringIO(), logging.getLogger()
    handler, before = logging.StreamHandler(said), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield said
    root.setLevel(before)
    root.removeHandler(handler)
