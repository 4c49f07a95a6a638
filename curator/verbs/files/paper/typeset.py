"""Text as LaTeX that any engine typesets, and templates whose every value is made so.

A template is LaTeX with ``<< value >>`` and ``<% statement %>``. A value that is text
is escaped where it is put in; only ``Tex`` stands as it is.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from curator.tables.forms import latex_text

# What pdfLaTeX has in its T1 and TS1 fonts; LaTeX stops at any other character.
_UNKNOWN = re.compile(
    "[^\x00-\x7f\u00a1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165"
    "\u0168-\u017e‐‑‒–—―‘’‚“”„†‡•…‰‹›€™]"
)


class Tex(str):
    """LaTeX that is put in as it is."""

    __slots__ = ()


def tex(text: str) -> Tex:
    """The text on one line, as LaTeX that typesets it and does nothing else.

    A character that pdfLaTeX lacks becomes ``\\unicodechar`` with its code point, which
    whoever has a font for it defines otherwise.
    """
    return within_fonts(latex_text(text))


def within_fonts(source: str) -> Tex:
    """LaTeX in which only characters stand that pdfLaTeX has."""
    return Tex(_UNKNOWN.sub(lambda one: f"\\unicodechar{{{ord(one[0]):04X}}}", source))


def paragraphs(text: str) -> Tex:
    """Each line of the text as a paragraph of its own; empty ones are left out."""
    return Tex("\\par\n".join(filter(None, map(tex, text.splitlines()))))


def digits(sha256: str) -> Tex:
    """A hash that may be broken at the end of a line."""
    parts = (tex(sha256[at : at + 8]) for at in range(0, len(sha256), 8))
    return Tex(r"\texttt{" + r"\allowbreak ".join(parts) + "}")


def _value(value: Any) -> Any:
    if isinstance(value, Tex):
        return value
    return f"{value:,}" if isinstance(value, int) else tex(str(value))


@cache
def template(name: str) -> Template:
    """The template of this name beside this module."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        finalize=_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # that is for HTML; finalize escapes for LaTeX
    )
    return environment.get_template(name)
