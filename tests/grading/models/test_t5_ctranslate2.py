"""FLAN-T5 by CTranslate2: its answers, and the copy of the weights that it reads."""

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("ctranslate2")

from grading.models import t5_generation  # noqa: E402
from grading.models.flan_t5 import FlanT5  # noqa: E402
from grading.models.protocol import PromptParts  # noqa: E402
from grading.models.t5_ctranslate2 import CTranslate2Generator  # noqa: E402
from tests.grading.models.test_t5_generation import random_prompts, random_t5  # noqa: E402

WHY = "Can the question be answered? choose one: Question: Why is it so? Context: "
SEARCH = {"answer_tokens": 12, "length_penalty": 1.0}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder of the copies, empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "curator"


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return transformers.AutoTokenizer.from_pretrained(tiny_model)


def random_model(tokenizer, *, tied=False):
    """A T5 that answers at random, and prompts for it."""
    words = len(tokenizer)
    return random_t5(5, words=words, tied=tied), random_prompts(5, words=words)


def by_ctranslate2(model, tokenizer, compute, *, beams):
    loaded = deepcopy(model)
    return CTranslate2Generator(
        lambda: loaded, tokenizer, "t5", compute, device="cpu", beams=beams, **SEARCH
    )


def responses(model, texts):
    prompts = [PromptParts(WHY, text, "") for text in texts]
    said = dict(pair for batch in model.ask(prompts) for pair in batch)
    return [said[place] for place in range(len(texts))]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("beams", [5, 1])
def test_in_float32_answers_are_those_of_our_runner(cache, tokenizer, beams, tied):
    model, prompts = random_model(tokenizer, tied=tied)
    ours = t5_generation.TransformersGenerator(model, beams=beams, **SEARCH)
    theirs = by_ctranslate2(model, tokenizer, "float32", beams=beams)
    assert theirs.answers(prompts) == ours.answers(prompts)


def test_the_copy_is_made_once_and_anew_where_it_is_not_whole(cache, tiny_model):
    def asked(_=None):
        return responses(FlanT5(str(tiny_model), dtype="int8"), ["frost"])[0].raw

    with ThreadPoolExecutor() as pool:
        assert {*pool.map(asked, range(2))} == {"2"}
    (copy,) = (one for one in cache.iterdir() if one.is_dir())
    weights = copy / "model.bin"
    whole, made = weights.read_bytes(), weights.stat().st_mtime_ns
    assert asked() == "2"
    assert weights.stat().st_mtime_ns == made
    # Killed while it was made, and spoilt since.
    half = copy.with_name(f"{copy.name}.part")
    half.mkdir()
    (half / "model.bin").write_bytes(whole[:99])
    weights.write_bytes(whole[:-1] + b"?")
    assert asked() == "2"
    assert weights.read_bytes() == whole
    assert not half.exists()
