"""Guidelines for judges: one Markdown file, UTF-8."""

from __future__ import annotations

import re
from pathlib import Path

from curator.bank.wording import shortened
from curator.errors import InputFileError, TooLargeError
from curator.formats import limits

LONGEST_SENTENCE = 240  # characters

_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:#|[-*+]\s))")
_MARK = re.compile(r"^\s*(?:#+|>|[-*+]|\d{1,3}[.)])\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,3}|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_END = re.compile(r"(?<=[.!?])[\"'”’)]*(?=\s+(?![a-z]))")


def read_guidelines(path: Path) -> str:
    """The file's text. Raises InputFileError where it cannot be read as text."""
    most = limits.current().text
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(most + 1)
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{path}: byte {error.start} is not UTF-8; guidelines are a Markdown text."
        ) from error
    if len(text) > most:
        message = limits.beyond("text", "has more than {} characters; shorten it")
        raise TooLargeError(f"{path}: {message}")
    return text


def first_sentence(guidelines: str) -> str:
    """The first sentence of these guidelines, without markup; "" where there is none.

    Headings are passed over unless there is nothing else.
    """
    # A heading is a line, whatever follows it.
    text = re.sub(r"^(#.*)$", r"\1\n", guidelines, flags=re.MULTILINE)
    blocks = [block.strip() for block in _BLOCKS.split(text)]
    prose = [block for block in blocks if not block.startswith("#")]
    for block in (*prose, *blocks):
        plain = _LINK.sub(r"\1", _MARK.sub("", block))
        plain = " ".join(_EMPHASIS.sub(r"\2", plain).split())
        if any(character.isalnum() for character in plain):
            end = _END.search(f"{plain} ")
            return shortened(plain[: end.end()] if end else plain, LONGEST_SENTENCE)
    return ""
