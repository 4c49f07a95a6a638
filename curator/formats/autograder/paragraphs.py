"""``paragraph_data`` of Autograder's interchange file: judgments and rankings.

Both may be of a subtopic (``<query_id>/<subtopic_id>``, as in TREC CAR). Where a query
has none of its own, the best of its subtopics' stands for it: the highest judgment of
a passage, and its best rank by a system.
"""

from __future__ import annotations

import json
import math
from typing import Any

from curator.collection.rankings import RankedPassage
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import Oddities
from curator.formats.text.records import (
    MAX_GRADE,
    MAX_RANK,
    FileLocation,
    JsonPlace,
    Record,
    described,
    name_of,
    number_of,
    record_of,
    text_of,
    whole_number,
)
from curator.formats.trec.runs import RankedLists

STATED_TITLE = "stated_title"
_DATA_FIELDS = {"judgments", "rankings"}
_JUDGMENT_FIELDS = {"paragraphId", "query", "relevance"}
_RANKING_FIELDS = {"paragraphId", "queryId", "rank", "score"}
_ODD = {
    "judgments": "[judgment] taken from subtopics, the highest of each passage.",
    "rankings": "[ranking] merged from subtopics, each passage at its best rank.",
    "titles": "[judgment] with another titleQuery than the first of the query, which "
    "is kept as its title.",
}


def stated_title(title: str | None) -> str:
    """The extra of this entity, which is kept of a query with another title only."""
    return json.dumps({"titleQuery": title}, separators=(",", ":"))


class ParagraphData:
    """Judgments and rankings gathered over a file, query by query."""

    def __init__(self, parsed: ParsedImport) -> None:
        self._judgments = parsed.judgments
        self.lists = RankedLists()
        self.odd = Oddities(_ODD)
        self._names: set[str] = set()
        self._start_query()

    def _start_query(self) -> None:
        self._title: str | None = None
        self._stated: str | None = None  # the query's first titleQuery, as an extra
        self._of_subtopics: dict[str, int] = {}  # passage id -> best judgment
        self._best: dict[str, dict[str, RankedPassage]] = {}  # system -> passage id ->
        self._systems: set[str] = set()  # with a ranking of the query itself

    def add(self, query_id: str, passage_id: str, data: Record) -> dict[str, Any]:
        """Take a passage's data; return what of it has no other home, by field."""
        more = {k: v for k, v in data.items() if k not in _DATA_FIELDS or v is None}
        others: dict[str, Any] = {"paragraph_data": more} if more else {}
        for name, take, whose in (
            ("judgments", self._take_judgment, "query"),
            ("rankings", self._take_ranking, "queryId"),
        ):
            kept = []
            for entry in data.items_of(name):
                record_of(data.place, entry, f"an entry of {name}")
                named = entry.get("paragraphId")
                if named is not None and str(named) != passage_id:
                    raise data.at(name).error(
                        f"an entry of passage '{passage_id}' names paragraphId "
                        f"{described(named)}; they must agree."
                    )
                kept.append(take(data.place, query_id, passage_id, entry))
            # Beside a subtopic's, that the query has its own is to be known too.
            parts = {entry.get("method") for entry in kept if whose in entry}
            if kept := [
                entry
                for entry in kept
                if entry.get("method") in parts or entry.keys() - {"method"}
            ]:
                others[name] = kept
        return others

    def finish_query(self, query_id: str) -> tuple[str | None, str | None]:
        """The query's title, if a judgment states one, and what ``stated_title`` is.

        Call after its last passage.
        """
        for passage_id, grade in self._of_subtopics.items():
            self.odd.count("judgments", (query_id, passage_id) not in self._judgments)
            self._judgments.setdefault((query_id, passage_id), grade)
        for system in self._best.keys() - self._systems:
            self.odd.count("rankings")
            for line in self._best[system].values():
                self.lists.add(system, query_id, line)
        title, stated = self._title, self._stated
        self._start_query()
        return title, stated

    def _take_judgment(
        self, place: JsonPlace, query_id: str, passage_id: str, entry: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the entry if it is of a subtopic, else its unknown fields."""
        relevance, what = entry.get("relevance"), f"relevance of passage '{passage_id}'"
        grade = whole_number(place, relevance, what, -MAX_GRADE, MAX_GRADE)
        title = text_of(place, entry.get("titleQuery"), "titleQuery")
        if title and title.strip() and title != query_id:
            if self._title is None:
                self._title = title
            self.odd.count("titles", title != self._title)
        if _is_of_subtopic(query_id, entry.get("query"), place):
            best = self._of_subtopics.get(passage_id, grade)
            self._of_subtopics[passage_id] = max(best, grade)
            return entry
        stored = self._judgments.setdefault((query_id, passage_id), grade)
        if stored != grade:
            raise place.error(
                f"passage '{passage_id}' is judged {stored} and {grade} for query "
                f"'{query_id}'; keep one of the judgments."
            )
        if "titleQuery" in entry:
            stated = stated_title(title)
            self._stated = self._stated or stated
            if stated == self._stated:
                del entry["titleQuery"]
        return {k: v for k, v in entry.items() if k not in _JUDGMENT_FIELDS}

    def _take_ranking(
        self, place: JsonPlace, query_id: str, passage_id: str, entry: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the entry if it is of a subtopic, else method and unknown fields."""
        system = entry.get("method")
        if type(system) is not str or system not in self._names:
            system = name_of(place, system, "method")
            self._names.add(system)
        rank, score = entry.get("rank"), entry.get("score")
        if type(rank) is not int or not 0 <= rank <= MAX_RANK:
            rank = whole_number(place, rank, f"rank by '{system}'", 0, MAX_RANK)
        if type(score) is not float or not math.isfinite(score):
            score = number_of(place, score, f"score by '{system}'")
        line = RankedPassage(passage_id, rank, score)
        if _is_of_subtopic(query_id, entry.get("queryId"), place):
            best = self._best.setdefault(system, {})
            if passage_id not in best or rank < best[passage_id].rank:
                best[passage_id] = line
            return entry
        self._systems.add(system)
        self.lists.add(system, query_id, line)
        return {k: v for k, v in entry.items() if k not in _RANKING_FIELDS}


def _is_of_subtopic(query_id: str, named: object, place: FileLocation) -> bool:
    """Return True if an entry names a subtopic, False if it names the query or none.

    Raises the place's error for another query.
    """
    if named is None or str(named) == query_id:
        return False
    if not (isinstance(named, str) and named.startswith(f"{query_id}/")):
        raise place.error(
            f"an entry in query '{query_id}' names query {described(named)}; expected "
            f"'{query_id}' or '{query_id}/<subtopic>'."
        )
    return True
