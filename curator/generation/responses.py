"""Parsing of the questions or key facts in an LLM's response, in any list format.

Asked for a Python list, models answer with one, or with JSON, elements, a table,
numbered, bulleted or plain lines, among prose, markup and thoughts. Only the first form
with any content is read. Nothing is evaluated, and every form is read in one pass, so
that no response is too deep or takes long.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from curator.bank.questions import Kind
from curator.bank.wording import MAX_TEXT
from curator.generation.brackets import bracketed_texts, has_empty_list
from curator.generation.lines import bare_questions, marked_texts, table_texts
from curator.generation.sentences import (
    begins_task,
    is_finished,
    is_question,
    question_alone,
    without_markup,
)
from grading.thoughts import TOKEN, strip_thoughts

MAX_LISTED = 200  # texts of one response; about ten are requested

_FIRST_TOKENS = re.compile(rf"\A(?:\s*(?:{TOKEN.pattern}))+")
_END_TOKEN = re.compile(rf"(?:{TOKEN.pattern})\Z")
_LONGEST_TOKEN = 40
_BLANK = re.compile(r"[^\S\n]")  # tabs and non-breaking spaces too
_FENCE = re.compile(r"^ *(?:```|~~~)[\w+-]* *$", re.MULTILINE)
_PAGE = re.compile(
    r"\s*(?:```\w*\s*)?(?:<\?xml[^<>]*>\s*)?<(?:!doctype|html)\b", re.IGNORECASE
)

# Announces a list that replaces the drafts before it. "Final questions:" does not: it
# may as well head the last part of one list.
_REVISED = re.compile(
    r"""
    ^[ #*_>]* (?:
        (?:here[ ](?:is|are)[ ])? (?:(?:the|my|a)[ ])? (?:
            (?:revised|improved|refined|corrected|updated|final) [ ] (?:\w+[ ])?
            (?:list|version|answer|set)
          | (?:revised|improved|refined|corrected) [ ] (?:exam[ ]|key[ ])?
            (?:questions|facts|nuggets|statements)
        ) (?:[ ]of[ ]\w+)?
      | here[ ](?:is|are)[ ]the[ ]final [ ]
        (?!two|three|four|five|six|few|ones) [^:\n\d]{0,60}
    ) [*_ ]* : [*_ ]* $
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

_ITEM = r"(?:(?P<asked>question|q)|li|item|nugget|fact|statement)_?\d{0,3}"
_FIRST_ITEM = re.compile(
    rf"^[ ]*(?:(?:[-*] |\d{{1,3}}[.)] )(?=[^\n]*</))?(?:<[\w?/][^<>\n]*>[ ]*)*?"
    rf"<{_ITEM}(?:[ ][^<>\n]*)?>",
    re.IGNORECASE | re.MULTILINE,
)
_ELEMENT = re.compile(rf"<{_ITEM}(?:\s[^<>]*)?>", re.IGNORECASE)
_HOLDER = "(?:(?:final_)?answer|output|questions|response|result|list)"
_AROUND = re.compile(
    rf"^ *<(?:{_HOLDER}|\?xml[^<>\n]*)>|</{_HOLDER}> *$", re.IGNORECASE | re.MULTILINE
)
_STRONG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_INLINE = re.compile(
    r"</?(?:a|code|em|i|p|span|sub|sup|text|u)(?:\s[^<>]*)?>", re.IGNORECASE
)
_CLOSED = re.compile(r"</\w+>|<[ou]l>", re.IGNORECASE)


