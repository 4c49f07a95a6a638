"""``people``: members of a workspace and their roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from curator.bank.marks import GOLD, is_gold
from curator.errors import NothingToChangeError, RoleError, UnknownNameError
from curator.formats.text.records import NOT_IN_NAMES
from curator.results import Rows
from curator.snapshot.access import find_person
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.connection import write_transaction
from curator.store.people import (
    ROLES,
    Person,
    Role,
    delete_person,
    read_people,
    write_person,
)

NOBODY = (
    "Nobody is listed: anybody who reaches the app may do everything, under any name."
)


def people(snapshot: Snapshot) -> Rows[Person]:
    """Return all listed people, organizers first; empty if there is no list."""
    members = read_people(snapshot.connection)
    by_role = sorted(
        members, key=lambda member: (ROLES.index(member.role), member.name)
    )
    return Rows(by_role, Person, [] if members else [NOBODY])


def add_people(
    workspace: OpenWorkspace, names: str | Iterable[str], role: Role | None = None
) -> Rows[Person]:
    """List people in a role, or change the role of listed people.

    Give the names they sign in with, usually e-mail addresses; upper and lower case are
    the same. The first people listed get an organizer with them: the person who adds
    them, unless their owner names another one. Raises RoleError for an unreadable name,
    an unknown role, the last organizer, and for organizers in the app who would lose
    their own role.

    Args:
        names (NAME...): People to add.
        role (ROLE): organizer, judge or viewer. [judge; listed people keep theirs]
    """
    new_names = [names] if isinstance(names, str) else list(names)
    if role not in (None, *ROLES):
        raise RoleError(f"No role '{role}'. Available: {', '.join(ROLES)}.")
    for name in new_names:
        is_clean = name == name.strip() != "" and not NOT_IN_NAMES.search(name)
        if not is_clean or is_gold(name):
            raise RoleError(
                f"{name!r} is no name to sign edits by: expected letters that can be "
                f"seen, on one line, not beginning with {GOLD}."
            )
    with write_transaction(workspace.connection):
        workspace.require("add_people")
        before = read_people(workspace.connection)
        for name in new_names:
            person = find_person(read_people(workspace.connection), name)
            if person and role in (None, person.role):
                continue
            if person and role != "organizer":
                _refuse_own_role(workspace, person.name)
            spelling = person.name if person else name
            new_role = role or "judge"
            write_person(workspace.connection, spelling, new_role, by=workspace.judge)
        notes = () if before else _list_first_organizer(workspace)
        _refuse_no_organizer(before, read_people(workspace.connection))
    return Rows(people(workspace.current_snapshot()), Person, notes)


def _list_first_organizer(workspace: OpenWorkspace) -> tuple[str, ...]:
    """List the adder of the first people as an organizer; return a note on it."""
    people = read_people(workspace.connection)
    adder = find_person(people, workspace.judge)
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
    """Remove people from the list; their work stays, under their names.

    Removed people lose access. Raises UnknownNameError, and RoleError for the last
    organizer unless ``everybody`` is removed, and for oneself in the app.

    Args:
        names ([NAME]...): People to remove.
        everybody (--all): Remove everybody; anybody may then do everything again.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names and not everybody:
        raise NothingToChangeError("Nobody to remove: no name was given.")
    with write_transaction(workspace.connection):
        workspace.require("remove_people")
        before = read_people(workspace.connection)
        if everybody:
            names = [person.name for person in before]
        for name in names:
            listed_people = read_people(workspace.connection)
            person = find_person(listed_people, name)
            if person is None:
                raise UnknownNameError(
                    f"'{name}' is not listed here. Listed: "
                    f"{', '.join(person.name for person in listed_people) or 'nobody'}."
                )
            _refuse_own_role(workspace, person.name)
            delete_person(workspace.connection, person.name)
        if not everybody:
            _refuse_no_organizer(before, read_people(workspace.connection))
    return people(workspace.current_snapshot())


def _refuse_own_role(workspace: OpenWorkspace, name: str) -> None:
    """Raise RoleError for one's own role in the app, so an organizer remains."""
    if workspace.as_judge and name == workspace.judge:
        raise RoleError(
            "You cannot give up your own role as organizer: another organizer can take "
            "it away, or a command on this machine."
        )


def _refuse_no_organizer(before: Sequence[Person], after: Sequence[Person]) -> None:
    last = [person.name for person in before if person.role == "organizer"]
    if last and all(person.role != "organizer" for person in after):
        raise RoleError(
            f"No organizer would be left: {', '.join(last)} "
            f"{'is the last' if len(last) == 1 else 'are the last'}. Make "
            "somebody else an organizer first, or empty the list with `curator people "
            "WORKSPACE remove --all`: then everybody may do everything."
        )
