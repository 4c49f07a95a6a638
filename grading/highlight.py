"""Split texts into sentences, find the one closest to an item, and locate answers.

There are three methods of locating an answer in a passage, the most reliable first.
*Exact*: the answer verbatim, between word borders. *Normalised*: the same words,
ignoring case, accents, punctuation and white space. *Aligned*: nearly the same words in
the same order, for answers that a model has changed a little ("homes" for "home", one
word in ten left out).

A wrong span misleads more than none, so fewer than one in five words of an alignment
may be missing, like one edit in five characters in the paper's answer check, and no
number. docs/ava.md has the shares.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, islice

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from grading.similarity import Vectors, cosines
from grading.stems import STOP_WORDS, stem

# Words whose full stop rarely ends a sentence; lower case, without the stop.
_NEVER_LAST = """
    mr mrs ms dr prof rev hon gen col capt lt sgt sen rep gov pres st mt ft
    e.g i.e cf viz vs al approx ca est fig figs eq no nos vol vols ed eds pp p ch sec
    dept univ jan feb mar apr jun jul aug sep sept oct nov dec
"""
# Words whose full stop ends a sentence if a capital follows.
_ALSO_LAST = "etc inc ltd co corp jr sr a.m p.m u.s u.k u.n d.c ph.d"

_ABBREVIATIONS = frozenset(_NEVER_LAST.split())
_SELDOM_LAST = frozenset(_ALSO_LAST.split())

_OPENING = "\"'“‘(["

# Marks that always end sentences of other scripts (Thai has none): of CJK,
# Arabic, Armenian, Indic scripts, Sinhala, Ethiopic, Khmer, Burmese, Tibetan,
# Mongolian, Syriac, N'Ko, Ol Chiki, Meetei Mayek, Balinese, Javanese, Greek.
TERMINALS = "。！？｡﹒﹖﹗؟۔؞։।॥෴።፧፨។៕။།༎᠃᠉܀܁܂߹᱾᱿꯫᭞᭟꧈꧉\N{GREEK QUESTION MARK}"
# Marks that do so if no digit follows, or after two letters of their script.
_CONDITIONAL = r"．(?!\d) | (?<=[\u0370-\u03ff\u1f00-\u1fff]{2});(?=\s|\Z)"


def _end_pattern(wide: str, more: str, closing: str) -> re.Pattern[str]:
    """Pattern of runs of marks and gaps; ``wide`` marks always end a sentence.

    ``more`` may follow these; ``closing`` quotes and brackets may follow other marks.
    Each run is matched once, so that every text takes linear time.
    """
    return re.compile(
        rf"""
          (?P<wide>(?:{wide}){more})
        | (?P<marks>[.!?…]+) (?P<closing>(?:\[\d{{1,3}}\]|[{closing}])*)
        | (?P<gap>\s+)
        """,
        re.VERBOSE,
    )


_END_PATTERNS = {
    "1": _end_pattern("[。！？]+", '["”’」』）]*', r"\"'”’)\]"),
    "2": _end_pattern(
        rf"[{TERMINALS}] | {_CONDITIONAL}",
        rf"[{TERMINALS}.!?…]* [\"'”’»」』）)\]]*",
        r"\"'”’)\]»",
    ),
}
_LONGEST_WORD = 24
_WORD_BEFORE = re.compile(rf"[^\s{re.escape(_OPENING)}]*\Z")
_FIRST_AFTER = re.compile(rf"\s*[{re.escape(_OPENING)}]*(.?)", re.DOTALL)
_LIST_ITEM = re.compile(r"(?:[-*•·‣▪]|\d{1,3}[.)])\s")
_NEW_WORD = re.compile(r"[A-Z][a-z]")


LATEST = "2"
"""Version of sentence splitting, part of the key of stored sentence vectors."""

MOST_SENTENCES = 4096
"""Sentences per text to compare with items, at most. Passages of DL 2019, LLMJudge and
REALSumm have up to 68; a text of full stops alone would have millions, whose vectors
fit no row of SQLite."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Split ``text`` into character spans (start, end) of sentences, in order.

    Spans do not overlap, do not begin or end with white space, and together contain
    all other characters. Marks in numbers, after initials and after common English
    abbreviations end no sentence; a blank line or the beginning of a list item ends the
    sentence before it. [] for a text of white space.
    """
    return list(_spans(text, LATEST))


def compared_sentences(text: str, version: str = LATEST) -> list[tuple[int, int]]:
    """Return the spans of the first ``MOST_SENTENCES``, which are compared with items.

    In ``version`` "1" only English marks and 。！？ end sentences.
    """
    return list(islice(_spans(text, version), MOST_SENTENCES))


def _spans(text: str, version: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in chain(_ends(text, version), (len(text),)):
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            begin = start + len(piece) - len(piece.lstrip())
            yield begin, begin + len(stripped)
        start = end


def best_sentence(item_vectors: Vectors, sentence_vectors: Sequence[Vectors]) -> int:
    """Return the index of the sentence closest to the item, the first of equals.

    Raises ValueError without sentences.
    """
    if not sentence_vectors:
        raise ValueError("no sentences to choose from")
    return int(cosines([item_vectors], sentence_vectors)[0].argmax())


def _ends(text: str, version: str) -> Iterator[int]:
    for match in _END_PATTERNS[version].finditer(text):
        lines = match[0].count("\n") if match["gap"] else 0
        if (
            match["wide"]
            # A blank line, or a list item's beginning.
            or lines > 1
            or (lines == 1 and _LIST_ITEM.match(text, match.end()))
            or (match["marks"] and _ends_sentence(text, match))
        ):
            yield match.end()


def _ends_sentence(text: str, marks: re.Match[str]) -> bool:
    after = text[marks.end() : marks.end() + 1]
    if after and not after.isspace():
        # The space may be missing: "over the time.Man and nature".
        before = text[max(0, marks.start() - 2) : marks.start()]
        is_word = len(before) == 2 and before.islower() and before.isalpha()
        follows = _NEW_WORD.match(text, marks.end()) is not None
        return is_word and follows and not marks["closing"]
    if marks[0] == "." and _is_part_of_a_word(text, marks):
        return False
    return not _first_letter(text, marks.end()).islower()


def _is_part_of_a_word(text: str, stop: re.Match[str]) -> bool:
    """Return True for a full stop of an abbreviation, initial or list number."""
    begin = max(0, stop.start() - _LONGEST_WORD)
    before = _WORD_BEFORE.search(text, begin, stop.start())
    word = before[0] if before else ""
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    if word.isdigit():
        line = text.rfind("\n", 0, stop.start()) + 1
        return not text[line : stop.start() - len(word)].strip()
    if word.lower() in _SELDOM_LAST:
        return not _first_letter(text, stop.end()).isupper()
    return word.lower() in _ABBREVIATIONS


def _first_letter(text: str, position: int) -> str:
    """Return the first character from ``position`` on except spaces and brackets."""
    first = _FIRST_AFTER.match(text, position)
    return first[1] if first else ""


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
