"""Edits to a bank as values, and the changes they make.

An edit describes what a person wants; :func:`apply_edits` computes what it changes in a
bank, without side effects. The store writes the same changes and records them, so a
preview and a save never differ.

A new kind of edit is a module here: a class with a ``change`` method, and ``KINDS`` for
its events, with their words. If it changes a question, nothing else needs to know about
it. If it is a mark, the class of the mark defines how it is read, applied, described
and hidden, and ``store/bank.py`` has the table of current marks.

    questions.py  Add, Propose, Keep, Reword, SetKey, Move, Retire, Restore,
                  SetBack
    title.py      SetTitle, AddSubtopic
    done.py vote.py verdict.py check.py ideal.py dismiss.py note.py adjudicate.py
                  Done, Vote, JudgeAnswer, CheckPair, MarkIdeal, Dismiss, WriteNote,
                  Decide
    changes.py    changes of edits, and the bank after them
    kinds.py      all kinds: how the history stores and describes them
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
