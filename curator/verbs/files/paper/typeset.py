"""Escape text for LaTeX, and templates that escape every value.

A template is LaTeX with ``<< value >>`` and ``<% statement %>``. A text value is
escaped; only ``Tex`` is inserted unchanged.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from curator.tables.forms import latex_text

# Characters outside pdfLaTeX's T1 and TS1 fonts; LaTeX stops at these.
_MISSING_CHARACTERS = re.compile(
    "[^\x00-\x7f\u00a1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165"
    "\u0168-\u017e‐‑‒–—―‘’‚“”„†‡•…‰‹›€™]"
)


class Tex(str):
    """LaTeX source that is not escaped again."""

    __slots__ = ()


def tex(text: str) -> Tex:
    r"""Escape the text as LaTeX, on one line.

    A character that pdfLaTeX lacks becomes ``\unicodechar`` with its code point, which
    users with a font for it can redefine.
    """
    return replace_missing_characters(latex_text(text))


def replace_missing_characters(source: str) -> Tex:
    return Tex(
        _MISSING_CHARACTERS.sub(
            lambda match: f"\\unicodechar{{{ord(match[0]):04X}}}", source
        )
    )


def paragraphs(text: str) -> Tex:
    """The lines of the text as paragraphs, without empty ones."""
    return Tex("\\par\n".join(filter(None, map(tex, text.splitlines()))))


def hash_text(sha256: str) -> Tex:
    parts = (tex(sha256[start : start + 8]) for start in range(0, len(sha256), 8))
    return Tex(r"\texttt{" + r"\allowbreak ".join(parts) + "}")


def _value(value: Any) -> Any:
    if isinstance(value, Tex):
        return value
    return f"{value:,}" if isinstance(value, int) else tex(str(value))


@cache
def template(name: str) -> Template:
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
        autoescape=False,  # escapes HTML; finalize escapes LaTeX
    )
    return environment.get_template(name)


class Citations:
    """Writes citations of the papers that a source names, and collects their keys."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __call__(self, *sources: str) -> Tex:
        keys = dict.fromkeys(
            key
            for source in sources
            for name, (key, _) in references().items()
            if name in source
        )
        self.keys.update(keys)
        return Tex(f"~\\cite{{{','.join(keys)}}}" if keys else "")

    def bibliography(self) -> str:
        """Return the BibTeX entries of all papers cited."""
        return "\n".join(
            entry for key, entry in references().values() if key in self.keys
        )


@cache
def references() -> dict[str, tuple[str, str]]:
    """Return key and BibTeX entry of each paper by its name in sources."""
    source = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    papers = {}
    for paper in source.split("\n\n"):
        comment, entry = paper.split("\n", 1)
        key = entry.partition("{")[2].partition(",")[0]
        papers[comment.removeprefix("% ")] = key, f"{entry.rstrip()}\n"
    return papers
