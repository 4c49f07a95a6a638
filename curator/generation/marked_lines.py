"""Lists written as lines: numbered, bulleted, or questions without any mark."""

from __future__ import annotations

import re
from typing import NamedTuple

from curator.bank.wording import MAX_TEXT
from curator.generation.remarks import (
    begins_notes,
    is_named_remark,
    is_offer,
    question_alone,
)
from curator.generation.sentences import (
    begins_task,
    is_finished,
    is_question,
    sets_task,
    without_markup,
)

_MARK = re.compile(
    r"""
    (?P<indent>[ ]*) (?:>[ ]?)* (?P<heading>\#{1,6}[ ]+)?
    (?P<bullet>
        (?: [•‣◦▪●] | [-–—*+·](?=[ ]) | [-–—](?=[^\W\d]) ) [ ]* (?:\[[ x]\][ ]+)?
    )?
    (?P<number>
        (?P<open>[*_]{1,3})?
        (?: (?:q|question|nugget|(?:key[ ])?fact) (?:
                [ ]?\#?\d{1,3} [*_]{0,3} (?: [ ]?[.):] | [ ]+[-–—](?=[ ]) | (?=[ ]|$) )
              | [*_]{0,3}: )
          | [\#(\[]?\d{1,3} [*_]{0,3} (?:
                [ ]?\\?[.):\]](?!\d) | ,[ ]?(?=") | ,(?=[^\W\d_])
              | [．、] | [ ]+[-–—][ ]+(?!\d) )
          | (?P<letter> [ivx]{1,4}\. | \(?(?:[a-z]|[ivx]{2,4})\) )(?=[ ])
        )
        (?:[*_]{1,3}(?=[ ]|$))?
    )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEADING = re.compile(r" *#{1,6} ")
_LETTER = re.compile(r"[^\W\d_]")
_BOLD = re.compile(r"(\*\*|__)[^*]+\1")

# "1. What is it? 2. Why?"
_RUN_ON = re.compile(r"(?<=[?？])[ ]+(?=\d{1,3}[.)][ ])")

# "[What is it?, Why?]"
_UNQUOTED = re.compile(r"^ *\[([^\[\]\"\n]+[?？])\] *$", re.MULTILINE)
_COMMA = re.compile(r"(?<=[?？]), *")

# What a model says to the person who asked it, and is no question for an exam.
_CHAT = re.compile(
    r"""
    (?: i | i['’]\w+ | sorry | sure | certainly | unfortunately | please | here ) \b
  | .* \b (?:
        would\ you\ like | (?:like|want)\ me\ to
      | anything\ else | can\ i\ (?:help|assist)
      | could\ you\ (?:please\ )? clarify
      | (?:can|could)\ you\ (?:please\ )? (?:provide|share|give\ me)
        \ (?:more|further|additional|the\ (?:query|text))
    ) \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
# After a word in lower case: "Dr. Smith" begins no sentence.
_NEXT_SENTENCE = re.compile(r"(?:^| )(?!vs)[a-z'’]+[.!] +[A-Z]")


class _Marked(NamedTuple):
    """A numbered or bulleted text; those of one level are the same kind of thing."""

    level: tuple[str, bool]  # how it is marked, and whether it is indented
    text: str


def marked_texts(text: str) -> tuple[list[str], bool]:
    """The texts of numbered and bulleted lines, and whether the last one broke off.

    Where one level of marks asks questions, a level that asks none is themes or
    remarks. A text before a colon is a theme too, and so is one in bold among
    questions that are not. Questions are read without remarks on their lines.
    """
    marked, at_end = _marked(_RUN_ON.sub("\n", text))
    while len(marked) > 1 and is_offer(without_markup(marked[-1].text)):
        marked.pop()
        at_end = False
    kept = _without_remarks(marked)
    items = [_Marked(level, question_alone(said)) for level, said in kept]
    cut = at_end and (_broke_off(marked) or _broke_off(items))
    if cut and kept[-1] is marked[-1] and not is_finished(items[-1].text):
        items.pop()
    plain = [(level, without_markup(said)) for level, said in _without_themes(items)]
    plain = [
        (level, said)
        for level, said in plain
        if _LETTER.search(said) and not said.endswith((":", "："))
    ]
    asking = {level for level, said in plain if is_question(said)}
    return [said for level, said in plain if not asking or level in asking], cut


def _without_themes(items: list[_Marked]) -> list[_Marked]:
    """The items without those in bold that ask nothing, among others that do."""
    asking = {item.level for item in items if is_question(item.text)}
    asking -= {
        level for level, said in items if is_question(said) and _BOLD.fullmatch(said)
    }
    return [
        item
        for item in items
        if item.level not in asking
        or is_finished(item.text)
        or begins_task(item.text)
        or not _BOLD.fullmatch(item.text)
    ]


def _without_remarks(items: list[_Marked]) -> list[_Marked]:
    """The items without those named remarks that stand beside what they are about.

    That is another level's question or statement, or a question of their own level.
    A list in which each text has such a name has no remarks.
    """
    others = [item for item in items if not is_named_remark(item.text)]
    asking = {item.level for item in others if is_question(question_alone(item.text))}
    stating = {item.level for item in others if is_finished(item.text)}

    def is_remark(item: _Marked) -> bool:
        if not is_named_remark(item.text):
            return False
        if is_question(item.text):
            return bool(asking - {item.level})
        return bool(asking or stating - {item.level})

    return [item for item in items if not is_remark(item)]


def _marked(text: str) -> tuple[list[_Marked], bool]:
    """What the lines mark, and whether the last one ends the text.

    A marked text goes on in indented lines until it ends as a sentence does; where a
    mark stands alone, its text is the next line. A numbered heading counts where it
    asks; under a heading of notes only a question does.
    """
    found: list[_Marked] = []
    notes = False
    going_on = False
    at_end = False
    for line in text.split("\n"):
        said = line.strip()
        mark = _MARK.match(line)
        if not said:
            going_on = going_on and not found[-1].text
        elif mark and (mark["bullet"] or mark["number"]):
            rest = line[mark.end() :].strip()
            # "**1. What?**": the emphasis that the mark opens is closed by the text.
            if mark["open"] and mark["number"].count(mark["open"]) == 1:
                rest = mark["open"] + rest
            going_on = at_end = is_question(rest) or not (mark["heading"] or notes)
            if going_on:
                found.append(_Marked(_level(mark), rest))
        else:
            notes = bool(found) and begins_notes(line)
            going_on = going_on and not (notes or _HEADING.match(line))
            if going_on and found[-1].text:
                going_on = line[0] == " " and _may_go_on(found[-1].text)
            if going_on:
                found[-1] = _Marked(found[-1].level, f"{found[-1].text} {said}".strip())
            at_end = going_on
    return found, at_end


def _level(mark: re.Match[str]) -> tuple[str, bool]:
    kind = "letter" if mark["letter"] else "number" if mark["number"] else "bullet"
    return kind, len(mark["indent"]) > 1


def _may_go_on(text: str) -> bool:
    return not is_finished(text) and len(text) <= MAX_TEXT


def _broke_off(marked: list[_Marked]) -> bool:
    """Whether only the last text of its level does not end as a sentence does."""
    *others, last = marked
    alike = [item for item in others if item.level == last.level]
    return (
        bool(alike)
        and not is_finished(last.text)
        and all(is_finished(item.text) for item in alike)
    )


def bare_questions(text: str) -> tuple[list[str], bool]:
    """The lines that are one question each, and whether the last of them broke off.

    A task counts too ("Discuss how …", "Is it so? Explain."). Headings are none, nor
    are lines of several sentences and what a model asks the person it answers. After
    two questions, a last line that is no whole sentence and follows at once is one
    more that broke off.
    """
    lines = _UNQUOTED.sub(_one_a_line, text).rstrip().split("\n")
    said = [
        "" if _HEADING.match(line) else _bare_text(line.strip(" >,")) for line in lines
    ]
    asked = [_is_exam_question(line) for line in said]
    worded = _LETTER.search(said[-1]) is not None
    cut = sum(asked) > 1 and asked[-2] and worded and not is_finished(said[-1])
    return [line for line, asks in zip(said, asked, strict=True) if asks], cut


def _one_a_line(brackets: re.Match[str]) -> str:
    return _COMMA.sub("\n", brackets[1])


def _bare_text(line: str) -> str:
    plain = without_markup(line)
    return plain if _CHAT.match(plain) else without_markup(question_alone(line))


def _is_exam_question(line: str) -> bool:
    if not _LETTER.search(line) or _CHAT.match(line):
        return False
    if sets_task(line):
        return is_finished(line)
    return is_question(line) and not _NEXT_SENTENCE.search(line)
