"""A trained AVA model by its folder."""

from pathlib import Path

from grading.ava.card import read_card
from grading.ava.configurations import LINEAR
from grading.ava.triples import Ava


def open_ava(folder: Path) -> Ava:
    """The model in this folder; a transformer's weights are loaded when it scores.

    Raises MissingModelError where there is none, InvalidSpecError for a card that is
    not understood.
    """
    card = read_card(folder)
    if card.configuration == LINEAR:
        from grading.ava.linear import LinearAva

        return LinearAva.opened(folder, card)
    from grading.models.ava import TransformerAva

    return TransformerAva(folder, card)
