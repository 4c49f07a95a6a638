"""Edits to a bank as values, and the changes they make.

An edit describes what a person wants; :func:`apply_edits` computes what it changes in a
bank, without side effects. The store writes the same changes and records them, so a
preview and a save never differ.

A new kind of edit of questions is a module here: a class with a ``change`` method, and
``KINDS`` for its events, with their words; nothing else needs to know about it. A new
kind of mark is a module of ``bank/marks``: the class of the mark says how it is stored,
described and hidden.

    questions.py  Add, Propose, Keep, Reword, SetKey, Move, Retire, Restore,
                  SetBack
    title.py      SetTitle, AddSubtopic
    kinds.py      all kinds: how the history stores and describes them
"""

from __future__ import annotations

from curator.bank.changes import (
    Change,
    Edit,
    EventKind,
    Mark,
    apply_change,
    apply_edits,
)
from curator.bank.edits.questions import (
    REASONS,
    Add,
    Keep,
    Move,
    Propose,
    Restore,
    Retire,
    Reword,
    SetBack,
    SetKey,
)
from curator.bank.edits.title import AddSubtopic, SetTitle
from curator.bank.marks.check import CheckPair
from curator.bank.marks.decision import Decide
from curator.bank.marks.dismissal import Dismiss
from curator.bank.marks.done import Done
from curator.bank.marks.ideal import MarkIdeal
from curator.bank.marks.note import WriteNote
from curator.bank.marks.verdict import JudgeAnswer
from curator.bank.marks.vote import Vote

__all__ = [
    "REASONS",
    "Add",
    "AddSubtopic",
    "Change",
    "CheckPair",
    "Decide",
    "Dismiss",
    "Done",
    "Edit",
    "EventKind",
    "JudgeAnswer",
    "Keep",
    "Mark",
    "MarkIdeal",
    "Move",
    "Propose",
    "Restore",
    "Retire",
    "Reword",
    "SetBack",
    "SetKey",
    "SetTitle",
    "Vote",
    "WriteNote",
    "apply_change",
    "apply_edits",
]
