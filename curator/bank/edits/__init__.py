"""Edits to a bank, each a value, and what applying them changes.

An edit says what a person wants; :func:`apply_edits` says what that does to a bank,
without touching anything. The store writes the same changes and remembers them, so a
preview and a save can never differ. A new kind of edit is a new class with a
``change`` method.

    questions.py  Add, Propose, Keep, Reword, Retire, Restore, SetBack
    marking.py    Done, Vote, JudgeAnswer, MarkIdeal: they change no question
    changes.py    what an edit changes, and the bank after it
    refusals.py   the texts and revisions for which an edit is refused
"""

from __future__ import annotations

from curator.bank.edits.changes import Change, Edit, apply_change, apply_edits
from curator.bank.edits.marking import Done, JudgeAnswer, MarkIdeal, Vote
from curator.bank.edits.questions import (
    REASONS,
    Add,
    Keep,
    Propose,
    Restore,
    Retire,
    Reword,
    SetBack,
)

__all__ = [
    "REASONS",
    "Add",
    "Change",
    "Done",
    "Edit",
    "JudgeAnswer",
    "Keep",
    "MarkIdeal",
    "Propose",
    "Restore",
    "Retire",
    "Reword",
    "SetBack",
    "Vote",
    "apply_change",
    "apply_edits",
]
