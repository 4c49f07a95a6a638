"""What a raw response means: one parser by version for every way of reading.

A parser gives 0-5, or ``UNREADABLE`` where the response does not say; that is
unknown, never 0. A parser that would read any response differently gets a new version
beside the old one, so that stored responses go on meaning what they meant.
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
from grading.faults import split_fault
from grading.items import AllOf
from grading.no_answer import classify_answer
from grading.ratings import (
    FORMER_CHAT_RATING,
    SELF_RATING,
    UNREADABLE,
    is_unanswerable,
    parse_chat_rating,
    parse_self_rating,
    plain,
    stated_digit,
    without_thoughts,
)
from grading.responders import Reading, ReadingKind

ANSWERED = "answered/1"
GRADE_0_2 = "grade-0-2/1"
DIRECT = "direct/1"
AVA = "ava/1"
"""The parser of AVA scores: right above the reading's threshold."""
YES_NO = "yes-no/1"
YES_NO_TRUE = "yes-no/2"
GRADE_0_2_LINE = "grade-0-2/2"
GRADE_0_3 = "grade-0-3/1"
RELEVANCE = "relevance/1"
CHAT_RATING = "chat-rating/2"
CHAT = "+chat"
"""Ends the parsers that new graders of chat models have, but for self-ratings."""

_SAID_YES_NO = {"yes": 1, "no": 0}
_SAID_RELEVANCE = _SAID_YES_NO | {
    "relevant": 1,
    "not relevant": 0,
    "irrelevant": 0,
    "non relevant": 0,
    "nonrelevant": 0,
}

_SAID_TRUE = _SAID_RELEVANCE | {"true": 1, "correct": 1, "false": 0, "incorrect": 0}


def _said(words: str) -> re.Pattern[str]:
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
_VERDICT = _said(_VERDICT_WORDS)
_VERDICT_OR_TRUE = _said(rf"{_VERDICT_WORDS} | true | false | (?:in)?correct")
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
_LONGEST_LINE = 200  # characters read behind a label
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
Parser = Callable[[str, Sequence[str], Choices], int]
"""(raw response, answer key, choices) to a rating or ``UNREADABLE``."""


def read_response(
    reading: Reading,
    raw: str,
    *,
    answers: Sequence[str] = (),
    choices: Choices = (),
) -> int:
    """Rating that ``raw`` states under ``reading``: 0-5, or ``UNREADABLE``.

    Rated readings give 0-5; answered and keyed ones 1 or 0; direct ones what their
    prompt asks for. ``answers`` and ``choices`` are looked at by keyed readings only.
    An AVA model's response is a score, which has to be above the reading's threshold;
    anything else is UNREADABLE.

    A response with a fault (``grading.faults``) is UNREADABLE, whatever its words say.

    Raises InvalidSpecError where this program has no such parser, as for grades that
    were imported as given.
    """
    if split_fault(raw)[0]:
        return UNREADABLE
    if reading.parser in (AVA, AVA + CHAT):
        score = stated_score(raw)
        return UNREADABLE if score is None else int(score > reading.thresholds[0])
    if reading.parser not in PARSERS:
        raise InvalidSpecError(
            f"No parser '{reading.parser}' reads responses here; there are "
            f"{', '.join(sorted(PARSERS))}. Use a newer version of this program, or "
            "grade again"
        )
    return PARSERS[reading.parser](raw, answers, choices)


def stated_score(raw: str) -> float | None:
    """The score from 0 to 1 that an AVA model's response is, None where it is none."""
    try:
        score = float(raw)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None  # NaN is neither


def chat_parser(parser: str) -> str:
    """The parser for a chat model's responses in place of ``parser``, FLAN-T5's."""
    if parser == SELF_RATING:
        return CHAT_RATING
    return parser + CHAT if parser + CHAT in (*PARSERS, AVA + CHAT) else parser


def prompt_parser(parser: str) -> str:
    """The parser that the prompt of a grader names, which was stored with this one."""
    if parser in (FORMER_CHAT_RATING, CHAT_RATING):
        return SELF_RATING
    return parser.removesuffix(CHAT)


def answer_of(
    kind: ReadingKind, raw: str, parser: str = ANSWERED, *, true_false: bool = False
) -> str | None:
    """The answer that a response to an answering prompt states, stripped.

    None where it says that there is none, where it says nothing or has a fault, and
    for the kinds of reading whose responses are ratings.
    """
    if kind not in ("answered", "keyed"):
        return None
    answer = stated_answer(raw, parser, true_false=true_false)
    return answer if isinstance(answer, str) else None


