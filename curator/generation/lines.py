"""Lists written as lines: numbered, bulleted, table rows, or plain lines."""

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
# Offers and questions of a model to its user.
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
# Only after a word in lower case: "Dr. Smith" begins no sentence.
_NEXT_SENTENCE = re.compile(r"(?:^| )(?!vs)[a-z'’]+[.!] +[A-Z]")

_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|[ :|]*-[ :|-]*")
_COLUMN = re.compile(r"question|nugget|fact", re.IGNORECASE)
_LINE_END = re.compile(r" ?<br ?/?> ?", re.IGNORECASE)


class _Item(NamedTuple):
    """A numbered or bulleted text; those of one level are the same kind of item."""

    level: tuple[bool, ...]  # (numbered, lettered, indented)
    text: str


def without_mark(line: str) -> str:
    mark = _MARK.match(line.replace("\t", " "))
    return line[mark.end() :].strip(" ") if mark else line


def table_texts(text: str) -> tuple[list[str], bool]:
    """Return the texts of a table's rows, and True if its last row broke off.

    They are in the column headed question, nugget or fact. Without such a heading, a
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
            column = next(
                (
                    position
                    for position, name in enumerate(heading)
                    if _COLUMN.search(name)
                ),
                None,
            )
        else:
            cells = [cell.strip().replace("\\|", "|") for cell in _BORDER.split(line)]
            row = [without_markup(question_alone(cell)) for cell in cells[1:]]
            rows.append(row if column is None else row[column : column + 1])
    cut = len(rows) > 1 and lines[-1].startswith("|") and not lines[-1].endswith("|")
    texts: list[str] = []
    for row in rows[: -1 if cut else None]:
        text_cells = [cell for cell in row if _LETTER.search(cell)]
        longest = max(text_cells, key=len, default="")
        parts = _LINE_END.split(next(filter(is_question, text_cells), longest))
        texts += parts if all(map(is_question, parts)) else [" ".join(parts)]
    return texts, cut


def marked_texts(text: str) -> tuple[list[str], bool]:
    """Return the texts of numbered and bulleted lines, and True if the last broke off.

    A text before a colon is a theme. Remarks after questions are removed.
    """
    marked, at_end = _marked_items(_RUN_ON.sub("\n", text))
    while len(marked) > 1 and _OFFER.match(without_markup(marked[-1].text)):
        marked.pop()
        at_end = False
    kept = _without_named_remarks(marked)
    items = [_Item(level, question_alone(item_text)) for level, item_text in kept]
    cut = at_end and (_broke_off(marked) or _broke_off(items))
    if cut and kept[-1] is marked[-1] and not is_finished(items[-1].text):
        items.pop()
    texts = [without_markup(item.text) for item in items]
    return [
        text
        for text in texts
        if _LETTER.search(text) and not text.endswith((":", "："))
    ], cut


def _marked_items(text: str) -> tuple[list[_Item], bool]:
    """Return the marked texts, and True if the last one ends the text.

    A marked text continues in indented lines until it ends as a sentence does; the text
    of a lone mark is the next line. A numbered heading counts if it is a question;
    after a heading of notes only questions count.
    """
    items: list[_Item] = []
    in_notes = continues = at_end = False
    for line in text.split("\n"):
        content = line.strip()
        mark = _MARK.match(line)
        if not content:
            continues = continues and not items[-1].text
        elif mark and (mark["bullet"] or mark["number"]):
            item_text = line[mark.end() :].strip()
            # "**1. What?**": the text closes the emphasis that the mark opens.
            if mark["open"] and mark["number"].count(mark["open"]) == 1:
                item_text = mark["open"] + item_text
            continues = at_end = is_question(item_text) or not (
                mark["heading"] or in_notes
            )
            if continues:
                marks = mark["number"], mark["letter"], mark["indent"][1:]
                items.append(_Item(tuple(map(bool, marks)), item_text))
        else:
            in_notes = bool(items) and _NOTES.fullmatch(line) is not None
            continues = continues and not (in_notes or _HEADING.match(line))
            if continues and (before := items[-1].text):
                unfinished = len(before) <= MAX_TEXT and not is_finished(before)
                continues = line[0] == " " and unfinished
            if continues:
                level, before = items[-1]
                items[-1] = _Item(level, f"{before} {content}".strip())
            at_end = continues
    return items, at_end


def _without_named_remarks(items: list[_Item]) -> list[_Item]:
    """Remove named remarks next to the texts they are about.

    A remark belongs to another level's question or statement, or to a question of its
    level. If every text has such a name, none is a remark.
    """
    others = [item for item in items if not is_named_remark(item.text)]
    question_levels = {
        item.level for item in others if is_question(question_alone(item.text))
    }
    complete_levels = question_levels | {
        item.level for item in others if is_finished(item.text)
    }
    return [
        item
        for item in items
        if not is_named_remark(item.text)
        or not (
            complete_levels - {item.level}
            or (question_levels and not is_question(item.text))
        )
    ]


def _broke_off(items: list[_Item]) -> bool:
    """Return True if only the last text of its level does not end as a sentence."""
    finished = [
        is_finished(item.text) for item in items if item.level == items[-1].level
    ]
    return len(finished) > 1 and all(finished[:-1]) and not finished[-1]


def bare_questions(text: str) -> tuple[list[str], bool]:
    """Return the lines that are one question each, and True if the last broke off.

    Tasks count, too ("Discuss how …", "Is it so? Explain."). Headings, lines of several
    sentences and questions to the user do not. After two questions, an incomplete last
    line that follows directly is another one that broke off.
    """
    separated = _JOINED.sub(r"\1\n", _BRACKETED.sub(r"\1", text.rstrip()))
    plain_lines: list[str] = []
    for line in separated.split("\n"):
        stripped = _PREFIX.sub("", line.strip(" >,"))
        plain_text = without_markup(stripped)
        is_chat = (
            _HEADING.match(line) or _CHAT.match(plain_text) or _OFFER.match(plain_text)
        )
        plain_lines.append("" if is_chat else without_markup(question_alone(stripped)))
    questions = [line for line in plain_lines if _is_exam_question(line)]
    unfinished = bool(_LETTER.search(plain_lines[-1])) and not is_finished(
        plain_lines[-1]
    )
    return questions, len(questions) > 1 and plain_lines[-2] == questions[
        -1
    ] and unfinished


def _is_exam_question(line: str) -> bool:
    if _SETS_TASK.match(line):
        return is_finished(line)
    is_single = is_question(line) and not _NEXT_SENTENCE.search(line)
    return is_single and _LETTER.search(line) is not None
