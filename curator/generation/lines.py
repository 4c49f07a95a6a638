"""Lists written as lines: numbered, bulleted, rows of a table, or without any mark."""

from __future__ import annotations

import re
from typing import NamedTuple

from curator.bank.wording import MAX_TEXT
from curator.generation.sentences import (
    TASKS,
    is_finished,
    is_named_remark,
    is_question,
    question_alone,
    without_markup,
)

_MARK = re.compile(
    r"""
    (?P<indent>[ ]*) (?:>[ ]?)* (?P<heading>\#{1,6}[ ]+)?
    (?P<bullet>
        (?: [•‣◦▪●] | (?:[-–—*+·]|\\item)(?=[ ]) | [-–—](?=[^\W\d]) ) [ ]*
        (?:\[[ x]\][ ]+)?
    )?
    (?P<number>
        (?P<open>[*_]{1,3})?
        (?: (?:q|question|nugget|(?:key[ ])?fact) (?:
                [ ]?\#?\d{1,3} [*_]{0,3} (?: [ ]?[.):] | [ ]+[-–—](?=[ ]) | (?=[ ]|$) )
              | [*_]{0,3}: )
          | [\#(\[]?\d{1,3} [*_]{0,3} (?:
                [ ]?\\?[.):\]](?!\d) | ,[ ]?(?=") | ,(?=[^\W\d_])
              | [．、] | \ufe0f?\u20e3 | [ ]+[-–—][ ]+(?!\d) )
          | (?P<letter> [ivx]{1,4}\. | \(?(?:[a-z]|[ivx]{2,4})\) )(?=[ ])
        )
        (?:[*_]{1,3}(?=[ ]|$))?
    )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEADING = re.compile(r" *#{1,6} ")
_NOTES = re.compile(
    r"[ #>*_]*(?:(?:additional|important|some|key) )?"
    r"(?:explanations?|notes?|rationale|remarks?)[*_ ]*[:：]?[*_ ]*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
# "1. What is it? 2. Why?"
_RUN_ON = re.compile(r"(?<=[?？])[ ]+(?=\d{1,3}[.)][ ])")

# "[What is it?, Why?]", "What?"; "Why?"
_BRACKETED = re.compile(r"^ *\[([^\[\]\n]+[?？][\"'`]?)\] *$", re.MULTILINE)
_JOINED = re.compile(r"(?<=[?？])([\"'`”]?)[;,] *(?=[rbuf]{0,2}[\"'`“]|[^a-z\s])")
_PREFIX = re.compile(r"^[rbuf]{1,2}(?=[\"'])")
# What a model says to the person who asked it, and is no question for an exam.
_OFFER = re.compile(
    r"""
    (?: let\ me\ know | feel\ free | i\ hope
      | (?:shall|should)\ i\ (?:continue|go\ on|proceed|write|add)
      | do\ you\ (?:want|need)\ (?:me|more|any|help)
      | .*\b (?:
            anything\ else | (?:can|could|may)\ i\ (?:help|assist)
          | (?:like|want)\ me\ to | (?:would\ you\ like|want)\ (?:
                more|another|additional|any|help|to\ (?:see|continue|proceed) )
          | (?:can|could)\ you\ (?:please\ )? (?:provide|share|give\ me)
            \ (?:more|further|additional|the\ (?:query|text)) )
    ) \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CHAT = re.compile(
    r"(?:i|i['’]\w+|sorry|sure|certainly|unfortunately|please|here)\b"
    r"|.*\b(?:would you like|could you (?:please )?clarify)\b",
    re.IGNORECASE,
)
# "Discuss the synthesis of alkynes." and "Is coal renewable? Justify your answer."
_SETS_TASK = re.compile(
    rf"(?:{TASKS}) \S+ \S+|[^?]{{8,}}\? (?:{TASKS}|provide|give) ", re.IGNORECASE
)
# After a word in lower case: "Dr. Smith" begins no sentence.
_NEXT_SENTENCE = re.compile(r"(?:^| )(?!vs)[a-z'’]+[.!] +[A-Z]")

_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|[ :|]*-[ :|-]*")
_COLUMN = re.compile(r"question|nugget|fact", re.IGNORECASE)
_LINE_END = re.compile(r" ?<br ?/?> ?", re.IGNORECASE)


class _Item(NamedTuple):
    """A numbered or bulleted text; those of one level are the same kind of thing."""

    level: tuple[bool, ...]  # whether by a number, a letter, and indented
    text: str


def without_mark(line: str) -> str:
    """The line without the number, bullet or other mark that begins it."""
    mark = _MARK.match(line.replace("\t", " "))
    return line[mark.end() :].strip(" ") if mark else line


def table_texts(text: str) -> tuple[list[str], bool]:
    """The texts of a table's rows, and whether its last row broke off.

    They stand in the column headed question, nugget or fact. Without such a heading, a
    row's text is its first question, or else its longest cell.
    """
    rows: list[list[str]] = []
    column: int | None = None
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in lines:
        if not line.startswith("|"):
            column = None
        elif _RULE.fullmatch(line):
            heading = rows.pop() if rows else []
            column = next((i for i, c in enumerate(heading) if _COLUMN.search(c)), None)
        else:
            cells = [cell.strip().replace("\\|", "|") for cell in _BORDER.split(line)]
            row = [without_markup(question_alone(cell)) for cell in cells[1:]]
            rows.append(row if column is None else row[column : column + 1])
    cut = len(rows) > 1 and lines[-1].startswith("|") and not lines[-1].endswith("|")
    texts: list[str] = []
    for row in rows[: -1 if cut else None]:
        worded = [cell for cell in row if _LETTER.search(cell)]
        longest = max(worded, key=len, default="")
        parts = _LINE_END.split(next(filter(is_question, worded), longest))
        texts += parts if all(map(is_question, parts)) else [" ".join(parts)]
    return texts, cut


def marked_texts(text: str) -> tuple[list[str], bool]:
    """The texts of numbered and bulleted lines, and whether the last one broke off.

    A text before a colon is a theme. Questions are read without remarks on their lines.
    """
    marked, at_end = _marked(_RUN_ON.sub("\n", text))
    while len(marked) > 1 and _OFFER.match(without_markup(marked[-1].text)):
        marked.pop()
        at_end = False
    kept = _without_remarks(marked)
    items = [_Item(level, question_alone(said)) for level, said in kept]
    cut = at_end and (_broke_off(marked) or _broke_off(items))
    if cut and kept[-1] is marked[-1] and not is_finished(items[-1].text):
        items.pop()
    plain = [without_markup(item.text) for item in items]
    return [
        text
        for text in plain
        if _LETTER.search(text) and not text.endswith((":", "："))
    ], cut


def _marked(text: str) -> tuple[list[_Item], bool]:
    """What the lines mark, and whether the last one ends the text.

    A marked text goes on in indented lines until it ends as a sentence does; where a
    mark stands alone, its text is the next line. A numbered heading counts where it
    asks; under a heading of notes only a question does.
    """
    found: list[_Item] = []
    notes = going_on = at_end = False
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
                marks = mark["number"], mark["letter"], mark["indent"][1:]
                found.append(_Item(tuple(map(bool, marks)), rest))
        else:
            notes = bool(found) and _NOTES.fullmatch(line) is not None
            going_on = going_on and not (notes or _HEADING.match(line))
            if going_on and (before := found[-1].text):
                unfinished = len(before) <= MAX_TEXT and not is_finished(before)
                going_on = line[0] == " " and unfinished
            if going_on:
                level, before = found[-1]
                found[-1] = _Item(level, f"{before} {said}".strip())
            at_end = going_on
    return found, at_end


def _without_remarks(items: list[_Item]) -> list[_Item]:
    """The items without those named remarks that stand beside what they are about.

    That is another level's question or statement, or a question of their own level.
    A list in which each text has such a name has no remarks.
    """
    others = [item for item in items if not is_named_remark(item.text)]
    asking = {item.level for item in others if is_question(question_alone(item.text))}
    whole = asking | {item.level for item in others if is_finished(item.text)}
    return [
        item
        for item in items
        if not is_named_remark(item.text)
        or not (whole - {item.level} or (asking and not is_question(item.text)))
    ]


def _broke_off(items: list[_Item]) -> bool:
    """Whether only the last text of its level does not end as a sentence does."""
    alike = [is_finished(item.text) for item in items if item.level == items[-1].level]
    return len(alike) > 1 and all(alike[:-1]) and not alike[-1]


def bare_questions(text: str) -> tuple[list[str], bool]:
    """The lines that are one question each, and whether the last of them broke off.

    A task counts too ("Discuss how …", "Is it so? Explain."). Headings are none, nor
    are lines of several sentences and what a model asks the person it answers. After
    two questions, a last line that is no whole sentence and follows at once is one
    more that broke off.
    """
    one_a_line = _JOINED.sub(r"\1\n", _BRACKETED.sub(r"\1", text.rstrip()))
    said: list[str] = []
    for line in one_a_line.split("\n"):
        alone = _PREFIX.sub("", line.strip(" >,"))
        plain = without_markup(alone)
        chat = _HEADING.match(line) or _CHAT.match(plain) or _OFFER.match(plain)
        said.append("" if chat else without_markup(question_alone(alone)))
    asked = [line for line in said if _is_exam_question(line)]
    unfinished = bool(_LETTER.search(said[-1])) and not is_finished(said[-1])
    return asked, len(asked) > 1 and said[-2] == asked[-1] and unfinished


def _is_exam_question(line: str) -> bool:
    if _SETS_TASK.match(line):
        return is_finished(line)
    whole = is_question(line) and not _NEXT_SENTENCE.search(line)
    return whole and _LETTER.search(line) is not None
