"""Which sentence of a passage comes closest to an item: the span a reader is shown."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from grading.similarity import Vectors, cosines

# Words whose full stop rarely ends a sentence; lower-cased, without that stop.
_NEVER_LAST = """
    mr mrs ms dr prof rev hon gen col capt lt sgt sen rep gov pres st mt ft
    e.g i.e cf viz vs al approx ca est fig figs eq no nos vol vols ed eds pp p ch sec
    dept univ jan feb mar apr jun jul aug sep sept oct nov dec
"""
# Words whose full stop ends a sentence where a capital follows.
_ALSO_LAST = "etc inc ltd co corp jr sr a.m p.m u.s u.k u.n d.c ph.d"

_ABBREVIATIONS = frozenset(_NEVER_LAST.split())
_SELDOM_LAST = frozenset(_ALSO_LAST.split())

_OPENING = "\"'“‘(["

# Marks that end sentences of other scripts, whatever follows (Thai has none): of CJK,
# Arabic, Armenian, Indic scripts, Sinhala, Ethiopic, Khmer, Burmese, Tibetan,
# Mongolian, Syriac, N'Ko, Ol Chiki, Meetei Mayek, Balinese, Javanese, Greek.
TERMINALS = "。！？｡﹒﹖﹗؟۔؞։।॥෴።፧፨។៕။།༎᠃᠉܀܁܂߹᱾᱿꯫᭞᭟꧈꧉\N{GREEK QUESTION MARK}"
# Marks that do so where no digit follows, or two letters of their script come before.
_SOMETIMES = r"．(?!\d) | (?<=[\u0370-\u03ff\u1f00-\u1fff]{2});(?=\s|\Z)"


def _maybe_end(wide: str, more: str, closing: str) -> re.Pattern[str]:
    """Find runs of marks and gaps; ``wide`` marks always end a sentence.

    ``more`` may follow these, quotes and brackets that are ``closing`` the others.

    Runs are taken whole and judged once, so that no text takes more than linear time.
    """
    return re.compile(
        rf"""
          (?P<wide>(?:{wide}){more})
        | (?P<marks>[.!?…]+) (?P<closing>(?:\[\d{{1,3}}\]|[{closing}])*)
        | (?P<gap>\s+)
        """,
        re.VERBOSE,
    )


_MAYBE_END = {
    "1": _maybe_end("[。！？]+", '["”’」』）]*', r"\"'”’)\]"),
    "2": _maybe_end(
        rf"[{TERMINALS}] | {_SOMETIMES}",
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
"""The version of how texts are cut; vectors of sentences are stored under theirs."""

MOST_SENTENCES = 4096
"""Of a text, that items are compared with. No passage of DL 2019, LLMJudge or REALSumm
has more than 68; a text of full stops alone would have millions, whose vectors fit no
row of SQLite."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Character spans (start, end) of the sentences of ``text``, in order.

    Spans do not overlap, begin and end with something other than white space, and
    together hold everything else. Marks inside numbers, after initials and after
    common English abbreviations end nothing; a blank line or a list item's beginning
    ends whatever stands before it. [] for a text of white space.
    """
    return list(_spans(text, LATEST))


def compared_sentences(text: str, version: str = LATEST) -> list[tuple[int, int]]:
    """The spans of those that are held against items: the first ``MOST_SENTENCES``.

    By ``version`` "1" only English marks and 。！？ end sentences.
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
    """Index of the sentence closest to the item; of equally close ones the first.

    Raises ValueError where there are no sentences.
    """
    if not sentence_vectors:
        raise ValueError("no sentences to choose from")
    return int(cosines([item_vectors], sentence_vectors)[0].argmax())


def _ends(text: str, version: str) -> Iterator[int]:
    for match in _MAYBE_END[version].finditer(text):
        lines = match[0].count("\n") if match["gap"] else 0
        if (
            match["wide"]
            # A blank line, or a list item's beginning.
            or lines > 1
            or (lines == 1 and _LIST_ITEM.match(text, match.end()))
            or (match["marks"] and _closes(text, match))
        ):
            yield match.end()


def _closes(text: str, marks: re.Match[str]) -> bool:
    after = text[marks.end() : marks.end() + 1]
    if after and not after.isspace():
        # A sentence may have lost its space: "over the time.Man and nature".
        before = text[max(0, marks.start() - 2) : marks.start()]
        is_word = len(before) == 2 and before.islower() and before.isalpha()
        follows = _NEW_WORD.match(text, marks.end()) is not None
        return is_word and follows and not marks["closing"]
    if marks[0] == "." and _is_part_of_a_word(text, marks):
        return False
    return not _first_letter(text, marks.end()).islower()


def _is_part_of_a_word(text: str, stop: re.Match[str]) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or a list number."""
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
    """The first character from ``position`` on that is no space and no bracket."""
    first = _FIRST_AFTER.match(text, position)
    return first[1] if first else ""
