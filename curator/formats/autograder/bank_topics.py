"""Titles of queries and texts of facets, gathered from the lines of a bank.

Lines of one query may each state its text, alone or, in the published CAR bank, as
"title / facet"; that bank has no field for the facet's text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NO_FACET = ""
"""Stands for the facet of a line that has none."""


@dataclass
class BankTopic:
    """What lines have said of one query.

    ``line_texts`` holds the first ``query_text`` of the lines of each facet,
    ``facet_texts`` every facet seen and its text, None where it is not known.
    """

    line_texts: dict[str, str] = field(default_factory=dict)
    facet_texts: dict[str, str | None] = field(default_factory=dict)

    def note(
        self, facet_id: str | None, query_text: str | None, facet_text: str | None
    ) -> bool:
        """Take a line's texts; returns whether its ``query_text`` is one of its own.

        Its own: other than that of an earlier line of the same facet.
        """
        if facet_id is not None:
            known = self.facet_texts.get(facet_id)
            self.facet_texts[facet_id] = known or facet_text or None
        if not query_text or not query_text.strip():
            return False
        key = NO_FACET if facet_id is None else facet_id
        return self.line_texts.setdefault(key, query_text) != query_text

    def title(self, *, flat: bool) -> str | None:
        """The query's title, None where no line states one.

        Fills in the facets' texts where they stand behind the title. ``flat`` says
        that the lines are of the published CAR bank's form.
        """
        texts = self.line_texts
        if not texts:
            return None
        if NO_FACET in texts:
            return texts[NO_FACET]
        for facet, text in self.facet_texts.items():
            if text is not None and facet in texts:
                return texts[facet].removesuffix(f" / {text}")
        heads = {text.partition(" / ")[0] for text in texts.values()}
        same = len(set(texts.values())) == 1
        if len(heads) > 1 or any(" / " not in t for t in texts.values()):
            return next(iter(texts.values()))
        if same and not flat:
            return next(iter(texts.values()))  # a title that holds a slash
        for facet, text in texts.items():
            self.facet_texts[facet] = text.partition(" / ")[2]
        return heads.pop()


def take_collections(
    lines: Mapping[str, Sequence[dict[str, Any]]], asked: Collection[str]
) -> dict[str, Any]:
    """The ``test_collection`` of each query's lines, taken from those that name it.

    It is that of the first line that names one. A query without any that is ``asked``
    something has that of the others, if they agree.
    """
    field = "test_collection"
    named = {
        query_id: next(line[field] for line in of_query if field in line)
        for query_id, of_query in lines.items()
        if any(field in line for line in of_query)
    }
    for query_id, name in named.items():
        for line in lines[query_id]:
            if field in line and line[field] == name:
                del line[field]
    only = only_one(named.values())
    others = dict.fromkeys((one for one in lines if one in asked), only)
    return named if only is None else others | named


def only_one(values: Iterable[Any]) -> Any:
    """The value that all of them are, None where they differ or there is none."""
    found = list(values)
    return found[0] if found and found.count(found[0]) == len(found) else None
