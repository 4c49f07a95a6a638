"""Verbs of editing as users read them, for texts of Python, templates and scripts.

A word is changed on screen by changing it here. Names in code, stored kinds and states,
options of commands and JSON keep theirs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb: retire, retires, retired, retiring."""

    base: str
    third: str
    past: str
    gerund: str


RETIRE: Final = Verb("retire", "retires", "retired", "retiring")
RESTORE: Final = Verb("restore", "restores", "restored", "restoring")
REWORD: Final = Verb("reword", "rewords", "reworded", "rewording")
DROP: Final = Verb("drop", "drops", "dropped", "dropping")
DISMISS: Final = Verb("dismiss", "dismisses", "dismissed", "dismissing")

VERBS: Final = {
    name: asdict(verb)
    for name, verb in {
        "retire": RETIRE,
        "restore": RESTORE,
        "reword": REWORD,
        "drop": DROP,
        "dismiss": DISMISS,
    }.items()
}
"""All verbs with their forms, as templates and scripts read them."""
STATES: Final = {"kept": "kept", "proposed": "proposed", "retired": RETIRE.past}
"""The states of a question as users read them."""
