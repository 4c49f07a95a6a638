"""A long text in passages of whole sentences, as many as fit by a named tokenizer.

Where a passage ends decides what a grader sees together, and the passages' numbers are
in their ids, so the tokenizer's name is kept beside whatever it made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grading.highlight import sentences

WORDS = "words"
"""The tokenizer that needs nothing installed: see ``count_words``."""

MOST_TOKENS = 400  # of one passage, unless one sentence alone has more

# Scripts that put no blanks between words: each sign is a word.
_SIGN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SIGN}]|(?:(?![{_SIGN}])\w)+|[^\w\s]")


@dataclass(frozen=True)
class Tokenizer:
    """What counts tokens: its name, a hash of its files ("" for ``words``), and how."""

    name: str
    revision: str
    count: Callable[[str], int]


def count_words(text: str) -> int:
    """How many words and marks: runs of letters and digits, and every other sign.

    Chinese and Japanese signs count one each. By Unicode's properties as Python's
    ``re`` knows them; white space counts nothing.
    """
    return len(_WORD.findall(text))


def named_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name: ``words``, or a Hugging Face name or folder.

    Raises MissingModelError where it is not on this machine.
    """
    if name == WORDS:
        return Tokenizer(WORDS, "", count_words)
    from grading.models.tokens import token_counter

    identity, count = token_counter(name)
    return Tokenizer(identity.name, identity.revision, count)


def joined_text(texts: Sequence[str]) -> str:
    """The texts one after the other, a blank between two that have none there.

    Those of white space alone are left out.
    """
    return "".join(text for text, _ in _spaced(texts))


def segments(
    texts: Sequence[str],
    count: Callable[[str], int],
    *,
    most: int = MOST_TOKENS,
) -> list[str]:
    """``joined_text(texts)`` in passages; joined, they are that text to the letter.

    A passage ends where a sentence or one of the texts ends, and takes in as many
    sentences as stay within ``most`` tokens. A sentence that has more is a passage of
    its own. White space between two passages belongs to the first.
    """
    starts: list[int] = []
    length = 0
    for text, lead in _spaced(texts):
        starts += [length + lead + start for start, _ in sentences(text[lead:])]
        length += len(text)
    if not starts:
        return []
    whole = joined_text(texts)
    borders = [0, *starts[1:], length]
    found: list[str] = []
    begin, end = 0, 0
    for border in borders[1:]:
        if end > begin and count(whole[begin:border]) > most:
            found.append(whole[begin:end])
            begin = end
        end = border
    return [*found, whole[begin:end]]


def _spaced(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Each text with the blank before it, and how many characters that blank is."""
    found: list[tuple[str, int]] = []
    for text in texts:
        if not text.strip():
            continue
        bare = not found or found[-1][0][-1].isspace() or text[0].isspace()
        found.append((text, 0) if bare else (" " + text, 1))
    return found
