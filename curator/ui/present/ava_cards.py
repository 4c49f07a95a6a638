"""An AVA model's card in a few lines. PURE."""

from __future__ import annotations

from dataclasses import dataclass

from curator.ui.present import words
from curator.verbs.ava_models import AvaModel
from grading.ava.card import Card


@dataclass(frozen=True, slots=True)
class CardRow:
    """A model in (heading, words) lines; ``why`` in their place where there is none."""

    name: str
    lines: tuple[tuple[str, str], ...]
    why: str = ""


def card_row(model: AvaModel) -> CardRow:
    """What it is, on what it was trained, above which score it says right."""
    card = model.card
    if card is None:
        return CardRow(model.folder.name or str(model.folder), (), model.why)
    lines = [
        ("Kind", " from ".join(x for x in (card.configuration, card.encoder) if x))
    ]
    lines += [("Trained on", _trained(card))]
    if card.best is not None and card.best.f1 is not None:
        lines += [("On dev", _results(card))]
    lines += [("Right above", _threshold(model, card))]
    if card.weights:
        said = " · ".join(f"{n} {words.score(w, 2)}" for n, w in card.weights.items())
        lines += [("Weights", said)]
    return CardRow(card.name, tuple(lines))


def has_curve(model: AvaModel) -> bool:
    """Whether there is a curve to draw: more than one point of a training."""
    return model.card is not None and len(model.card.curve) > 1


def _trained(card: Card) -> str:
    data = card.data
    from_ = f"{', '.join(data.sources)}: " if data.sources else ""
    return (
        f"{from_}{words.count(data.train_questions, 'question')}, "
        f"{words.count(data.train_positives, 'positive')}, "
        f"{words.count(data.train_negatives, 'negative')}"
    )


def _results(card: Card) -> str:
    best = card.best
    if best is None:
        return ""
    on = words.count(card.data.dev_questions, "question")
    return (
        f"F1 {words.score(best.f1)} · P {words.score(best.precision)} · "
        f"R {words.score(best.recall)} on {on}"
    )


def _threshold(model: AvaModel, card: Card) -> str:
    at = card.threshold if model.threshold is None else model.threshold
    said = f"{words.score(at, 2)}, tuned on {card.tuned_on}" if card.tuned_on else ""
    said = said or words.score(at, 2)
    if at == card.threshold:
        return said
    return (
        f"{words.score(at, 2)}; the folder's card says {words.score(card.threshold, 2)}"
    )
