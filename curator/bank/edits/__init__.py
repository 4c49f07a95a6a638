"""Edits to a bank, each a value, and what applying them changes.

An edit says what a person wants; :func:`apply_edits` says what that does to a bank,
without touching anything. The store writes the same changes and remembers them, so a
preview and a save can never differ.

A new kind of edit is a module here: a class with a ``change`` method, and ``KINDS``
for the events it makes, with their words. Where it changes a question, nothing else
needs to know of it. Where it is a mark beside the questions, the class of the mark
says how it is read, applied, put in words and hidden, and ``store/bank.py`` has the
table of what stands.

    questions.py  Add, Propose, Keep, Reword, SetKey, Move, Retire, Restore,
                  SetBack
    title.py      SetTitle, AddSubtopic
    done.py vote.py verdict.py check.py ideal.py dismiss.py note.py adjudicate.py
                  Done, Vote, JudgeAnswer, CheckPair, MarkIdeal, Dismiss, WriteNote,
                  Decide
    changes.py    what an edit changes, and the bank after it
    kinds.py      every kind: as the history keeps it, and in words
"""

from __future__ import annotations

from curator.bank.edits.adjudicate import Decide
from curator.bank.edits.changes import (
    Change,
    Edit,
    EventKind,
    Mark,
    apply_change,
    apply_edits,
)
from curator.bank.edits.check import CheckPair
from curator.bank.edits.dismiss import Dismiss
from curator.bank.edits.done import Done
from curator.bank.edits.ideal import MarkIdeal
from curator.bank.edits.note import WriteNote
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
from curator.bank.edits.verdict import JudgeAnswer
from curator.bank.edits.vote import Vote

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
