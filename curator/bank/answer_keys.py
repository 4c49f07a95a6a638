"""A question's answer key and choices: cleaning, parsing and display.

Answer keys are written with one answer per line. A choice is a line that begins with
``-``, or with ``*`` if it is right; its letter is before its text, or assigned from A
on::

    - oxygen
    * carbon dioxide
    - N) nitrogen
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator.bank.questions import Question
from curator.bank.wording import MAX_TEXT, shortened, without_controls
from curator.errors import AnswerKeyError

Choices = tuple[tuple[str, str], ...]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_ANSWERS = 100

_CHOICE = re.compile(r"([-*])\s+(?:\(?([^\s()]{1,3})\)\s+)?(\S.*)")


def clean_choices(choices: Sequence[tuple[str, str]]) -> Choices:
    """Strip the texts and letters of choices.

    Raises AnswerKeyError for more choices than letters, an empty letter or text, and a
    duplicate letter.
    """
    if len(choices) > len(LETTERS):
        raise AnswerKeyError(
            f"A question has at most {len(LETTERS)} choices; these are {len(choices)}."
        )
    cleaned = tuple((_cleaned(letter), _cleaned(text)) for letter, text in choices)
    for letter, text in cleaned:
        if not letter or not text:
            raise AnswerKeyError(
                f"Choice '{letter or text}' needs a letter and a text, such as "
                "'B) carbon dioxide'."
            )
    letters = [plain_letter(letter) for letter, _ in cleaned]
    for letter in letters:
        if letters.count(letter) > 1:
            raise AnswerKeyError(
                f"Two choices have the letter '{letter.upper()}'; give each choice its "
                "own letter, or none."
            )
    return cleaned


def clean_answers(answers: Sequence[str], choices: Choices = ()) -> tuple[str, ...]:
    """Clean answers and remove duplicates; a choice's letter becomes its text.

    Raises AnswerKeyError for an empty answer, too many, and, if there are choices, for
    a key that names none of them.
    """
    if len(answers) > MAX_ANSWERS:
        raise AnswerKeyError(
            f"A key has at most {MAX_ANSWERS} answers; these are {len(answers)}."
        )
    cleaned = list(map(_cleaned, answers))
    if "" in cleaned:
        raise AnswerKeyError(
            "An answer is empty. To remove the answer key, give no answers."
        )
    chosen_texts = [chosen_text(answer, choices) for answer in cleaned]
    for answer, text in zip(cleaned, chosen_texts, strict=True):
        is_letter = len(plain_letter(answer)) == 1
        if choices and text is None and (is_letter or not any(chosen_texts)):
            letters = ", ".join(letter for letter, _ in choices)
            raise AnswerKeyError(
                f"'{shortened(answer)}' is none of the choices {letters}; give the "
                "letter or the text of a choice."
            )
    texts = (text or answer for answer, text in zip(cleaned, chosen_texts, strict=True))
    return tuple(dict.fromkeys(texts))


def chosen_text(answer: str, choices: Choices) -> str | None:
    """Return the text of the choice that an answer names, by its text or letter."""
    wanted_text = answer.strip().lower()
    by_text = [text for _, text in choices if text.strip().lower() == wanted_text]
    letters = matching_letters(answer, [letter for letter, _ in choices])
    by_letter = [text for letter, text in choices if letter in letters[:1]]
    return next(iter(by_text or by_letter), None)


def read_key(lines: str) -> tuple[tuple[str, ...], Choices]:
    """Parse lines to answers and choices; blank lines are ignored."""
    answers: list[str] = []
    choices: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        match = _CHOICE.fullmatch(line)
        if match:
            marker, letter, text = match.groups()
            choices.append((letter or LETTERS[len(choices) % len(LETTERS)], text))
        if not match or marker == "*":
            answers.append(text if match else line)
    return tuple(answers), tuple(choices)


def key_lines(question: Question) -> str:
    """Return the question's choices and answers in the format of ``read_key``."""
    choices, answers = question.choices, question.answers
    right_texts = {chosen_text(answer, choices) for answer in answers}
    lines = [
        f"{'*' if text in right_texts else '-'} {letter.rstrip(')')}) {text}"
        for letter, text in choices
    ]
    lines += (answer for answer in answers if chosen_text(answer, choices) is None)
    return "\n".join(" ".join(line.split()) for line in lines)


def key_words(question: Question) -> str:
    """Return the answers in one line, choices with their letters; "" without any."""
    letters = {text: letter for letter, text in reversed(question.choices)}
    texts = [chosen_text(answer, question.choices) for answer in question.answers]
    labels = (
        answer if text is None else f"{letters[text].rstrip(')')}) {text}"
        for answer, text in zip(question.answers, texts, strict=True)
    )
    separator = " and " if question.aggregator == "AND" else " or "
    return shortened(separator.join(dict.fromkeys(labels)))


def key_change(before: Question, after: Question) -> str:
    """Describe the change of key and choices, as ``key added: “Bonn”``; "" for none."""
    changed_parts: dict[str, list[str]] = {}
    if before.choices != after.choices:
        changed_parts[_change_word(before.choices, after.choices)] = ["choices"]
    keys = [
        f"“{words}”" for question in (before, after) if (words := key_words(question))
    ]
    key_fields = [
        (question.answers, question.aggregator) for question in (before, after)
    ]
    if key_fields[0] != key_fields[1]:
        changed_parts.setdefault(
            _change_word(before.answers, after.answers), []
        ).append("key")
        return f"{_changes_text(changed_parts)}: {' → '.join(keys)}"
    return _changes_text(changed_parts)


def _change_word(before: Sequence[object], after: Sequence[object]) -> str:
    if not after:
        return "removed"
    return "changed" if before else "added"


def _changes_text(changed_parts: dict[str, list[str]]) -> str:
    """Join changes, as ``choices and key added`` or ``choices changed, key given``."""
    return ", ".join(
        f"{' and '.join(parts)} {change_word}"
        for change_word, parts in changed_parts.items()
    )


def matching_letters(key: str, letters: Sequence[str]) -> list[str]:
    """Return the letters that the key may name: the key itself, else all variants.

    ``b``, ``B)`` and ``B.`` are variants of one letter.
    """
    if key in letters:
        return [key]
    return [letter for letter in letters if plain_letter(letter) == plain_letter(key)]


def plain_letter(letter: str) -> str:
    return letter.strip().rstrip(").").lower()


def _cleaned(text: str) -> str:
    text = without_controls(text)
    if len(text) > MAX_TEXT:
        raise AnswerKeyError(
            f"An answer or a choice has at most {MAX_TEXT} characters; this one has "
            f"{len(text)}."
        )
    return text
