"""Versions of parts of the file, changed in the transaction that changes the part.

Scopes: ``collection``; ``graders``; ``bank/<query>``; ``grades/<grader id>/<query>``;
``generation``, the prompts to models; ``releases``; ``people``. A reader
that caches the values reloads only what changed. A new version is a random number, not
the next one, so that a copy of the file that was edited elsewhere shares no new version
with the original.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from sqlite3 import Connection

from curator.store.connection import rows_in

COLLECTION = "collection"
GRADERS = "graders"
BANK = "bank"
GRADES = "grades"
GENERATION = "generation"
RELEASES = "releases"
PEOPLE = "people"

_GRADES_SCOPE = re.compile(rf"{GRADES}/([0-9]{{1,18}})/(.*)", re.DOTALL)


def bank_scope(query_id: str) -> str:
    return f"{BANK}/{query_id}"


def grades_scope(grader_id: int, query_id: str) -> str:
    return f"{GRADES}/{grader_id}/{query_id}"


def bump(connection: Connection, scopes: Iterable[str]) -> None:
    """Give each of the scopes a new value."""
    connection.executemany(
        "INSERT INTO clock VALUES (?, ?) "
        "ON CONFLICT (scope) DO UPDATE SET value = excluded.value",
        [(scope, secrets.randbits(63)) for scope in dict.fromkeys(scopes)],
    )


def bump_all(connection: Connection) -> None:
    """Make every reader load everything again."""
    bump(connection, (COLLECTION, GRADERS, GENERATION, RELEASES))


def read_versions(connection: Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT scope, value FROM clock"))


def fingerprint(connection: Connection) -> tuple[int, int]:
    """Return (number of scopes, low bits of the sum of versions) to detect changes.

    Takes a tenth of the time of reading them all. Versions are random, so that two sets
    of them have one sum is as unlikely as drawing the same 40 bits twice.
    """
    result: tuple[int, int] = connection.execute(
        f"SELECT count(*), coalesce(sum(value & {2**40 - 1}), 0) FROM clock"
    ).fetchone()
    return result


def read_version(connection: Connection, scope: str) -> int | None:
    """Return the version of one scope, None if it has none."""
    select = "SELECT value FROM clock WHERE scope = ?"
    return next((value for (value,) in connection.execute(select, (scope,))), None)


def parse_grades_scope(scope: str) -> tuple[int, str] | None:
    """Return (grader id, query) of a scope of grades, None for any other.

    None also for a name that damage has changed.
    """
    match = _GRADES_SCOPE.fullmatch(scope)
    return None if match is None else (int(match[1]), match[2])


def read_grades_versions(connection: Connection) -> dict[tuple[int, str], int]:
    """Return the versions of all grades, by (grader id, query)."""
    select = (
        "SELECT scope, value FROM clock WHERE scope > ? || '/' AND scope < ? || '0'"
    )
    grade_versions = {}
    for scope, value in connection.execute(select, (GRADES, GRADES)):
        if grader_and_query := parse_grades_scope(scope):
            grade_versions[grader_and_query] = value
    return grade_versions


def read_bank_versions(connection: Connection) -> dict[str, int]:
    """Return the version of every bank, by query."""
    return {
        scope.removeprefix(bank_scope("")): value
        for scope, value in read_versions(connection).items()
        if scope.startswith(bank_scope(""))
    }


def file_version(connection: Connection, excluded_graders: Iterable[str] = ()) -> int:
    """Return one number for the whole file, which changes with every change.

    Changes of the grades of ``excluded_graders``, given by name, do not count.
    """
    select = "SELECT grader_id FROM grader WHERE name IN ({})"
    graders = rows_in(connection, select, excluded_graders)
    excluded_scopes = tuple(grades_scope(grader_id, "") for (grader_id,) in graders)
    return sum(
        value
        for scope, value in read_versions(connection).items()
        if not scope.startswith(excluded_scopes)
    )
