"""Custom prompts from text files."""

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
"""Characters; a longer prompt leaves no room for a passage in any model."""

PARSERS: dict[ReadingKind, str] = {
    "rated": SELF_RATING,
    "answered": ANSWERED,
    "direct": DIRECT,
}
"""Parser of custom prompts' responses, by reading."""

_UNSAFE = re.compile(r"[^\w.-]+")


def prompt_from_file(path: Path, *, reading: ReadingKind = "rated") -> Prompt:
    """Read a prompt from a UTF-8 text file; its name is the file's, made safe.

    The text has ``{context}`` once for the passage, and one of ``{question}``,
    ``{nugget}`` and ``{query}`` for the item's text. A prompt about questions may have
    ``{choices}`` on a line without the others; the line is left out for a question
    without choices. Braces around anything but one word are kept. White space around
    the whole text is removed, and line ends become ``\\n``, so that the same text is
    the same prompt with any editor.

    A prompt about ``{query}`` is *direct*: it asks for yes or no, relevant or not, or
    a grade 0-5. Any other is *rated* (asks for 0-5) or *answered* (asks for an answer).

    Raises InvalidPromptError, in one line with the file's name, for an unreadable file
    or an invalid prompt, and for the name of a released prompt.
    """
    if reading not in PARSERS:
        raise InvalidPromptError(
            f"{path}: a custom prompt cannot have the reading '{reading}'; "
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
            template=prompt_text(path),
            reading=reading,
            parser=PARSERS[reading],
            source=f"custom: {path.name}",
        )
        _check_placeholders(prompt)
    except InvalidPromptError as error:
        raise InvalidPromptError(f"{path}: {error}") from None
    if (prompt.item_kind == "query") != (reading == "direct"):
        raise InvalidPromptError(
            f"{path}: a prompt about a {prompt.item_kind} cannot have the reading "
            f"'{reading}'; use --reads relevance for prompts with {{query}}, and only "
            "for these"
        )
    return prompt


def _check_placeholders(prompt: Prompt) -> None:
    """Raise InvalidPromptError for unknown placeholders or misplaced choices."""
    allowed = [CONTEXT, *ITEM_KINDS, CHOICES]
    for name in PLACEHOLDER.findall(prompt.template):
        if name not in allowed:
            raise InvalidPromptError(
                f"unknown placeholder {{{name}}}; there are "
                f"{', '.join(f'{{{name}}}' for name in allowed)}"
            )
    lines = CHOICES_LINE.findall(prompt.template)
    if lines and (
        prompt.item_kind != "question"
        or any({*PLACEHOLDER.findall(line)} != {CHOICES} for line in lines)
    ):
        raise InvalidPromptError(
            "{choices} belongs in a prompt with {question}, on a line without other "
            "placeholders; that line is left out for a question without choices"
        )


def prompt_text(path: Path) -> str:
    """Return the text of a prompt's file. Raises InvalidPromptError."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:  # not UTF-8, or a name no file can have
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidPromptError(f"cannot be read ({why}); give a text file") from None
    if len(text) > LONGEST:
        raise InvalidPromptError(
            f"is longer than {LONGEST:,} characters; shorten it, so that a passage fits"
        )
    return text.strip()
