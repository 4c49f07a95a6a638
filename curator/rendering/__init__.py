"""Verb results as tables, JSON, TSV, LaTeX, Markdown and figures.

Every result becomes one Shown: the JSON value of the contract, and rows under
headings for people and spreadsheets.
"""

from curator.rendering.agreement_tables import agreement_tables
from curator.rendering.bank import batch, history, impact, left_out, questions
from curator.rendering.boards import agreement, board, scores
from curator.rendering.collection import import_json, setup, status, verification
from curator.rendering.comparing import comparison, topics
from curator.rendering.correlating import correlations
from curator.rendering.grades import graded, job, jobs, reread, unreadable
from curator.rendering.ideals import ideals
from curator.rendering.passages import passages
from curator.rendering.proposals import decisions, generated
from curator.rendering.releases import difference, releases
from curator.rendering.shown import Shown, show, show_all, spreadsheet, text_of
from curator.rendering.sweeps import sweeps
from curator.rendering.trec_eval import trec_eval_lines

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
