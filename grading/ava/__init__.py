"""AVA: models that check answers, given the question and a reference.

    examples.py         answers known right or wrong, and the triples made of them
    card.py             a model's folder: its card, and the curve of its training
    model.py            what every model is asked, and can do
    linear.py           the linear model and its four features
    configurations.py   which texts a transformer reads, and how it is trained
    transformer.py      a transformer and the encoders it can start from
    network.py          its network; loop.py its training
    grader.py           a model as a grader of another grader's answers

Only ``loop.py`` and ``network.py`` load torch and transformers, once a transformer is
trained or scores.

Source: Vu & Moschitti 2020, "AVA: an Automatic eValuation Approach to Question
Answering Systems".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.ava.model import Ava


def open_ava(folder: Path) -> Ava:
    """Open the model in this folder; a transformer's weights are loaded when it scores.

    Raises MissingModelError if there is none or its training has not ended,
    InvalidSpecError for a card that is not understood.
    """
    from grading.ava.card import is_unfinished, read_card
    from grading.ava.configurations import LINEAR
    from grading.errors import MissingModelError

    if is_unfinished(folder):
        raise MissingModelError(
            f"The training in '{folder}' has not ended; if it was interrupted, the "
            "same `curator ava train` command with --resume goes on"
        )
    card = read_card(folder)
    if card.configuration == LINEAR:
        from grading.ava.linear import LinearAva

        return LinearAva(card)
    from grading.ava.transformer import TransformerAva

    return TransformerAva(folder, card)
