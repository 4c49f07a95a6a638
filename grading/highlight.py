"""Split texts into sentences, and find the sentence closest to an item."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from grading.similarity import Vectors, cosines

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
