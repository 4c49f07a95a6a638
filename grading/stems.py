"""A text as the numbers of its words' stems: what overlaps of words are counted on.

Words are runs of the letters a to z and digits, lower-cased; stop words are left out,
the others stemmed by Porter's rules. The same list and stemmer as the answer-key check.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from grading.stopwords import STOP_WORDS

LEFT_OUT = -1  # the number of every stop word

_WORD = re.compile("[a-z0-9]+")
# Every byte that is in no word becomes a blank; so does what ASCII has no byte for.
_BLANKED = bytes(
    byte if _WORD.fullmatch(chr(byte)) else ord(" ") for byte in range(256)
)


def stems(text: str) -> list[str]:
    """The stems of the text's words in their order; [] where only stop words stand."""
    words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
    # A stemmer of its own per call: the pure-Python one keeps its word in itself.
    return list(snowballstemmer.stemmer("porter").stemWords(words))


class Stems(dict[bytes, int]):
    """The number of each word's stem, given out as words are met; -1 for stop words.

    Words of one stem have one number. Only numbers of the same Stems can be compared.
    Safe to share between threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self._stemmer = snowballstemmer.stemmer("porter")

    def __missing__(self, word: bytes) -> int:
        text = word.decode("ascii")
        if text in STOP_WORDS:
            self[word] = LEFT_OUT
            return LEFT_OUT
        with self._lock:  # the stemmer keeps its word in itself
            # A number is its own stem, and texts are full of numbers.
            stem = text if text.isdigit() else self._stemmer.stemWord(text)
            number = self._numbers.setdefault(stem, len(self._numbers))
            self[word] = number
        return number

    def numbered(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of all texts' stems, one after the other; how many each has."""
        words: list[bytes] = []
        counts = []
        for text in texts:
            ascii_text = text.lower().encode("ascii", "replace")
            found = ascii_text.translate(_BLANKED).split()
            words += found
            counts.append(len(found))
        numbers = np.fromiter(map(self.__getitem__, words), np.int32, len(words))
        kept = numbers != LEFT_OUT
        owners = np.repeat(np.arange(len(texts)), counts)[kept]
        lengths = np.bincount(owners, minlength=len(texts))
        return numbers[kept], lengths.astype(np.int64)
