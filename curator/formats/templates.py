"""HTML from templates, every value in it escaped: all texts are untrusted.

A template lies beside the page that draws it (``curate/impact.html``) or another module
of the package (``tables/table.html``), and may import macros of others. It is written
with line breaks and indentation as it reads best: they are no part of what is drawn,
but for a break within a sentence or a tag, which is a blank. Numbers come in words;
which class an element has is the template's choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from curator.edit_words import STATES, VERBS

PACKAGE = Path(__file__).parents[1]

# A break beside a tag or a statement, or between two values; any other is a blank.
_BREAK = r"[ \t]*\n\s*"
_BETWEEN = re.compile(
    rf"(?<=>){_BREAK}|(?<=[%#]\}}){_BREAK}|{_BREAK}(?=<|\{{[%#]|$)"
    rf"|(?<=\}}\}}){_BREAK}(?=\{{\{{)"
)
_WITHIN = re.compile(_BREAK)


class _Loader(FileSystemLoader):
    """Templates without the breaks and indentation they are written with."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        source, place, fresh = super().get_source(environment, template)
        return _WITHIN.sub(" ", _BETWEEN.sub("", source)).strip(), place, fresh


ENVIRONMENT = Environment(
    loader=_Loader([PACKAGE / "web/pages", PACKAGE / "web", PACKAGE]),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,
    cache_size=-1,
)
ENVIRONMENT.globals |= {"VERBS": VERBS, "STATES": STATES}


def render(name: str, /, **values: Any) -> Markup:
    """The template ``<page>/<name>.html`` with these values."""
    return Markup(ENVIRONMENT.get_template(name).render(values))


@cache
def macro(name: str, of: str) -> Callable[..., Markup]:
    """Return one macro of a template, to render a part of a page."""
    found: Callable[..., Markup] = getattr(ENVIRONMENT.get_template(name).module, of)
    return found
