"""Verb results as tables, JSON, TSV, LaTeX, Markdown and figures.

Every result becomes one Shown: the JSON value of the contract, and rows under
headings for people and spreadsheets.
"""

from curator.tables.agreement_tables import agreement_tables
from curator.tables.compare import comparison, topics
from curator.tables.correlations import correlations
from curator.tables.curate import batch, history, impact, left_out, questions
from curator.tables.grading import graded, job, jobs, reread, unreadable
from curator.tables.ideals import ideals
from curator.tables.leaderboard import agreement, board, scores
from curator.tables.passages import passages
from curator.tables.proposals import decisions, generated
from curator.tables.releases import difference, releases
from curator.tables.setup import import_json, setup, status, verification
from curator.tables.sweeps import sweeps
from curator.tables.table import Shown, show, show_all, spreadsheet, text_of
from curator.tables.trec_eval import trec_eval_lines

__all__ = [
    "Shown",
    "agreement",
    "agreement_tables",
    "batch",
    "board",
    "comparison",
    "correlations",
    "decisions",
    "difference",
    "generated",
    "graded",
    "history",
    "ideals",
    "impact",
    "import_json",
    "job",
    "jobs",
    "left_out",
    "passages",
    "questions",
    "releases",
    "reread",
    "scores",
    "setup",
    "show",
    "show_all",
    "spreadsheet",
    "status",
    "sweeps",
    "text_of",
    "topics",
    "trec_eval_lines",
    "unreadable",
    "verification",
]
