"""Topics of runs and qrels that are subtopics: ``query_id/subtopic_id``, as TREC CAR's.

Which query a topic such as ``a/b/c`` is of is for the subtopics to say that a bank or
a file of queries brought. A topic that is a query here already stays one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sqlite3 import Connection

from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import counted
from curator.store.connection import column

Subtopic = tuple[str, str]
"""(query id, subtopic id)."""


@dataclass(frozen=True)
class Topics:
    """Which topics of a file are a query's subtopics; all others are queries.

    ``brought`` are the subtopics that the file names itself, with their texts.
    """

    subtopics: Mapping[str, Subtopic]
    brought: Mapping[Subtopic, str | None]
    notices: tuple[str, ...] = ()

    def place(self, topic: str) -> tuple[str, ...]:
        """(query id,) or (query id, subtopic id), which tables are keyed by."""
        return self.subtopics.get(topic, (topic,))

    def table(self, name: str, topic: str) -> str:
        """Where a ranking or judgment of the topic is kept."""
        return f"subtopic_{name}" if topic in self.subtopics else name


def topics_of(
    connection: Connection, parsed: ParsedImport, *, separate: bool
) -> Topics:
    """What the file's topics are in this workspace; all queries if ``separate``.

    Raises ImportConflictError for a topic that two queries have a subtopic for.
    """
    brought = _subtopics_in(parsed)
    asked = dict.fromkeys(one.query_id for one in parsed.rankings)
    asked |= dict.fromkeys(topic for topic, _ in parsed.judgments)
    topics = [topic for topic in asked if "/" in topic]
    if separate or not topics:
        return Topics({}, brought)
    queries = {*column(connection, "SELECT query_id FROM query"), *parsed.queries}
    queries |= {question.query_id for question in parsed.questions.values()}
    known = brought.keys() | set(
        connection.execute("SELECT query_id, subtopic_id FROM subtopic")
    )
    found: dict[str, Subtopic] = {}
    strange: dict[str, str] = {}  # topic -> the query it names
    for topic in topics:
        if topic in queries:
            continue
        heads = [topic[:at] for at, sign in enumerate(topic) if sign == "/"]
        may_be = [(q, topic[len(q) + 1 :]) for q in heads]
        may_be = [one for one in may_be if one in known] or [
            (q, topic)
            for q in heads
            if (q, topic) in known  # its id in full
        ]
        if len(may_be) > 1:
            readings = " or ".join(f"'{s}' of query '{q}'" for q, s in may_be)
            raise ImportConflictError(
                parsed.source,
                f"topic '{topic}' can be subtopic {readings}; give one of the queries "
                "another id, or import with --subtopics separate.",
                (topic,),
            )
        if may_be:
            found[topic] = may_be[0]
        elif of := [q for q in heads if q in queries]:
            strange[topic] = of[-1]
    notices = []
    if found:
        be = "is a subtopic" if len(found) == 1 else "are subtopics"
        notices.append(
            f"{counted(len(found), 'topic')} {be} of queries here, such as "
            f"'{next(iter(found))}': ranks and judgments go to them."
        )
    for topic, query_id in [*strange.items()][:1]:
        be = "is a query of its" if len(strange) == 1 else "are queries of their"
        notices.append(
            f"{counted(len(strange), 'topic')} {be} own, such as '{topic}': query "
            f"'{query_id}' has no such subtopic here."
        )
    return Topics(found, brought, tuple(notices))


def named_as_subtopics(
    connection: Connection, parsed: ParsedImport, topics: Topics
) -> str:
    """That queries stay which the file, or its subtopics, would have as subtopics."""
    asked = {one.query_id for one in parsed.rankings} | {t for t, _ in parsed.judgments}
    stay = [
        topic
        for topic, *subtopic in connection.execute(
            "SELECT query.query_id, subtopic.query_id, subtopic_id FROM subtopic "
            "JOIN query ON query.query_id = subtopic.query_id || '/' || subtopic_id"
        )
        if topic in asked or tuple(subtopic) in topics.brought
    ]
    if not stay:
        return ""
    came, named = ("query", "it") if len(stay) == 1 else ("queries", "them")
    return (
        f"{len(stay):,} {came} of the name of a subtopic, such as '{stay[0]}', came in "
        f"before it was known, and what ranks and judges {named} stays there: import "
        "bank and runs together, in a new workspace, to have it go to subtopics."
    )


def refuse_both(connection: Connection, source: str) -> None:
    """Raise ImportConflictError for a query with the name of a subtopic with ranks."""
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
            "cannot be a query too. Import the file into a workspace of its own.",
            (topic,),
        )


def _subtopics_in(parsed: ParsedImport) -> dict[Subtopic, str | None]:
    """Those that the file's queries have, and those that its questions name."""
    found: dict[Subtopic, str | None] = {
        (query.query_id, subtopic.subtopic_id): subtopic.text
        for query in parsed.queries.values()
        for subtopic in query.subtopics
    }
    for question in parsed.questions.values():
        if question.subtopic_id is not None:
            found.setdefault((question.query_id, question.subtopic_id), None)
    return found
