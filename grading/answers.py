"""Check responses against answer keys.

Source: Farzi & Dietz 2024, section 3.2.2: both strings lower-cased, without stop
words, stemmed; a match is an edit distance of less than 20 % of the longer string.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from grading.items import AllOf, answer_texts
from grading.stems import STOP_WORDS, stem

CHECK_VERSION = "answer-key/1"  # bump when any response would be checked differently
TRUE_FALSE_VERSION = "answer-key/1+true-false"

# Our addition, not in the paper: synonyms of "true" and "false".
TRUE_FALSE_SYNONYMS = {
    "true": frozenset({"true", "yes", "correct"}),
    "false": frozenset({"false", "no", "incorrect", "wrong"}),
}

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
BARE_LETTER = re.compile(r"\(?\s*(\w+)\s*[).:]?")
LABELLED = re.compile(r"\(?\s*(\w+)\s*[).:]\s+(.+)", re.DOTALL)


def is_correct(
    response: str,
    answers: Sequence[str],
    *,
    choices: Sequence[tuple[str, str]] = (),
    true_false: bool = False,
) -> bool:
    """Return True if ``response`` matches one of the correct ``answers``.

    With ``choices``, (letter, text) pairs, the letter of a correct choice is accepted,
    too ("b", "(B)", "b."), a response such as "b) carbon dioxide" is checked by its
    text, and a letter as the answer key means that choice's text. Without choices a
    letter is a text like any other.

    With an ``AllOf`` key each answer has to match the response or words in it
    (``contains_answer``). That is our addition: the paper has no such keys.

    With ``true_false``, "yes" and "correct" match the answer "true", and "no",
    "incorrect" and "wrong" match "false". That is our addition to the paper's check;
    say so wherever its results are shown (``TRUE_FALSE_VERSION``).

    Source: Farzi & Dietz 2024, section 3.2.2.
    """
    if isinstance(answers, AllOf):
        texts = answer_texts(answers, choices)
        return all(
            is_correct(response, (answer,), choices=choices, true_false=true_false)
            or contains_answer(response, text)
            for answer, text in zip(answers, texts, strict=True)
        )
    accepted = list(answers)
    if choices:
        letters = _correct_letters(answers, choices)
        accepted += [text for letter, text in choices if letter.lower() in letters]
        bare = BARE_LETTER.fullmatch(response.strip())
        if bare and bare[1].lower() in letters:
            return True
        labelled = LABELLED.fullmatch(response.strip())
        if labelled and labelled[1].lower() in {
            letter.lower() for letter, _ in choices
        }:
            response = labelled[2]
    word = _without_marks(response)
    synonyms = (TRUE_FALSE_SYNONYMS.get(text.strip().lower(), ()) for text in accepted)
    if true_false and any(word in words for words in synonyms):
        return True
    return any(answers_match(response, answer) for answer in accepted)


def asks_true_or_false(
    answers: Sequence[str], choices: Sequence[tuple[str, str]] = ()
) -> bool:
    """Return True for an answer key of "true" or "false", also as a choice."""
    texts = answer_texts(answers, choices)
    return any(text.strip().lower() in TRUE_FALSE_SYNONYMS for text in texts)


def says_true_or_false(response: str) -> bool:
    """Return True for a response of one word that means either, such as "no"."""
    return any(
        _without_marks(response) in words for words in TRUE_FALSE_SYNONYMS.values()
    )


def _without_marks(response: str) -> str:
    return response.strip().strip(".!").lower()


def answers_match(first: str, second: str) -> bool:
    """Return True if two normalised answers differ by less than 20 % of edits.

    The share is of the longer string. If one of them is empty when normalised ("The
    Who"), the lower-cased originals have to be equal.
    """
    normal_first, normal_second = normalise(first), normalise(second)
    if not normal_first or not normal_second:
        return first.strip().lower() == second.strip().lower()
    return _is_close(normal_first, normal_second)


def _is_close(first: str, second: str) -> bool:
    # Computed in integers: 1 edit in 5 characters is exactly 20 % and no match.
    return 5 * Levenshtein.distance(first, second) < max(len(first), len(second))


def contains_answer(response: str, answer: str) -> bool:
    """Return True if adjacent words of the response match the answer.

    As many words as the answer has, without stop words, or one fewer or more, are
    compared as in ``answers_match``. An answer of stop words alone has to occur
    verbatim.
    """
    words, target = normalise(response).split(), normalise(answer).split()
    if not target:
        words, target = (_WORD.findall(text.lower()) for text in (response, answer))
        runs = (words[at : at + len(target)] for at in range(len(words)))
        return bool(target) and target in runs
    sizes = range(max(1, len(target) - 1), len(target) + 2)
    return any(
        _is_close(" ".join(words[at : at + size]), " ".join(target))
        for size in sizes
        for at in range(len(words) - size + 1)
    )


@lru_cache(maxsize=1 << 13)
def normalise(answer: str) -> str:
    """Lower-case and Porter-stem the words of ``answer``, without stop words.

    Words are runs of letters and digits, with inner apostrophes; they are joined by
    single spaces. "" if there are only stop words and punctuation.
    """
    words = _WORD.findall(answer.lower().replace("’", "'"))
    return " ".join(stem(word) for word in words if word not in STOP_WORDS)


def _correct_letters(
    answers: Sequence[str], choices: Sequence[tuple[str, str]]
) -> set[str]:
    """Lower-cased letters of the choices that ``answers`` name, by text or by letter.

    The text of a choice takes precedence over its letter: if the choices are vitamins
    A, B and C, the answer "A" is a vitamin.
    """
    options = [(letter.lower(), text.strip().lower()) for letter, text in choices]
    letters: set[str] = set()
    for answer in (answer.strip().lower() for answer in answers):
        by_text = {letter for letter, text in options if text == answer}
        letters |= by_text or {letter for letter, _ in options if letter == answer}
    return letters
