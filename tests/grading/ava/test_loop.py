"""Training an AVA transformer: what it learns, where it stops, how it goes on."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from grading.ava import loop
from grading.ava.card import Data
from grading.ava.configurations import (
    Configuration,
    TrainingSettings,
    configuration_named,
)
from grading.ava.examples import AnsweredQuestion, Example, examples_of
from grading.ava.linear import features, train_linear
from grading.ava.loop import train_transformer
from grading.ava.transformer import TransformerAva
from grading.errors import TrainingError
from tests.samples.tiny_encoder import tiny_encoder

# A made-up league, everybody against everybody: the strong beat the weak.
STRONG = ["George H. W. Bush", "Ada", "Ben", "Cleo", "Dan", "Eve", "Kim", "Lee"]
WEAK = ["George W. Bush", "Flo", "Gus", "Hal", "Ivy", "Jan", "Max", "Ned"]
PAIRS = list(itertools.product(STRONG, WEAK))
WORDS = ["Who", "beat", "whom", "in", "match", "?", "well", ",", ":", "."]
WORDS += ["George", "H", "W", "Bush", *STRONG[1:], *WEAK[1:]]
PAIR = configuration_named("a0:r,t")
PEERS = configuration_named("a2:r,qt+t,qr")
DATA = Data(("made up",), 0, 0, 0, 0, 0, 0)
SMALL = TrainingSettings(
    learning_rate=3e-3,
    max_tokens=32,
    epochs=3,
    batch_size=8,
    patience=3,
    seed=4,
    point_every=2,
    checkpoint_every=2,
)


def league(strong: str, weak: str) -> AnsweredQuestion:
    """Right and wrong answers of the same words, in another order."""
    match = 1 + PAIRS.index((strong, weak))
    return AnsweredQuestion(
        f"Who beat whom in match {match} ?",
        (f"well, {strong} beat {weak}", f"well: {strong} beat {weak}"),
        (f"well, {weak} beat {strong}", f"well: {weak} beat {strong}"),
    )


# 6 examples each: 2 pairs of right ones, 2 x 2 of a right and a wrong one.
FEW = examples_of(league(*pair) for pair in PAIRS[:4])
DEV = examples_of(league(*pair) for pair in PAIRS[9:11])


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny", WORDS))


def trained(
    encoder: str,
    folder: Path,
    *,
    configuration: Configuration = PAIR,
    examples: list[Example] = FEW,
    dev: list[Example] = DEV,
    settings: TrainingSettings = SMALL,
    progress: Callable[[int, int], None] | None = None,
    resume: bool = False,
) -> TransformerAva:
    return train_transformer(
        configuration,
        encoder,
        examples,
        dev,
        folder,
        settings=settings,
        name="m",
        data=DATA,
        progress=progress,
        resume=resume,
    )


class StoppedError(Exception):
    """Somebody pulled the plug."""


def stop_after(steps: int) -> Callable[[int, int], None]:
    def progress(step: int, of: int) -> None:
        if step >= steps:
            raise StoppedError

    return progress


@pytest.fixture(scope="module")
def undisturbed(encoder: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("undisturbed") / "m"
    trained(encoder, folder, configuration=PEERS)
    torch.set_num_threads(threads)
    return folder


@pytest.mark.long
def test_word_order_is_learnt_where_the_linear_model_can_only_guess(
    tmp_path: Path,
) -> None:
    from sklearn.metrics import f1_score, roc_auc_score

    apart = [
        pair
        for at, pair in enumerate(PAIRS)
        if (at // len(WEAK) + at % len(WEAK)) % 4 == 0
    ]
    held_out, dev = (
        examples_of(league(*pair) for pair in pairs)
        for pairs in (apart[::2], apart[1::2])
    )
    examples = examples_of(league(*pair) for pair in PAIRS if pair not in apart)
    assert ("George H. W. Bush", "George W. Bush") in apart[::2]
    for at in range(0, len(held_out), 6):
        # By hand: the same words, whoever beats whom; nothing to tell them by.
        assert len({features(one.triple) for one in held_out[at : at + 6]}) == 1
    linear = train_linear(examples, dev, name="linear", data=DATA)
    encoder = tiny_encoder(tmp_path / "tiny", WORDS, dropout=0, seed=5)
    transformer = trained(
        str(encoder),
        tmp_path / "m",
        configuration=configuration_named("a1:t,qr"),
        examples=examples,
        dev=dev,
        settings=TrainingSettings(
            learning_rate=3e-3,
            epochs=5,
            batch_size=16,
            patience=5,
            max_tokens=32,
            seed=2,
        ),
    )
    triples = [one.triple for one in held_out]
    correct = [one.correct for one in held_out]
    linear_scores, scores = linear.scores(triples), transformer.scores(triples)
    # By hand: a third is right, so calling everything right has P = 1/3, R = 1.
    assert f1_score(correct, linear_scores > 0.5) <= 0.5
    assert roc_auc_score(correct, linear_scores) == pytest.approx(0.5, abs=0.1)
    # Five seeds that were tried gave .93 to 1, and .996 to 1.
    assert f1_score(correct, scores > 0.5) > 0.9
    assert roc_auc_score(correct, scores) > 0.9


@pytest.mark.parametrize(("steps", "first"), [(1, 1), (3, 4), (5, 5)])
def test_a_stopped_training_ends_where_an_undisturbed_one_ends(
    steps: int, first: int, encoder: str, undisturbed: Path, tmp_path: Path
) -> None:
    # 24 examples, 8 a step: epochs end at 3, 6, 9; checkpoints there, at 2, 4 and 8.
    with pytest.raises(StoppedError):
        trained(
            encoder, tmp_path / "m", configuration=PEERS, progress=stop_after(steps)
        )
    assert not (tmp_path / "m" / "card.json").exists()
    torch.rand(steps)  # another process has other random numbers
    seen: list[tuple[int, int]] = []
    resumed = partial(
        trained, configuration=PEERS, progress=lambda *at: seen.append(at), resume=True
    )
    resumed(encoder, tmp_path / "m")
    # By hand: from the last checkpoint before the stop.
    assert seen[0][0] == first
    assert seen[-1] == (9, 9)
    assert_same_model(tmp_path / "m", undisturbed)


def test_training_leaves_a_whole_model_and_nothing_else(undisturbed: Path) -> None:
    files = {str(path.relative_to(undisturbed)) for path in undisturbed.rglob("*.*")}
    assert files == {
        *("card.json", "curve.jsonl", "model.safetensors", "encoder/config.json"),
        *("encoder/tokenizer.json", "encoder/tokenizer_config.json"),
    }
    card = json.loads((undisturbed / "card.json").read_text())
    assert (card["encoder"], card["seed"]) == ("tiny", 4)
    assert card["settings"]["learning_rate"] == 3e-3
    assert card["settings"]["encoder_revision"].startswith("sha256:")
    # By hand: every 2 steps, and with dev results after each epoch of 3.
    assert [point["step"] for point in card["curve"]] == [2, 3, 4, 6, 8, 9]
    with_results = [p["step"] for p in card["curve"] if p["f1"] is not None]
    assert with_results == [3, 6, 9]
    lines = (undisturbed / "curve.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == card["curve"]


@pytest.mark.parametrize(
    ("patience", "f1s", "epochs", "best"),
    [(1, [0.5, 0.5, 0.9], 2, 1), (2, [0.4, 0.3, 0.6], 3, 3)],
)
def test_training_stops_early_and_keeps_the_best_epoch(
    patience: int,
    f1s: list[float],
    epochs: int,
    best: int,
    encoder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights: list[dict[str, Any]] = []

    def results(network: Any, *_: Any) -> tuple[float, float, float]:
        state = network.state_dict()
        weights.append({name: value.clone() for name, value in state.items()})
        return 0.1, 0.2, f1s[len(weights) - 1]

    monkeypatch.setattr(loop, "dev_results", results)
    model = trained(encoder, tmp_path / "m", settings=replace(SMALL, patience=patience))
    assert len(weights) == epochs
    assert model.card.best_epoch == best
    assert model.card.best is not None
    assert model.card.best.f1 == f1s[best - 1]
    kept = load_file(tmp_path / "m" / "model.safetensors")
    assert kept.keys() == weights[0].keys()
    assert all(
        torch.equal(kept[name].cpu(), weights[best - 1][name].cpu()) for name in kept
    )


def test_the_defaults_are_the_papers() -> None:
    # Section 6.2: the learning rate, the tokens, two iterations.
    settings = TrainingSettings()
    assert settings.learning_rate == 1e-6
    assert (settings.max_tokens, settings.epochs, settings.patience) == (128, 2, 1)


def test_the_learning_rate_falls_in_a_straight_line_to_nothing(
    encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[float] = []

    def step(optimizer: Any, *_: Any) -> None:
        rates.append(optimizer.param_groups[0]["lr"])

    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    trained(encoder, tmp_path / "m", settings=replace(SMALL, epochs=1))
    # By hand: 3 steps from 3e-3, a third less at each.
    assert rates == pytest.approx([3e-3, 2e-3, 1e-3])


def test_a_checkpoint_goes_on_with_the_same_training_only(
    encoder: str, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    with pytest.raises(StoppedError):
        trained(encoder, folder, progress=stop_after(3))
    with pytest.raises(TrainingError, match="with --resume"):
        trained(encoder, folder)
    other = tiny_encoder(tmp_path / "other", WORDS, seed=1)
    flipped = [replace(FEW[0], correct=False), *FEW[1:]]
    for changes in (
        {"configuration": configuration_named("a0:q,t")},
        {"examples": flipped},
        {"dev": DEV[:-1]},
        {"settings": replace(SMALL, seed=5)},
        {"settings": replace(SMALL, learning_rate=1e-3)},
        {"encoder": str(other)},
    ):
        with pytest.raises(TrainingError, match="begun with other data") as error:
            trained(**{"encoder": encoder, "folder": folder, "resume": True, **changes})
        assert "\n" not in str(error.value)
    rarely = replace(SMALL, checkpoint_every=100)
    trained(encoder, folder, settings=rarely, resume=True)
    for resume in (True, False):
        with pytest.raises(TrainingError, match="is not an empty folder"):
            trained(encoder, folder, resume=resume)


def assert_same_model(folder: Path, other: Path) -> None:
    """Bit for bit, and without a checkpoint left over."""
    for name in ("model.safetensors", "curve.jsonl", "card.json"):
        assert (folder / name).read_bytes() == (other / name).read_bytes(), name
    assert not (folder / "checkpoint").exists()
