"""FLAN-T5 as a text model: loaded from its files, asked, and what it answers."""

import json
import subprocess
import sys

import pytest

from grading.errors import GradingError, MissingModelError, PromptTooLongError
from grading.models.flan_t5 import FlanT5, decoding_options, flan_t5_identity
from grading.models.protocol import PromptParts
from grading.models.t5_prompts import (
    MAX_PROMPTS,
    VERSION,
    length_batches,
    padded_length,
)
from tests.samples.tiny_t5 import answer_of, passages, rating_of

RATE = "Can the question be answered? choose one: Question: {} Context: "
ANSWER = "provide a complete and concise answer. Question: {} Context: "
WHY, HOW = "Why is it so?", "How is it so?"


@pytest.fixture(scope="module")
def t5(tiny_model):
    return FlanT5(str(tiny_model), dtype="float32", device="cpu", answer_tokens=9)


def asked(template, question, texts):
    return [PromptParts(template.format(question), text, "") for text in texts]


def responses(model, prompts):
    by_position = dict(pair for batch in model.ask(prompts) for pair in batch)
    assert sorted(by_position) == list(range(len(prompts)))
    return [by_position[n] for n in range(len(prompts))]


@pytest.mark.parametrize("question", [WHY, HOW])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_tiny_model_says_what_its_weights_were_written_to_say(
    tiny_model, question, dtype
):
    model = FlanT5(str(tiny_model), dtype=dtype, device="cpu", answer_tokens=9)
    texts = [text for text in passages() if len(text) < 1200][::3]
    rated = responses(model, asked(RATE, question, texts))
    answered = responses(model, asked(ANSWER, question, texts))
    assert [r.raw for r in rated] == [str(rating_of(t, question)) for t in texts]
    assert [r.raw for r in answered] == [answer_of(text, question) for text in texts]


def test_responses_count_tokens_and_say_what_was_cut(t5):
    short, long = responses(t5, asked(RATE, WHY, ["frost", "frost " * 600]))
    assert (short.cut, long.cut) == (False, True)
    assert short.raw == long.raw == "2"
    assert short.tokens_in < 64
    assert long.tokens_in == 512
    assert short.tokens_out == 2  # the digit and the end mark


def test_no_prompts_give_no_batches(t5):
    assert list(t5.ask([])) == []


def test_asking_again_in_another_order_gives_the_same_responses(t5):
    # every other one, so that 64 of all lengths are more than one batch
    prompts = asked(RATE, WHY, passages()[1::2])
    assert responses(t5, prompts[::-1]) == responses(t5, prompts)[::-1]


def test_a_question_too_long_is_an_error_after_everything_else_was_answered(t5):
    prompts = asked(RATE, WHY, ["frost", "battery"])
    prompts.insert(1, PromptParts(RATE.format("Why " * 600), "frost", ""))
    got = []
    with pytest.raises(PromptTooLongError, match="Why Why"):
        got.extend(pair for batch in t5.ask(prompts) for pair in batch)
    assert {position: said.raw for position, said in got} == {0: "2", 2: "5"}


def out_of_memory_beyond(model, monkeypatch, size, error):
    """Memory for ``size`` prompts at once and no more; the sizes that were tried."""
    plain, tried = model._generator.answers, []

    def answers(prompts):
        tried.append(len(prompts))
        if len(prompts) > size:
            raise RuntimeError(error)
        return plain(prompts)

    monkeypatch.setattr(model._generator, "answers", answers)
    return tried


@pytest.mark.parametrize(
    "error",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        *(
            pytest.param(line, marks=pytest.mark.long)
            for line in (
                "MPS backend out of memory (MPS allocated: 1 GB)",
                "[enforce fail] DefaultCPUAllocator: not enough memory: you tried to "
                "allocate",
            )
        ),
    ],
)
def test_memory_that_does_not_suffice_halves_the_batches_for_good(
    tiny_model, monkeypatch, error
):
    model = FlanT5(str(tiny_model), dtype="float32", device="cpu", answer_tokens=9)
    prompts = asked(RATE, WHY, ["frost and no more"] * 8)
    tried = out_of_memory_beyond(model, monkeypatch, 2, error)
    assert {said.raw for said in responses(model, prompts)} == {"2"}
    assert tried[:3] == [8, 4, 2]
    del tried[:]
    responses(model, prompts)
    assert max(tried) == 2


