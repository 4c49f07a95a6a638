"""What says that something changed, set in the transaction that changes it.

Scopes: ``collection``; ``graders``; ``bank/<query>``; ``grades/<grader id>/<query>``;
``generation``, what models were asked for; ``releases``; ``norming``; ``people``. A
reader that remembers their values reloads only what moved. A version moves to a number
drawn at random, not to the next one: a copy of the file that was edited elsewhere and
put in its place has none of the values that a reader remembers.
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
NORMING = "norming"
PEOPLE = "people"

_OF_GRADES = re.compile(rf"{GRADES}/([0-9]{{1,18}})/(.*)", re.DOTALL)


def bank(query_id: str) -> str:
    """The scope of a query's questions and done marks."""
    return f"{BANK}/{query_id}"


def grades(grader_id: int, query_id: str) -> str:
    """The scope of a grader's ratings in a query."""
    return f"{GRADES}/{grader_id}/{query_id}"


def bump(connection: Connection, scopes: Iterable[str]) -> None:
    """Give each of the scopes a value it never had."""
    connection.executemany(
        "INSERT INTO clock VALUES (?, ?) "
        "ON CONFLICT (scope) DO UPDATE SET value = excluded.value",
        [(scope, secrets.randbits(63)) for scope in dict.fromkeys(scopes)],
    )


def read(connection: Connection) -> dict[str, int]:
    """Every version by its scope."""
    return dict(connection.execute("SELECT scope, value FROM clock"))


def mark(connection: Connection) -> tuple[int, int]:
    """(scopes, low bits of all versions summed): another one if any version moved.

    In a tenth of the time that reading them all takes. Versions are drawn at random, so
    that two sets of them have one sum is as unlikely as drawing 40 bits twice.
    """
    found: tuple[int, int] = connection.execute(
        f"SELECT count(*), coalesce(sum(value & {2**40 - 1}), 0) FROM clock"
    ).fetchone()
    return found


def one(connection: Connection, scope: str) -> int | None:
    """The version of one scope, None where it has none yet."""
    select = "SELECT value FROM clock WHERE scope = ?"
    return next((value for (value,) in connection.execute(select, (scope,))), None)


def grades_meant(scope: str) -> tuple[int, str] | None:
    """(grader id, query) of a scope of grades, None for any other.

    One that damage has renamed is nobody's: what it was the version of has none.
    """
    named = _OF_GRADES.fullmatch(scope)
    return None if named is None else (int(named[1]), named[2])


def of_grades(connection: Connection) -> dict[tuple[int, str], int]:
    """The version of all grades that have one, by (grader id, query)."""
    select = (
        "SELECT scope, value FROM clock WHERE scope > ? || '/' AND scope < ? || '0'"
    )
    found = {}
    for scope, value in connection.execute(select, (GRADES, GRADES)):
        if meant := grades_meant(scope):
            found[meant] = value
    return found


def of_banks(connection: Connection) -> dict[str, int]:
    """The version of every bank that has one, by its query."""
    return {
        scope.removeprefix(bank("")): value
        for scope, value in read(connection).items()
        if scope.startswith(bank(""))
    }


def file_version(connection: Connection, besides: Iterable[str] = ()) -> int:
    """One number for the whole file, another one after every change.

    The grades of the graders of these names count for nothing.
    """
    select = "SELECT grader_id FROM grader WHERE name IN ({})"
    graders = rows_in(connection, select, besides)
    left_out = tuple(grades(grader_id, "") for (grader_id,) in graders)
    return sum(
        value
        for scope, value in read(connection).items()
        if not scope.startswith(left_out)
    )
