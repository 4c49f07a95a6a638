"""Releases as the file keeps them: written once, never changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from sqlite3 import Connection
from typing import Any

from curator.bank.questions import Question
from curator.bank.wording import shortened
from curator.errors import ReleaseError, UnknownNameError
from curator.evaluation.checks.quality import Certificate
from curator.evaluation.releases import FrozenScore, Release
from curator.evaluation.settings import Label, Settings
from curator.evaluation.stability import Figures
from curator.results import Result
from curator.store import versions
from curator.store.digests import adding
from curator.store.history import last_event, now
from curator.store.question_history import forms


@dataclass(frozen=True, slots=True)
class ReleaseRecord(Result["ReleaseRecord"], table="releases.frozen_table"):
    """A release without its content: who froze what, when and why.

    ``event_id`` is the latest event of the history that is in it, ``certificate`` what
    people's checks said of its labels, None where none were drawn, ``stability`` how
    far its board rests on which questions were asked, None where nobody could say.
    """

    name: str
    at: str  # ISO 8601, UTC
    by: str
    why: str
    event_id: int
    sha256: str
    grader: str
    measure: str
    min_rating: int
    k: int
    questions: int
    labels: int
    needed: int
    known: int
    min_answered: int = 1
    label: Label = "max"
    certificate: Certificate | None = None
    stability: Figures | None = None

    @property
    def settings(self) -> Settings:
        """The settings that were frozen."""
        return Settings(
            *(self.grader, self.measure, self.min_rating, self.k, self.min_answered),
            label=self.label,
        )


NUMBER = re.compile(r"-?[0-9]{1,18}")
"""What is taken for the number of an event, and never for a release's name."""


def release_name(name: str) -> str:
    """A release's name as it is kept: one Unicode form, without blanks around it."""
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
    """Keep the release under this name. Call within a write transaction.

    Raises ReleaseError where the name is taken, in whatever case.
    """
    for (taken,) in connection.execute("SELECT name FROM release"):
        if taken.casefold() == name.casefold():
            raise ReleaseError(
                f"There is a release '{taken}' already, and a release never changes; "
                "choose another name."
            )
    settings, labels = release.settings, len(release.labels())
    record = ReleaseRecord(
        *(name, now(), by, why, last_event(connection), release.sha256),
        *(settings.grader, settings.measure, settings.min_rating, settings.k),
        *(release.questions, labels, release.needed, release.known),
        settings.min_answered,
        settings.label,
        certificate,
        stability,
    )
    board = [[one.system, one.rank, one.score, one.stderr] for one in release.board]
    columns = {one.name: getattr(record, one.name) for one in fields(record)}
    for said in ("certificate", "stability"):
        columns[said] = columns[said] and json.dumps(asdict(columns[said]))
    row = (
        *columns.values(),
        release.canonical,
        json.dumps(board, ensure_ascii=False),
    )
    with adding(connection, "release", "release_id"):
        connection.execute(
            f"INSERT INTO release ({_COLUMNS}, body, board) "
            f"VALUES ({', '.join('?' * len(row))})",
            row,
        )
    versions.bump(connection, [versions.RELEASES])
    return record


def read_releases(connection: Connection) -> tuple[ReleaseRecord, ...]:
    """Every release, the latest first."""
    select = f"SELECT {_COLUMNS} FROM release ORDER BY release_id DESC"
    return tuple(_record(*row) for row in connection.execute(select))


def _record(name: str, *columns: Any) -> ReleaseRecord:
    """The record of a row. Raises ReleaseError for what was said of it and is none."""
    *others, certificate, stability = columns
    what = "what checks said of it"  # is no certificate
    try:
        certificate = certificate and Certificate.of_fields(json.loads(certificate))
        what = "the figures of how stable it is"
        stability = stability and Figures.of_fields(json.loads(stability))
    except ValueError as error:
        raise ReleaseError(
            f"Release '{name}' is not what was frozen: {what} {error}."
        ) from error
    return ReleaseRecord(*[name, *others, certificate, stability])


def read_release(connection: Connection, name: str) -> tuple[ReleaseRecord, Release]:
    """The release of this name, its content checked against its hash.

    Raises UnknownNameError with those there are, ReleaseError for content that is not
    what was frozen.
    """
    name = release_name(name)
    row, names = _named(connection, f"{_COLUMNS}, body, board", name)
    if row is None:
        raise UnknownNameError(
            f"No release '{_on_a_line(name)}' here. There are: {names}."
        )
    *columns, body, board = row
    record = _record(*columns)
    try:
        return record, _checked(body, board, record.sha256)
    except (ValueError, TypeError, RecursionError) as error:
        raise ReleaseError(
            f"Release '{name}' is not what was frozen: its content {error}. Go back to "
            "a copy of this file, or rebuild it from a bundle."
        ) from error


# It never changes, and every page and command that names a release reads it again.
@lru_cache(maxsize=4)
def _checked(body: str, board: str, sha256: str) -> Release:
    scores = tuple(FrozenScore(*one) for one in json.loads(board))
    release = Release.from_json(body, scores)
    if release.sha256 != sha256:
        raise ValueError(f"has the SHA-256 {release.sha256}, not {sha256}")
    return release


def faults(connection: Connection) -> tuple[str, ...]:
    """A line for each release whose content is not what was frozen."""
    found = []
    for record in read_releases(connection):
        try:
            read_release(connection, record.name)
        except ReleaseError as error:
            found.append(str(error))
    return tuple(found)


def event_of(connection: Connection, named: int | str) -> int:
    """The event meant by its number, or by the release that it is the latest of.

    Whatever looks like a number is one. Raises UnknownNameError.
    """
    if isinstance(named, int) or NUMBER.fullmatch(named):
        return int(named)
    name = release_name(named)
    row, names = _named(connection, "event_id", name)
    if row is None:
        raise UnknownNameError(
            f"'{_on_a_line(name)}' is neither the number of an event nor a release. "
            f"Releases here: {names}."
        )
    return int(row[0])


def _named(connection: Connection, columns: str, name: str) -> tuple[Any, str]:
    """The columns of the release of this name, or None, and the names there are."""
    row = None
    if name.isprintable():  # no other has a name here, and not all can be looked for
        row = connection.execute(
            f"SELECT {columns} FROM release WHERE name = ?", (name,)
        ).fetchone()
    names = "" if row else ", ".join(one.name for one in read_releases(connection))
    return row, shortened(names or "none yet", 500)


def last_seen(
    connection: Connection, question_ids: Iterable[str]
) -> dict[str, Question]:
    """Questions as the history last had them, by id: those an undo took out too."""
    found: dict[str, Question] = {}
    for question_id in question_ids:
        for question, _ in forms(connection, question_id):
            found[question_id] = question
    return found


def _on_a_line(name: str) -> str:
    """What somebody typed for a name, fit to be printed."""
    return shortened("".join(c if c.isprintable() else "�" for c in name))
