"""Stored releases: written once, never changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from sqlite3 import Connection
from typing import Any, ClassVar

from curator.bank.questions import Question
from curator.bank.wording import shortened
from curator.errors import ReleaseError, UnknownNameError
from curator.evaluation.checks.quality import Certificate
from curator.evaluation.releases import FrozenScore, Release
from curator.evaluation.settings import Label, Settings
from curator.evaluation.stability import Figures
from curator.formats.text.records import on_one_line
from curator.results import Result, column, minute
from curator.store import versions
from curator.store.connection import column as column_of
from curator.store.connection import insert
from curator.store.history import last_event, now
from curator.store.question_history import question_states

SHORT = 12  # digits of a hash that people compare by eye


@dataclass(frozen=True, slots=True)
class ReleaseRecord(Result["ReleaseRecord"]):
    """A release without its content: who froze what, when and why.

    ``event_id`` is the latest event it contains, ``certificate`` the quality of its
    labels by people's checks, None if none were drawn, ``stability`` how much its board
    depends on the choice of questions, None if unknown.
    """

    columns: ClassVar = (
        "release=name at by grader measure rating=min_rating labels_by=min_answered "
        "label k questions labels grades=known needed sha256 why "
        "certificate=certificate.sentence? stability=stability.sentence?"
    )

    name: str
    at: str = field(metadata=column(show=minute))  # ISO 8601, UTC
    by: str
    why: str
    event_id: int
    sha256: str = field(metadata=column(show=lambda digits: digits[:SHORT]))
    grader: str
    measure: str
    min_rating: int
    k: int
    questions: int
    labels: int
    needed: int
    known: int
    min_answered: int = field(
        default=1, metadata=column(optional=lambda items: items != 1)
    )
    label: Label = field(
        default="max", metadata=column(optional=lambda rule: rule != "max")
    )
    certificate: Certificate | None = None
    stability: Figures | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the release as commands print it."""
        names = ("name", "sha256", "at", "by", "why", "questions", "labels")
        return {
            **{name: getattr(self, name) for name in names},
            "event": self.event_id,
            "settings": self.settings.to_json(),
            "grades": {"known": self.known, "needed": self.needed},
            **self.evidence_json(),
        }

    def evidence_json(self) -> dict[str, object]:
        """Return certificate and stability as JSON, as far as it has them."""
        evidence = {"certificate": self.certificate, "stability": self.stability}
        return {
            name: {**asdict(value), "sentence": value.sentence}
            for name, value in evidence.items()
            if value
        }

    @property
    def settings(self) -> Settings:
        """The frozen settings."""
        return Settings(**{name: getattr(self, name) for name in _SETTINGS})


_SETTINGS = ("grader", "measure", "min_rating", "k", "min_answered", "label")

EVENT_NUMBER = re.compile(r"-?[0-9]{1,18}")
"""Pattern of an event's number, which is no valid release name."""


def release_name(name: str) -> str:
    """Normalize a release's name: NFC, without surrounding blanks."""
    return unicodedata.normalize("NFC", name.strip())


_COLUMNS = ", ".join(field.name for field in fields(ReleaseRecord))


def write_release(
    connection: Connection,
    name: str,
    release: Release,
    *,
    by: str,
    why: str,
    certificate: Certificate | None = None,
    stability: Figures | None = None,
) -> ReleaseRecord:
    """Store the release under this name. Call within a write transaction.

    Raises ReleaseError if the name is taken, ignoring case.
    """
    for (existing,) in connection.execute("SELECT name FROM release"):
        if existing.casefold() == name.casefold():
            raise ReleaseError(
                f"Release '{existing}' exists already and never changes. Choose "
                "another name."
            )
    record = ReleaseRecord(
        name,
        now(),
        by,
        why,
        last_event(connection),
        release.sha256,
        questions=release.questions,
        labels=len(release.labels()),
        needed=release.needed,
        known=release.known,
        certificate=certificate,
        stability=stability,
        **{name: getattr(release.settings, name) for name in _SETTINGS},
    )
    board = [[row.system, row.rank, row.score, row.stderr] for row in release.board]
    columns = {field.name: getattr(record, field.name) for field in fields(record)}
    for name in ("certificate", "stability"):
        columns[name] = columns[name] and json.dumps(asdict(columns[name]))
    columns |= {"body": release.canonical}
    columns |= {"board": json.dumps(board, ensure_ascii=False)}
    insert(connection, "release", **columns)
    versions.bump(connection, [versions.RELEASES])
    return record