@lru_cache(maxsize=1 << 16)
def stated_answer(
    raw: str, parser: str = ANSWERED, *, true_false: bool = False
) -> str | int:
    """The answer that a response states; 0 where it says that there is none.

    UNREADABLE where it has no words or a fault, and under a chat model's ``parser``
    where it refuses. To a ``true_false`` question "no" is an answer.
    """
    if split_fault(raw)[0]:
        return UNREADABLE
    text = final_text(raw) if parser.endswith(CHAT) else without_thoughts(raw)
    if not plain(text):
        return UNREADABLE
    if true_false and says_true_or_false(text):
        return text
    if is_unanswerable(text):
        return 0
    if parser.endswith(CHAT) and (states := classify_answer(text)) != "answer":
        return 0 if states == "no answer" else UNREADABLE
    return text


def _answered(raw: str, parser: str) -> int:
    """0 where a response says that there is no answer, 1 for any other words.

    A response without words is UNREADABLE: it was cut, or filtered, and that says
    nothing about the passage.
    """
    answer = stated_answer(raw, parser)
    return 1 if isinstance(answer, str) else answer


def _grade_0_2(raw: str, stated: _StatedDigit = stated_digit) -> int:
    digit = stated(without_thoughts(raw), highest=2)
    return UNREADABLE if digit is None else digit


def parse_grade(raw: str, *, highest: int, stated: _StatedDigit = stated_digit) -> int:
    """Grade 0-``highest`` that a response states, or ``UNREADABLE``.

    A "final score", as UMBRELA asks for, or its "O", wherever it stands and whatever
    other scores stand beside it; else a digit as in ``stated_digit``, also before its
    meaning, as the prompts print it ("2 = highly relevant"). Two that differ, and one
    beyond the scale, are no grade.
    """
    text = without_thoughts(raw)
    grades: set[int | None] = {int(match["digit"]) for match in _FINAL.finditer(text)}
    if not grades:
        grades = {stated(_SCALE_LINE.sub(r"\1:", text), highest=highest)}
    grade = grades.pop()
    return UNREADABLE if grades or grade is None or grade > highest else grade


def _direct(raw: str) -> int:
    """Relevant or not, yes or no, or a digit 0-5, whichever a custom prompt asks."""
    verdict = parse_relevance(raw)
    return parse_chat_rating(raw) if verdict == UNREADABLE else verdict


def parse_yes_no(raw: str) -> int:
    """1 for "yes", 0 for "no", ``UNREADABLE`` for anything else.

    The word stands first, alone or before a mark and a text ("Yes, because ..."); it
    may be wrapped in quotes, brackets or markup and follow "Answer:". "Yes and no",
    "Yes. No." and "No answer" are neither.
    """
    return _verdict(raw, _SAID_YES_NO)


def parse_relevance(raw: str) -> int:
    """1 for "relevant" or "yes", 0 for "not relevant", "irrelevant" or "no".

    ``UNREADABLE`` for anything else, "partially relevant" too. The words stand as
    in ``parse_yes_no``, or after "The passage is".
    """
    return _verdict(raw, _SAID_RELEVANCE)


def parse_yes_no_true(raw: str) -> int:
    """As ``parse_relevance``, and "true" and "correct" are 1, "false" is 0.

    Also 0 where the response *is* one of the paper's unanswerable phrases. Source: the
    published implementation of the prompts that ask so takes "yes", "true" and
    "correct" for relevant and anything else for not relevant; here what says neither
    is ``UNREADABLE``.
    """
    if is_unanswerable(without_thoughts(raw)):
        return 0
    return _verdict(raw, _SAID_TRUE, _VERDICT_OR_TRUE)


def _verdict(
    raw: str, words: Mapping[str, int], pattern: re.Pattern[str] = _VERDICT
) -> int:
    response = without_thoughts(raw)
    label = _VERDICT_LABEL.match(response)
    values: set[int | None] = set()
    found = pattern.match(response, label.end() if label else 0)
    while found:
        word = found["word"].lower().replace("-", " ")
        values.add(words.get(word))
        between = _BETWEEN.match(response, found.end())
        found = pattern.match(response, between.end()) if between else None
    value = values.pop() if len(values) == 1 else None
    return UNREADABLE if value is None else value


