"""English words as overlaps of texts are counted: stop words left out, others stemmed.

The stop words were written for this project from the closed word classes of English
(articles, pronouns, prepositions, conjunctions, auxiliaries, a few adverbs), and not
copied from a published list, though most of them stand in NLTK's and SMART's as well.
One deliberate difference from those: words that turn an answer round are left out.
These are negations (no, nor, not, contractions with n't), opposites (up and down,
before and after, above and below, over and under, with and without, on and off) as
far as they are not among the commonest prepositions, and quantities (all, both, few,
more, most). "Not soluble" is no correct answer where the key says "soluble".
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

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

LEFT_OUT = -1  # the number of every stop word

_WORD = re.compile("[a-z0-9]+")
# Every byte that is in no word becomes a blank; so does what ASCII has no byte for.
_BLANKED = bytes(
    byte if _WORD.fullmatch(chr(byte)) else ord(" ") for byte in range(256)
)


# Texts share their words, and stemming is most of what is done with them.
@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Its stem by Porter's rules of 1980."""
    # A stemmer of its own per call: the pure-Python one keeps its word in itself.
    return str(snowballstemmer.stemmer("porter").stemWord(word))


def stems(text: str) -> list[str]:
    """The stems of the text's words in their order; [] where only stop words stand.

    Words are runs of the letters a to z and digits, lower-cased.
    """
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
            stemmed = text if text.isdigit() else self._stemmer.stemWord(text)
            number = self._numbers.setdefault(stemmed, len(self._numbers))
            self[word] = number
        return number

    def names(self, numbers: Sequence[int] | None = None) -> list[str]:
        """The stems of these numbers, or all by their numbers."""
        with self._lock:
            known = list(self._numbers)
        return known if numbers is None else [known[number] for number in numbers]

    def stem_numbers(
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
