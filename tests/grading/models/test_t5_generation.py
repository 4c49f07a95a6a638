"""The same answers as transformers' ``generate``, whatever a prompt is asked with."""

import random

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from grading.models.t5_generation import TransformersGenerator  # noqa: E402

END = 1


def random_t5(seed, *, words=200, tied=False):
    """A T5 that answers at random, at many lengths, always the same."""
    config = transformers.T5Config(
        vocab_size=words,
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=tied,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=END,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = transformers.T5ForConditionalGeneration(config).eval()
        if not tied:
            head = torch.randn(words, 64) * 0.3
            model.lm_head.weight = torch.nn.Parameter(head)
    return model


def random_prompts(seed, *, words=200, count=24):
    draw = random.Random(seed)
    lengths = [draw.randint(3, 60) for _ in range(count)]
    return [[*draw.choices(range(2, words), k=length), END] for length in lengths]


def answers(model, prompts, *, beams, most):
    answerer = TransformersGenerator(
        model, beams=beams, answer_tokens=most, length_penalty=1.0
    )
    return answerer.answers(prompts)


def generated(model, prompts, *, beams, most):
    """What transformers says, without what it pads answers with."""
    width = max(map(len, prompts))
    out = model.generate(
        torch.tensor([[*p, *[0] * (width - len(p))] for p in prompts]),
        attention_mask=torch.tensor(
            [[1] * len(p) + [0] * (width - len(p)) for p in prompts]
        ),
        num_beams=beams,
        do_sample=False,
        max_length=most + 1,  # the mark that an answer starts from counts there
        **({"early_stopping": True, "length_penalty": 1.0} if beams > 1 else {}),
    )[:, 1:].tolist()
    return [row[: row.index(END) + 1] if END in row else row for row in out]


@pytest.mark.parametrize("beams", [5, 1])
@pytest.mark.parametrize("most", [1, 40])
@pytest.mark.parametrize(("seed", "words"), [(0, 12), (1, 200)])
def test_answers_are_those_of_transformers(beams, most, seed, words):
    model = random_t5(seed, words=words)
    prompts = random_prompts(seed, words=words, count=12)
    ours = answers(model, prompts, beams=beams, most=most)
    assert ours == generated(model, prompts, beams=beams, most=most)


@pytest.mark.parametrize(
    ("beams", "dtype"), [(5, "float32"), (1, "float32"), (5, "bfloat16")]
)
def test_neighbours_order_and_batch_size_do_not_matter(dtype, beams):
    model = random_t5(2, words=1000).to(getattr(torch, dtype))
    prompts = [p[:31] for p in random_prompts(2, words=1000) if len(p) > 16][:10]
    together = answers(model, prompts, beams=beams, most=12)
    for size in (1, 4):
        cut = [prompts[n : n + size] for n in range(0, len(prompts), size)]
        apart = [a for some in cut for a in answers(model, some, beams=beams, most=12)]
        assert apart == together
    assert answers(model, prompts[::-1], beams=beams, most=12) == together[::-1]
