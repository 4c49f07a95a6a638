"""Where in a passage an answer stands: the words a reader is shown.

Three ways, the surest first. *Exact*: the answer itself, between word borders.
*Normalised*: the same words, whatever their case, accents, punctuation and spaces.
*Aligned*: nearly the same words in the same order, for answers that a model has bent
a little ("homes" for "home", a word left out of ten).

A span that only resembles the answer misleads more than none, so an alignment counts
by its words: fewer than one in five may be missing, as the paper's answer check allows
fewer than one edit in five characters, and no number. docs/answers.md has the shares.
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
"""Character positions (start, end) in the passage as it was given."""

LEAST_LIKENESS = 75.0  # 0-100; of the stemmed words in order, before they are counted
LONGEST_ALIGNED = 1_000  # characters; an alignment takes time by their square

# They say something about the passage. Found in it, they are other words.
VERDICTS = frozenset({"yes", "no", "true", "false"})
# Letters that are words: found in a passage, they are no answer's letter.
_ONE_LETTER_WORDS = frozenset("ai")
# Words that turn an answer round, wherever they are missing.
_NEGATIONS = frozenset({"no", "not", "never", "without", "cannot"})
_LIST_MARK = re.compile(r"\d{1,2}[.)]")

# Written without spaces, so that every character counts as a word.
_SPACELESS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# White space, punctuation, signs. Accents, joiners and emoji stay with their word.
_BETWEEN = (
    r"\s\x00-\x1f!-/:-@\[-`{-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf×÷"
    r"\u2000-\u200c\u200e-\u206f\u20a0-\u20cf\u2190-\u23ff\u2500-\u27bf"
    r"\u3000-\u303f\ufeff\uff00-\uff0f\uff1a-\uff20\ufffd،؛" + TERMINALS
)
_LETTERS = rf"[^{_BETWEEN}{_SPACELESS}]+"
# A number is one word with the marks inside it: the 5 of "3.5" is no word.
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
    """Where ``answer`` stands in ``passage``, or None where it is not found.

    The first place in the surest of the three ways, at word borders; nothing that is no
    extract (see ``is_extract``) is found.
    """
    spans = (way(answer, passage) for way in METHODS.values())
    return next((span for span in spans if span is not None), None)


def find_exact(answer: str, passage: str) -> Span | None:
    """Where the stripped answer stands as it is, between word borders."""
    wanted = answer.strip()
    if not is_extract(wanted):
        return None
    start = passage.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not _inside_word(passage, start) and not _inside_word(passage, end):
            return start, end
        start = passage.find(wanted, start + 1)
    return None


def find_normalised(answer: str, passage: str) -> Span | None:
    """Where the answer's words stand, but for case, accents, marks and white space.

    A single letter or figure is found as it is or not at all.
    """
    wanted = _words(answer).text
    if len(wanted) < 2 or not is_extract(answer):
        return None
    return _words(passage).find(wanted)


def find_aligned(answer: str, passage: str) -> Span | None:
    """Where nearly the answer's words stand, in their order.

    Of the words that are no stop words, fewer than one in five of the answer's are
    missing in the span, and of the span's in the answer; none of the answer's numbers
    is missing, and no negation on either side. A word is not missing where one of the
    same stem stands, or one of fewer than 20 % edits. Answers of more than
    ``LONGEST_ALIGNED`` characters are not looked for.
    """
    if len(answer) > LONGEST_ALIGNED or not is_extract(answer):
        return None
    wanted, given = _words(answer), _words(passage)
    ours = wanted.content(0, len(wanted.spans))
    if len(wanted.text) < 2 or not ours or not given.spans:
        return None
    stems = " ".join(wanted.stems)
    found = fuzz.partial_ratio_alignment(
        stems, " ".join(given.stems), score_cutoff=LEAST_LIKENESS
    )
    if found is None or found.dest_start == found.dest_end:
        return None
    first, last = given.best_words(stems, found.dest_start, found.dest_end)
    theirs = given.content(first, last + 1)
    missing, added = _missing(ours, theirs), _missing(theirs, ours)
    if (
        5 * len(missing) >= len(ours)
        or 5 * len(added) >= len(theirs)
        or any(_DIGIT.search(word) for word in missing)
        or not _NEGATIONS.isdisjoint(missing + added)
    ):
        return None
    return given.spans[first][0], given.spans[last][1]


def is_extract(answer: str) -> bool:
    """Whether the answer is one that could be words of a passage.

    Not without a letter, figure or symbol; nor a bare "yes", "no", "true" or "false",
    the letters "a" and "I", or a list's mark such as "2.".
    """
    letters = (c for c in answer if unicodedata.category(c)[0] in "LNS")
    # No verdict is longer: the rest of a long answer need not be looked at.
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
"""The ways to find an answer by name, the surest first."""


class _Words:
    """The words of a text, folded, and where each stands in it."""

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
        """The words' stems."""
        return [_stem(word) for word in self._folded]

    def content(self, first: int, end: int) -> list[str]:
        """The words from ``first`` up to ``end`` that are no stop words."""
        return [word for word in self._folded[first:end] if word not in STOP_WORDS]

    def find(self, words: str) -> Span | None:
        """Where folded words stand whole, one after the other."""
        at = f" {self.text} ".find(f" {words} ")
        if at < 0:
            return None
        starts = _starts(self._folded)
        first = bisect_right(starts, at) - 1
        last = bisect_right(starts, at + len(words) - 1) - 1
        return self.spans[first][0], self.spans[last][1]

    def best_words(self, wanted: str, start: int, end: int) -> tuple[int, int]:
        """First and last word of the characters ``start`` to ``end`` of the stems.

        The words at both ends, which the characters may hold in part, and those beyond
        are taken in or left out, whichever makes the words more like ``wanted``; of
        equals the shorter.
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
                fuzz.ratio(wanted, " ".join(self.stems[pair[0] : pair[1] + 1])),
                pair[0] - pair[1],
            ),
        )


# A passage is asked for many answers in a row.
@lru_cache(maxsize=64)
def _words(text: str) -> _Words:
    return _Words(text)


def _starts(words: list[str]) -> list[int]:
    """Where each word begins once they are joined by single spaces."""
    return list(accumulate((len(word) + 1 for word in words[:-1]), initial=0))


def _fold(word: str) -> str:
    """The word in lower case, without accents, apostrophes and thousands' commas."""
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


def _is_near(one: str, other: str) -> bool:
    """Whether they, or their stems, differ by fewer than 20 % of edits."""
    if _DIGIT.search(one) or _DIGIT.search(other):
        return one == other
    return any(
        5 * Levenshtein.distance(*pair) < max(map(len, pair))
        for pair in ((one, other), (_stem(one), _stem(other)))
    )


def _inside_word(text: str, at: int) -> bool:
    """Whether a cut before the character ``at`` goes through a word or a number."""
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
    """Whether it belongs to the character before it: an accent, a joiner."""
    return unicodedata.category(character)[0] == "M" or character == "\u200d"
