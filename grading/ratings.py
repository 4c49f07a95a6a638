"""Ratings 0-5, values of missing ratings, and parsers of responses with a rating.

FLAN-T5's responses are parsed by the published rule, with a rating of 1 for anything it
cannot read (a published implementation has its last two cases swapped; ratings imported
from it are unchanged). Chat models wrap a digit in markup, label it, explain it, repeat
the scale or refuse; their parser is strict, since a refusal says nothing about the
passage. Source: Farzi & Dietz 2024, section 3.2.3 and footnote 5.

A grade may also be a probability, which determines its rating.

A *scale* has the values of a grader by their rank among all its values, since a 4 may
be rare for one grader and common for another, and cosines are not ratings at all. The
mid-rank share of a value among n is (number of lower values + half of the number of
equal values) / n: in [0, 1], ½ on average, and unchanged by any rising function of the
values.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grading.errors import InvalidSpecError

NOT_ASKED = -1
UNREADABLE = -2
"""Both mean an unknown grade, not 0; also in place of a probability."""

HIGHEST = 5

# Parsers; bump a version when any response would be parsed differently.
SELF_RATING = "self-rating/1"
FORMER_CHAT_RATING = "chat-rating/1"

# A rating alone, or with a closing mark, or with a mark and any text.
# DOTALL: the text may have several lines.
_RATING = re.compile(r"[0-5](\s*[:.)](\s.*)?)?", re.DOTALL)

UNANSWERABLE = frozenset(
    {
        "unanswerable",
        "no",
        "no answer",
        "not enough information",
        "unknown",
        "it is not possible to tell",
        "it does not say",
        "no relevant information",
    }
)

_OPEN = r"[\"'“‘`*_(\[{<]{0,4}"
_CLOSE = r"[\"'”’`*_)\]}>]{0,4}"
_BLANK = r"[^\S\n]"

# "Answer: 4" is a label; "Answer is 4" may be the answer to a question.
_LABEL = re.compile(
    rf"""
    (?<!\w) (?:
        (?:rating|score|grade) {_CLOSE} (?: {_BLANK}? \(0{_BLANK}?[-–]{_BLANK}?[25]\) )?
        (?: {_BLANK}? [:=] | {_BLANK} is\b )
      | answer {_CLOSE} {_BLANK}? [:=]
    ) [*_]{{0,3}} \s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(rf"{_OPEN}[-−+]?\d")

ResponseKind = Literal["a rating", "unanswerable", "other words", "no words"]


def ratings_of(grades: NDArray[Any]) -> NDArray[np.int8]:
    """Convert grades to ratings, int8; a probability p in [0, 1] becomes floor(5 p).

    So 0.8 is a 4, and a rating is at least 4 exactly if 5 p is. Computed in float32, as
    stored, in which 5 times each fifth is an integer. Negative values stay
    ``NOT_ASKED`` or ``UNREADABLE``.
    """
    if grades.dtype.kind != "f":
        return np.asarray(grades, dtype=np.int8)
    single = np.asarray(grades, dtype=np.float32)
    reached = np.floor(single * np.float32(HIGHEST))
    unknown = np.clip(np.floor(single), UNREADABLE, NOT_ASKED)
    return np.where(single < 0, unknown, reached).astype(np.int8)


def probabilities_of(grades: NDArray[Any]) -> NDArray[np.float32]:
    """Convert grades to probabilities, float32; a rating r becomes r / 5."""
    if grades.dtype.kind == "f":
        return np.asarray(grades, dtype=np.float32)
    single = grades.astype(np.float32)
    return np.where(single < 0, single, single / np.float32(HIGHEST))


def parse_self_rating(raw: str) -> int:
    """Parse the rating 0-5 of a self-rating response.

    The digit if the stripped response is a digit 0-5, alone or followed by a
    closing ``:``, ``.`` or ``)``, alone or followed by white space and any text. Else
    0 if the response, lower-cased and without punctuation, *is* one of
    ``UNANSWERABLE``. Else 1, also for an empty response.

    Source: Farzi & Dietz 2024, section 3.2.3.
    """
    kind = response_kind(raw)
    if kind == "a rating":
        return int(raw.strip()[0])
    return 0 if kind == "unanswerable" else 1


