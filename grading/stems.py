"""Stem English words without stop words, and weigh stems by how many texts have them.

The stop words were written for this project from the closed word classes of English
(articles, pronouns, prepositions, conjunctions, auxiliaries, a few adverbs), not copied
from a published list, though NLTK's and SMART's have most of them, too. One deliberate
difference from those: words that reverse an answer are no stop words. These are
negations (no, nor, not, contractions with n't), opposites (up and down, before and
after, above and below, over and under, with and without, on and off) except the most
common prepositions, and quantities (all, both, few, more, most). "Not soluble" is not a
correct answer if the key is "soluble".
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from grading.keys import content_key

_STOP_WORDS = """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself
    they them their theirs themselves
    this that these those who whom whose which what when where why how
    am is are was were be been being have has had having do does did doing
    will would shall should can could might must ought
    i'm you're he's she's it's we're they're i've you've we've they've
    i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll it'll we'll they'll
    that's there's here's what's who's where's how's let's
    and or but if because as while although though since whether than so
    of at by for with about between among in into on onto through during to from
    toward towards within upon per via
    again further then once here there
    other others some such own same every
    too very just also quite rather
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())

STOP_WORD_NUMBER = -1  # the number of every stop word

_WORD = re.compile("[a-z0-9]+")
# Maps every byte outside words to a space; non-ASCII characters, too.
_BLANKED = bytes(
    byte if _WORD.fullmatch(chr(byte)) else ord(" ") for byte in range(256)
)


# Texts share words, and stemming takes most of the time.
@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem by Porter's rules of 1980."""
    # A new stemmer per call, since the pure-Python one stores its word.
    return str(snowballstemmer.stemmer("porter").stemWord(word))


def stems(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words.

    Words are runs of the letters a to z and digits, lower-cased.
    """
    words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
    # A new stemmer per call, since the pure-Python one stores its word.
    return list(snowballstemmer.stemmer("porter").stemWords(words))


class Stems(dict[bytes, int]):
    """Numbers of words' stems, assigned on first use, with one number for stop words.

    Words of one stem have one number. Only numbers of the same object can be compared.
    Safe for threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self._stemmer = snowballstemmer.stemmer("porter")

    def __missing__(self, word: bytes) -> int:
        text = word.decode("ascii")
        if text in STOP_WORDS:
            self[word] = STOP_WORD_NUMBER
            return STOP_WORD_NUMBER
        with self._lock:  # the stemmer stores its word
            # Digits need no stemming, which saves time.
            stemmed = text if text.isdigit() else self._stemmer.stemWord(text)
            number = self._numbers.setdefault(stemmed, len(self._numbers))
            self[word] = number
        return number

    def names(self, numbers: Sequence[int] | None = None) -> list[str]:
        """Return the stems of these numbers, or all in the order of their numbers."""
        with self._lock:
            names = list(self._numbers)
        return names if numbers is None else [names[number] for number in numbers]

    def stem_numbers(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the concatenated numbers of all texts' stems, and their counts."""
        words: list[bytes] = []
        counts = []
        for text in texts:
            ascii_text = text.lower().encode("ascii", "replace")
            of_text = ascii_text.translate(_BLANKED).split()
            words += of_text
            counts.append(len(of_text))
        numbers = np.fromiter(map(self.__getitem__, words), np.int32, len(words))
        is_stem = numbers != STOP_WORD_NUMBER
        owners = np.repeat(np.arange(len(texts)), counts)[is_stem]
        lengths = np.bincount(owners, minlength=len(texts))
        return numbers[is_stem], lengths.astype(np.int64)


@dataclass(frozen=True)
class Frequencies:
    """The number of texts, and of texts with each stem."""

    texts: int
    by_stem: Mapping[str, int]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Frequencies:
        """Count the stems of distinct texts."""
        distinct = list(dict.fromkeys(texts))
        stems = Stems()
        numbers, lengths = stems.stem_numbers(distinct)
        names = stems.names()
        owners = np.repeat(np.arange(len(distinct)), lengths)
        # Each stem counts once per text: encode (text, stem) pairs as numbers.
        pairs = np.unique(owners * max(len(names), 1) + numbers)
        counts = np.bincount(pairs % max(len(names), 1), minlength=len(names))
        return cls(len(distinct), dict(zip(names, counts.tolist(), strict=True)))

    @cached_property
    def key(self) -> str:
        """Content key of all counts."""
        return content_key(["frequencies", self.texts, dict(self.by_stem)])

    def weight(self, stem: str) -> float:
        """Return log((N + 1) / (n + 0.5)) of a stem in n of N texts; always above 0.

        Rarer stems weigh more; without any texts all stems weigh the same.
        """
        return log((self.texts + 1) / (self.by_stem.get(stem, 0) + 0.5))


NO_TEXTS = Frequencies(0, {})
