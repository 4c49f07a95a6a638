"""FLAN-T5 as a text model: loaded from its files, asked, and what it answers."""

import pytest

from grading.errors import PromptTooLongError
from grading.models.flan_t5 import FlanT5, decoding_options
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


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_tiny_model_says_what_its_weights_were_written_to_say(tiny_model, dtype):
    model = FlanT5(str(tiny_model), dtype=dtype, device="cpu", answer_tokens=9)
    texts = [text for text in passages() if len(text) < 1200][::3]
    for question in (WHY, HOW):
        rated = responses(model, asked(RATE, question, texts))
        answered = responses(model, asked(ANSWER, question, texts))
        assert [r.raw for r in rated] == [str(rating_of(t, question)) for t in texts]
        assert [r.raw for r in answered] == [answer_of(t, question) for t in texts]


def test_responses_count_tokens_and_say_what_was_cut(t5):
    short, long = responses(t5, asked(RATE, WHY, ["frost", "frost " * 600]))
    assert (short.cut, long.cut) == (False, True)
    assert short.raw == long.raw == "2"
    assert short.tokens_in < 64
    assert long.tokens_in == 512
    assert short.tokens_out == 2  # the digit and the end mark


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


def test_memory_that_does_not_suffice_halves_the_batches_for_good(t5, monkeypatch):
    monkeypatch.setattr(t5, "_batch_tokens", t5._batch_tokens)  # as before afterwards
    prompts = asked(RATE, WHY, ["frost and no more"] * 8)
    tried = out_of_memory_beyond(t5, monkeypatch, 2, "CUDA out of memory.")
    assert {said.raw for said in responses(t5, prompts)} == {"2"}
    assert tried[:3] == [8, 4, 2]
    del tried[:]
    responses(t5, prompts)
    assert max(tried) == 2


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


def test_batches_hold_no_more_than_they_may_and_like_lengths_together():
    lengths_of = {n: 5 + n * 7 % 200 for n in range(500)}
    batches = length_batches(lengths_of, max_tokens=1000)
    assert sorted(n for batch in batches for n in batch) == list(range(500))
    for batch in batches:
        assert sum(padded_length(lengths_of[n]) for n in batch) <= 1000
        assert len(batch) <= MAX_PROMPTS
    lengths = [lengths_of[n] for batch in batches for n in batch]
    assert lengths == sorted(lengths, reverse=True)
