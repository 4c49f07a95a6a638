"""Citations of generated reports, by span of the report.

A workspace keeps them as extras ``("report_citations", "<topic_id>\\t<run_id>")`` of
the format "reports", ``{"passages": […]}``: for each passage of the response, in order,
a list of ``[start, end, [id, …]]``, the spans of its text with citations and the cited
ids.
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


class CitedSpan(NamedTuple):
    """A span of a passage's text, and the ids of the passages it cites, if any."""

    start: int
    end: int
    cited: tuple[str, ...]


CitedSpans = Sequence[Sequence[CitedSpan]]
"""The spans with citations, for each passage of a response."""


def split_spans(
    entries: Iterable[CitedSpan], passages: Iterable[str]
) -> list[list[CitedSpan]]:
    """Return the spans with citations of each passage.

    ``entries`` are consecutive spans of the joined passages; one that a border divides
    cites on both sides.
    """
    remaining = deque(entry for entry in entries if entry.cited)
    spans_by_passage, low = [], 0
    for passage in passages:
        high = low + len(passage)
        spans = []
        while remaining and remaining[0].start < high:
            entry = remaining[0]
            if max(entry.start, low) < entry.end:
                end = min(entry.end, high) - low
                spans.append(CitedSpan(max(entry.start, low) - low, end, entry.cited))
            if entry.end > high:
                break
            remaining.popleft()
        spans_by_passage.append(spans)
        low = high
    return spans_by_passage


def spans_from_json(text: str) -> list[list[CitedSpan]]:
    """Read the spans of each passage from an extra."""
    return [
        [CitedSpan(start, end, tuple(ids)) for start, end, ids in spans]
        for spans in json.loads(text)["passages"]
    ]


def cited_ids(spans: Iterable[CitedSpan]) -> dict[str, None]:
    """Return the ids that a passage's spans cite, each once."""
    return dict.fromkeys(passage_id for span in spans for passage_id in span.cited)


def cited_by_response(response: CitedSpans) -> dict[str, None]:
    return cited_ids(span for spans in response for span in spans)


def citation_rows(
    responses: Mapping[str, CitedSpans],
    systems: Sequence[str],
    passage_ids: Sequence[str],
) -> NDArray[np.int32]:
    """Return (citations, 3): system, rank from 0 and pool position of cited passages.

    The position is GAP outside the pool. ``responses`` are by system.
    """
    positions = {
        passage_id: position for position, passage_id in enumerate(passage_ids)
    }
    rows = [
        (row, rank, positions.get(passage_id, GAP))
        for row, system in enumerate(systems)
        for rank, spans in enumerate(responses.get(system, ()))
        for passage_id in cited_ids(spans)
    ]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)
