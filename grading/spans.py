"""Locate answers in passages, to highlight them.

There are three methods, the most reliable first. *Exact*: the answer verbatim, between
word borders. *Normalised*: the same words, ignoring case, accents, punctuation and
white space. *Aligned*: nearly the same words in the same order, for answers that a
model has changed a little ("homes" for "home", one word in ten left out).

A wrong span misleads more than none, so fewer than one in five words of an alignment
may be missing, like one edit in five characters in the paper's answer check, and no
number. docs/ava.md has the shares.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection
from functools import cached_property, lru_cache
from itertools import accumulate, islice

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from grading.highlight import TERMINALS
from grading.stems import STOP_WORDS, stem

Span = tuple[int, int]
"""Character positions (start, end) in the original passage."""

MIN_SIMILARITY = 75.0  # 0-100; of stemmed words in order, before counting words
LONGEST_ALIGNED = 1_000  # characters; alignment takes quadratic time

# Verdicts about the passage; in a passage these words mean something else.
VERDICTS = frozenset({"yes", "no", "true", "false"})
# Letters that are also words, which in a passage do not mean a choice.
_ONE_LETTER_WORDS = frozenset("ai")
# Words that reverse the meaning of an answer.
_NEGATIONS = frozenset({"no", "not", "never", "without", "cannot"})
_LIST_MARK = re.compile(r"\d{1,2}[.)]")

# Scripts without spaces, in which every character counts as a word.
_SPACELESS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# White space, punctuation, symbols. Accents, joiners and emoji belong to words.
_BETWEEN = (
    r"\s\x00-\x1f!-/:-@\[-`{-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf×÷"
    r"\u2000-\u200c\u200e-\u206f\u20a0-\u20cf\u2190-\u23ff\u2500-\u27bf"
    r"\u3000-\u303f\ufeff\uff00-\uff0f\uff1a-\uff20\ufffd،؛" + TERMINALS
)
_LETTERS = rf"[^{_BETWEEN}{_SPACELESS}]+"
# A number is one word with its marks: the 5 of "3.5" is not a word.
_WORD = re.compile(
    rf"""
    [{_SPACELESS}]
    | {_LETTERS} (?: (?<=\d) [.,] (?=\d) {_LETTERS} )*
      (?: ['’] (?: [sStTdDmM] | ll | re | ve ) (?![^{_BETWEEN}]) )?
    """,
    re.VERBOSE,
)
_UNSPACED = re.compile(f"[{_SPACELESS}]")
_DIGIT = re.compile(r"\d")
_FOLDED = str.maketrans("\N{FRACTION SLASH}", " ", "'’,\xad\u200d\ufe0e\ufe0f")


def locate(answer: str, passage: str) -> Span | None:
    """Return the span of ``answer`` in ``passage``, or None if it is not found.

    It is the first span by the most reliable method. Answers that cannot be words of a
    passage (see ``is_extract``) are never found.
    """
    spans = (find(answer, passage) for find in METHODS.values())
    return next((span for span in spans if span is not None), None)


def find_exact(answer: str, passage: str) -> Span | None:
    """Find the stripped answer verbatim, between word borders."""
    stripped = answer.strip()
    if not is_extract(stripped):
        return None
    start = passage.find(stripped)
    while start >= 0:
        end = start + len(stripped)
        if not _inside_word(passage, start) and not _inside_word(passage, end):
            return start, end
        start = passage.find(stripped, start + 1)
    return None


def find_normalised(answer: str, passage: str) -> Span | None:
    """Find the answer's words, ignoring case, accents, marks and white space.

    A single letter or digit is only found verbatim.
    """
    words = _words(answer).text
    if len(words) < 2 or not is_extract(answer):
        return None
    return _words(passage).find(words)


def find_aligned(answer: str, passage: str) -> Span | None:
    """Find nearly the answer's words, in the same order.

    Without stop words, fewer than one in five words of the answer may be missing in the
    span, and fewer than one in five of the span in the answer; none of the answer's
    numbers may be missing, and no negation on either side. Words match if they have the
    same stem or differ by less than 20 % of edits. Answers of more than
    ``LONGEST_ALIGNED`` characters are not found.
    """
    if len(answer) > LONGEST_ALIGNED or not is_extract(answer):
        return None
    in_answer, in_passage = _words(answer), _words(passage)
    expected = in_answer.content_words(0, len(in_answer.spans))
    if len(in_answer.text) < 2 or not expected or not in_passage.spans:
        return None
    stems = " ".join(in_answer.stems)
    alignment = fuzz.partial_ratio_alignment(
        stems, " ".join(in_passage.stems), score_cutoff=MIN_SIMILARITY
    )
    if alignment is None or alignment.dest_start == alignment.dest_end:
        return None
    first, last = in_passage.best_words(stems, alignment.dest_start, alignment.dest_end)
    actual = in_passage.content_words(first, last + 1)
    missing, added = _missing(expected, actual), _missing(actual, expected)
    if (
        5 * len(missing) >= len(expected)
        or 5 * len(added) >= len(actual)
        or any(_DIGIT.search(word) for word in missing)
        or not _NEGATIONS.isdisjoint(missing + added)
    ):
        return None
    return in_passage.spans[first][0], in_passage.spans[last][1]


def is_extract(answer: str) -> bool:
    """Return True if the answer could be words of a passage.

    False without any letter, digit or symbol, and for a bare "yes", "no", "true" or
    "false", the letters "a" and "I", and a list mark such as "2.".
    """
    letters = (c for c in answer if unicodedata.category(c)[0] in "LNS")
    # Verdicts are shorter, so the rest of a long answer is not needed.
    begin = "".join(islice(letters, 6)).lower()
    return (
        bool(begin)
        and begin not in VERDICTS
        and begin not in _ONE_LETTER_WORDS
        and not _LIST_MARK.fullmatch(answer.strip())
    )


METHODS: dict[str, Callable[[str, str], Span | None]] = {
    "exact": find_exact,
    "normalised": find_normalised,
    "aligned": find_aligned,
}
"""Methods to find an answer by name, the most reliable first."""


class _Words:
    """The folded words of a text and their spans."""

    def __init__(self, text: str) -> None:
        self._folded: list[str] = []
        self.spans: list[Span] = []
        for word in _WORD.finditer(text):
            folded = _fold(word[0])
            if folded:
                self._folded.append(folded)
                self.spans.append(word.span())
        self.text = " ".join(self._folded)

    @cached_property
    def stems(self) -> list[str]:
        return [_stem(word) for word in self._folded]

    def content_words(self, first: int, end: int) -> list[str]:
        """Return the words from ``first`` to before ``end`` except stop words."""
        return [word for word in self._folded[first:end] if word not in STOP_WORDS]

    def find(self, words: str) -> Span | None:
        """Find a sequence of whole folded words."""
        at = f" {self.text} ".find(f" {words} ")
        if at < 0:
            return None
        starts = _starts(self._folded)
        first = bisect_right(starts, at) - 1
        last = bisect_right(starts, at + len(words) - 1) - 1
        return self.spans[first][0], self.spans[last][1]

    def best_words(self, target: str, start: int, end: int) -> tuple[int, int]:
        """Return the first and last word for characters ``start`` to ``end`` of stems.

        The characters may cover the words at both ends in part. These and the words
        next to them are included if that makes the span more similar to ``target``; the
        shortest of equal spans is chosen.
        """
        starts = _starts(self.stems)
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end - 1) - 1
        return max(
            (
                (low, high)
                for low in range(max(0, first - 1), first + 2)
                for high in range(last - 1, min(last + 2, len(self.spans)))
                if low <= high
            ),
            key=lambda pair: (
                fuzz.ratio(target, " ".join(self.stems[pair[0] : pair[1] + 1])),
                pair[0] - pair[1],
            ),
        )


# Many answers are searched in one passage.
@lru_cache(maxsize=64)
def _words(text: str) -> _Words:
    return _Words(text)


def _starts(words: list[str]) -> list[int]:
    """Positions of words joined by single spaces."""
    return list(accumulate((len(word) + 1 for word in words[:-1]), initial=0))


def _fold(word: str) -> str:
    """Lower-case a word; remove accents, apostrophes and thousands separators."""
    if not word.isascii():
        letters = unicodedata.normalize("NFKD", word)
        word = "".join(c for c in letters if not unicodedata.combining(c))
    return word.casefold().translate(_FOLDED).strip()


def _stem(word: str) -> str:
    return word if _DIGIT.search(word) else stem(word)


def _missing(words: Collection[str], others: Collection[str]) -> list[str]:
    stems = {_stem(other) for other in others}
    return [
        word
        for word in words
        if _stem(word) not in stems
        and not any(_is_near(word, other) for other in others)
    ]


def _is_near(first: str, second: str) -> bool:
    """Return True if words, or their stems, differ by less than 20 % of edits."""
    if _DIGIT.search(first) or _DIGIT.search(second):
        return first == second
    return any(
        5 * Levenshtein.distance(*pair) < max(map(len, pair))
        for pair in ((first, second), (_stem(first), _stem(second)))
    )


def _inside_word(text: str, at: int) -> bool:
    """Return True if position ``at`` is inside a word or a number."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _is_attached(after):
        return not before.isspace()
    if after in ".,":
        return before.isdigit() and text[at + 1 : at + 2].isdigit()
    if before in ".,":
        return after.isdigit() and text[max(0, at - 2) : at - 1].isdigit()
    if before in "'’":
        return after.isalpha() and text[max(0, at - 2) : at - 1].isalpha()
    if before == "\u200d":
        return not after.isspace()
    return (
        (before.isalnum() or _is_attached(before))
        and after.isalnum()
        and not _UNSPACED.match(before)
        and not _UNSPACED.match(after)
    )


def _is_attached(character: str) -> bool:
    """Return True for a character that belongs to the one before: accent, joiner."""
    return unicodedata.category(character)[0] == "M" or character == "\u200d"
