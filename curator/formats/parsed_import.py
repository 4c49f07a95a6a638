"""The parsed and checked content of an imported file.

Every reader returns one ParsedImport; the store writes it in one short transaction. The
readers know file formats, the store knows tables, and this is all they share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from curator.bank.marks import Importance
from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.collection.rankings import Ranking
from grading.responders import GraderSpec

Progress = Callable[[int, int], None]  # bytes read, bytes in the file


@dataclass
class ImportedGrades:
    """A grader's records of a file, in columns of equal length.

    ``item_ids`` are question ids, or query ids for a direct relevance grader.
    ``raws`` are the model's own words (None where the file has none), ``ratings``
    the ratings 0-5 the file gives, 1/0 for "answered" and for a grader that checked
    an answer key, probabilities in [0, 1] for one that gives these, and UNREADABLE
    where it gives none. ``pooled``: the file puts what is graded into the pools; where
    it does not, it grades what the workspace has.
    """

    grader: GraderSpec
    query_ids: list[str] = field(default_factory=list)
    item_ids: list[str] = field(default_factory=list)
    passage_ids: list[str] = field(default_factory=list)
    raws: list[str | None] = field(default_factory=list)
    ratings: list[float] = field(default_factory=list)
    pooled: bool = True

    def append(
        self,
        query_id: str,
        item_id: str,
        passage_id: str,
        raw: str | None,
        rating: float,
    ) -> None:
        """Add one record."""
        self.query_ids.append(query_id)
        self.item_ids.append(item_id)
        self.passage_ids.append(passage_id)
        self.raws.append(raw)
        self.ratings.append(rating)

    def __len__(self) -> int:
        return len(self.ratings)


@dataclass
class ParsedImport:
    """One file's content. ``taken_for`` says in words what it was read as.

    ``passages`` maps passage id to text. ``judgments`` and ``pooled`` are keyed by
    (query id, passage id); ``pooled`` lists pairs a file puts into a query's pool
    though no run or judgment in it does. ``gold`` maps query id to the passage ids of
    its gold article, in the article's order, ``ideals`` are (query id, passage id) of
    what a file refers to as an answer, ``segments`` a passage that is a document
    of several to theirs, whose texts are in ``passages`` too. ``questions`` holds a
    Question with text None for an id that the file only mentions. ``extras`` keeps
    fields that have no other home as {(entity, key, format): JSON text}, so that an
    export gives them back.
    ``restricted`` are queries whose texts organizers alone are to be shown.
    ``ids_from_texts`` are query ids that the reader made of the queries' texts.
    ``notices`` are sentences about what was odd but could be read.
    """

    source: str
    taken_for: str
    queries: dict[str, Query] = field(default_factory=dict)
    passages: dict[str, str] = field(default_factory=dict)
    pooled: dict[tuple[str, str], None] = field(default_factory=dict)
    rankings: list[Ranking] = field(default_factory=list)
    judgments: dict[tuple[str, str], int] = field(default_factory=dict)
    gold: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ideals: dict[tuple[str, str], None] = field(default_factory=dict)
    segments: dict[str, tuple[str, ...]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    votes: dict[tuple[str, str], Importance] = field(default_factory=dict)
    grades: list[ImportedGrades] = field(default_factory=list)
    official: dict[str, float] = field(default_factory=dict)
    official_name: str = ""
    extras: dict[tuple[str, str, str], str] = field(default_factory=dict)
    restricted: list[str] = field(default_factory=list)
    ids_from_texts: set[str] = field(default_factory=set)
    notices: list[str] = field(default_factory=list)
