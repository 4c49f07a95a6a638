"""Parse responses of chat models: remove thoughts and wrapping, find the one rating.

These rules replace ``ratings.parse_chat_rating``, which former stored graders use.
"""

from __future__ import annotations

import re
from functools import cache

from grading.ratings import (
    UNREADABLE,
    is_unanswerable,
    labelled_digits,
    line_statements,
)

_WRAPPED = re.compile(
    r"\${0,2}\\f?box(?:ed)?\{(?:\\\w+\{)?(?P<boxed>[^{}\n]*)\}{1,2}\${0,2}"
    r"|<(?P<tag>(?:final_)?answer|rating|score|grade|label|result|output)>"
    r"(?P<tagged>.{0,2000}?)</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)

_OPEN, _CLOSE = r"[*_`\"'(\[{<]{0,4}", r"[*_`\"')\]}>]{0,4}"
_WORDS = ("zero", "one", "two", "three", "four", "five")
_DIGITS = {word: n for n, word in enumerate(_WORDS)} | {str(n): n for n in range(10)}
_ANSWER = re.compile(rf"(?<!\w)answer{_CLOSE}\s?[:=][*_]{{0,3}}\s*", re.IGNORECASE)
# Text that may follow a rating on its line: "4 because ...", but not "4 reasons".
_ENDS = (
    r"(?![^\S\n]?[^\W\d_]|%)"
    r"|(?=\s(?:because|since|as|for|on|based|due|to|in|by|overall|which"
    r"|stars?|points?)\b)"
)
# "4 -> 3", "0 (no) to 5", "4 for style and 1 for facts", "4?"
_ANOTHER = (
    r"(?!\w|\?|[.,]\d|(?:\s?\([^()\n]{1,30}\))?\s?"
    r"(?:(?:or|to|and)(?: an?| maybe| perhaps| even)?|&|[-–—/]|[-=]+>|→|out of|of)\s?\d"
    r"|\s(?P<per>for|in|on) [^.!?\n]{1,60} \d (?P=per)\b)"
)
# Before the words of rating: "I would not ...", "It would have ...", "If it ..., I".
_HYPOTHETICAL = re.compile(
    r"(?:(?:\b(?:not?|cannot|never|nobody|hardly|doubt|some|tempted|\w{1,2}ould have)"
    r"|n[’']t) (?:\w+ ){0,2}"
    r"|(?:^|[.!?\n,;:]\s*|\b(?:but|and|even|only) )"
    r"(?:(?:if|unless|had|were)\b[^.!?\n]*|to ))$",
    re.IGNORECASE,
)
# Before the digit: "less than 3", "at most a 2".
_BOUND = re.compile(
    r"\b(?:than|at (?:most|least)|(?:max|min)imum of|up to|under|over|below|above"
    r"|almost|nearly|neither|between|instead of)(?: an?)?\W{1,4}$",
    re.IGNORECASE,
)
_TRAILING_ZEROS = re.compile(r"(?<![\d.])(\d)\.0+(?![\d.])")
_DIGIT_FORMS: dict[int, str | None] = {
    0xFF10 + n: str(n) for n in range(10)
}  # full width
_DIGIT_FORMS |= {0xFF1A: ":", 0xFE0F: None, 0x20E3: None}  # and of keys: 4️⃣


def final_text(raw: str) -> str:
    """Return the stripped response without thoughts, turn tokens and wrapping.

    "" if there are only thoughts. The content of ``\\boxed{}`` or of an element such as
    ``<answer>`` is put on separate lines.
    """
    text = TOKEN.sub("", strip_thoughts(raw)[0])
    return _WRAPPED.sub(
        lambda wrapped: f"\n{wrapped['boxed'] or wrapped['tagged'] or ''}\n", text
    ).strip()


def parse_rating(raw: str) -> int:
    """Return the rating 0-5 that a chat model's response states, or ``UNREADABLE``.

    0 for one of the paper's unanswerable phrases.
    """
    text = final_text(raw)
    if is_unanswerable(text):
        return 0
    digit = stated_rating(text, highest=5)
    return UNREADABLE if digit is None else digit


def stated_rating(text: str, *, highest: int) -> int | None:
    """Return the one rating 0-``highest`` that ``text`` states, or None.

    A rating stands alone on a line or begins one (``ratings.stated_digit``), behind
    "Rating:", "score of" and the like, behind a verb of rating ("I would give this
    passage a 4"), or before "out of 5". Numbers of a list count only if nothing else
    does. "Rating: 4 or 5" and "4.5" state none.
    """
    text = _scale(highest).sub(" ", text.translate(_DIGIT_FORMS))
    text = _TRAILING_ZEROS.sub(r"\1", _line_of(highest).sub(rf"\1/{highest}", text))
    digits = {*labelled_digits(text, _ANSWER, highest=highest)}
    for pattern in _rating_patterns(highest):
        for rated in pattern.finditer(text):
            start, digit = rated.start(), rated.start("digit")
            before = text[max(0, start - 120) : start]
            if _HYPOTHETICAL.search(before) or _BOUND.search(
                text[max(0, digit - 20) : digit]
            ):
                continue
            value = _DIGITS[rated["digit"].lower()]
            clear = rated["clear"] is not None and value <= highest
            digits.add(value if clear else None)
    unlisted, listed = line_statements(text, highest=highest)
    digits.update(unlisted)
    if len(listed) == 1 or not digits:
        digits.update(listed)
    return digits.pop() if len(digits) == 1 else None


@cache
def _scale(highest: int) -> re.Pattern[str]:
    """Pattern of a mention of the scale, whose ends are not ratings."""
    ends = rf"[01] ?(?:-|–|to) ?{highest}\b"
    return re.compile(
        r"(?:\b(?:on|from|using) )?(?:\b(?:an?|the) )?(?:\b\w+ )?\bscale (?:of |from )?"
        rf"\(?{ends}\)?|\({ends}\)|\bfrom {ends}",
        re.IGNORECASE,
    )


@cache
def _line_of(highest: int) -> re.Pattern[str]:
    """Pattern of a line "4 of 5", also after a label."""
    return re.compile(
        rf"^((?:[^\w\n]*(?:rating|score|grade))?[^\w\n]*\d) of {highest}(?=[^\w\n]*$)",
        re.IGNORECASE | re.MULTILINE,
    )


@cache
def _rating_patterns(highest: int) -> list[re.Pattern[str]]:
    """Patterns of a ``digit`` that is a rating, ``clear`` if no other follows."""
    out_of = rf"\s?(?:/|out of)\s?{highest}(?![\w/]|[.,]\d)"
    value = rf"\d|(?:{'|'.join(_WORDS)})\b(?! ?[^\W\d])"
    digit = rf"{_OPEN}(?P<digit>{value}){_CLOSE}(?:{out_of})?"
    return [
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            # Rating: 4
            rf"(?<![^\W_])(?:rating|score|grade|relevance){_CLOSE}"
            r"(?: ?[(\[][^()\[\]\n]{0,30}[)\]])?(?: is)?\s*(?:[:=]|[-–—](?=\s))"
            rf"[*_]{{0,3}}\s*{digit}(?P<clear>{_ANOTHER})?",
            # a rating of 4, I would give this passage a 4
            r"(?:\b(?:rating|score|grade|final answer) "
            r"(?:(?:for|of) (?:[^\W\d]+ ){1,6}?)?(?:is|was|would be|of|as) (?:an? )?"
            r"|\b(?:(?:rate|give|assign|award|deserve|merit|earn|receive|get|score|grade"
            r"|choose|select|go with)(?:s|d|ed)?|i(?: would|[’']d) say) "
            rf"(?:(?!not |between )[^\s\d.!?;:]+ ){{0,8}}?){digit}"
            rf"(?P<clear>{_ANOTHER}(?:{_ENDS}))?",
            # Rating 4, This is a 4
            r"(?:\b(?:rating|score)|\b(?:this|it|passage|text|document|answer)"
            rf"(?: is|[’']s)(?: \w+ly)? an?) {digit}"
            rf"(?P<clear>{_ANOTHER}(?:(?![^\S\n]?\w|%)|(?= because\b)))",
            rf"(?<![\w.,/-])(?P<digit>\d){_CLOSE}{out_of}{_CLOSE}(?P<clear>{_ENDS})",
        )
    ]


