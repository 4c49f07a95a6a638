"""Who may do what in a workspace: a role, and the lowest one that each act asks for.

Whoever has the file has everything in it: a command and the library act for its owner.
Roles hold for whoever works as a judge, in the app above all. As long as nobody is
listed everybody there is a judge who may do anything, as suits one judge at their own
machine; from the first name on the others are turned away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from sqlite3 import Connection

from curator.bank.edits import AddSubtopic, Decide, Edit, SetTitle
from curator.errors import RoleError
from curator.store.people import ROLES, Person, Role, read_people

JUDGED: tuple[str, ...] = (
    *("apply", "undo", "redo", "explain", "mark_ideals"),
    *("draw_batch", "answer_check", "answer_norming", "comment_norming"),
    *("generate", "stop_asking", "recover", "regrade"),
)
"""What judges do: write, judge and discuss, each in their own name."""

LOOKED: tuple[str, ...] = ("status", "verify", "export")
"""What changes nothing, and shows no more than whoever asks may see."""

LOWEST: Mapping[str, Role] = {
    **dict.fromkeys(LOOKED, "viewer"),
    **dict.fromkeys(JUDGED, "judge"),
}
"""The lowest role for a verb that is no mere reading; the organizer's where none is."""

WORDS: Mapping[str, str] = {
    **dict.fromkeys(("apply", "undo", "redo", "explain"), "editing"),
    **dict.fromkeys(("draw_batch", "answer_check", "record_checks"), "checking"),
    **dict.fromkeys(("answer_norming", "comment_norming"), "norming"),
    "mark_ideals": "marking ideal answers",
    "generate": "asking a model",
    "stop_asking": "asking a model",
    "start_generation": "asking about all queries",
    "decide": "deciding",
    "grade": "grading",
    "start_job": "grading",
    "set_up": "what holds for everybody",
    "undo_of_another": "undoing what somebody else did",
    "add_people": "giving roles",
    "remove_people": "removing people",
}
"""What verbs do, where their names do not say it."""

WHOSE: Mapping[Role, str] = {
    "viewer": "everybody listed",
    "judge": "judges and organizers",
    "organizer": "organizers",
}
"""Whose it is what asks for a role."""

OF_ORGANIZERS: Mapping[type, str] = {
    Decide: "deciding",
    SetTitle: "correcting titles",
    AddSubtopic: "adding subtopics",
}
"""The edits that organizers alone make, and what they do; judges make the others."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Somebody in a workspace: the name they sign by, and their role there.

    None where nobody is listed, so that nobody has one.
    """

    name: str
    role: Role | None = None

    def may(self, lowest: Role) -> bool:
        """Whether this role is enough."""
        return self.role is None or ROLES.index(self.role) <= ROLES.index(lowest)

    def may_call(self, verb: str) -> bool:
        """Whether a verb of the workspace is theirs."""
        return self.may(LOWEST.get(verb, "organizer"))

    def why_not(self, verb: str) -> str:
        """Who may call a verb that is not theirs, for a control; "" where they may."""
        if self.may_call(verb):
            return ""
        whose = WHOSE[LOWEST.get(verb, "organizer")]
        return f"For {whose}; you are a {self.role} here"

    def require(self, lowest: Role, what: str) -> None:
        """Raise RoleError unless the role is enough."""
        if not self.may(lowest):
            raise RoleError(
                f"{self.name} is a {self.role} here, and {what} is for "
                f"{WHOSE[lowest]}. "
                "An organizer gives roles, on Team or by "
                f"`curator people WORKSPACE add {quote(self.name)} --role {lowest}`."
            )

    def require_call(self, verb: str) -> None:
        """Raise RoleError for a verb that is not theirs."""
        self.require(LOWEST.get(verb, "organizer"), words_of(verb))

    def require_edits(self, edits: Sequence[Edit]) -> None:
        """Raise RoleError for an edit that is not theirs."""
        for edit in edits:
            what = OF_ORGANIZERS.get(type(edit))
            self.require("organizer" if what else "judge", what or "editing")


def standing(connection: Connection, name: str) -> Standing:
    """Who this is here, by the spelling that is listed.

    Raises RoleError where people are listed and this is none of them.
    """
    people = read_people(connection)
    if not people:
        return Standing(name)
    found = listed(people, name)
    if found is None:
        command = f"curator people WORKSPACE add {quote(name)} --role"
        if any(person.role == "organizer" for person in people):
            remedy = f"An organizer adds them, on Team or by `{command} judge`."
        else:
            remedy = (
                "No organizer is listed either: whoever runs this server adds one by "
                f"`{command} organizer`."
            )
        raise RoleError(f"{name} is none of the people of this workspace. {remedy}")
    return Standing(found.name, found.role)


def words_of(verb: str) -> str:
    """Name what a verb does, for a refusal."""
    return WORDS.get(verb, f"“{verb.strip('_').replace('_', ' ')}”")


def refuse_viewer(
    connection: Connection,
    name: str,
    verb: str,
    remedy: str = "sign by another name (--judge), or give --force",
) -> None:
    """Raise RoleError where a command would change something in a viewer's name."""
    person = listed(read_people(connection), name)
    if person is None or person.role != "viewer" or verb in LOOKED:
        return
    raise RoleError(
        f"{person.name} is a viewer here, and {words_of(verb)} is for judges and "
        f"organizers: {remedy}."
    )


def listed(people: Sequence[Person], name: str) -> Person | None:
    """The person of this name, however it is capitalized."""
    return next((one for one in people if same_name(one.name, name)), None)


def same_name(name: str, other: str) -> bool:
    """Whether names differ in capitals alone.

    Letters that only look like others, or are spelt by two, are others: ``casefold``
    and ``lower`` would take who has the Kelvin sign in their name for somebody else.
    """
    return name.lower() == other.lower() and name.upper() == other.upper()
