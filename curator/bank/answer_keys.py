"""A question's answer key and choices: cleaned, read from lines, and in words.

People write a key a line an answer. A choice is a line that begins with ``-``, or with
``*`` where it is right; its letter is assigned from A on, or stands before its text::

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
    """The choices as they are stored, texts and letters stripped.

    Raises AnswerKeyError for more than there are letters, an empty letter or text, and
    a letter that stands twice.
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
                f"The letter '{letter.upper()}' stands for two choices; give each a "
                "letter of its own, or none."
            )
    return cleaned


def clean_answers(answers: Sequence[str], choices: Choices = ()) -> tuple[str, ...]:
    """The answers as they are stored, each once; a choice's letter becomes its text.

    Raises AnswerKeyError for an empty answer, too many, and, where there are choices,
    for a key that names none of them.
    """
    if len(answers) > MAX_ANSWERS:
        raise AnswerKeyError(
            f"A key has at most {MAX_ANSWERS} answers; these are {len(answers)}."
        )
    cleaned = list(map(_cleaned, answers))
    if "" in cleaned:
        raise AnswerKeyError(
            "An answer needs words; a key is taken away by giving no answer at all."
        )
    chosen = [chosen_text(answer, choices) for answer in cleaned]
    for answer, text in zip(cleaned, chosen, strict=True):
        bare = len(plain_letter(answer)) == 1
        if choices and text is None and (bare or not any(chosen)):
            letters = ", ".join(letter for letter, _ in choices)
            raise AnswerKeyError(
                f"'{shortened(answer)}' is none of the choices {letters}; name one by "
                "its letter or its text."
            )
    texts = (text or answer for answer, text in zip(cleaned, chosen, strict=True))
    return tuple(dict.fromkeys(texts))


def chosen_text(answer: str, choices: Choices) -> str | None:
    """The text of the choice that an answer names, by its text or else its letter."""
    said = answer.strip().lower()
    by_text = [text for _, text in choices if text.strip().lower() == said]
    meant = letters_meant(answer, [letter for letter, _ in choices])
    by_letter = [text for letter, text in choices if letter in meant[:1]]
    return next(iter(by_text or by_letter), None)


def read_key(lines: str) -> tuple[tuple[str, ...], Choices]:
    """The answers and choices that these lines say; blank ones say nothing."""
    answers: list[str] = []
    choices: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        found = _CHOICE.fullmatch(line)
        if found:
            right, letter, text = found.groups()
            choices.append((letter or LETTERS[len(choices) % len(LETTERS)], text))
        if not found or right == "*":
            answers.append(text if found else line)
    return tuple(answers), tuple(choices)


def key_lines(question: Question) -> str:
    """The question's choices and answers as ``read_key`` reads them."""
    choices, answers = question.choices, question.answers
    right = {chosen_text(answer, choices) for answer in answers}
    lines = [
        f"{'*' if text in right else '-'} {letter.rstrip(')')}) {text}"
        for letter, text in choices
    ]
    lines += (one for one in answers if chosen_text(one, choices) is None)
    return "\n".join(" ".join(line.split()) for line in lines)


def key_words(question: Question) -> str:
    """The answers on a line, those among choices with their letters; "" without any."""
    letters = {text: letter for letter, text in reversed(question.choices)}
    texts = [chosen_text(one, question.choices) for one in question.answers]
    said = (
        one if text is None else f"{letters[text].rstrip(')')}) {text}"
        for one, text in zip(question.answers, texts, strict=True)
    )
    between = " and " if question.aggregator == "AND" else " or "
    return shortened(between.join(dict.fromkeys(said)))


def key_change(before: Question, after: Question) -> str:
    """What became of key and choices, such as ``key given: “Bonn”``; "" for nothing."""
    said: dict[str, list[str]] = {}
    if before.choices != after.choices:
        said[_became(before.choices, after.choices)] = ["choices"]
    keys = [f"“{words}”" for one in (before, after) if (words := key_words(one))]
    keys_of = [(one.answers, one.aggregator) for one in (before, after)]
    if keys_of[0] != keys_of[1]:
        said.setdefault(_became(before.answers, after.answers), []).append("key")
        return f"{_parts(said)}: {' → '.join(keys)}"
    return _parts(said)


def _became(before: Sequence[object], after: Sequence[object]) -> str:
    if not after:
        return "taken away"
    return "changed" if before else "given"


def _parts(said: dict[str, list[str]]) -> str:
    """``choices and key given``, ``choices changed, key given``."""
    return ", ".join(f"{' and '.join(what)} {became}" for became, what in said.items())


def letters_meant(key: str, letters: Sequence[str]) -> list[str]:
    """Which of the letters the key may name: itself alone, else all that are like it.

    ``b``, ``B)`` and ``B.`` are alike.
    """
    if key in letters:
        return [key]
    return [letter for letter in letters if plain_letter(letter) == plain_letter(key)]


def plain_letter(letter: str) -> str:
    """The letter without what makes no difference."""
    return letter.strip().rstrip(").").lower()


def _cleaned(text: str) -> str:
    text = without_controls(text)
    if len(text) > MAX_TEXT:
        raise AnswerKeyError(
            f"An answer or a choice has at most {MAX_TEXT} characters; this one has "
            f"{len(text)}."
        )
    return text
