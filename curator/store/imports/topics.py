"""The topics of a file: which are subtopics, and which new queries an import may add.

Runs and qrels may name subtopics as ``query_id/subtopic_id``, as TREC CAR's do. The
query of a topic such as ``a/b/c`` follows from the subtopics that a bank or a file of
queries defines. A topic that is a query already stays one.

A topic that matches no query is mostly a misspelt query id. As a new query it would be
empty except for this file, and count as 0 for every other system.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sqlite3 import Connection
from typing import TypeVar

from curator.bank.questions import Question
from curator.bank.wording import comparable
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ImportedGrades, ParsedImport
from curator.formats.text.notices import likely_ids, listed, unmatched_notice
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


T = TypeVar("T")

ADD_HINT = "`--add-queries`, or its box in the browser, adds them."


class AllowedQueries:
    """The queries that the files of an import may contain.

    Existing ones, and those of query files (``query_files``, by position). If these
    have texts, a bank may add another query if its text is new and a run of the import
    ranks it, or there are no runs. If they have none, any file may add a query with a
    text or questions, and without any text every query is allowed whose id is no
    variant spelling of another.
    """

    def __init__(
        self,
        connection: Connection,
        files: Sequence[ParsedImport],
        query_files: Collection[int],
    ) -> None:
        titles = dict(connection.execute("SELECT query_id, title FROM query"))
        described: dict[str, str | None] = {}  # title by id
        topics: set[str] = set()
        ranked: set[str] = set()
        for parsed in files:
            topics.update(topic for topic, _ in parsed.judgments)
            for question in parsed.questions.values():
                described.setdefault(question.query_id, None)
            for query in parsed.queries.values():
                described[query.query_id] = described.get(query.query_id) or query.title
            for ranking in parsed.rankings:
                topics.add(ranking.query_id)
                ranked.update((ranking.query_id, *_possible_queries(ranking.query_id)))
        explicit = {name for number in query_files for name in files[number].queries}
        new = {name: text for name, text in described.items() if name not in titles}

        self._known = set(titles)
        self._by_text: dict[str, str] = {}
        self._same_text: dict[str, str] = {}
        self._add_texts(titles)
        for name in explicit & new.keys():
            if not self._repeats(name, new[name]):
                self._known.add(name)
        self._add_texts({name: described[name] for name in explicit & self._known})
        has_runs = ranked or column(connection, "SELECT 1 FROM system LIMIT 1")
        has_texts = bool(self._by_text)
        for name, text in new.items():
            if name in explicit or self._repeats(name, text):
                continue
            if not has_texts or (text and (name in ranked or not has_runs)):
                self._known.add(name)
        self._allows_any = not has_texts and not any(new.values())
        self._respelled: set[str] = set()
        if not has_texts:
            # Queries and their subtopics share parts of their ids.
            known_ids = [name for name in titles if "/" not in name]
            new_topics = {
                topic for topic in topics.union(described) if "/" not in topic
            } - titles.keys()
            self._respelled.update(likely_ids(new_topics, known_ids))
            known_ids += described.keys() - self._respelled
            self._respelled.update(likely_ids(new_topics - described.keys(), known_ids))

    def _add_texts(self, titles: Mapping[str, str | None]) -> None:
        for query_id, text in titles.items():
            if text:
                self._by_text.setdefault(comparable(text), query_id)

    def _repeats(self, query_id: str, text: str | None) -> bool:
        other = self._by_text.get(comparable(text)) if text else None
        if other is not None:
            self._same_text[query_id] = other
        return other is not None

    def allows(self, query_id: str, *, separate: bool = False) -> bool:
        """Return True if the import may be about this query.

        ``separate``: also topics ``query/subtopic`` of an allowed query.
        """
        if query_id in self._respelled:
            return False
        if self._allows_any or query_id in self._known:
            return True
        return separate and any(
            query in self._known for query in _possible_queries(query_id)
        )

    def notices(self, left_out: Collection[str]) -> list[str]:
        """Return a notice of the topics left out and similar queries."""
        title = "Topics that match no query here, left out"
        allowed_ids = sorted(self._known - self._respelled)
        notices = unmatched_notice(title, left_out, allowed_ids)
        equal_texts = [
            f"'{topic}' and '{self._same_text[topic]}'"
            for topic in left_out
            if topic in self._same_text
        ]
        if equal_texts:
            notices.append(
                f"Equal in text ({len(equal_texts):,}): {listed(equal_texts)}."
            )
        return [" ".join([*notices, ADD_HINT])]


def unranked_notice(connection: Connection) -> list[str]:
    """Return a notice of queries that count in means although no run ranks them."""
    unranked = column(
        connection,
        "SELECT query_id FROM question WHERE state = 'kept' "
        "UNION SELECT query_id FROM judgment UNION SELECT query_id FROM "
        "subtopic_judgment EXCEPT SELECT query_id FROM ranking EXCEPT SELECT query_id "
        "FROM subtopic_ranking",
    )
    ranked = column(
        connection,
        "SELECT query_id FROM ranking UNION SELECT query_id FROM subtopic_ranking",
    )
    title = "Queries that no run here ranks, so every system counts as 0 in them"
    return unmatched_notice(title, unranked, ranked) if ranked else []


def _possible_queries(topic: str) -> list[str]:
    """Return the queries to which a topic "query/subtopic" may belong."""
    return [
        topic[:position] for position, character in enumerate(topic) if character == "/"
    ]


def use_existing_queries(connection: Connection, files: Sequence[ParsedImport]) -> None:
    """Replace ids made of queries' texts by those of queries with these texts.

    Of queries in the workspace, or in another file of the import.
    """
    existing = {
        comparable(query.title): query.query_id
        for parsed in files
        for query in parsed.queries.values()
        if query.title and query.query_id not in parsed.ids_from_texts
    }
    select = "SELECT title, query_id FROM query WHERE title <> ''"
    existing |= {comparable(title): name for title, name in connection.execute(select)}
    for parsed in files:
        _use_existing(parsed, existing)


def _use_existing(parsed: ParsedImport, existing: Mapping[str, str]) -> None:
    new_ids = {
        query_id: existing[comparable(title)]
        for query_id in parsed.ids_from_texts
        if (title := parsed.queries[query_id].title) and comparable(title) in existing
    }
    if not new_ids:
        return
    parsed.queries = {
        new_ids.get(query_id, query_id): replace(
            query, query_id=new_ids.get(query_id, query_id)
        )
        for query_id, query in parsed.queries.items()
    }
    questions = [
        _moved_to(question, new_ids[question.query_id])
        if question.query_id in new_ids
        else question
        for question in parsed.questions.values()
    ]
    parsed.questions = {question.question_id: question for question in questions}


def _moved_to(question: Question, query_id: str) -> Question:
    """Return the question in another query; its id begins with that of its query."""
    own_id = question.question_id.removeprefix(f"{question.query_id}/")
    if own_id != question.question_id:
        own_id = f"{query_id}/{own_id}"
    return replace(question, query_id=query_id, question_id=own_id)


def queries_in(parsed: ParsedImport, topics: Topics) -> dict[str, None]:
    """Return the queries that writing the file would add, in the file's order.

    Without those for which it has only the gold article.
    """
    return dict.fromkeys(
        (
            *parsed.queries,
            *(query_id for query_id, _ in parsed.pooled if query_id not in parsed.gold),
            *(topics.place(ranking.query_id)[0] for ranking in parsed.rankings),
            *(topics.place(topic)[0] for topic, _ in parsed.judgments),
            *(question.query_id for question in parsed.questions.values()),
        )
    )


def leave_out_queries(
    parsed: ParsedImport, topics: Topics, left_out: Collection[str]
) -> None:
    """Remove everything about these queries from a file's content."""
    passages_before = set(passages_in(parsed))
    questions = {
        question_id
        for question_id, question in parsed.questions.items()
        if question.query_id in left_out
    }
    parsed.queries = _without(parsed.queries, left_out)
    parsed.gold = _without(parsed.gold, left_out)
    parsed.questions = _without(parsed.questions, questions)
    parsed.votes = {
        key: vote for key, vote in parsed.votes.items() if key[0] not in questions
    }
    parsed.restricted = [
        query_id for query_id in parsed.restricted if query_id not in left_out
    ]
    parsed.rankings = [
        ranking
        for ranking in parsed.rankings
        if topics.place(ranking.query_id)[0] not in left_out
    ]
    parsed.judgments = {
        key: grade
        for key, grade in parsed.judgments.items()
        if topics.place(key[0])[0] not in left_out
    }
    parsed.pooled = {key: None for key in parsed.pooled if key[0] not in left_out}
    parsed.ideals = {key: None for key in parsed.ideals if key[0] not in left_out}
    pooled = [grades for grades in parsed.grades if grades.pooled]
    others = [grades for grades in parsed.grades if not grades.pooled]
    pooled = [_grades_without(grades, left_out) for grades in pooled]
    parsed.grades = [grades for grades in pooled if len(grades)] + others
    names = questions.union(left_out)
    parsed.extras = {
        key: text
        for key, text in parsed.extras.items()
        if names.isdisjoint(_ids_of_extra(key[1], text))
    }
    unused = passages_before.difference(passages_in(parsed))
    parsed.passages = _without(parsed.passages, unused)


def _ids_of_extra(key: str, text: str) -> list[str]:
    """Return the ids that an extra refers to: in its key, or in its ``at``."""
    value = json.loads(text)
    places = value.get("at") if isinstance(value, dict) else None
    return [*key.split("\t"), *(places if isinstance(places, list) else ())]


def _without(content: dict[str, T], names: Collection[str]) -> dict[str, T]:
    return {name: value for name, value in content.items() if name not in names}


def _grades_without(
    grades: ImportedGrades, left_out: Collection[str]
) -> ImportedGrades:
    kept = ImportedGrades(grades.grader)
    columns = (grades.query_ids, grades.item_ids, grades.passage_ids)
    for row in zip(*columns, grades.raws, grades.ratings, strict=True):
        if row[0] not in left_out:
            kept.append(*row)
    return kept


def passages_in(parsed: ParsedImport) -> Iterator[str]:
    """Yield ids of passages that are ranked, judged or pooled in the file."""
    for ranking in parsed.rankings:
        yield from (slot.passage_id for slot in ranking.slots if slot is not None)
    for _, passage_id in (*parsed.judgments, *parsed.pooled):
        yield passage_id