def _check(
    raw: str, answers: Sequence[str], choices: Choices, *, true_false: bool = False
) -> int:
    """1 where the response is one of the correct answers, else 0.

    Without an answer key, or without words, it is UNREADABLE: nothing was compared,
    so nothing was found wrong.
    """
    text = without_thoughts(raw)
    if not answers or not text:
        return UNREADABLE
    return int(is_correct(text, answers, choices=choices, true_false=true_false))


def _check_of_chat(
    raw: str, answers: Sequence[str], choices: Choices, *, true_false: bool = False
) -> int:
    """As ``_check``, but 0 or UNREADABLE where prose gives no answer or refuses.

    A key may say so itself, as a choice "It cannot be determined from the passage".
    """
    text = final_text(raw)
    verdict = _check(text, answers, choices, true_false=true_false)
    if verdict == UNREADABLE or (verdict and not isinstance(answers, AllOf)):
        return verdict
    stated = stated_answer(raw, CHECK_VERSION + CHAT)
    return verdict if isinstance(stated, str) else stated


def _verdict_of_chat(parse: Callable[[str], int]) -> Callable[[str], int]:
    """Parse what begins the response, follows "Answer:" anywhere or is a line alone.

    ``UNREADABLE`` where they differ.
    """

    def read(raw: str) -> int:
        text = final_text(raw)
        labels = _LABEL_ANYWHERE.finditer(text)
        behind = (text[label.end() : label.end() + _LONGEST_LINE] for label in labels)
        lines = (line for line in text.splitlines() if _VERDICT_LINE.fullmatch(line))
        values = {parse(part) for part in (text, *behind, *lines)} - {UNREADABLE}
        return values.pop() if len(values) == 1 else UNREADABLE

    return read


def _direct_of_chat(raw: str) -> int:
    verdict = _verdict_of_chat(parse_relevance)(raw)
    return parse_rating(raw) if verdict == UNREADABLE else verdict


def _text_alone(parse: Callable[[str], int]) -> Parser:
    return lambda raw, answers, choices: parse(raw)


def _final_text_alone(parse: Callable[[str], int]) -> Parser:
    return lambda raw, answers, choices: parse(final_text(raw))


PARSERS: dict[str, Parser] = {
    SELF_RATING: _text_alone(parse_self_rating),
    FORMER_CHAT_RATING: _text_alone(parse_chat_rating),
    CHAT_RATING: _text_alone(parse_rating),
    ANSWERED: _text_alone(partial(_answered, parser=ANSWERED)),
    ANSWERED + CHAT: _text_alone(partial(_answered, parser=ANSWERED + CHAT)),
    CHECK_VERSION: _check,
    CHECK_VERSION + CHAT: _check_of_chat,
    TRUE_FALSE_VERSION: partial(_check, true_false=True),
    TRUE_FALSE_VERSION + CHAT: partial(_check_of_chat, true_false=True),
    YES_NO: _text_alone(parse_yes_no),
    YES_NO + CHAT: _text_alone(_verdict_of_chat(parse_yes_no)),
    YES_NO_TRUE: _text_alone(parse_yes_no_true),
    YES_NO_TRUE + CHAT: _text_alone(_verdict_of_chat(parse_yes_no_true)),
    RELEVANCE: _text_alone(parse_relevance),
    RELEVANCE + CHAT: _text_alone(_verdict_of_chat(parse_relevance)),
    GRADE_0_2: _text_alone(_grade_0_2),
    GRADE_0_2 + CHAT: _final_text_alone(partial(_grade_0_2, stated=stated_rating)),
    GRADE_0_2_LINE: _text_alone(partial(parse_grade, highest=2)),
    GRADE_0_2_LINE + CHAT: _final_text_alone(
        partial(parse_grade, highest=2, stated=stated_rating)
    ),
    GRADE_0_3: _text_alone(partial(parse_grade, highest=3)),
    GRADE_0_3 + CHAT: _final_text_alone(
        partial(parse_grade, highest=3, stated=stated_rating)
    ),
    DIRECT: _text_alone(_direct),
    DIRECT + CHAT: _text_alone(_direct_of_chat),
}

HIGHEST_GRADE = {
    **dict.fromkeys((YES_NO, YES_NO_TRUE, RELEVANCE), 1),
    **dict.fromkeys((GRADE_0_2, GRADE_0_2_LINE), 2),
    GRADE_0_3: 3,
}
"""The highest grade of each parser of passages whose prompt states a scale."""
