"""Parse raw responses, by one versioned parser for each reading.

A parser returns 0-5, or ``UNREADABLE`` if the response states no grade; that means
unknown, not 0. A parser that would read any response differently gets a new version,
and the old one remains, so that grades of stored responses do not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Protocol

from grading.answers import (
    CHECK_VERSION,
    TRUE_FALSE_VERSION,
    is_correct,
    says_true_or_false,
)
from grading.chat_ratings import final_text, parse_rating, stated_rating
from grading.errors import InvalidSpecError
from grading.items import AllOf
from grading.models.protocol import split_fault
from grading.no_answer import classify_answer
from grading.ratings import (
    FORMER_CHAT_RATING,
    SELF_RATING,
    UNREADABLE,
    is_unanswerable,
    parse_chat_rating,
    parse_self_rating,
    stated_digit,
    without_punctuation,
    without_thoughts,
)
from grading.responders import Reading, ReadingKind

ANSWERED = "answered/1"
GRADE_0_2 = "grade-0-2/1"
DIRECT = "direct/1"
AVA = "ava/1"
"""The parser of AVA scores: correct above the reading's threshold."""
YES_NO = "yes-no/1"
YES_NO_TRUE = "yes-no/2"
GRADE_0_2_LINE = "grade-0-2/2"
GRADE_0_3 = "grade-0-3/1"
RELEVANCE = "relevance/1"
CHAT_RATING = "chat-rating/2"
CHAT = "+chat"
"""Suffix of the parsers of new graders of chat models, except for self-ratings."""

_YES_NO_WORDS = {"yes": 1, "no": 0}
_RELEVANCE_WORDS = _YES_NO_WORDS | {
    "relevant": 1,
    "not relevant": 0,
    "irrelevant": 0,
    "non relevant": 0,
    "nonrelevant": 0,
}

_TRUE_WORDS = _RELEVANCE_WORDS | {"true": 1, "correct": 1, "false": 0, "incorrect": 0}


