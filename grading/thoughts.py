"""Separate the thoughts of reasoning models from their answers."""

from __future__ import annotations

import re

_NAME = r"[\w:.-]{0,20}(?:think|thought|reason|reflect|analysis|scratchpad)\w{0,12}"
# [THINK] is Mistral's, ◁think▷ Kimi's, <unused94> MedGemma's, channels are gpt-oss's
# and, if a server removed their marks, "assistantfinal".
_TAG = re.compile(
    rf"""
    (?P<end>
        <\|?(?:/|end_(?:of_)?){_NAME}\|?> | <\|?{_NAME}_end\|?>
      | \[/think\] | ◁/think▷ | <unused95> | <channel\|>
      | <\|channel\|>\s*final\b[^\n]{{0,40}}?<\|message\|> | assistantfinal
    )
  | <\|?{_NAME}(?:\s[^<>\n]{{0,80}})?\|?> | \[think\] | ◁think▷ | <unused94>
  | (?P<channel> (?:<\|start\|>assistant)? <\|channel\|?> (?!\s*final\b) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
TOKEN = re.compile(r"<\|\w+\|>|</s>|<eos>|<end_of_turn>")


def strip_thoughts(raw: str) -> tuple[str, bool]:
    """Return ``raw`` without thoughts, and True if it ends inside thoughts.

    An end tag without a start tag closes thoughts that began in the prompt. A start tag
    without an end tag counts only at the start of a line, since a text may mention it.
    """
    parts: list[str] = []
    start = 0
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(raw):
        if tag["end"]:
            if opened is None:
                parts.clear()
            start, opened = tag.end(), None
        elif opened is None:
            parts.append(raw[start : tag.start()])
            opened = tag
    if opened is None:
        return "\n".join([*parts, raw[start:]]), False
    text = "\n".join(parts)
    if opened["channel"] or not text.rpartition("\n")[2].strip(" \t"):
        return text, True
    return text + raw[opened.start() :], False
