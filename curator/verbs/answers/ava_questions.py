"""The questions an AVA model learns from, and those it is checked on meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curator.formats.text.notices import counted
from grading.ava.card import Data
from grading.ava.examples import AnsweredQuestion, same_text, split
from grading.errors import TrainingError


@dataclass(frozen=True)
class Parts:
    """Questions to train on and to check on, no text in both.

    All of them make examples; ``left_out`` have fewer than two correct answers.
    ``contradictions`` are answers that were given as correct and as incorrect, and
    count as neither.
    """

    train: tuple[AnsweredQuestion, ...]
    dev: tuple[AnsweredQuestion, ...]
    left_out: int = 0
    contradictions: int = 0
    notes: tuple[str, ...] = ()

    def data(self, sources: Sequence[str] = ()) -> Data:
        """What a card says of it."""
        positives, negatives = pairs_of(self.train)
        dev_positives, dev_negatives = pairs_of(self.dev)
        return Data(
            tuple(sources),
            train_questions=len(self.train),
            train_positives=positives,
            train_negatives=negatives,
            dev_questions=len(self.dev),
            dev_positives=dev_positives,
            dev_negatives=dev_negatives,
            left_out=self.left_out,
        )


def pairs_of(questions: Iterable[AnsweredQuestion]) -> tuple[int, int]:
    """How many positives and negatives ``examples_of`` makes of these questions."""
    usable = [one for one in questions if one.makes_examples]
    positives = sum(len(one.correct) * (len(one.correct) - 1) for one in usable)
    return positives, sum(len(one.correct) * len(one.incorrect) for one in usable)


def merged(questions: Iterable[AnsweredQuestion]) -> tuple[AnsweredQuestion, ...]:
    """One question for each text, with the answers of all, in the order they come."""
    groups: dict[str, list[AnsweredQuestion]] = {}
    for one in questions:
        groups.setdefault(same_text(one.text), []).append(one)
    return tuple(
        alike[0]
        if len(alike) == 1
        else AnsweredQuestion(
            alike[0].text,
            tuple(answer for one in alike for answer in one.correct),
            tuple(answer for one in alike for answer in one.incorrect),
            next((one.short_answer for one in alike if one.short_answer), None),
        )
        for alike in groups.values()
    )


def parted(
    questions: Sequence[AnsweredQuestion],
    dev: Sequence[AnsweredQuestion] | None = None,
    *,
    dev_share: float,
    seed: int,
    needs_dev: bool = False,
) -> Parts:
    """The questions in two parts: ``dev`` as it is given, or else this share of them.

    A question of ``dev`` that is among the others too is not trained on, so that a
    dev set others use as well stays the same. Raises TrainingError for a share
    outside [0, 1), and where no question makes a positive and a negative;
    ``needs_dev``, which transformers do, asks that of either part.
    """
    if not 0 <= dev_share < 1:
        raise TrainingError(
            f"A share of {dev_share:g} cannot be set aside for dev; give a number from "
            "0 to below 1."
        )
    notes = []
    whole, given = merged(questions), merged(dev or ())
    known = {same_text(one.text) for one in given}
    others = tuple(one for one in whole if same_text(one.text) not in known)
    if common := len(whole) - len(others):
        notes.append(
            f"{counted(common, 'question')} to train on "
            f"{'is' if common == 1 else 'are'} in the dev set too, and left out of "
            "training."
        )
    train = tuple(one for one in others if one.makes_examples)
    held = tuple(one for one in given if one.makes_examples)
    left_out = len(others) - len(train) + len(given) - len(held)
    if dev is None:
        shares = (1 - dev_share, dev_share)
        train, held = (tuple(part) for part in split(train, shares, seed=seed))
    _refuse_one_class(whole, train, in_dev=len(whole) - len(others), held=len(held))
    if needs_dev:
        _refuse_unchecked(held)
    elif not held:
        notes.append(
            "There is no question to check on: give --dev, more questions or a higher "
            "--dev-share. Nothing says how good the model is."
        )
    both = contradictions_in(questions, whole) + contradictions_in(dev or (), given)
    return Parts(train, held, left_out, both, tuple(notes))


def contradictions_in(
    before: Sequence[AnsweredQuestion], after: Sequence[AnsweredQuestion]
) -> int:
    """Answers that some question counts as both, or that came to be in merging.

    ``after`` are the questions of ``before``, ``merged``.
    """
    told = sum(one.contradictions for one in before)
    # A question that is alone of its text is the same object still.
    same = {id(one) for one in before}
    return told + sum(one.contradictions for one in after if id(one) not in same)


def _refuse_one_class(
    questions: Sequence[AnsweredQuestion],
    train: Sequence[AnsweredQuestion],
    *,
    in_dev: int,
    held: int,
) -> None:
    """Raise TrainingError where there is nothing to tell apart.

    ``in_dev`` of the questions stand in a given dev set, and ``held`` are checked on.
    """
    positives, negatives = pairs_of(train)
    if positives and negatives:
        return
    if not questions:
        raise TrainingError(
            "There is nothing to train on: give --data FILE.tsv or --workspace FILE.db "
            "with answers that are known to be right or wrong."
        )
    if not positives and any(one.makes_examples for one in questions):
        where = (
            "stands in the dev set, and is not trained on. Give other questions to "
            "train on, or another --dev."
            if in_dev
            else f"was set aside to check on ({held}). Give more questions or a lower "
            "--dev-share."
        )
        raise TrainingError(f"Every question with two correct answers {where}")
    if not positives:
        raise TrainingError(
            f"None of {counted(len(questions), 'question')} to train on has two "
            "correct answers, and a reference and a right candidate take two. Give "
            "more answers."
        )
    raise TrainingError(
        "No question to train on has an incorrect answer beside two correct ones, so "
        "there is nothing to tell apart. Give incorrect answers too."
    )


def _refuse_unchecked(held: Sequence[AnsweredQuestion]) -> None:
    """Raise TrainingError where a transformer cannot be checked between epochs."""
    positives, negatives = pairs_of(held)
    if not (positives and negatives):
        raise TrainingError(
            "A transformer is checked after each epoch, and the questions to check on "
            f"make {counted(positives, 'positive')} and "
            f"{counted(negatives, 'negative')}; both are needed. Give --dev, more "
            "questions or a higher --dev-share."
        )
