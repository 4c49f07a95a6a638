"""Yes or no, relevant or not: what a direct relevance prompt is answered with."""

import re
from collections.abc import Mapping

from grading.ratings import UNREADABLE, without_thoughts

YES_NO_VERSION = "yes-no/1"  # bump when any response would be read differently
RELEVANCE_VERSION = "relevance/1"  # likewise

_YES_NO = {"yes": 1, "no": 0}
_RELEVANCE = _YES_NO | {
    "relevant": 1,
    "not relevant": 0,
    "irrelevant": 0,
    "non relevant": 0,
    "nonrelevant": 0,
}

_VERDICT = re.compile(
    r"""
    [\"'“‘`*_(\[{<]{0,4}
    (?: (?:the|this)\s (?:passage|document|text)\s is\s )?
    (?P<word> yes | no | (?:not[ ]|non[- ]?|ir)?relevant )
    [\"'”’`*_)\]}>]{0,4}
    (?= \s*\Z | \s*[.,;:!–—\n] | \s-\s | \s(?:to|for|because|as|since)\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(
    r"\W{0,4}(?:answer|judge?ment|label|verdict)[*_]{0,3}\s?[:=][*_]{0,3}\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\W_]{0,8}(?:(?:and|but|or)\s)?")


def parse_yes_no(raw: str) -> int:
    """1 for "yes", 0 for "no", ``UNREADABLE`` for anything else.

    The word stands first, alone or before a mark and a text ("Yes, because ..."); it
    may be wrapped in quotes, brackets or markup and follow "Answer:". "Yes and no",
    "Yes. No." and "No answer" are neither.
    """
    return _verdict(raw, _YES_NO)


def parse_relevance(raw: str) -> int:
    """1 for "relevant" or "yes", 0 for "not relevant", "irrelevant" or "no".

    ``UNREADABLE`` for anything else, "partially relevant" too. The words stand as
    in ``parse_yes_no``, or after "The passage is".
    """
    return _verdict(raw, _RELEVANCE)


def _verdict(raw: str, words: Mapping[str, int]) -> int:
    response = without_thoughts(raw)
    label = _LABEL.match(response)
    values: set[int | None] = set()
    found = _VERDICT.match(response, label.end() if label else 0)
    while found:
        word = found["word"].lower().replace("-", " ")
        values.add(words.get(word))
        between = _BETWEEN.match(response, found.end())
        found = _VERDICT.match(response, between.end()) if between else None
    value = values.pop() if len(values) == 1 else None
    return UNREADABLE if value is None else value
