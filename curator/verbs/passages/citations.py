"""Citations in generated reports, by the passage that contains them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from curator.collection.pools import GAP
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of a passage that cites others, with its position.

    ``cited`` maps the ids of cited passages to True if the workspace has their texts.
    """

    start: int
    end: int
    cited: dict[str, bool]


def citations(snapshot: Snapshot, query_id: str) -> Mapping[str, tuple[Citation, ...]]:
    """Return the citations of each passage of the query's reports, in text order.

    Reports with identical passages share them, and a span has the citations of all of
    these reports, so the source is not revealed.
    """
    pool = snapshot.collection.pools[query_id]
    if not len(pool.citations):
        return {}
    return snapshot.cached(("citations", query_id), lambda: _read(snapshot, query_id))


def _read(snapshot: Snapshot, query_id: str) -> dict[str, tuple[Citation, ...]]:
    collection = snapshot.full.collection
    pool = collection.pools[query_id]
    rows = {system: row for row, system in enumerate(collection.systems)}
    citations_by_query = store_collection.read_citations(snapshot.connection, query_id)
    spans_by_passage: defaultdict[str, defaultdict[tuple[int, int], dict[str, bool]]]
    spans_by_passage = defaultdict(lambda: defaultdict(dict))
    for system, passages in citations_by_query.get(query_id, {}).items():
        top = pool.top[rows[system]]
        for place, citing in zip(top.tolist(), passages, strict=False):
            if place != GAP:
                spans = spans_by_passage[pool.passage_ids[place]]
                for start, end, cited in citing:
                    spans[start, end] |= dict.fromkeys(cited, False)
    ids = {
        cited_id
        for spans in spans_by_passage.values()
        for cited in spans.values()
        for cited_id in cited
    }
    available = store_collection.passage_texts(snapshot.connection, sorted(ids)).keys()
    return {
        passage_id: tuple(
            Citation(
                *span, {cited_id: cited_id in available for cited_id in spans[span]}
            )
            for span in sorted(spans)
        )
        for passage_id, spans in spans_by_passage.items()
    }
