"""A generation prompt of one's own, from a text file or typed on a page."""

from __future__ import annotations

import re
from pathlib import Path

from curator.bank.questions import Kind
from curator.errors import PromptError
from curator.generation.prompts import OWN, PROMPTS, GenerationPrompt

LONGEST = 20_000  # characters
_UTF8_BYTES = 4  # of one character, at most
_UNSAFE = re.compile(r"[^\w.-]+")


def prompt_from_file(path: Path, *, kind: Kind = "question") -> GenerationPrompt:
    """The prompt that a UTF-8 text file holds; its name is the file's, made safe.

    Raises PromptError, in one line with the file's name.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST * _UTF8_BYTES + 1)
        return own_prompt(content.decode("utf-8-sig"), name=path.stem, kind=kind)
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no such name
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PromptError(f"{path}: cannot be read: {why}.") from None
    except PromptError as error:
        raise PromptError(f"{path}: {error}") from None


def own_prompt(
    text: str, *, name: str = OWN, kind: Kind = "question"
) -> GenerationPrompt:
    """The prompt of this text, without the white space around it; line ends are \\n.

    Raises PromptError where it is empty, too long, about nothing, or named like a
    released one.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    name = _UNSAFE.sub("-", name).strip("-.") or OWN
    if name in PROMPTS:
        raise PromptError(f"'{name}' is the name of a released prompt; take another.")
    if not text:
        raise PromptError("A prompt needs a text, with {query_title} in it.")
    if len(text) > LONGEST:
        raise PromptError(
            f"A prompt has at most {LONGEST:,} characters; this one has {len(text):,}."
        )
    return GenerationPrompt(name=name, template=text, kind=kind, source=OWN)
