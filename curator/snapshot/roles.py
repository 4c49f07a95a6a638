"""Roles in a workspace, and the lowest role that each action needs.

A person with the file has everything in it: commands and the library act for its owner.
Roles apply to people who work as judges, mainly in the app. Without listed people
everyone there is a judge with all rights, as suits a single judge on one machine; once
people are listed, all others are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from sqlite3 import Connection

from curator.bank.edits import AddSubtopic, Decide, Edit, SetTitle
from curator.errors import RoleError
from curator.store.people import ROLES, Person, Role, read_people

JUDGE_VERBS: tuple[str, ...] = (
    "apply",
    "undo",
    "redo",
    "explain",
    "mark_ideals",
    "draw_batch",
    "answer_check",
    "confirm_checks",
    "answer_norming",
    "comment_norming",
    "generate",
    "stop_asking",
    "recover",
    "regrade",
)
"""Verbs of judges: write, judge and discuss, in their own name."""

VIEWER_VERBS: tuple[str, ...] = ("status", "verify", "export")
"""Verbs that change nothing, and show only what their caller may see."""

LOWEST_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(VIEWER_VERBS, "viewer"),
    **dict.fromkeys(JUDGE_VERBS, "judge"),
}
"""The lowest role for a verb that does not only read; by default the organizer's."""

DESCRIPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("apply", "undo", "redo", "explain"), "editing"),
    **dict.fromkeys(
        ("draw_batch", "answer_check", "confirm_checks", "record_checks"), "checking"
    ),
    **dict.fromkeys(("answer_norming", "comment_norming"), "norming"),
    "mark_ideals": "marking ideal answers",
    "generate": "asking a model",
    "stop_asking": "asking a model",
    "start_generation": "asking a model about all queries",
    "decide": "deciding",
    **dict.fromkeys(("gold", "mark_gold"), "gold items"),
    "grade": "grading",
    "start_job": "grading",
    "set_up": "changing the settings of the workspace",
    "undo_of_another": "undoing edits of others",
    "add_people": "giving roles",
    "remove_people": "removing people",
}
"""Descriptions of verbs with unclear names."""

ROLE_HOLDERS: Mapping[Role, str] = {
    "viewer": "everyone listed",
    "judge": "judges and organizers",
    "organizer": "organizers",
}
"""The people with at least each role."""

ORGANIZER_EDITS: Mapping[type, str] = {
    Decide: "deciding",
    SetTitle: "correcting titles",
    AddSubtopic: "adding subtopics",
}
"""Edits reserved for organizers, with descriptions; judges make the others."""


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
        return self.has_role(LOWEST_ROLES.get(verb, "organizer"))

    def forbidden_reason(self, verb: str) -> str:
        """Return the reason why a verb is disabled for the person, or ""."""
        if self.can_call(verb):
            return ""
        holders = ROLE_HOLDERS[LOWEST_ROLES.get(verb, "organizer")]
        return f"For {holders}; you are a {self.role} here"

    def require(self, lowest: Role, action: str) -> None:
        """Raise RoleError unless the role is enough."""
        if not self.has_role(lowest):
            raise RoleError(
                f"{self.name} is a {self.role} here, and {action} is for "
                f"{ROLE_HOLDERS[lowest]}. "
                "An organizer can change roles under Settings › People."
            )

    def require_call(self, verb: str) -> None:
        """Raise RoleError for a verb that the person may not call."""
        self.require(LOWEST_ROLES.get(verb, "organizer"), describe(verb))

    def require_edits(self, edits: Sequence[Edit]) -> None:
        """Raise RoleError for an edit that the person may not make."""
        for edit in edits:
            action = ORGANIZER_EDITS.get(type(edit))
            self.require("organizer" if action else "judge", action or "editing")


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


def describe(verb: str) -> str:
    """Return a verb's description for a refusal."""
    return DESCRIPTIONS.get(verb, f"“{verb.strip('_').replace('_', ' ')}”")


def refuse_viewer(
    connection: Connection,
    name: str,
    verb: str,
    remedy: str = "use another name (--judge) or --force",
) -> None:
    """Raise RoleError if a command would change something in a viewer's name."""
    person = find_person(read_people(connection), name)
    if person is None or person.role != "viewer" or verb in VIEWER_VERBS:
        return
    raise RoleError(
        f"{person.name} is a viewer here, and {describe(verb)} is for judges and "
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
