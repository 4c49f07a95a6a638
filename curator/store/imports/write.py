"""Writing an import to the workspace, inside one short transaction.

The files were parsed and checked before. Existing data stay, new data are added, and
contradictions are refused, so that importing a file again changes nothing. Versions
change only if something changed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sqlite3 import Connection
from typing import Any

import numpy as np

from curator.bank.edits import Change, SetKey
from curator.bank.marks import Ideal
from curator.bank.marks.ideal import Marked
from curator.bank.marks.vote import Voted
from curator.bank.questions import Question
from curator.collection.citations import CITATIONS, cited_by_response
from curator.collection.pools import OFFICIAL_BOARD, OFFICIAL_SCORE, Query
from curator.edit_words import REWORD
from curator.errors import ImportConflictError
from curator.formats.autograder.grades import STATED_TITLE, stated_title
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import Oddities, counted, likely_ids, unmatched_notice
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store import history, versions
from curator.store.collection import read_citations, read_segments
from curator.store.connection import column, grouped
from curator.store.imports.grades import GradesWriter
from curator.store.imports.rankings import write_rankings
from curator.store.imports.reports import number_reports
from curator.store.imports.topics import (
    AllowedQueries,
    leave_out_queries,
    passages_in,
    queries_in,
    refuse_subtopic_queries,
    topics_of,
)
from curator.store.restricted import read_restrictions, write_restrictions
from curator.store.texts import keyed_text_ids, text_keys

_NOT_IN_COLLECTION = frozenset(
    {
        "questions",
        "nuggets",
        "question texts",
        "nugget texts",
        "answer keys",
        "votes",
        "ideal answers",
        "grades",
    }
)
"""Counts that do not change the collection."""

_ODD = {
    "reports": "[response] with other fields here, which stay.",
    "subtopics": "[topic] read as subtopics of queries here, which get the ranks and "
    "judgments: {}.",
    "separate": "[topic] read as queries of their own, since the query in the name has "
    "no such subtopic here: {}.",
    "titles": "[query/queries] with another title here, which stays.",
    "rankings": "[ranking] with other scores or ranks than in this workspace: what is "
    "here stays, and missing ranks were added.",
    **{
        field: f"[question] with another {field} here, changed here or from another "
        "file; it stays."
        for field in ("text", "subtopic", "text, and another answer key or choices")
    },
    "keys": "[question] with another answer key or other choices here, which stay. "
    "`--take-keys`, or its box in the browser, takes the file's by an edit that can be "
    "undone.",
    "votes": "[vote] with another value here, which stays.",
    "same text": "[grade] left out, since the file grades the same text differently "
    "above.",
    "not in a pool": "[grade] of passages outside the pools, kept in case they join.",
    "unclear": f"[question] without their grades, as they were {REWORD.past} here and "
    "the file does not say which text was graded: {}. Import it together with the bank "
    "that was graded.",
    "queries": "[query/queries] named like a subtopic that was imported later: {}. "
    "Their ranks and judgments stay; to move them to the subtopic, import the bank and "
    "the runs together into a new workspace.",
}


@dataclass(eq=False)
class ImportWriter:
    """Writes one ParsedImport; ``counts`` holds the number of new objects by kind.

    Create it before the transaction in which it writes, since it hashes every text.
    ``stated`` are the questions in the banks of the same import, by id. With
    ``take_keys``, keys and choices that differ are replaced with the file's, by edits.
    ``separate``: topics ``query_id/subtopic_id`` are queries, not subtopics.
    ``allowed`` are the queries that may be added, None for all.
    """

    connection: Connection
    parsed: ParsedImport
    by: str
    stated: Mapping[str, Question] = field(default_factory=dict)
    take_keys: bool = False
    separate: bool = False
    allowed: AllowedQueries | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notices = list(self.parsed.notices)
        self._changed = False  # the collection
        self._text_keys = text_keys(self.parsed.passages.values())
        self._odd = Oddities(_ODD)
        self._grades = GradesWriter(
            self.connection, self.parsed.source, self.stated, self._odd
        )

    def write(self) -> None:
        """Write everything. Raises ImportConflictError if the file contradicts."""
        parsed = self.parsed
        self._topics = topics_of(self.connection, parsed, separate=self.separate)
        self._leave_out_new_queries()
        # First, since another article's ids exist here with other texts.
        articles = self._new_articles()
        documents = self._new_documents()
        number_reports(self.connection, parsed, self._odd)
        self._write_queries()
        self._write_restrictions()
        self._write_subtopics()
        numbers = self._write_passages()
        new = self._write(
            "INSERT INTO segment VALUES (?, ?, ?)",
            (
                (numbers[document], position, numbers[segment])
                for document, segments in documents.items()
                for position, segment in enumerate(segments, 1)
            ),
        )
        self._count("segments", new)
        self._append_to_pools(
            (query_id, numbers[passage_id]) for query_id, passage_id in parsed.pooled
        )
        counts = write_rankings(
            self.connection, parsed, numbers, self._topics, self._odd
        )
        for kind, number in counts.items():
            self._count(kind, number)
        self._write_citations()
        self._write_judgments(numbers)
        self._count("gold articles", len(articles))
        self._write(
            "INSERT INTO gold (query_id, position, passage) VALUES (?, ?, ?)",
            (
                (query_id, position, numbers[passage_id])
                for query_id, passage_ids in articles.items()
                for position, passage_id in enumerate(passage_ids)
            ),
        )
        if self.counts:  # without new data there is nothing to pool
            self._append_to_pools(self._ranked_or_judged())
            self._append_to_pools(self._cited(numbers), "cited passages")
            # Graders see a document's segments instead of it.
            select = (
                "SELECT query_id, segment.passage FROM pool "
                "JOIN segment ON segment.document = pool.passage "
                "ORDER BY query_id, pool.position, segment.position"
            )
            pairs = self.connection.execute(select).fetchall()
            self._append_to_pools(pairs, "pooled segments")
        self._write_questions()
        self._write_votes()
        for grades in parsed.grades:
            self._count("grades", self._grades.write(grades))
        self._grades.derive_vectors()
        self._write_official()
        self._write_extras()
        refuse_subtopic_queries(self.connection, parsed.source)
        self._note_topics()
        self.notices += self._odd.notices()
        self.notices += self._grades.unmatched_notices()
        if self._changed:
            versions.bump(self.connection, [versions.COLLECTION])

    def _note_topics(self) -> None:
        """Note topics that are subtopics, and queries that are named like one."""
        for topic in self._topics.subtopics:
            self._odd.name("subtopics", topic)
        for topic in self._topics.unmatched:
            self._odd.name("separate", topic)
        topics = {ranking.query_id for ranking in self.parsed.rankings}
        topics |= {topic for topic, _ in self.parsed.judgments}
        for topic, *subtopic in self.connection.execute(
            "SELECT query.query_id, subtopic.query_id, subtopic_id FROM subtopic "
            "JOIN query ON query.query_id = subtopic.query_id || '/' || subtopic_id"
        ):
            is_new = topic in topics or tuple(subtopic) in self._topics.defined
            if is_new and not self.separate:
                self._odd.name("queries", topic)

    def _leave_out_new_queries(self) -> None:
        """Remove topics that match no query, unless they may be added."""
        if self.allowed is None:
            return
        left_out = [
            query_id
            for query_id in queries_in(self.parsed, self._topics)
            if not self.allowed.allows(query_id, separate=self.separate)
        ]
        if left_out:
            leave_out_queries(self.parsed, self._topics, set(left_out))
            self._topics = topics_of(
                self.connection, self.parsed, separate=self.separate
            )
            self.notices += self.allowed.notices(left_out)

    def _new_articles(self) -> dict[str, tuple[str, ...]]:
        """Return the gold articles of queries without one, as passage ids by query id.

        Raises ImportConflictError for a second article of a query, and, if there are
        queries, for an article of an unknown query, whose id may be misspelt.
        """
        parsed = self.parsed
        existing = set(column(self.connection, "SELECT query_id FROM query"))
        query_ids = existing | parsed.queries.keys()
        unknown = [query_id for query_id in parsed.gold if query_id not in query_ids]
        if existing and unknown:
            unmatched = unmatched_notice(
                "Gold articles of no query here", unknown, sorted(existing)
            )
            raise self._conflict(
                f"this workspace has no query '{unknown[0]}' for a gold article. "
                "Import queries or runs first, or correct the id. "
                + " ".join(unmatched),
                unknown[0],
            )
        stored = grouped(
            self.connection.execute(
                "SELECT query_id, passage_id, body FROM gold "
                "JOIN passage ON passage.number = gold.passage JOIN text USING "
                "(text_id) ORDER BY query_id, position"
            )
        )
        for query_id in parsed.gold.keys() & stored.keys():
            article = [(p, parsed.passages[p]) for p in parsed.gold[query_id]]
            if stored[query_id] != article:
                raise self._conflict(
                    f"query '{query_id}' has another gold article in this workspace. "
                    "A gold article never changes; import this one into a new "
                    "workspace.",
                    query_id,
                )
        return {q: ids for q, ids in parsed.gold.items() if q not in stored}

    def _new_documents(self) -> dict[str, tuple[str, ...]]:
        """Return the segments of new documents, by passage id.

        Raises ImportConflictError for a passage that exists without segments, or with
        other ones: its grades would change.
        """
        if not self.parsed.segments:
            return {}
        select = "SELECT number, passage_id FROM passage WHERE text_id IS NOT NULL"
        ids = dict[int, str](self.connection.execute(select))
        stored: dict[str, tuple[str, ...]] = dict.fromkeys(ids.values(), ())
        stored |= {
            ids[number]: tuple(ids[part] for part in parts)
            for number, parts in read_segments(self.connection).items()
        }
        new: dict[str, tuple[str, ...]] = {}
        for document, segments in self.parsed.segments.items():
            if stored.get(document, segments) != segments:
                raise self._conflict(
                    f"passage '{document}' is in this workspace without segments, or "
                    "with other ones. Import its segments into a new workspace.",
                    document,
                )
            for segment in segments if document not in stored else ():
                if segment in stored:
                    raise self._conflict(
                        f"'{segment}' is a segment of '{document}' in the file, but "
                        "another passage in this workspace. Give the document another "
                        "id.",
                        document,
                    )
            if document not in stored:
                new[document] = segments
        return new

    def _write_queries(self) -> None:
        """Add new queries; existing titles and backgrounds stay."""
        parsed = self.parsed
        ids = (*queries_in(parsed, self._topics), *parsed.gold)
        mentioned = {q: parsed.queries.get(q) or Query(q) for q in ids}
        titles = dict(self.connection.execute("SELECT query_id, title FROM query"))
        written = self._write(
            "INSERT INTO query VALUES (?, (SELECT coalesce(max(position), 0) + 1 "
            "FROM query), ?, ?) ON CONFLICT (query_id) DO UPDATE SET "
            "title = coalesce(title, excluded.title), "
            "background = coalesce(background, excluded.background) "
            "WHERE title IS NULL AND excluded.title IS NOT NULL "
            "OR background IS NULL AND excluded.background IS NOT NULL",
            (
                (query.query_id, query.title, query.background)
                for query in mentioned.values()
            ),
        )
        without_text = [query_id for query_id, text in titles.items() if text is None]
        if self.allowed is not None and without_text:
            likely = likely_ids(mentioned.keys() - titles.keys(), without_text)
            title = "New queries with nearly the id of one that has no text"
            self.notices += unmatched_notice(title, likely.keys(), without_text)
        new = len(mentioned.keys() - titles.keys())
        self._count("queries", new)
        self._count("query texts", written - new)
        for query_id, query in mentioned.items():
            stored_title = titles.get(query_id) or query.title
            self._odd.count("titles", query.title not in (None, stored_title))

    def _write_subtopics(self) -> None:
        """Add new subtopics, and texts of those without one."""
        texts = self._topics.defined
        existing = set(
            self.connection.execute("SELECT query_id, subtopic_id FROM subtopic")
        )
        written = self._write(
            "INSERT INTO subtopic VALUES (?1, ?2, (SELECT count(*) FROM subtopic "
            "WHERE query_id = ?1), ?3) ON CONFLICT (query_id, subtopic_id) DO UPDATE "
            "SET text = excluded.text WHERE text IS NULL AND excluded.text IS NOT NULL",
            ((*key, text) for key, text in texts.items()),
        )
        new = len(texts.keys() - existing)
        self._count("subtopics", new)
        self._count("subtopic texts", written - new)

    def _write_passages(self) -> dict[str, int]:
        """Add all passages that the file mentions; return passage numbers by id."""
        parsed = self.parsed
        pooled = (passage_id for _, passage_id in parsed.pooled)
        ids = (*parsed.passages, *pooled, *passages_in(parsed))
        mentioned = dict.fromkeys(ids)
        text_keys = {body: self._text_keys[body] for body in parsed.passages.values()}
        text_ids = keyed_text_ids(self.connection, text_keys)
        file_texts = {
            passage_id: text_ids[body] for passage_id, body in parsed.passages.items()
        }
        existing = dict(
            self.connection.execute("SELECT passage_id, text_id FROM passage")
        )
        for passage_id, text_id in file_texts.items():
            if existing.get(passage_id) not in (None, text_id):
                raise self._conflict(
                    f"passage '{passage_id}' has another text in this workspace. A "
                    "passage's text never changes; give the new text a new id.",
                    passage_id,
                )
        written = self._write(
            "INSERT INTO passage (passage_id, text_id) VALUES (?, ?) "
            "ON CONFLICT (passage_id) DO UPDATE SET text_id = excluded.text_id "
            "WHERE text_id IS NULL AND excluded.text_id IS NOT NULL",
            ((passage_id, file_texts.get(passage_id)) for passage_id in mentioned),
        )
        without_text = len(mentioned.keys() - existing.keys() - file_texts.keys())
        segments = {s for document in parsed.segments.values() for s in document}
        new_segments = len(segments - existing.keys())
        self._count("passages", written - without_text - new_segments)
        self._count("passages without text", without_text)
        return dict(self.connection.execute("SELECT passage_id, number FROM passage"))

    def _append_to_pools(
        self, pairs: Iterable[tuple[str, int]], kind: str = "pooled passages"
    ) -> None:
        """Append (query id, passage number) to its pool, once its text is known."""
        pooled = set(self.connection.execute("SELECT query_id, passage FROM pool"))
        select = "SELECT number FROM passage WHERE text_id IS NOT NULL"
        passages_with_text = set(column(self.connection, select))
        new = [
            pair
            for pair in dict.fromkeys(pairs)
            if pair[1] in passages_with_text and pair not in pooled
        ]
        self._write(
            "INSERT INTO pool VALUES (?1, (SELECT coalesce(max(position) + 1, 0) "
            "FROM pool WHERE query_id = ?1), ?2)",
            new,
        )
        self._count(kind, len(new))
        self._grades.grown.update(query_id for query_id, _ in new)

    def _ranked_or_judged(self) -> Iterator[tuple[str, int]]:
        """Yield (query id, passage number) of every ranked or judged passage.

        Rankings first, best ranks first, then judgments: the order never changes once a
        passage is in its pool.
        """
        for prefix in ("", "subtopic_"):
            rankings = grouped(
                self.connection.execute(
                    f"SELECT query_id, passages FROM {prefix}ranking "
                    "ORDER BY query_id, system"
                )
            )
            for query_id, blobs in rankings.items():
                depth = max(map(len, blobs)) // 4
                padded = np.zeros((len(blobs), depth), dtype="<i4")
                for row, blob in zip(padded, blobs, strict=True):
                    row[: len(blob) // 4] = np.frombuffer(blob, dtype="<i4")
                ordered = padded.T.ravel()
                for number in dict.fromkeys(ordered[ordered > 0].tolist()):
                    yield query_id, number
            yield from self.connection.execute(
                f"SELECT query_id, passage FROM {prefix}judgment "
                "ORDER BY query_id, passage"
            ).fetchall()

    def _cited(self, numbers: Mapping[str, int]) -> Iterator[tuple[str, int]]:
        """Yield (query id, passage number) of passages cited in generated reports."""
        for query_id, responses in read_citations(self.connection).items():
            for response in responses.values():
                for passage_id in cited_by_response(response):
                    if passage_id in numbers:
                        yield query_id, numbers[passage_id]

    def _write_citations(self) -> None:
        """Add citations of responses, also of responses imported before."""
        new = self._write(
            "INSERT INTO extra VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                (*key, value)
                for key, value in self.parsed.extras.items()
                if key[0] == CITATIONS
            ),
        )
        self._count("citing responses", new)

    def _write_judgments(self, numbers: Mapping[str, int]) -> None:
        stored = {
            (*place, number): grade
            for select in (
                "SELECT query_id, passage, grade FROM judgment",
                "SELECT query_id, subtopic_id, passage, grade FROM subtopic_judgment",
            )
            for *place, number, grade in self.connection.execute(select)
        }
        rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for (topic, passage_id), grade in self.parsed.judgments.items():
            key = (*self._topics.place(topic), numbers[passage_id])
            old = stored.get(key, grade)
            if old != grade:
                raise self._conflict(
                    f"passage '{passage_id}' is judged {grade} for query '{topic}', "
                    f"but {old} in this workspace. Import one set of judgments only.",
                    topic,
                    passage_id,
                )
            rows[self._topics.table("judgment", topic)].append((*key, grade))
        for table, new_rows in rows.items():
            placeholders = ", ".join("?" * len(new_rows[0]))
            insert = (
                f"INSERT INTO {table} VALUES ({placeholders}) ON CONFLICT DO NOTHING"
            )
            self._count("judgments", self._write(insert, new_rows))

    def _write_questions(self) -> None:
        """Add new questions as a batch of the history.

        Edits of a question here stay. Raises ImportConflictError for an id that belongs
        to another item in this workspace.
        """
        parsed = self.parsed.questions
        changes: list[Change] = []
        filled: list[tuple[Question, Question]] = []
        keys: list[SetKey] = []
        bank = store_bank.read_bank(self.connection)
        current = {question.question_id: question for question in bank}
        for question_id, question in parsed.items():
            old = current.get(question_id)
            if old is None:
                changes.append(Change("import", question.query_id, after=question))
            elif old.query_id != question.query_id or old.kind != question.kind:
                raise self._conflict(
                    f"'{question_id}' is a {old.kind} of query '{old.query_id}' in "
                    "this workspace. Give the new item another id.",
                    question_id,
                )
            elif question.text is None:
                continue
            elif old.text is None:
                after = replace(
                    question,
                    state=old.state,
                    subtopic_id=old.subtopic_id or question.subtopic_id,
                    revision=old.revision + 1,
                )
                filled.append((old, after))
                changes.append(Change("import", old.query_id, before=old, after=after))
            else:
                self._odd.count("text", question.text != old.text)
                moved = question.subtopic_id != old.subtopic_id
                self._odd.count("subtopic", moved)
                if key := self._other_key(question, old):
                    if question.text == old.text:
                        keys.append(key)
                    else:  # they belong to its text
                        self._odd.count("text, and another answer key or choices")
        if any(question.text for question in current.values()):
            wordless = {question_id for question_id, q in parsed.items() if not q.text}
            self.notices += unmatched_notice(
                "Items without a text, whose ids no bank here has",
                wordless - current.keys(),
                [
                    question.question_id
                    for question in current.values()
                    if question.text
                ],
            )
        if changes:
            history.record(self.connection, changes, by=self.by, kind="import")
            self._grades.fill_items(filled)
            self._grades.add_items(change.after for change in changes if change.after)
        for change in changes:
            assert change.after is not None  # no question leaves by an import
            kind = change.after.kind
            self._count(f"{kind} texts" if change.before else f"{kind}s", 1)
        self._offer_keys(keys)

    def _other_key(self, question: Question, old: Question) -> SetKey | None:
        """Return the edit that sets the file's key and choices, or None.

        None if they are equal; a key or choices missing in the file stay.
        """
        key = SetKey(
            old.question_id,
            question.answers or None,
            question.choices or None,
            source=self.parsed.source,
            aggregator=question.aggregator if question.answers else None,
        )
        values = {
            name: getattr(key, name) for name in ("answers", "choices", "aggregator")
        }
        stated = {name: value for name, value in values.items() if value is not None}
        after = replace(old, **stated)
        return key if after != old else None

    def _offer_keys(self, keys: Sequence[SetKey]) -> None:
        """Apply the file's keys as one edit if requested, else add a notice."""
        if not self.take_keys:
            self._odd.count("keys", len(keys))
        elif keys:
            store_edits.apply(self.connection, keys, by=self.by)
            self._count("answer keys", len(keys))
            self.notices.append(
                f"{counted(len(keys), 'question')} took the answer key or the choices "
                f"of {self.parsed.source}, by an edit that can be undone."
            )

    def name_passages_without_text(self) -> None:
        """Add a notice of the file's passages without a text here.

        Call after every file of the import has been written, since each may bring
        texts.
        """
        select = "SELECT passage_id FROM passage WHERE text_id IS NOT NULL"
        passages_with_text = set(column(self.connection, select))
        if passages_with_text:
            unmatched = set(passages_in(self.parsed)) - passages_with_text
            title = "Passages without a text here"
            self.notices += unmatched_notice(title, unmatched, passages_with_text)

    def write_ideals(self) -> None:
        """Mark the pooled passages that the file refers to as ideal answers.

        Call after every file of the import has been written, since each may pool them.
        Passages that a judge has marked or unmarked here stay.
        """
        references = dict(self.parsed.ideals)
        if not references:
            return
        pooled = set(
            self.connection.execute(
                "SELECT query_id, passage_id FROM pool "
                "JOIN passage ON passage.number = pool.passage"
            )
        )
        if unpooled := len(references.keys() - pooled):
            self.notices.append(
                f"{counted(unpooled, 'reference')} to passages outside the query's "
                "pool: kept for exports, but not marked as ideal answers."
            )
        decided = set(
            self.connection.execute(
                "SELECT query_id, json_extract(after, '$.passage_id') FROM event "
                "WHERE event.kind IN ('ideal', 'undo ideal', 'redo ideal') "
                "AND json_extract(after, '$.start') = 0 "
                "AND json_extract(after, '$.end') IS NULL"
            )
        )
        new = pooled - decided
        changes = [
            Change("ideal", query_id, mark=Marked(Ideal(passage_id), False, True))
            for query_id, passage_id in references
            if (query_id, passage_id) in new
        ]
        if changes:
            history.record(self.connection, changes, by=self.by, kind="import")
            self._count("ideal answers", len(changes))

    def _write_votes(self) -> None:
        """Add new votes, each judge's as a batch of the history.

        If a judge has voted here, or has undone a vote, that counts and not the file.
        """
        votes_here = {
            (question_id, judge): value
            for question_id, judge, value in self.connection.execute(
                "SELECT json_extract(after, '$.question_id'), by, "
                "json_extract(after, '$.vote') FROM event JOIN batch USING (batch_id) "
                "WHERE event.kind IN ('vote', 'undo vote', 'redo vote') "
                "ORDER BY event_id"
            )
        }
        changes: defaultdict[str, list[Change]] = defaultdict(list)
        for (question_id, judge), vote in self.parsed.votes.items():
            if (question_id, judge) in votes_here:
                differs = votes_here[question_id, judge] != vote
                self._odd.count("votes", differs)
                continue
            question = store_bank.read_question(self.connection, question_id)
            assert question is not None  # the reader names no vote without its question
            mark = Voted(question_id, None, vote)
            changes[judge].append(Change("vote", question.query_id, mark=mark))
        for judge, judge_changes in changes.items():
            history.record(self.connection, judge_changes, by=judge, kind="import")
            self._count("votes", len(judge_changes))

    def _write_official(self) -> None:
        systems = column(self.connection, "SELECT system FROM system")
        if systems:
            unmatched = self.parsed.official.keys() - set(systems)
            title = "Systems with an official rank and without a run here"
            self.notices += unmatched_notice(title, unmatched, systems)
        if self.parsed.official_name:
            self._name_official(self.parsed.official_name)
            return
        stored = dict(self.connection.execute("SELECT system, rank FROM official"))
        for system, rank in self.parsed.official.items():
            if stored.get(system, rank) != rank:
                raise self._conflict(
                    f"'{system}' has official rank {rank:g}, but {stored[system]:g} in "
                    "this workspace. Give another board a name: --official-name.",
                    system,
                )
        new = self._write(
            "INSERT INTO official VALUES (?, ?) ON CONFLICT DO NOTHING",
            self.parsed.official.items(),
        )
        self._count("official ranks", new)

    def _name_official(self, name: str) -> None:
        """Add the ranks as a further official board, with its scores if there are any.

        Raises ImportConflictError if another board has the name.
        """
        ranks, scores = self.parsed.official, dict[str, float]()
        for key in [key for key in self.parsed.extras if key[::2] == OFFICIAL_SCORE]:
            scores[key[1]] = float(self.parsed.extras.pop(key))
        board = json.dumps({"ranks": ranks, "scores": scores}, ensure_ascii=False)
        entity, format_name = OFFICIAL_BOARD
        select = "SELECT json FROM extra WHERE entity = ? AND key = ? AND format = ?"
        stored = column(self.connection, select, entity, name, format_name)
        if stored not in ([], [board]):
            raise self._conflict(
                f"'{name}' is another official board here; give this one another name.",
                name,
            )
        self.parsed.extras[entity, name, format_name] = board
        self._count("official ranks", len(ranks) if not stored else 0)

    def _write_restrictions(self) -> None:
        """Restrict the file's restricted queries, unless decided otherwise here."""
        decided = {
            restriction.query_id for restriction in read_restrictions(self.connection)
        }
        requested = [
            query_id for query_id in self.parsed.restricted if query_id not in decided
        ]
        by, at = self.by, history.now()
        new = write_restrictions(self.connection, requested, lifted=False, by=by, at=at)
        self._count("restricted queries", len(new))

    def _write_extras(self) -> None:
        """Store the fields that have no other table, except known titles."""
        rows = self.connection.execute("SELECT query_id, title FROM query")
        known_fields = {
            (STATED_TITLE, query_id): stated_title(title or query_id)
            for query_id, title in rows
        }
        new = self._write(
            "INSERT INTO extra VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                (*key, value)
                for key, value in self.parsed.extras.items()
                if known_fields.get(key[:2]) != value
            ),
        )
        self._changed |= new > 0

    def _write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Execute the statement for the rows; return how many were added or changed."""
        return max(self.connection.executemany(sql, rows).rowcount, 0)

    def _count(self, kind: str, number: int) -> None:
        if number:
            self.counts[kind] = self.counts.get(kind, 0) + number
            self._changed |= kind not in _NOT_IN_COLLECTION

    def _conflict(self, message: str, *names: str) -> ImportConflictError:
        return ImportConflictError(self.parsed.source, message, names)
