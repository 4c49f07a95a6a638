"""What a file is likely to be, by what it holds and else by its name.

A person has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator.formats.registry import import_options


def likely_kind(name: str, fitting: Sequence[str] = ()) -> str:
    """The import option for a file of this name, of those that it fits.

    ``queries`` where neither what it holds nor its name tells.
    """
    options = import_options("names")
    among = [kind for kind in fitting if kind in options]
    if len(among) == 1:
        return among[0]
    lower = name.lower()
    signs = (kind for kind, one in options.items() if re.search(one.sign, lower))
    return next((kind for kind in signs if not among or kind in among), "queries")
