"""Verb results as tables, JSON and TSV for the command line.

Every result becomes one Shown: the JSON value of the contract, and rows under
headings for people and spreadsheets.
"""

from curator.rendering.bank import batch, history, impact, questions
from curator.rendering.boards import agreement, board, correlation, scores
from curator.rendering.collection import import_json, setup, status, verification
from curator.rendering.grades import graded, job, jobs, reread, unreadable
from curator.rendering.passages import passages
from curator.rendering.shown import Shown, show

__all__ = [
    "Shown",
    "agreement",
    "batch",
    "board",
    "correlation",
    "graded",
    "history",
    "impact",
    "import_json",
    "job",
    "jobs",
    "passages",
    "questions",
    "reread",
    "scores",
    "setup",
    "show",
    "status",
    "unreadable",
    "verification",
]
