"""Guidelines for judges: one Markdown file, UTF-8."""

from __future__ import annotations

import re
from pathlib import Path

from curator.bank.wording import shortened
from curator.errors import InputFileError

LONGEST_SENTENCE = 240  # characters

_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:#|[-*+]\s))")
_MARK = re.compile(r"^\s*(?:#+|>|[-*+]|\d{1,3}[.)])\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,3}|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_END = re.compile(r"(?<=[.!?])[\"'”’)]*(?=\s+(?![a-z]))")


def read_guidelines(path: Path) -> str:
    """The file's text. Raises InputFileError where it cannot be read as text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{path}: byte {error.start} is not UTF-8; guidelines are a Markdown text."
        ) from error


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