def test_memory_that_does_not_suffice_for_one_prompt_is_one_line(
    tiny_model, monkeypatch
):
    model = FlanT5(str(tiny_model), dtype="float32", device="cpu")
    out_of_memory_beyond(model, monkeypatch, 0, "CUDA out of memory.")
    with pytest.raises(GradingError, match="one prompt of") as error:
        list(model.ask(asked(RATE, WHY, ["frost", "battery"])))
    assert "\n" not in str(error.value)


def test_another_runtime_error_is_not_taken_for_lack_of_memory(t5, monkeypatch):
    out_of_memory_beyond(t5, monkeypatch, 0, "shapes do not match")
    with pytest.raises(RuntimeError, match="shapes"):
        list(t5.ask(asked(RATE, WHY, ["frost"])))


def test_a_head_of_its_own_is_kept_and_not_scaled(tiny_model, t5):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file

    config = json.loads((tiny_model / "config.json").read_text())
    assert config["tie_word_embeddings"] is False
    stored = load_file(tiny_model / "model.safetensors")
    model = t5._generator._model
    assert torch.equal(model.lm_head.weight, stored["lm_head.weight"])
    assert torch.equal(model.shared.weight, stored["shared.weight"])
    assert not torch.equal(model.lm_head.weight, model.shared.weight)
    inputs = t5._tokenizer(["choose one: battery"], return_tensors="pt")
    start = torch.tensor([[0]])
    with torch.inference_mode():
        encoded = model.encoder(**inputs).last_hidden_state
        states = model.decoder(
            input_ids=start, encoder_hidden_states=encoded
        ).last_hidden_state
        by_hand = states[0, 0] @ stored["lm_head.weight"].T
        groups = t5._generator._groups(inputs["input_ids"].tolist())
        t5._generator.encode(groups)
        nothing = encoded.new_zeros(1, model.config.num_heads, 0, model.config.d_kv)
        memories = [(nothing, nothing)]
        ours = t5._generator._logits(start, memories, groups)[0, 0]
    torch.testing.assert_close(ours, by_hand, rtol=1e-4, atol=1e-4)


def test_a_folder_without_a_t5_is_refused_in_one_line(tmp_path, tiny_model):
    for file in tiny_model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(MissingModelError, match=str(tmp_path)) as error:
        FlanT5(str(tmp_path))
    assert "\n" not in str(error.value)


def test_loading_and_asking_print_nothing(tiny_model, capfd):
    model = FlanT5(str(tiny_model), dtype="float32", answer_tokens=4)
    responses(model, asked(RATE, WHY, ["frost", "word " * 900]))
    assert capfd.readouterr() == ("", "")


def test_the_published_decoding_is_five_beams_that_stop_early():
    assert dict(decoding_options("beam", "float32")) == {
        "answer_tokens": "511",  # max_length=512 counts the mark answers start from
        "beams": "5",
        "dtype": "float32",
        "early_stopping": "true",
        "length_penalty": "1.0",
        "prompt_tokens": "512",
        "truncation": VERSION,
    }


def test_all_that_can_change_an_answer_changes_the_decoding():
    variants = [
        decoding_options("beam", "float32"),
        decoding_options("greedy", "float32"),
        decoding_options("beam", "bfloat16"),
        decoding_options("beam", "int8"),
        decoding_options("beam", "ct2-bfloat16"),
        decoding_options("beam", "float32", answer_tokens=20),
    ]
    assert len(set(variants)) == len(variants)


def test_importing_it_loads_neither_torch_nor_transformers(tiny_model):
    code = (
        "import sys; from grading.models import flan_t5\n"
        f"flan_t5.flan_t5_identity({str(tiny_model)!r}); flan_t5.default_dtype()\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_models_identity_is_that_of_its_files(tiny_model, t5):
    assert t5.identity == flan_t5_identity(str(tiny_model))
    assert t5.identity.name == ""


def test_batches_hold_no_more_than_they_may_and_like_lengths_together():
    lengths_of = {n: 5 + n * 7 % 200 for n in range(500)}
    batches = length_batches(lengths_of, max_tokens=1000)
    assert sorted(n for batch in batches for n in batch) == list(range(500))
    for batch in batches:
        assert sum(padded_length(lengths_of[n]) for n in batch) <= 1000
        assert len(batch) <= MAX_PROMPTS
    lengths = [lengths_of[n] for batch in batches for n in batch]
    assert lengths == sorted(lengths, reverse=True)


def test_a_thing_longer_than_a_batch_is_a_batch_of_its_own():
    batches = length_batches({0: 40, 1: 40}, max_tokens=10)
    assert [len(batch) for batch in batches] == [1, 1]