def read_releases(connection: Connection) -> tuple[ReleaseRecord, ...]:
    """Return every release, the latest first."""
    select = f"SELECT {_COLUMNS} FROM release ORDER BY release_id DESC"
    return tuple(_record(*row) for row in connection.execute(select))


def _record(name: str, *columns: Any) -> ReleaseRecord:
    """Return the record of a row. Raises ReleaseError if it is malformed."""
    *values, certificate, stability = columns
    try:
        certificate = certificate and Certificate(**json.loads(certificate))
        stability = stability and Figures.from_fields(json.loads(stability))
    except (ValueError, TypeError, KeyError) as error:
        raise ReleaseError(
            f"Release '{name}' is not what was frozen: its certificate or stability "
            "figures are invalid."
        ) from error
    return ReleaseRecord(*[name, *values, certificate, stability])


def read_release(connection: Connection, name: str) -> tuple[ReleaseRecord, Release]:
    """Return the release of this name, its content verified by its hash.

    Raises UnknownNameError with those there are, ReleaseError for content that is not
    what was frozen.
    """
    name = release_name(name)
    row, names = _find(connection, f"{_COLUMNS}, body, board", name)
    if row is None:
        raise UnknownNameError(
            f"No release '{shortened(on_one_line(name))}' here. Available: {names}."
        )
    *columns, body, board = row
    record = _record(*columns)
    try:
        return record, _verified(body, board, record.sha256)
    except (ValueError, TypeError, RecursionError) as error:
        raise ReleaseError(
            f"Release '{name}' is not what was frozen: its content {error}. Restore "
            "a copy of this file, or rebuild it from a bundle."
        ) from error


# A release never changes, and every page and command that names it reads it again.
@lru_cache(maxsize=4)
def _verified(body: str, board: str, sha256: str) -> Release:
    scores = tuple(FrozenScore(*row) for row in json.loads(board))
    release = Release.from_json(body, scores)
    if release.sha256 != sha256:
        raise ValueError(f"has the SHA-256 {release.sha256}, not {sha256}")
    return release


def release_problems(connection: Connection) -> tuple[str, ...]:
    """Return a line for each release whose content does not match its hash."""
    messages = []
    for record in read_releases(connection):
        try:
            read_release(connection, record.name)
        except ReleaseError as error:
            messages.append(str(error))
    return tuple(messages)


def event_of(connection: Connection, event_or_release: int | str) -> int:
    """Return the event with this number, or the latest event of this release.

    A text that looks like a number is one. Raises UnknownNameError.
    """
    if isinstance(event_or_release, int) or EVENT_NUMBER.fullmatch(event_or_release):
        return int(event_or_release)
    name = release_name(event_or_release)
    row, names = _find(connection, "event_id", name)
    if row is None:
        raise UnknownNameError(
            f"'{shortened(on_one_line(name))}' is neither the number of an event "
            f"nor a release. Releases here: {names}."
        )
    return int(row[0])


def _find(connection: Connection, columns: str, name: str) -> tuple[Any, str]:
    """Return the columns of the release of this name, or None, and all names."""
    names = column_of(connection, "SELECT name FROM release ORDER BY release_id DESC")
    row = None
    if name in names:
        select = f"SELECT {columns} FROM release WHERE name = ?"
        row = connection.execute(select, (name,)).fetchone()
    return row, shortened(", ".join(names) or "none yet", 500)


def last_states(
    connection: Connection, question_ids: Iterable[str]
) -> dict[str, Question]:
    """Return the last state of questions in the history, also of removed ones."""
    questions: dict[str, Question] = {}
    for question_id in question_ids:
        for question, _ in question_states(connection, question_id):
            questions[question_id] = question
    return questions
