"""A prompt of one's own, from a text file."""

import re
from pathlib import Path

from grading.errors import InvalidPromptError
from grading.prompts.prompt import (
    CHOICES_LINE,
    CONTEXT,
    ITEM_KINDS,
    PLACEHOLDER,
    Prompt,
)
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.ratings import SELF_RATING
from grading.readings import ANSWERED, DIRECT
from grading.responders import CHOICES, ReadingKind

LONGEST = 20_000
"""Characters; no model here reads that much and has room for a passage."""

PARSERS: dict[ReadingKind, str] = {
    "rated": SELF_RATING,
    "answered": ANSWERED,
    "direct": DIRECT,
}
"""What a custom prompt's responses are read by, for each reading it may have."""

_UTF8_BYTES = 4  # of one character, at most
_UNSAFE = re.compile(r"[^\w.-]+")


def prompt_from_file(path: Path, *, reading: ReadingKind = "rated") -> Prompt:
    """The prompt that a UTF-8 text file holds; its name is the file's, made safe.

    The text has ``{context}`` once where the passage goes, and one of ``{question}``,
    ``{nugget}`` and ``{query}`` where the item's text goes; one about questions may
    have ``{choices}``, on a line without the others, which goes where a question has
    none. Braces around anything but one word stay. White space around the whole text
    is dropped, and line ends are ``\\n``, so that the same words are the same prompt
    whichever editor wrote them.

    A prompt about ``{query}`` is *direct*: it asks for yes or no, relevant or not, or
    a grade 0-5. Any other is *rated* (asks for 0-5) or *answered* (asks for an answer).

    Raises InvalidPromptError, in one line with the file's name, for a file that cannot
    be read, and a prompt that cannot be asked or not be told from a released one.
    """
    if reading not in PARSERS:
        raise InvalidPromptError(
            f"{path}: a prompt of one's own cannot be read as '{reading}'; "
            f"choose one of {', '.join(PARSERS)}"
        )
    name = _UNSAFE.sub("-", path.stem).strip("-.") or "prompt"
    if name in PROMPTS or name in FORMER_NAMES:
        raise InvalidPromptError(
            f"{path}: '{name}' is the name of a released prompt; rename the file"
        )
    try:
        prompt = Prompt(
            name=name,
            template=_text(path),
            reading=reading,
            parser=PARSERS[reading],
            source=f"custom: {path.name}",
        )
        _check_placeholders(prompt)
    except InvalidPromptError as error:
        raise InvalidPromptError(f"{path}: {error}") from None
    if (prompt.item_kind == "query") != (reading == "direct"):
        raise InvalidPromptError(
            f"{path}: asks about a {prompt.item_kind}, so it cannot be read as "
            f"'{reading}'; a prompt with {{query}} is asked for relevance (--reads "
            "relevance), and no other is"
        )
    return prompt


def _check_placeholders(prompt: Prompt) -> None:
    """Raise InvalidPromptError for one that is unknown, or choices out of place."""
    known = [CONTEXT, *ITEM_KINDS, CHOICES]
    for name in PLACEHOLDER.findall(prompt.template):
        if name not in known:
            raise InvalidPromptError(
                f"knows no {{{name}}}; there are "
                f"{', '.join(f'{{{one}}}' for one in known)}"
            )
    lines = CHOICES_LINE.findall(prompt.template)
    if lines and (
        prompt.item_kind != "question"
        or any({*PLACEHOLDER.findall(line)} != {CHOICES} for line in lines)
    ):
        raise InvalidPromptError(
            "{choices} belongs in a prompt with {question}, on a line without other "
            "placeholders; that line is left out where a question has no choices"
        )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST * _UTF8_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidPromptError(f"cannot be read ({why}); give a text file") from None
    # Counted in bytes first: a huge file is read no further, and may end inside a
    # character.
    is_huge = len(content) > LONGEST * _UTF8_BYTES
    try:
        text = "" if is_huge else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidPromptError(
            f"is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if is_huge or len(text) > LONGEST:
        raise InvalidPromptError(
            f"is longer than {LONGEST:,} characters; shorten it, so that a passage fits"
        )
    if not text:
        raise InvalidPromptError(
            "is empty; write what to ask, with {question} and {context} in it"
        )
    return text
