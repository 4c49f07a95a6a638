"""Choices and gold answers of a bank's item, as the published forms state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.errors import InputFileError
from curator.formats.text.fields import filled
from curator.formats.text.records import Place, described, list_of, text_of

Choices = tuple[tuple[str, str], ...]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FIELDS = ("gold_answers", "choices", "correctKey", "correct")


def choices_of(place: Place, item: dict[str, Any], question_id: str) -> Choices:
    """(letter, text) pairs of ``choices``: an object by letter, or a list from A."""
    value, what = item.get("choices"), f"choices of '{question_id}'"
    match value:
        case None:
            return ()
        case dict():
            letters, texts = list(value), list(value.values())
        case list() if len(value) <= len(LETTERS):
            letters, texts = list(LETTERS[: len(value)]), value
        case _:
            raise place.error(
                f"{what} is {described(value)}; expected an object by letter, or a "
                f"list of at most {len(LETTERS)}."
            )
    for letter, text in zip(letters, texts, strict=True):
        if not isinstance(text, str) or not text.strip() or not letter.strip():
            raise place.error(
                f"{what} pairs {described(letter)} with {described(text)}; expected a "
                "letter and a text."
            )
    return tuple(zip(letters, texts, strict=True))


def answers_of(
    place: Place, item: dict[str, Any], choices: Choices, question_id: str
) -> tuple[str, ...]:
    """Gold answers, each once: ``correct`` or the choice of ``correctKey`` first.

    Raises the place's error for a key that is no choice's letter, or that names
    another choice than ``correct``.
    """
    correct = text_of(place, item.get("correct"), f"correct of '{question_id}'")
    key = text_of(place, item.get("correctKey"), f"correctKey of '{question_id}'")
    answers: list[str] = []
    if correct and correct.strip():
        answers.append(correct)
    if key is not None and choices:
        what = f"correctKey of '{question_id}'"
        chosen = dict(choices)[_letter_of(place, key, choices, what)]
        if not answers:
            answers.append(chosen)
        elif answers[0].strip().lower() != chosen.strip().lower():
            raise place.error(
                f"correctKey and correct of '{question_id}' disagree: "
                f"{described(chosen)} and {described(correct)}; correct one of them."
            )
    for gold in list_of(place, item.get("gold_answers"), "gold_answers"):
        if not isinstance(gold, str) or not gold.strip():
            raise place.error(
                f"gold_answers of '{question_id}' list {described(gold)}; expected "
                "texts."
            )
        answers.append(gold)
    return tuple(dict.fromkeys(answers))


def written_otherwise(
    item: Mapping[str, Any], choices: Choices, answers: Sequence[str]
) -> dict[str, Any]:
    """Those of the item's ``FIELDS`` that ``fields_written`` alone would not say so.

    What came empty is among them only where nothing would be said at all.
    """
    plain = _plain_fields(choices, answers)
    return {
        name: item[name]
        for name in FIELDS
        if name in item
        and (name not in plain or (item[name] != plain[name] and item[name]))
    }


def fields_written(
    choices: Choices, answers: Sequence[str], kept: Mapping[str, Any]
) -> dict[str, Any]:
    """The ``FIELDS`` that say this; as they came, if that says the same still."""
    plain = _plain_fields(choices, answers)
    if not kept:
        return plain
    item, place = filled(kept, plain), _Kept()
    try:
        same = choices_of(place, item, "") == choices
        same = same and answers_of(place, item, choices, "") == tuple(answers)
    except InputFileError:
        same = False
    return item if same else plain


class _Kept:
    """Where kept fields stand: one that is not true any more has no line to name."""

    def error(self, message: str) -> InputFileError:
        return InputFileError(message)


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


def letters_meant(key: str, letters: Sequence[str]) -> list[str]:
    """Which of the letters the key may name: itself alone, else all that are like it.

    ``b``, ``B)`` and ``B.`` are alike.
    """
    if key in letters:
        return [key]
    return [letter for letter in letters if plain_letter(letter) == plain_letter(key)]


def _letter_of(place: Place, key: str, choices: Choices, what: str) -> str:
    """The one choice's letter that the key names.

    Raises the place's error, which says that ``what`` is the key, where it may name
    none or several.
    """
    letters = [letter for letter, _ in choices]
    match letters_meant(key, letters):
        case [letter]:
            return letter
        case []:
            raise place.error(
                f"{what} is {described(key)}; expected one of {', '.join(letters)}."
            )
        case several:
            raise place.error(
                f"{what} is {described(key)}, which may mean "
                f"{' or '.join(map(described, several))}; write one of them."
            )


def plain_letter(letter: str) -> str:
    """The letter without what makes no difference."""
    return letter.strip().rstrip(").").lower()