def _verdict_pattern(words: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
        [\"'“‘`*_(\[{{<]{{0,4}}
        (?: (?:the|this)\s (?:passage|document|text)\s is\s )?
        (?P<word> {words} )
        [\"'”’`*_)\]}}>]{{0,4}}
        (?= \s*\Z | \s*[.,;:!–—\n] | \s-\s | \s(?:to|for|because|as|since)\b )
        """,
        re.IGNORECASE | re.VERBOSE,
    )


_VERDICT_WORDS = r"yes | no | (?:not[ ]|non[- ]?|ir)?relevant"
_VERDICT = _verdict_pattern(_VERDICT_WORDS)
_VERDICT_OR_TRUE = _verdict_pattern(
    rf"{_VERDICT_WORDS} | true | false | (?:in)?correct"
)
_VERDICT_LABEL = re.compile(
    r"\W{0,4}(?:answer|judge?ment|label|verdict)[*_]{0,3}\s?[:=][*_]{0,3}\s*",
    re.IGNORECASE,
)
_LABEL_ANYWHERE = re.compile(
    r"(?<!\w)(?:answer|judge?ment|label|verdict|relevance)[\"'*_]{0,3}\s?(?:[:=]|is\b)\s*",
    re.IGNORECASE,
)
_VERDICT_LINE = re.compile(
    rf"\s*(?:{_VERDICT_OR_TRUE.pattern})\W*", re.IGNORECASE | re.VERBOSE
)
_LONGEST_LINE = 200  # characters to read after a label
_BETWEEN = re.compile(r"[\W_]{0,8}(?:(?:and|but|or)\s)?")

_FINAL = re.compile(
    r"""
    (?: (?<!\w) (?:final|overall) [ _] score (?: [ ]? \(O\) )?
      | (?: ^ | (?<=[,;{"'#*(]) | (?<=[,;\d]\s) ) O )  # beside M and T, not a letter
    ["'*_)]{0,4} \s? (?: [:=] | is\b ) [\s"'*_]{0,4}
    (?P<digit> \d ) (?! [\w/–-] | [.,]\d | [ ]?(?:or|to|and|[–-])[ ]?\d )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_SCALE_LINE = re.compile(r"^(\W{0,4}\d)[ ]?=(?=\s)", re.MULTILINE)


class _StatedDigit(Protocol):
    def __call__(self, text: str, /, *, highest: int) -> int | None: ...


Choices = Sequence[tuple[str, str]]


def read_response(
    reading: Reading,
    raw: str,
    *,
    answers: Sequence[str] = (),
    choices: Choices = (),
) -> int:
    """Parse the rating of ``raw`` by a reading: 0-5, or ``UNREADABLE``.

    Rated readings return 0-5; answered and keyed ones 1 or 0; direct ones the scale of
    their prompt. ``answers`` and ``choices`` are used by keyed readings only. An AVA
    model's response is a score, which is correct above the reading's threshold;
    anything else is UNREADABLE.

    A response with a fault (``grading.models.protocol``) is always UNREADABLE.

    Raises InvalidSpecError for an unknown parser, such as that of imported grades.
    """
    if split_fault(raw)[0]:
        return UNREADABLE
    if reading.parser in (AVA, AVA + CHAT):
        score = stated_score(raw)
        return UNREADABLE if score is None else int(score > reading.thresholds[0])
    if reading.parser not in PARSERS:
        raise InvalidSpecError(
            f"Unknown parser '{reading.parser}'; use a newer version of this program, "
            f"or grade again. There are: {', '.join(sorted(PARSERS))}"
        )
    if check := KEYED.get(reading.parser):
        return check(raw, answers, choices)
    return PARSERS[reading.parser](raw)


def stated_score(raw: str) -> float | None:
    """Parse an AVA model's score from 0 to 1; None for any other response."""
    try:
        score = float(raw)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None  # excludes NaN, too


def chat_parser(parser: str) -> str:
    """Return the parser of chat models that corresponds to one of FLAN-T5."""
    if parser == SELF_RATING:
        return CHAT_RATING
    return parser + CHAT if parser + CHAT in (*PARSERS, AVA + CHAT) else parser


def prompt_parser(parser: str) -> str:
    """Return the prompt's parser for a stored grader's parser."""
    if parser in (FORMER_CHAT_RATING, CHAT_RATING):
        return SELF_RATING
    return parser.removesuffix(CHAT)


def answer_of(
    kind: ReadingKind, raw: str, parser: str = ANSWERED, *, true_false: bool = False
) -> str | None:
    """Return the answer in a response to an answering prompt, stripped.

    None if it states that there is no answer, if it is empty or has a fault, and for
    readings whose responses are ratings.
    """
    if kind not in ("answered", "keyed"):
        return None
    answer = stated_answer(raw, parser, true_false=true_false)
    return answer if isinstance(answer, str) else None


@lru_cache(maxsize=1 << 16)
def stated_answer(
    raw: str, parser: str = ANSWERED, *, true_false: bool = False
) -> str | int:
    """Return the answer in a response, or 0 if it states that there is none.

    UNREADABLE if it is empty or has a fault, and with a chat model's ``parser`` if it
    refuses. For a ``true_false`` question "no" is an answer.
    """
    if split_fault(raw)[0]:
        return UNREADABLE
    text = final_text(raw) if parser.endswith(CHAT) else without_thoughts(raw)
    if not without_punctuation(text):
        return UNREADABLE
    if true_false and says_true_or_false(text):
        return text
    if is_unanswerable(text):
        return 0
    if parser.endswith(CHAT) and (kind := classify_answer(text)) != "answer":
        return 0 if kind == "no answer" else UNREADABLE
    return text


def _answered(raw: str, parser: str) -> int:
    """Return 0 for a response that there is no answer, 1 for any other text.

    An empty response is UNREADABLE: it was cut or filtered, which says nothing about
    the passage.
    """
    answer = stated_answer(raw, parser)
    return 1 if isinstance(answer, str) else answer


def _grade_0_2(raw: str, stated: _StatedDigit = stated_digit) -> int:
    digit = stated(without_thoughts(raw), highest=2)
    return UNREADABLE if digit is None else digit


def parse_grade(raw: str, *, highest: int, stated: _StatedDigit = stated_digit) -> int:
    """Parse the grade 0-``highest`` of a response, or ``UNREADABLE``.

    A "final score", as UMBRELA asks for, or its "O", anywhere and next to any other
    scores; else a digit as in ``stated_digit``, also before its meaning, as in the
    prompts ("2 = highly relevant"). Two different grades, and one beyond the scale, are
    unreadable.
    """
    text = without_thoughts(raw)
    grades: set[int | None] = {int(match["digit"]) for match in _FINAL.finditer(text)}
    if not grades:
        grades = {stated(_SCALE_LINE.sub(r"\1:", text), highest=highest)}
    grade = grades.pop()
    return UNREADABLE if grades or grade is None or grade > highest else grade


def _direct(raw: str) -> int:
    """Parse relevant or not, yes or no, or a digit 0-5, for custom prompts."""
    verdict = parse_relevance(raw)
    return parse_chat_rating(raw) if verdict == UNREADABLE else verdict


def parse_yes_no(raw: str) -> int:
    """Return 1 for "yes", 0 for "no", ``UNREADABLE`` for anything else.

    The word is first, alone or before a mark and a text ("Yes, because ..."); it may be
    wrapped in quotes, brackets or markup and follow "Answer:". "Yes and no",
    "Yes. No." and "No answer" are unreadable.
    """
    return _verdict(raw, _YES_NO_WORDS)


def parse_relevance(raw: str) -> int:
    """Return 1 for "relevant" or "yes", 0 for "not relevant", "irrelevant" or "no".

    ``UNREADABLE`` for anything else, such as "partially relevant". The words are placed
    as in ``parse_yes_no``, or after "The passage is".
    """
    return _verdict(raw, _RELEVANCE_WORDS)


def parse_yes_no_true(raw: str) -> int:
    """Parse as ``parse_relevance``; "true" and "correct" are 1, "false" is 0.

    Also 0 if the response *is* one of the paper's unanswerable phrases. Source: in the
    published implementation of these prompts "yes", "true" and "correct" mean relevant
    and anything else not relevant; here responses with neither are ``UNREADABLE``.
    """
    if is_unanswerable(without_thoughts(raw)):
        return 0
    return _verdict(raw, _TRUE_WORDS, _VERDICT_OR_TRUE)


def _verdict(
    raw: str, words: Mapping[str, int], pattern: re.Pattern[str] = _VERDICT
) -> int:
    response = without_thoughts(raw)
    label = _VERDICT_LABEL.match(response)
    values: set[int | None] = set()
    match = pattern.match(response, label.end() if label else 0)
    while match:
        word = match["word"].lower().replace("-", " ")
        values.add(words.get(word))
        between = _BETWEEN.match(response, match.end())
        match = pattern.match(response, between.end()) if between else None
    value = values.pop() if len(values) == 1 else None
    return UNREADABLE if value is None else value


def _check(
    raw: str, answers: Sequence[str], choices: Choices, *, true_false: bool = False
) -> int:
    """Return 1 if the response is one of the correct answers, else 0.

    UNREADABLE without an answer key or for an empty response, since nothing was
    compared.
    """
    text = without_thoughts(raw)
    if not answers or not text:
        return UNREADABLE
    return int(is_correct(text, answers, choices=choices, true_false=true_false))


def _check_chat(
    raw: str, answers: Sequence[str], choices: Choices, *, true_false: bool = False
) -> int:
    """Check like ``_check``; 0 or UNREADABLE if prose gives no answer or refuses.

    The key itself may be such a text: "It cannot be determined from the passage".
    """
    text = final_text(raw)
    verdict = _check(text, answers, choices, true_false=true_false)
    if verdict == UNREADABLE or (verdict and not isinstance(answers, AllOf)):
        return verdict
    stated = stated_answer(raw, CHECK_VERSION + CHAT)
    return verdict if isinstance(stated, str) else stated


def _chat_verdict(parse: Callable[[str], int]) -> Callable[[str], int]:
    """Apply ``parse`` to the beginning, the text after "Answer:", and single lines.

    ``UNREADABLE`` if the results differ.
    """

    def read(raw: str) -> int:
        text = final_text(raw)
        labels = _LABEL_ANYWHERE.finditer(text)
        after = (text[label.end() : label.end() + _LONGEST_LINE] for label in labels)
        lines = (line for line in text.splitlines() if _VERDICT_LINE.fullmatch(line))
        values = {parse(part) for part in (text, *after, *lines)} - {UNREADABLE}
        return values.pop() if len(values) == 1 else UNREADABLE

    return read


def _direct_chat(raw: str) -> int:
    verdict = _chat_verdict(parse_relevance)(raw)
    return parse_rating(raw) if verdict == UNREADABLE else verdict


def _final_text_parser(parse: Callable[[str], int]) -> Callable[[str], int]:
    return lambda raw: parse(final_text(raw))


KEYED: dict[str, Callable[[str, Sequence[str], Choices], int]] = {
    CHECK_VERSION: _check,
    CHECK_VERSION + CHAT: _check_chat,
    TRUE_FALSE_VERSION: partial(_check, true_false=True),
    TRUE_FALSE_VERSION + CHAT: partial(_check_chat, true_false=True),
}
"""Parsers of a raw response, with the answer key and choices of the question."""

_CHAT_GRADE = partial(parse_grade, stated=stated_rating)
PARSERS: dict[str, Callable[..., int]] = KEYED | {
    SELF_RATING: parse_self_rating,
    FORMER_CHAT_RATING: parse_chat_rating,
    CHAT_RATING: parse_rating,
    ANSWERED: partial(_answered, parser=ANSWERED),
    ANSWERED + CHAT: partial(_answered, parser=ANSWERED + CHAT),
    YES_NO: parse_yes_no,
    YES_NO + CHAT: _chat_verdict(parse_yes_no),
    YES_NO_TRUE: parse_yes_no_true,
    YES_NO_TRUE + CHAT: _chat_verdict(parse_yes_no_true),
    RELEVANCE: parse_relevance,
    RELEVANCE + CHAT: _chat_verdict(parse_relevance),
    GRADE_0_2: _grade_0_2,
    GRADE_0_2 + CHAT: _final_text_parser(partial(_grade_0_2, stated=stated_rating)),
    GRADE_0_2_LINE: partial(parse_grade, highest=2),
    GRADE_0_2_LINE + CHAT: _final_text_parser(partial(_CHAT_GRADE, highest=2)),
    GRADE_0_3: partial(parse_grade, highest=3),
    GRADE_0_3 + CHAT: _final_text_parser(partial(_CHAT_GRADE, highest=3)),
    DIRECT: _direct,
    DIRECT + CHAT: _direct_chat,
}
"""Every parser: those of ``KEYED``, and others of a raw response alone."""

HIGHEST_GRADE = {
    **dict.fromkeys((YES_NO, YES_NO_TRUE, RELEVANCE), 1),
    **dict.fromkeys((GRADE_0_2, GRADE_0_2_LINE), 2),
    GRADE_0_3: 3,
}
"""Highest grade of each parser whose prompt grades passages on a scale."""
