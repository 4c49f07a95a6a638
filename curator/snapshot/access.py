"""Roles in a workspace, and who may do what with which thing.

A person with the file has everything in it: commands and the library act for its owner.
Roles apply to people who work as judges, mainly in the app. Without listed people
everyone there is a judge with all rights, as suits a single judge on one machine; once
people are listed, all others are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from sqlite3 import Connection

from curator.bank.edits import AddSubtopic, Decide, Edit, SetTitle
from curator.errors import RoleError
from curator.store.people import ROLES, Person, Role, read_people


@dataclass(frozen=True, slots=True)
class Access:
    """The lowest role for an action: the verbs and the kinds of edits that do it.

    ``action`` names it in refusals, ``thing`` in the documentation.
    """

    thing: str
    lowest: Role
    action: str
    verbs: str = ""
    edits: tuple[type, ...] = ()


ACCESS: tuple[Access, ...] = (
    Access("status, checks of the file, exports", "viewer", "exporting",
           "status verify export"),
    Access("questions, notes, votes, verdicts, done marks, dismissals; own undo",
           "judge", "editing", "apply undo redo explain"),
    Access("ideal answers", "judge", "marking ideal answers", "mark_ideals"),
    Access("checks", "judge", "checking", "draw_batch answer_check confirm_checks"),
    Access("answers and comments in norming rounds", "judge", "norming",
           "answer_norming comment_norming"),
    Access("questions of a model about one query", "judge", "asking a model",
           "generate stop_asking recover"),
    Access("undo of others' edits", "organizer", "undoing edits of others",
           "undo_of_another"),
    Access("decisions where judges differ", "organizer", "deciding", "decide",
           (Decide,)),
    Access("titles", "organizer", "correcting titles", edits=(SetTitle,)),
    Access("subtopics", "organizer", "adding subtopics", edits=(AddSubtopic,)),
    Access("gold items", "organizer", "gold items", "gold mark_gold"),
    Access("norming rounds", "organizer", "a norming round",
           "open_norming close_norming reveal_norming"),
    Access("questions of a model about all queries, its endpoint", "organizer",
           "asking a model about all queries", "start_generation try_endpoint"),
    Access("grades and jobs", "organizer", "grading",
           "grade reparse start_job pause_job resume_job stop_job"),
    Access("files of checks, votes, ideal and norming answers", "organizer",
           "reading a file of marks",
           "record_checks record_votes record_ideals record_norming"),
    Access("imports", "organizer", "importing", "import_ import_bundle"),
    Access("backups, repair", "organizer", "looking after the file", "backup repair"),
    Access("releases", "organizer", "releasing", "release restore_release"),
    Access("settings", "organizer", "changing the settings of the workspace", "set_up"),
    Access("restrictions of queries", "organizer", "restricting queries", "restrict"),
    Access("assignments", "organizer", "assigning work",
           "assign assign_evenly reassign unassign"),
    Access("people and roles, except one's own", "organizer", "giving roles",
           "add_people remove_people"),
)  # fmt: skip
"""Who may do what; everybody may read, and sees what ``Viewer`` shows them."""

_BY_VERB = {verb: access for access in ACCESS for verb in access.verbs.split()}
_BY_EDIT = {edit: access for access in ACCESS for edit in access.edits}

ROLE_HOLDERS: dict[Role, str] = {
    "viewer": "everyone listed",
    "judge": "judges and organizers",
    "organizer": "organizers",
}
"""The people with at least each role."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A person in a workspace: their name and their role.

    The role is None if no people are listed.
    """

    name: str
    role: Role | None = None

    def has_role(self, lowest: Role) -> bool:
        return self.role is None or ROLES.index(self.role) <= ROLES.index(lowest)

    def can_call(self, verb: str) -> bool:
        return self.has_role(_BY_VERB[verb].lowest)

    def forbidden_reason(self, verb: str) -> str:
        """Return the reason why a verb is disabled for the person, or ""."""
        if self.can_call(verb):
            return ""
        holders = ROLE_HOLDERS[_BY_VERB[verb].lowest]
        return f"For {holders}; you are a {self.role} here"

    def require(self, verb: str, edits: Sequence[Edit] = ()) -> None:
        """Raise RoleError for a verb or an edit that the person may not make."""
        for access in (_BY_VERB[verb], *map(access_of, edits)):
            if not self.has_role(access.lowest):
                raise RoleError(
                    f"{self.name} is a {self.role} here, and {access.action} is for "
                    f"{ROLE_HOLDERS[access.lowest]}. "
                    "An organizer can change roles under Settings › People."
                )


def access_of(edit: Edit) -> Access:
    """Return who may make an edit: judges, unless the table names its kind."""
    return _BY_EDIT.get(type(edit), _BY_VERB["apply"])


def find_member(connection: Connection, name: str) -> Membership:
    """Return the person of this name, in the listed spelling.

    Raises RoleError if people are listed and the name is not.
    """
    people = read_people(connection)
    if not people:
        return Membership(name)
    match = find_person(people, name)
    if match is None:
        if any(person.role == "organizer" for person in people):
            remedy = "An organizer can add them under Settings › People."
        else:
            remedy = (
                "There is no organizer yet: whoever runs the server adds one with "
                f"`curator people WORKSPACE add {quote(name)} --role organizer`."
            )
        raise RoleError(f"{name} is not a member of this workspace. {remedy}")
    return Membership(match.name, match.role)


def refuse_viewer(
    connection: Connection,
    name: str,
    verb: str,
    remedy: str = "use another name (--judge) or --force",
) -> None:
    """Raise RoleError if a command would change something in a viewer's name."""
    person = find_person(read_people(connection), name)
    access = _BY_VERB[verb]
    if person is None or person.role != "viewer" or access.lowest == "viewer":
        return
    raise RoleError(
        f"{person.name} is a viewer here, and {access.action} is for judges and "
        f"organizers: {remedy}."
    )


def find_person(people: Sequence[Person], name: str) -> Person | None:
    """Find the person of this name in any capitalization."""
    return next((person for person in people if is_same_name(person.name, name)), None)


def is_same_name(name: str, other: str) -> bool:
    """Return True if names differ in capitalization only.

    ``casefold``, or ``lower`` alone, would also equate other letters, such as the
    Kelvin sign with the letter K.
    """
    return name.lower() == other.lower() and name.upper() == other.upper()
