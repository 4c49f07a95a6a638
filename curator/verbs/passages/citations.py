"""What the sentences of generated reports cite, by the passage they stand in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from curator.collection.pools import GAP
from curator.engine.state import State
from curator.store import collection as store_collection


@dataclass(frozen=True, slots=True)
class Citation:
    """A stretch of a passage that cites: where it stands, and what it rests on.

    ``cited`` maps the ids of what it cites to whether their texts are here.
    """

    start: int
    end: int
    cited: dict[str, bool]


def citations(state: State, query_id: str) -> Mapping[str, tuple[Citation, ...]]:
    """What each passage of the query's reports cites, in the order of its text.

    Reports that say the same share their passages, and a stretch has what any of them
    cites there: nobody learns which one.
    """
    pool = state.collection.pools[query_id]
    if not len(pool.citations):
        return {}
    return state.cached(("citations", query_id), lambda: _read(state, query_id))


def _read(state: State, query_id: str) -> dict[str, tuple[Citation, ...]]:
    whole = state.whole.collection
    pool, rows = whole.pools[query_id], {s: i for i, s in enumerate(whole.systems)}
    read = store_collection.read_citations(state.connection, query_id)
    found: defaultdict[str, defaultdict[tuple[int, int], dict[str, bool]]]
    found = defaultdict(lambda: defaultdict(dict))
    for system, passages in read.get(query_id, {}).items():
        top = pool.top[rows[system]]
        for place, stretches in zip(top.tolist(), passages, strict=False):
            if place != GAP:
                of = found[pool.passage_ids[place]]
                for start, end, cited in stretches:
                    of[start, end] |= dict.fromkeys(cited, False)
    ids = {one for of in found.values() for cited in of.values() for one in cited}
    here = store_collection.passage_texts(state.connection, sorted(ids)).keys()
    return {
        passage_id: tuple(
            Citation(*span, {one: one in here for one in of[span]})
            for span in sorted(of)
        )
        for passage_id, of in found.items()
    }