_NAME = r"[\w:.-]{0,20}(?:think|thought|reason|reflect|analysis|scratchpad)\w{0,12}"
# [THINK] is Mistral's, ◁think▷ Kimi's, <unused94> MedGemma's, channels are gpt-oss's
# and, if a server removed their marks, "assistantfinal".
_TAG = re.compile(
    rf"""
    (?P<end>
        <\|?(?:/|end_(?:of_)?){_NAME}\|?> | <\|?{_NAME}_end\|?>
      | \[/think\] | ◁/think▷ | <unused95> | <channel\|>
      | <\|channel\|>\s*final\b[^\n]{{0,40}}?<\|message\|> | assistantfinal
    )
  | <\|?{_NAME}(?:\s[^<>\n]{{0,80}})?\|?> | \[think\] | ◁think▷ | <unused94>
  | (?P<channel> (?:<\|start\|>assistant)? <\|channel\|?> (?!\s*final\b) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
TOKEN = re.compile(r"<\|\w+\|>|</s>|<eos>|<end_of_turn>")


def strip_thoughts(raw: str) -> tuple[str, bool]:
    """Return ``raw`` without thoughts, and True if it ends inside thoughts.

    An end tag without a start tag closes thoughts that began in the prompt. A start tag
    without an end tag counts only at the start of a line, since a text may mention it.
    """
    parts: list[str] = []
    start = 0
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(raw):
        if tag["end"]:
            if opened is None:
                parts.clear()
            start, opened = tag.end(), None
        elif opened is None:
            parts.append(raw[start : tag.start()])
            opened = tag
    if opened is None:
        return "\n".join([*parts, raw[start:]]), False
    text = "\n".join(parts)
    if opened["channel"] or not text.rpartition("\n")[2].strip(" \t"):
        return text, True
    return text + raw[opened.start() :], False
