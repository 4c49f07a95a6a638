"""Writing what a file brought, inside one short transaction.

Everything was parsed and checked before; here it meets what the workspace holds. What
is there already stays, what is new is added, and what contradicts is refused, so that
importing a file again changes nothing. No clock moves unless something changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from curator.errors import ImportConflictError
from curator.formats.autograder.paragraphs import STATED_TITLE, stated_title
from curator.formats.parsed_import import ParsedImport
from curator.store import versions
from curator.store.imports.collection import (
    append_to_pools,
    new_articles,
    ranked_or_judged,
    write_articles,
    write_queries,
    write_subtopics,
)
from curator.store.imports.grades import GradesWriter
from curator.store.imports.questions import write_questions, write_votes
from curator.store.imports.rankings import write_rankings
from curator.store.imports.reports import settle_reports
from curator.store.texts import keyed_text_ids, text_keys

Connection = sqlite3.Connection

_NOT_OF_THE_COLLECTION = frozenset(
    {"questions", "nuggets", "question texts", "nugget texts", "votes", "grades"}
)
"""What is counted and does not change the collection."""


class ImportWriter:
    """Writes one ParsedImport; ``counts`` says how many of each kind were new.

    Make it before the transaction in which it writes: its making hashes every text.
    ``words`` are the texts that the banks of the same import have, by question id.
    """

    def __init__(
        self,
        connection: Connection,
        parsed: ParsedImport,
        *,
        by: str,
        words: Mapping[str, str] | None = None,
    ) -> None:
        self._connection = connection
        self._parsed = parsed
        self._by = by
        self._scopes: dict[str, None] = {}
        self._text_keys = text_keys(parsed.passages.values())
        self._grades = GradesWriter(connection, parsed.source, words or {})
        self.counts: dict[str, int] = {}
        self.notices: list[str] = list(parsed.notices)

    def write(self) -> None:
        """Write everything. Raises ImportConflictError where the file contradicts."""
        parsed = self._parsed
        # First of all: the ids of another article are known, under other texts.
        articles = new_articles(self._connection, parsed)
        self.notices += settle_reports(self._connection, parsed)
        self._take(*write_queries(self._connection, self._parsed))
        self._take(write_subtopics(self._connection, self._parsed))
        passages = self._write_passages()
        self._append_to_pools((query_id, passages[p]) for query_id, p in parsed.pooled)
        self._take(*write_rankings(self._connection, parsed, passages))
        self._write_judgments(passages)
        self._count("gold articles", len(articles))
        write_articles(self._connection, articles, passages)
        if self.counts:  # where nothing is new, there is nothing to pool
            self._append_to_pools(ranked_or_judged(self._connection))
        self._write_questions()
        for grades in parsed.grades:
            self._count("grades", self._grades.write(grades))
        self._grades.derive_vectors()
        self.notices += self._grades.notices()
        self._write_official()
        self._write_extras()
        versions.bump(self._connection, self._scopes)

    def _write_passages(self) -> dict[str, int]:
        """Passage number by id, for every passage the file mentions."""
        parsed = self._parsed
        mentioned = dict.fromkeys(
            (
                *parsed.passages,
                *(passage_id for _, passage_id in parsed.pooled),
                *(
                    slot.passage_id
                    for ranking in parsed.rankings
                    for slot in ranking.slots
                    if slot is not None
                ),
                *(passage_id for _, passage_id in parsed.judgments),
            )
        )
        known: dict[str, tuple[int, int | None]] = {
            passage_id: (number, text_id)
            for passage_id, number, text_id in self._connection.execute(
                "SELECT passage_id, number, text_id FROM passage"
            )
            if passage_id in mentioned
        }
        texts = keyed_text_ids(self._connection, self._text_keys)
        filled = []
        for passage_id, body in parsed.passages.items():
            number, text_id = known.get(passage_id, (0, None))
            if text_id is not None and text_id != texts[body]:
                raise ImportConflictError(
                    parsed.source,
                    f"passage '{passage_id}' has another text in this workspace. A "
                    "passage's text never changes; give the new text a new id.",
                    (passage_id,),
                )
            if number and text_id is None:
                filled.append((texts[body], number))
        new = [passage_id for passage_id in mentioned if passage_id not in known]
        self._connection.executemany(
            "INSERT INTO passage (passage_id, text_id) VALUES (?, ?)",
            [
                (passage_id, texts.get(parsed.passages.get(passage_id, "")))
                for passage_id in new
            ],
        )
        self._connection.executemany(
            "UPDATE passage SET text_id = ? WHERE number = ?", filled
        )
        new_texts = sum(passage_id in parsed.passages for passage_id in new)
        self._count("passages", new_texts + len(filled))
        self._count("passages without text", len(new) - new_texts)
        return {
            passage_id: number
            for passage_id, number in self._connection.execute(
                "SELECT passage_id, number FROM passage"
            )
            if passage_id in mentioned
        }

    def _append_to_pools(self, pairs: Iterable[tuple[str, int]]) -> None:
        appended = append_to_pools(self._connection, pairs, self._grades)
        self._count("pooled passages", appended)

    def _write_judgments(self, passages: dict[str, int]) -> None:
        known = {
            (query_id, number): grade
            for query_id, number, grade in self._connection.execute(
                "SELECT query_id, passage, grade FROM judgment"
            )
        }
        rows = []
        for (query_id, passage_id), grade in self._parsed.judgments.items():
            old = known.get((query_id, passages[passage_id]))
            if old is None:
                rows.append((query_id, passages[passage_id], grade))
            elif old != grade:
                raise ImportConflictError(
                    self._parsed.source,
                    f"passage '{passage_id}' is judged {grade} for query '{query_id}', "
                    f"but {old} in this workspace. Import one set of judgments only.",
                    (query_id, passage_id),
                )
        self._insert("judgments", "INSERT INTO judgment VALUES (?, ?, ?)", rows)

    def _write_official(self) -> None:
        known = dict(self._connection.execute("SELECT system, rank FROM official"))
        for system, rank in self._parsed.official.items():
            if known.get(system, rank) != rank:
                raise ImportConflictError(
                    self._parsed.source,
                    f"'{system}' has official rank {rank:g}, but {known[system]:g} in "
                    "this workspace. Only one official board can stand in a workspace.",
                    (system,),
                )
        self._insert(
            "official ranks",
            "INSERT INTO official VALUES (?, ?)",
            [item for item in self._parsed.official.items() if item[0] not in known],
        )

    def _write_extras(self) -> None:
        extras = self._parsed.extras.items()
        if any(entity == STATED_TITLE for (entity, _, _), _ in extras):
            rows = self._connection.execute("SELECT query_id, title FROM query")
            known = {
                (STATED_TITLE, query_id): stated_title(title or query_id)
                for query_id, title in rows
            }
            extras = {k: v for k, v in extras if known.get(k[:2]) != v}.items()
        cursor = self._connection.executemany(
            "INSERT INTO extra VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(*key, value) for key, value in extras],
        )
        if cursor.rowcount > 0:
            self._touch(versions.COLLECTION)

    def _write_questions(self) -> None:
        source = self._parsed.source
        self._take(
            *write_questions(
                self._connection,
                self._parsed.questions,
                self._grades,
                source=source,
                by=self._by,
            )
        )
        votes, notices = write_votes(
            self._connection, self._parsed.votes, source=source
        )
        self._take({"votes": votes}, notices)

    def _insert(self, what: str, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._connection.executemany(sql, rows)
        self._count(what, len(rows))

    def _take(self, counts: Mapping[str, int], notices: Iterable[str] = ()) -> None:
        for what, number in counts.items():
            self._count(what, number)
        self.notices += notices

    def _count(self, what: str, number: int = 1) -> None:
        if number:
            self.counts[what] = self.counts.get(what, 0) + number
            if what not in _NOT_OF_THE_COLLECTION:
                self._touch(versions.COLLECTION)

    def _touch(self, scope: str) -> None:
        self._scopes[scope] = None
