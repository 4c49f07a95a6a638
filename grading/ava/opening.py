"""A trained AVA model by its folder."""

from pathlib import Path

from grading.ava.card import has_card, read_card
from grading.ava.configurations import LINEAR
from grading.ava.triples import Ava
from grading.errors import MissingModelError
from grading.models.ava_curve import CURVE


def open_ava(folder: Path) -> Ava:
    """The model in this folder; a transformer's weights are loaded when it scores.

    Raises MissingModelError where there is none or its training has not ended,
    InvalidSpecError for a card that is not understood.
    """
    if not has_card(folder) and (folder / CURVE).is_file():
        raise MissingModelError(
            f"The training in '{folder}' has not ended; if it was interrupted, the "
            "same `curator ava train` command with --resume goes on"
        )
    card = read_card(folder)
    if card.configuration == LINEAR:
        from grading.ava.linear import LinearAva

        return LinearAva.opened(folder, card)
    from grading.models.ava import TransformerAva

    return TransformerAva(folder, card)
