"""What a response says, without thoughts, drafts and the tokens that end it."""

from __future__ import annotations

import re

# A question may speak of such a tag; one that opens thoughts begins a line.
_TAG = re.compile(
    r"""
    (?: (?P<closing></) | ^[ ]*< )
    (?: (?P<think>think(?:ing)?) | analysis | reasoning | scratchpad | thoughts? ) >
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
# "Final questions:" may as well head the last part of one list.
_REVISED = re.compile(
    r"""
    ^[ #*_>]* (?:
        (?: here[ ]is[ ] | here[ ]are[ ] )? (?:(?:the|my|a)[ ])?
        (?: (?:revised|improved|refined|corrected|updated|final) [ ] (?:\w+[ ])?
            (?:list|version|answer|set)
          | (?:revised|improved|refined|corrected) [ ] (?:exam[ ]|key[ ])?
            (?:questions|facts|nuggets|statements)
        ) (?:[ ]of[ ]\w+)?
      | here[ ](?:is|are)[ ]the[ ]final [ ]
        (?!two|three|four|five|six|few|ones) [^:\n\d]{0,60}
    ) [*_ ]* : [*_ ]* $
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_END_TOKEN = re.compile(r"(?:<\|\w+\|>|</s>|<eos>|<end_of_turn>)")


def without_thoughts(raw: str) -> tuple[str, bool]:
    """What ``raw`` says outside its thoughts, and whether it broke off in them.

    Before the end of thoughts that were opened in the prompt everything is a thought;
    before the end of ``<think>`` it is anyway.
    """
    said: list[str] = []
    place = 0
    thinking = False
    for tag in _TAG.finditer(raw):
        if tag["closing"]:
            if tag["think"] or not thinking:
                said.clear()
            thinking = False
            place = tag.end()
        elif not thinking:
            said.append(raw[place : tag.start()])
            thinking = True
    if not thinking:
        said.append(raw[place:])
    return "".join(said), thinking


def without_draft(text: str) -> str:
    """What stands behind the last line that announces a revised or final list."""
    end = 0
    for line in _REVISED.finditer(text):
        end = line.end()
    return text[end:]


def without_end_tokens(raw: str) -> str:
    """``raw`` without the tokens that end a model's turn, where it ends with them."""
    after_tokens = list(_END_TOKEN.finditer(raw))
    end = len(raw)
    while after_tokens and not raw[after_tokens[-1].end() : end].strip():
        end = after_tokens.pop().start()
    return raw[:end]