# questions.append("What is jazz?"), q1 = "What is jazz?", Question(1, text="...")
_ARGUMENTS = r"""\( [^"'\n\[{?]{0,60}"""
_CODE_LINE = re.compile(
    rf"""
    ^\ *(?: [\w.]+\ ?{_ARGUMENTS} | (?:yield|return)\ | (?:\w+\ ){{0,2}} (?:
            [\w.]+\[["']?\w+["']?\] | \w*(?:question|fact|nugget)\w* | q_?\d*
        ) \ ?=\ ? | \w+\ =\ [\w.]+{_ARGUMENTS}
    ) [rbuf]{{0,2}} ["'] .* ["'] [)\]}};,\ ]* $
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_STRING = re.compile(r"""(["'])(?:\\.|[^\\\n])*?[^:\n]\1(?=\ *(?:[,)\]};]|$))""")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Code fills placeholders of a loop's variables, and those in f"...".
_LOOP = re.compile(r"\bfor ([\w, ]{1,60}?) in\b")
_FORMATTED = re.compile(r"""(?<!\w)r?f["'].*""", re.IGNORECASE)
_ASKS_INSIDE = re.compile(r"[?？؟]\s+[^a-z\s]")
_SENTENCE_END = re.compile(r"(?<=[?？؟])\s+|\n\s*")
_STATEMENT_BEFORE = re.compile(r".*[.!:]\s+(?=[A-Z])", re.DOTALL)
MAX_QUESTIONS_PER_TEXT = 2  # questions in one text


@dataclass(frozen=True, slots=True)
class ListedTexts:
    """The texts listed in a response.

    ``texts`` are in the response's order, each on one line, not empty, without
    duplicates and not longer than a question may be. ``cut`` says that the response
    broke off before its list was complete; the incomplete text is left out.
    """

    texts: tuple[str, ...]
    cut: bool


def listed_texts(
    raw: str, kind: Kind = "question", *, complete: bool = True
) -> ListedTexts:
    """Return the texts listed in ``raw``, an LLM's response: at most ``MAX_LISTED``.

    A text in a list may be a statement; a line without a mark must be a question. For
    questions, only texts that ask or set a task count, if there are any: the others are
    themes, keywords, choices and remarks. In a response that is not ``complete``
    statements do not count, since its questions may have been missing.

    White space is folded; texts that differ only in case are duplicates. Refusals,
    prose and pages of HTML list nothing; nor do unfinished thoughts, which are a cut
    response.
    """
    text, cut = _answer(raw)
    *drafts, final = _REVISED.split(text)
    texts, broke_off = _texts(final, kind)
    if drafts and not texts:
        texts, broke_off = _texts(text, kind)
    complete = complete and not (cut or broke_off)
    if kind == "question" and not complete and not any(map(_asks, texts)):
        texts = []  # code or themes: the questions were missing
    if kind == "question":
        formatted = _PLACEHOLDER.findall(" ".join(_FORMATTED.findall(raw)))
        loops = re.split(r"\W+", " ".join(_LOOP.findall(text)))
        texts = _questions(texts, {*formatted, *loops})
    return ListedTexts(_first_of_each(texts), cut or broke_off)


def _questions(texts: list[str], filled: set[str]) -> list[str]:
    """Return the texts that ask, if any does, and split paragraphs of questions.

    A text with placeholders that code in the response would have ``filled`` counts as a
    question, so that keywords in the same response do not, but is left out.
    """
    if any(map(_asks, texts)):
        texts = [text for text in texts if _asks(text) or begins_task(text)]
    single: list[str] = []
    for text in texts:
        parts = [part for part in _SENTENCE_END.split(text) if is_question(part)]
        if len(parts) > MAX_QUESTIONS_PER_TEXT:
            single += [_STATEMENT_BEFORE.sub("", part) for part in parts]
        elif filled.isdisjoint(_PLACEHOLDER.findall(text)):
            single.append(text)
    return single


def _asks(text: str) -> bool:
    return is_question(text) or _ASKS_INSIDE.search(text) is not None


def settled_texts(raw: str, kind: Kind = "question") -> tuple[str, ...]:
    """Return those of ``listed_texts`` that no continuation of the response changes.

    A response may still withdraw them: drafts before a final list, thoughts whose
    beginning was in the prompt.
    """
    # After a comma another text of a list begins, in either quotes.
    continuations = (' "a', " 'a") if raw.rstrip().endswith(",") else ("a", " a")
    continued_texts = [
        set(listed_texts(raw + continuation, kind, complete=False).texts)
        for continuation in (*continuations, "\na")
    ]
    return tuple(
        text
        for text in listed_texts(raw, kind, complete=False).texts
        if all(text in texts for texts in continued_texts)
    )


def is_empty_answer(raw: str) -> bool:
    """Return True if ``raw`` is an answer with an empty list."""
    text, cut = _answer(raw)
    return not cut and has_empty_list(text) and not listed_texts(raw).texts


def _answer(raw: str) -> tuple[str, bool]:
    """Return a response without thoughts and wrapping, and True if it broke off there.

    A page of HTML becomes "".
    """
    answer, cut = strip_thoughts(raw.lstrip("\ufeff"))
    answer = _FIRST_TOKENS.sub("", answer).rstrip()
    while token := _END_TOKEN.search(answer, max(0, len(answer) - _LONGEST_TOKEN)):
        answer = answer[: token.start()].rstrip()
    if _PAGE.match(answer):
        return "", False
    text = _BLANK.sub(" ", answer.replace("\r\n", "\n").replace("\r", "\n"))
    return _CODE_LINE.sub(_strings_alone, _AROUND.sub("", _FENCE.sub("", text))), cut


def _strings_alone(code: re.Match[str]) -> str:
    """Return a list of the strings in a line of code: the questions, if any.

    An assigned string that does not end as a sentence is a keyword and stays.
    """
    strings = [string[0] for string in _STRING.finditer(code[0])]
    if asking := [string for string in strings if is_question(string)]:
        strings = asking
    elif "=" in code[0] and not all(map(is_finished, strings)):
        return code[0]
    return f"[{', '.join(strings)}]"


def _texts(text: str, kind: Kind) -> tuple[list[str], bool]:
    """Return the texts of the first form that has any, and True if it broke off.

    If a list broke off in its first text, the lines before it are read. A list of
    keywords is ignored if there are lines with questions.
    """
    cut = False
    for texts_in in (_tagged_texts, bracketed_texts):
        texts, unfinished = texts_in(text)
        if texts:
            if kind == "question" and not any(map(_asks, texts)):
                for lines_of in (marked_texts, bare_questions):
                    lines, broke_off = lines_of(text)
                    if any(map(_asks, lines)):
                        return lines, broke_off
            return texts, cut or unfinished is not None
        cut |= unfinished is not None
        text = text[:unfinished]
    for texts_of in (table_texts, marked_texts, bare_questions):
        texts, broke_off = texts_of(text)
        if len(texts) == 1 and not is_finished(texts[0]):
            # Complete questions before a list's first text, which broke off.
            questions, _ = bare_questions(text)
            if len(questions) > 1 and text.rstrip(" |\n").endswith(texts[0]):
                return questions, True
        if texts or broke_off:
            return texts, cut or broke_off
    return [], cut


def _tagged_texts(text: str) -> tuple[list[str], int | None]:
    """Return the texts of item elements, and the start of an incomplete last one.

    The first element begins a line. An item that contains a list is a theme; if some
    elements are called questions, the others are containers.
    """
    if not _FIRST_ITEM.search(text):
        return [], None
    elements = list(_ELEMENT.finditer(text))
    has_questions = any(element["asked"] for element in elements)
    texts: list[str] = []
    unfinished = None
    ends = [element.start() for element in elements[1:]] + [len(text)]
    for element, end in zip(elements, ends, strict=True):
        content = _INLINE.sub("", _STRONG.sub("**", text[element.end() : end]))
        closed = _CLOSED.search(content)
        if closed is None and end == len(text):
            unfinished = element.start()
        is_theme = closed is not None and not closed[0].startswith("</")
        content = html.unescape(
            content[: closed.start()] if closed else content
        ).strip()
        is_item = bool(element["asked"] or not has_questions) and not is_theme
        if content and is_item and (unfinished is None or is_finished(content)):
            texts.append(without_markup(question_alone(content)))
    return texts, unfinished


def _first_of_each(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts on one line each, without empty, too long or duplicate ones."""
    kept: dict[str, str] = {}
    for text in texts:
        # A JSON escape may be half of a character; join both halves.
        joined = text.encode("utf-16-le", "surrogatepass").decode(
            "utf-16-le", "replace"
        )
        folded = " ".join(joined.split())
        if folded and len(folded) <= MAX_TEXT:
            kept.setdefault(folded.casefold(), folded)
    return tuple(kept.values())[:MAX_LISTED]
