"""AVA in Python: train, evaluate and use models that check answers.

>>> from curator import ava
>>> model = ava.train("models/linear", ava.read_answers("train.tsv"))
>>> found = ava.evaluate(model, ava.read_answers("test.tsv"))

What ``curator ava`` does on the command line, these functions do; its ``compare``,
which is about a workspace, is ``Workspace.answer_checks``. Importing them loads neither
torch nor scikit-learn; a model does when it is trained or scores.
"""

from __future__ import annotations

from curator.formats.answer_selection import SelectionQuestion, read_answers
from curator.verbs.answers.ava_evaluation import evaluate, open_model
from curator.verbs.answers.ava_report import report, save_report, save_threshold
from curator.verbs.answers.ava_training import explain, show, train
from grading.ava.configurations import TrainingSettings
from grading.ava.examples import AnsweredQuestion
from grading.ava.model import Triple

__all__ = [
    "AnsweredQuestion",
    "SelectionQuestion",
    "TrainingSettings",
    "Triple",
    "evaluate",
    "explain",
    "open_model",
    "read_answers",
    "report",
    "save_report",
    "save_threshold",
    "show",
    "train",
]
