"""The answer-key check: is a response one of the correct answers?

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

# Our addition, not in the paper: what else says "true" or "false".
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
    """Whether ``response`` matches one of the correct ``answers``.

    With ``choices``, (letter, text) pairs, the letter of a correct choice counts as
    well ("b", "(B)", "b."), a response such as "b) carbon dioxide" is checked by its
    text, and an answer key that holds only a letter stands for that choice's text.
    Without choices a letter is a text like any other.

    Of a key of all answers (``AllOf``) each has to match the response or words in it
    (``contains_answer``). That is our addition: the paper knows no such keys.

    ``true_false`` lets "yes" and "correct" stand for the answer "true", "no",
    "incorrect" and "wrong" for "false". That is our addition to the paper's check;
    say so where its results stand (``TRUE_FALSE_VERSION``).

    Source: Farzi & Dietz 2024, section 3.2.2.
    """
    if isinstance(answers, AllOf):
        texts = answer_texts(answers, choices)
        return all(
            is_correct(response, (one,), choices=choices, true_false=true_false)
            or contains_answer(response, text)
            for one, text in zip(answers, texts, strict=True)
        )
    accepted = list(answers)
    if choices:
        letters = _correct_letters(answers, choices)
        accepted += [text for letter, text in choices if letter.lower() in letters]
        bare = BARE_LETTER.fullmatch(response.strip())
        if bare and bare[1].lower() in letters:
            return True
        labelled = LABELLED.fullmatch(response.strip())
        known = {letter.lower() for letter, _ in choices}
        if labelled and labelled[1].lower() in known:
            response = labelled[2]
    bare_response = _bare(response)
    synonyms = (TRUE_FALSE_SYNONYMS.get(one.strip().lower(), ()) for one in accepted)
    if true_false and any(bare_response in words for words in synonyms):
        return True
    return any(answers_match(response, answer) for answer in accepted)


def asks_true_or_false(
    answers: Sequence[str], choices: Sequence[tuple[str, str]] = ()
) -> bool:
    """Return True for an answer key of "true" or "false", as a word or as a choice."""
    texts = answer_texts(answers, choices)
    return any(text.strip().lower() in TRUE_FALSE_SYNONYMS for text in texts)


def says_true_or_false(response: str) -> bool:
    """Return True for a response of one word that says either, such as "no"."""
    return any(_bare(response) in words for words in TRUE_FALSE_SYNONYMS.values())


def _bare(response: str) -> str:
    return response.strip().strip(".!").lower()


def answers_match(one: str, other: str) -> bool:
    """Whether two answers are the same but for less than 20 % of edits, strictly.

    The share is of the longer of the two normalised strings. Where either normalises
    to nothing ("The Who"), the lower-cased originals have to be equal.
    """
    normal_one, normal_other = normalise(one), normalise(other)
    if not normal_one or not normal_other:
        return one.strip().lower() == other.strip().lower()
    return _close(normal_one, normal_other)


def _close(one: str, other: str) -> bool:
    # In whole numbers: 1 edit in 5 characters is exactly 20 % and no match.
    return 5 * Levenshtein.distance(one, other) < max(len(one), len(other))


def contains_answer(response: str, answer: str) -> bool:
    """Whether words of the response that stand together match the answer.

    As many as the answer has, without stop words, or one fewer or more; compared as
    ``answers_match`` does. Of an answer of stop words alone, these very words.
    """
    said, wanted = normalise(response).split(), normalise(answer).split()
    if not wanted:
        said, wanted = (_WORD.findall(one.lower()) for one in (response, answer))
        runs = (said[at : at + len(wanted)] for at in range(len(said)))
        return bool(wanted) and wanted in runs
    sizes = range(max(1, len(wanted) - 1), len(wanted) + 2)
    return any(
        _close(" ".join(said[at : at + size]), " ".join(wanted))
        for size in sizes
        for at in range(len(said) - size + 1)
    )


@lru_cache(maxsize=1 << 13)
def normalise(answer: str) -> str:
    """The words of ``answer`` lower-cased, without stop words, Porter-stemmed.

    Words are runs of letters and digits, with inner apostrophes; single spaces
    between them. "" where only stop words and punctuation stand.
    """
    words = _WORD.findall(answer.lower().replace("’", "'"))
    return " ".join(stem(word) for word in words if word not in STOP_WORDS)


def _correct_letters(
    answers: Sequence[str], choices: Sequence[tuple[str, str]]
) -> set[str]:
    """Lower-cased letters of the choices that ``answers`` name, by text or by letter.

    A choice whose text is the answer wins over one whose letter is: where the choices
    are vitamins A, B and C, the answer "A" is a vitamin.
    """
    known = [(letter.lower(), text.strip().lower()) for letter, text in choices]
    letters: set[str] = set()
    for answer in (answer.strip().lower() for answer in answers):
        by_text = {letter for letter, text in known if text == answer}
        letters |= by_text or {letter for letter, _ in known if letter == answer}
    return letters
