"""``people``: who works in a workspace, and in which role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import NothingToChangeError, RoleError, UnknownNameError
from curator.formats.text.records import NOT_IN_NAMES
from curator.results import Rows
from curator.store.connection import exclusive
from curator.store.people import (
    ROLES,
    Person,
    Role,
    delete_person,
    read_people,
    write_person,
)
from curator.visibility.roles import listed


def people(state: State) -> Rows[Person]:
    """Everybody who is listed, organizers first; nobody where names are on trust."""
    found = read_people(state.connection)
    return Rows(
        sorted(found, key=lambda one: (ROLES.index(one.role), one.name)),
        table="team.people_table",
    )


def add_people(
    workspace: OpenWorkspace, names: str | Iterable[str], role: Role | None = None
) -> Rows[Person]:
    """List people in a role, or give those who are listed another one.

    Without a ``role`` they are listed as judges, and who is listed keeps theirs. Names
    are told apart without regard to capitals; the spelling listed first is the one that
    signs. The first people to be listed get an organizer with them: whoever adds them,
    unless their owner names another one. Raises RoleError for a name that nobody can
    read, for an unknown role, for the last organizer, and for an organizer in the app
    who would be none any more.
    """
    given = [names] if isinstance(names, str) else list(names)
    if role not in (None, *ROLES):
        raise RoleError(f"No role '{role}'. There are: {', '.join(ROLES)}.")
    for name in given:
        if not name.strip() or name != name.strip() or NOT_IN_NAMES.search(name):
            raise RoleError(
                f"{name!r} is no name to sign edits by: expected letters that can be "
                "seen, on one line."
            )
    with exclusive(workspace.connection):
        workspace.require("add_people")
        before = read_people(workspace.connection)
        for name in given:
            known = listed(read_people(workspace.connection), name)
            if known and role in (None, known.role):
                continue
            if known and role != "organizer":
                _refuse_oneself(workspace, known.name)
            spelt = known.name if known else name
            to = role or "judge"
            write_person(workspace.connection, spelt, to, by=workspace.judge)
        notes = () if before else _list_first_organizer(workspace)
        _refuse_no_organizer(before, read_people(workspace.connection))
    return Rows(people(workspace.state()), "team.people_table", notes)


def _list_first_organizer(workspace: OpenWorkspace) -> tuple[str, ...]:
    """List the adder of the first people as an organizer; return a note on it."""
    people = read_people(workspace.connection)
    adder = listed(people, workspace.judge)
    organizers = [person for person in people if person.role == "organizer"]
    if not people or adder in organizers or (organizers and not workspace.as_judge):
        return ()
    name = adder.name if adder else workspace.judge
    write_person(workspace.connection, name, "organizer", by=workspace.judge)
    return (f"{name}, who listed the first people, is an organizer now.",)


def remove_people(
    workspace: OpenWorkspace,
    names: str | Iterable[str] = (),
    *,
    everybody: bool = False,
) -> Rows[Person]:
    """List people no longer; what they did stays, in their names.

    Whoever is removed is turned away from now on. With ``everybody`` nobody is listed
    any more, and everybody may do everything again. Raises UnknownNameError, and
    RoleError for the last organizer otherwise, and for oneself in the app.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names and not everybody:
        raise NothingToChangeError("Nobody to remove: no name was given.")
    with exclusive(workspace.connection):
        workspace.require("remove_people")
        before = read_people(workspace.connection)
        if everybody:
            names = [person.name for person in before]
        for name in names:
            found = read_people(workspace.connection)
            known = listed(found, name)
            if known is None:
                raise UnknownNameError(
                    f"'{name}' is not listed here. There are: "
                    f"{', '.join(one.name for one in found) or 'nobody'}."
                )
            _refuse_oneself(workspace, known.name)
            delete_person(workspace.connection, known.name)
        if not everybody:
            _refuse_no_organizer(before, read_people(workspace.connection))
    return people(workspace.state())


def _refuse_oneself(workspace: OpenWorkspace, name: str) -> None:
    """An organizer in the app stays one: so there is always another who could."""
    if workspace.as_judge and name == workspace.judge:
        raise RoleError(
            "Another organizer can take your role away, or a command on this machine; "
            "you cannot, or there might be none."
        )


def _refuse_no_organizer(before: Sequence[Person], after: Sequence[Person]) -> None:
    """Raise RoleError where no organizer is left of those who were there."""
    last = [person.name for person in before if person.role == "organizer"]
    if last and all(person.role != "organizer" for person in after):
        raise RoleError(
            f"No organizer would be left: {', '.join(last)} "
            f"{'is the last' if len(last) == 1 else 'are the last'}. First `curator "
            "people WORKSPACE add NAME --role organizer`; `curator people WORKSPACE "
            "remove --all` lists nobody, so that everybody may do everything."
        )
