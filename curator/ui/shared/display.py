"""What a judge sees while editing, in words that the history keeps."""

from __future__ import annotations

from collections.abc import Sequence

from curator.collection.pools import UNJUDGED, Collection
from curator.evaluation.settings import Settings
from curator.ui.shared.board_rows import settings_words
from curator.verbs.setup.status import GraderState

BLIND = "blind: system names masked, judgments and official ranks hidden"


def shown_words(
    collection: Collection,
    query_id: str,
    settings: Settings | None,
    graders: Sequence[GraderState],
) -> str:
    """``P@20 · flan-t5-large · rating ≥ 4; with system names, judgments``."""
    under = "no grades" if settings is None else settings_words(settings, graders)
    if collection.blind:
        return f"{under}; {BLIND}"
    judged = bool((collection.pools[query_id].judgments != UNJUDGED).any())
    seen = {
        "system names": bool(collection.systems),
        "judgments": judged,
        "official ranks": bool(collection.official),
    }
    said = ", ".join(name for name, there in seen.items() if there)
    return f"{under}; with {said}" if said else under
