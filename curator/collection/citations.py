"""Citations of generated reports: what each stretch of a report rests on.

A workspace keeps them as extras ``("report_citations", "<topic_id>\\t<run_id>")`` of
the format "reports", ``{"passages": […]}``: for each passage of the response, in order,
a list of ``[start, end, [id, …]]``, the stretches of its text that cite and what they
cite.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP

CITATIONS = "report_citations"  # the entity of the extras


class Stretch(NamedTuple):
    """A stretch of a passage's text, and the ids of the passages it cites, if any."""

    start: int
    end: int
    cited: tuple[str, ...]


Cited = Sequence[Sequence[Stretch]]
"""The stretches that cite, of each passage of a response."""


def placed(entries: Iterable[Stretch], passages: Iterable[str]) -> list[list[Stretch]]:
    """Of each passage, the stretches of it that cite.

    ``entries`` stand one after the other in the text that the passages are joined; one
    that a border cuts cites on both sides of it.
    """
    left = deque(one for one in entries if one.cited)
    found, low = [], 0
    for passage in passages:
        high = low + len(passage)
        here = []
        while left and left[0].start < high:
            one = left[0]
            if max(one.start, low) < one.end:
                end = min(one.end, high) - low
                here.append(Stretch(max(one.start, low) - low, end, one.cited))
            if one.end > high:
                break
            left.popleft()
        found.append(here)
        low = high
    return found


def from_json(text: str) -> list[list[Stretch]]:
    """What an extra says, of each passage."""
    return [
        [Stretch(start, end, tuple(ids)) for start, end, ids in stretches]
        for stretches in json.loads(text)["passages"]
    ]


def cited_ids(stretches: Iterable[Stretch]) -> dict[str, None]:
    """The ids that a passage's stretches cite, each once."""
    return dict.fromkeys(one for stretch in stretches for one in stretch.cited)


def all_cited(response: Cited) -> dict[str, None]:
    """The ids that a response cites, each once."""
    return cited_ids(one for stretches in response for one in stretches)


def citation_rows(
    responses: Mapping[str, Cited], systems: Sequence[str], passage_ids: Sequence[str]
) -> NDArray[np.int32]:
    """(citations, 3): system, rank from 0 and pool position of every passage cited.

    The position is GAP where the pool does not have it. ``responses`` are by system.
    """
    places = {one: at for at, one in enumerate(passage_ids)}
    rows = [
        (row, rank, places.get(one, GAP))
        for row, system in enumerate(systems)
        for rank, stretches in enumerate(responses.get(system, ()))
        for one in cited_ids(stretches)
    ]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)
