"""Choices and gold answers of a bank's item, as the published forms state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.bank.answer_keys import LETTERS, Choices, matching_letters
from curator.formats.text.records import Place, Record, described

FIELDS = ("gold_answers", "choices", "correctKey", "correct")


def choices_of(item: Record) -> Choices:
    """(letter, text) pairs of ``choices``: an object by letter, or a list from A."""
    what = item.called("choices")
    match item.get("choices"):
        case None:
            return ()
        case dict() as by_letter:
            pairs = tuple(by_letter.items())
        case list() as texts if len(texts) <= len(LETTERS):
            pairs = tuple(zip(LETTERS, texts, strict=False))
        case value:
            raise item.error(
                f"{what} is {described(value)}; expected an object by letter, or a "
                f"list of at most {len(LETTERS)}."
            )
    for letter, text in pairs:
        if not isinstance(text, str) or not text.strip() or not letter.strip():
            raise item.error(
                f"{what} pairs {described(letter)} with {described(text)}; expected a "
                "letter and a text."
            )
    return pairs


def answers_of(item: Record, choices: Choices) -> tuple[str, ...]:
    """Gold answers, each once: ``correct`` or the choice of ``correctKey`` first.

    Raises the item's error for a key that is no choice's letter, or that names
    another choice than ``correct``.
    """
    correct, key = item.words("correct"), item.text("correctKey")
    answers = [] if correct is None else [correct]
    if key is not None and choices:
        chosen = dict(choices)[_letter_of(item, key, choices)]
        if correct is None:
            answers.append(chosen)
        elif correct.strip().lower() != chosen.strip().lower():
            raise item.error(
                f"correctKey and {item.called('correct')} disagree: "
                f"{described(chosen)} and {described(correct)}; correct one of them."
            )
    for gold in item.items_of("gold_answers"):
        if not isinstance(gold, str) or not gold.strip():
            what = item.called("gold_answers")
            raise item.error(f"{what} list {described(gold)}; expected texts.")
        answers.append(gold)
    return tuple(dict.fromkeys(answers))


def key_fields(
    choices: Choices, answers: Sequence[str], imported: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ``FIELDS`` of this key, as they were imported if they say the same."""
    fields = _plain_fields(choices, answers)
    stated = {name: imported[name] for name in FIELDS if name in imported}
    # What was read once raises no error, so the place is never named.
    item = Record(Place(Path()), stated, "the item")
    if choices_of(item) != choices:
        return fields
    if answers_of(item, choices) == tuple(answers):
        return stated
    return fields | {name: stated[name] for name in stated if name == "choices"}


def _plain_fields(choices: Choices, answers: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if answers:
        fields["gold_answers"] = list(answers)
    if choices:
        fields["choices"] = dict(choices)
    key = key_among(choices, answers[:1])
    if key is not None:
        fields |= {"correctKey": key, "correct": answers[0]}
    return fields


def key_among(choices: Choices, answers: Sequence[str]) -> str | None:
    """The letter of the first choice that is a gold answer."""
    return next((letter for letter, text in choices if text in answers), None)


def _letter_of(item: Record, key: str, choices: Choices) -> str:
    """The one choice's letter that the key names.

    Raises the item's error where it may name none or several.
    """
    letters = [letter for letter, _ in choices]
    matching = matching_letters(key, letters)
    if len(matching) == 1:
        return matching[0]
    message = f"{item.called('correctKey')} is {described(key)}"
    if not matching:
        raise item.error(f"{message}; expected one of {', '.join(letters)}.")
    several = " or ".join(map(described, matching))
    raise item.error(f"{message}, which may mean {several}; write one of them.")