def response_kind(raw: str) -> ResponseKind:
    """Classify a self-rating response."""
    stripped = raw.strip()
    if _RATING.fullmatch(stripped):
        return "a rating"
    if is_unanswerable(stripped):
        return "unanswerable"
    return "other words" if stripped else "no words"


def parse_chat_rating(raw: str) -> int:
    """Parse the rating 0-5 of a chat model's response, or ``UNREADABLE``.

    0 if the response, lower-cased and without punctuation, *is* one of the paper's
    unanswerable phrases; else see ``stated_digit``. Nothing else is a rating: no
    empty response, no refusal, no "4 or 5", "4.5", "4/10" or "four".

    Source: the phrases and the digit with its mark from Farzi & Dietz 2024, section
    3.2.3; the rest is ours.
    """
    text = without_thoughts(raw)
    if is_unanswerable(text):
        return 0
    digit = stated_digit(text, highest=5)
    return UNREADABLE if digit is None else digit


def stated_digit(response: str, *, highest: int) -> int | None:
    """Return the one digit 0-``highest`` that ``response`` states; else None.

    A digit is stated if it is

    - after "Rating:", "Score:", "Grade:" or "Answer:", anywhere;
    - alone on a line, or before a colon and a text at the start of a line;
    - before ".", ")" or a dash and a text at the start of the response.

    It may be wrapped in quotes, brackets or markup, and be "out of" ``highest``
    ("4/5"). Two different digits contradict each other, as when a model repeats the
    whole scale; so does a label before another text that begins with a number.
    """
    unlisted, listed = line_statements(response, highest=highest)
    digits = {*labelled_digits(response, _LABEL, highest=highest), *unlisted, *listed}
    return digits.pop() if len(digits) == 1 else None


def labelled_digits(
    response: str, label: re.Pattern[str], *, highest: int
) -> Iterator[int | None]:
    """Yield the digit after each label, None for another number."""
    for match in label.finditer(response):
        if _NUMBER.match(response, match.end()):
            stated = _statement(highest).match(response, match.end())
            yield int(stated["digit"]) if stated else None


def line_statements(response: str, *, highest: int) -> tuple[list[int], list[int]]:
    """Return the digits that lines state, and those of list items ("4. The answer").

    Items count only if the first line is one: "4" and then a numbered list is one
    rating, a list from the first line on is many.
    """
    lines = [line.strip() for line in response.splitlines() if re.search(r"\w", line)]
    statements = [_statement(highest).match(line) for line in lines]
    digits: dict[bool, list[int]] = {True: [], False: []}
    for stated in filter(None, statements):
        digits[stated["listed"] is not None].append(int(stated["digit"]))
    begins = bool(statements and statements[0] and statements[0]["listed"])
    return digits[False], digits[True] if begins else []


def without_thoughts(raw: str) -> str:
    """Return the stripped response after a reasoning model's thoughts.

    "" if it was cut before the end of the thoughts.
    """
    if "</think>" not in raw and raw.lstrip().startswith("<think>"):
        return ""
    return raw.rpartition("</think>")[2].strip()


def is_unanswerable(response: str) -> bool:
    """Return True if ``response`` without punctuation *is* one of ``UNANSWERABLE``."""
    return without_punctuation(response) in UNANSWERABLE


def without_punctuation(text: str) -> str:
    """Lower-case ``text``, remove punctuation, and join words by single spaces."""
    return " ".join(text.lower().translate(_LETTERS).split())


class _WithoutPunctuation(dict[int, int | None]):
    """Table for ``str.translate`` that removes punctuation; filled when needed."""

    def __missing__(self, code: int) -> int | None:
        punctuation = unicodedata.category(chr(code)).startswith("P")
        self[code] = None if punctuation else code
        return self[code]


_LETTERS = _WithoutPunctuation()


