"""Topics of runs and qrels that are subtopics: ``query_id/subtopic_id``, as TREC CAR's.

The query of a topic such as ``a/b/c`` follows from the subtopics that a bank or a file
of queries defines. A topic that is a query already stays one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from sqlite3 import Connection

from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.store.connection import column

Subtopic = tuple[str, str]
"""(query id, subtopic id)"""


@dataclass(frozen=True)
class Topics:
    """The topics of a file that are subtopics of queries; all others are queries.

    ``defined`` are the subtopics that the file itself defines, with their texts,
    ``unmatched`` the topics of known queries that have no such subtopic.
    """

    subtopics: Mapping[str, Subtopic]
    defined: Mapping[Subtopic, str | None]
    unmatched: Collection[str] = ()

    def place(self, topic: str) -> tuple[str, ...]:
        """Return (query id,) or (query id, subtopic id), the key columns of tables."""
        return self.subtopics.get(topic, (topic,))

    def table(self, name: str, topic: str) -> str:
        return f"subtopic_{name}" if topic in self.subtopics else name


def topics_of(
    connection: Connection, parsed: ParsedImport, *, separate: bool
) -> Topics:
    """Return the file's topics in this workspace; all are queries if ``separate``.

    Raises ImportConflictError for a topic that is a subtopic of two queries.
    """
    defined = _subtopics_in(parsed)
    file_topics = dict.fromkeys(ranking.query_id for ranking in parsed.rankings)
    file_topics |= dict.fromkeys(topic for topic, _ in parsed.judgments)
    topics = [topic for topic in file_topics if "/" in topic]
    if separate or not topics:
        return Topics({}, defined)
    queries = {*column(connection, "SELECT query_id FROM query"), *parsed.queries}
    queries |= {question.query_id for question in parsed.questions.values()}
    known_subtopics = defined.keys() | set(
        connection.execute("SELECT query_id, subtopic_id FROM subtopic")
    )
    subtopics: dict[str, Subtopic] = {}
    unmatched: list[str] = []
    for topic in topics:
        if topic in queries:
            continue
        parts = topic.split("/")
        heads = ["/".join(parts[:end]) for end in range(1, len(parts))]
        shortened = [(query_id, topic[len(query_id) + 1 :]) for query_id in heads]
        # A subtopic's id may also be the whole topic.
        unshortened = [(query_id, topic) for query_id in heads]
        candidates = [s for s in shortened if s in known_subtopics] or [
            s for s in unshortened if s in known_subtopics
        ]
        if len(candidates) > 1:
            readings = " or ".join(
                f"'{subtopic_id}' of query '{query_id}'"
                for query_id, subtopic_id in candidates
            )
            raise ImportConflictError(
                parsed.source,
                f"topic '{topic}' can be subtopic {readings}; give one of the queries "
                "another id, or import with --subtopics separate.",
                (topic,),
            )
        if candidates:
            subtopics[topic] = candidates[0]
        elif not queries.isdisjoint(heads):
            unmatched.append(topic)
    return Topics(subtopics, defined, unmatched)


def refuse_subtopic_queries(connection: Connection, source: str) -> None:
    """Raise ImportConflictError for a query named like a subtopic with ranks."""
    for topic in column(
        connection,
        "SELECT query.query_id FROM query JOIN (SELECT query_id, subtopic_id "
        "FROM subtopic_ranking UNION SELECT query_id, subtopic_id "
        "FROM subtopic_judgment) AS placed "
        "ON query.query_id = placed.query_id || '/' || subtopic_id",
    ):
        raise ImportConflictError(
            source,
            f"'{topic}' is a subtopic with ranks or judgments in this workspace, and "
            "cannot be a query too. Import the file into a new workspace.",
            (topic,),
        )


def _subtopics_in(parsed: ParsedImport) -> dict[Subtopic, str | None]:
    """Return the subtopics of the file's queries and of its questions."""
    subtopics: dict[Subtopic, str | None] = {
        (query.query_id, subtopic.subtopic_id): subtopic.text
        for query in parsed.queries.values()
        for subtopic in query.subtopics
    }
    for question in parsed.questions.values():
        if question.subtopic_id is not None:
            subtopics.setdefault((question.query_id, question.subtopic_id), None)
    return subtopics