@cache
def _statement(highest: int) -> re.Pattern[str]:
    """Pattern of a stated digit; ``listed`` matches the mark of a list item."""
    # "4: 5" is two ratings, "4: 2 of them are named" is one.
    another = r"(?![^\w\n]{0,6}(?:(?:or|to|and)\b[^\w\n]{0,4})?\d+(?!\d|[^\S\n]+[a-z]))"
    return re.compile(
        rf"""
        (?:[-*•]{_BLANK}+)? {_OPEN} (?P<digit>[0-{highest}]) {_CLOSE}
        (?: {_BLANK}?(?:/|out{_BLANK}of){_BLANK}?{highest} {_CLOSE} )?
        (?:
            [:.),]? {_CLOSE} {_BLANK}* $
          | , {_BLANK}? (?=")
          | {_BLANK}? : {_CLOSE} (?=\s) {another}
          | {_BLANK} \( (?=[a-z]) (?!(?:or|to|and)\b)
          | (?P<listed> {_BLANK}? [.)] {_CLOSE} (?=\s) {another}
                      | {_BLANK}? (?:[–—]|(?<=\s)-(?=\s)) (?![^\w\n]{{0,6}}\d) )
        )
        """,
        re.IGNORECASE | re.VERBOSE | re.MULTILINE,
    )


KNOTS = 101
"""Maximum number of points, between which shares are interpolated linearly."""

SCALES = ("first scale", "second scale")
"""The decoding options of a mean of two graders that store their scales."""


@dataclass(frozen=True)
class Scale:
    """Mid-rank shares of some values, both rising; others are interpolated."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    def transform(self, grades: NDArray[Any]) -> NDArray[np.float32]:
        """Convert grades to shares; unknown ones (below 0) are unchanged."""
        shares = np.interp(grades, self.values, self.shares)
        return np.where(grades < 0, grades, shares).astype(np.float32)

    @property
    def text(self) -> str:
        """The scale as text for ``parse_scale``."""
        return json.dumps([self.values, self.shares], separators=(",", ":"))


def scale_of(grades: NDArray[Any]) -> Scale:
    """Return the scale of a grader from all its grades, at least one of them known.

    For ratings it has a share for each from 0 to 5; for probabilities one for each
    distinct value, or for ``KNOTS`` of them at equal steps of rank.
    """
    grades = np.sort(grades[grades >= 0])
    if grades.dtype.kind == "f":
        values = np.unique(grades)
        if len(values) > KNOTS:
            steps = np.linspace(0, len(grades) - 1, KNOTS).round().astype(int)
            values = np.unique(grades[steps])
    else:
        values = np.arange(HIGHEST + 1)
    places = (np.searchsorted(grades, values, side) for side in ("left", "right"))
    shares = sum(places) / (2 * len(grades))
    return Scale(tuple(values.tolist()), tuple(np.asarray(shares).tolist()))


@lru_cache(maxsize=256)
def parse_scale(text: str) -> Scale:
    """Parse a scale from text. Raises InvalidSpecError."""
    try:
        values, shares = (np.array(part, dtype=float) for part in json.loads(text))
    except (TypeError, ValueError, RecursionError):
        values = shares = np.empty(0)
    rising = all((np.diff(numbers) >= 0).all() for numbers in (values, shares))
    if not (
        values.ndim == shares.ndim == 1
        and len(values) == len(shares) > 0
        and rising
        and 0 <= shares[0] <= shares[-1] <= 1
    ):
        raise InvalidSpecError(
            f"Invalid scale of a grader ({text:.60}): expected rising values and their "
            "shares from 0 to 1, as written by Scale.text; create the grader again"
        )
    return Scale(tuple(values.tolist()), tuple(shares.tolist()))


def mean_share(
    first: NDArray[Any], second: NDArray[Any], scales: Iterable[Scale]
) -> NDArray[np.float32]:
    """Mean of the shares of each two grades, unknown if one of them is.

    As long as the shorter array.
    """
    size = min(len(first), len(second))
    pairs = zip((first[:size], second[:size]), scales, strict=True)
    first_shares, second_shares = (scale.transform(grades) for grades, scale in pairs)
    lower = np.minimum(first_shares, second_shares)
    means = (first_shares + second_shares) / 2
    return np.where(lower < 0, lower, means).astype(np.float32)
