"""A few answers that string matching and a model by hand see differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator.bank.edits import JudgeAnswer
from curator.workspace import Workspace
from grading.ava.card import Card, Data
from tests.samples.workspaces import collection_files, graded_passage

SOURCE = "fake-llm/Answers"
ELDER = "George Bush, the elder H. W."
SAID = {
    "p1": {"q/a": "George H. W. Bush", "q/b": "in the White House"},
    "p2": {"q/a": ELDER, "q/b": "a <b>house</b>"},
    "p3": {"q/a": ELDER, "q/b": "unanswerable"},
    "p4": {},  # which nobody has read
}
KEYS = {"q/a": ["George H. W. Bush"], "q/b": ["the White House"], "q/c": []}
# What people say: of all but one answer that it is right.
VERDICTS = (
    JudgeAnswer("q/a", "George H. W. Bush", "right"),
    JudgeAnswer("q/a", ELDER, "right"),
    JudgeAnswer("q/b", "in the White House", "right"),
    JudgeAnswer("q/b", "a <b>house</b>", "wrong"),
)


def answered_workspace(
    folder: Path,
    keys: dict[str, list[str]] = KEYS,
    rankings: Sequence[list[str]] = (["p1"], ["p2"], ["p3"], ["p4"]),
    said: dict[str, dict[str, str]] = SAID,
) -> Path:
    """Answers to two questions with a key, from three of four passages."""
    files = collection_files(
        folder,
        titles={"q": "Presidents"},
        questions={"q": {one: f"What of {one}?" for one in keys}},
        answers=keys,
        graded={"q": [graded_passage(p, "q", {}, answers=said[p]) for p in said]},
        runs={f"s{n}": {"q": ranked} for n, ranked in enumerate(rankings, 1)},
    )
    path = folder / "answered.db"
    with Workspace.open(path, create=True, judge="ann") as workspace:
        workspace.import_(**files)
    return path


def scored(path: Path) -> str:
    """Has a model score the answers: 1 / (1 + exp(4 - 10 sim-text(r,t))). Its name."""
    weights = {
        **dict.fromkeys(("sim-token(s,r)", "sim-text(r,q)", "sim-text(q,t)"), 0.0),
        "sim-text(r,t)": 1.0,
        "bias": 0.0,
        "platt_a": -10.0,
        "platt_b": 4.0,
    }
    data = Data(("hand.tsv",), 3, 4, 5, 2, 1, 1)
    folder = path.parent / "by-hand"
    folder.mkdir()
    Card("by-hand", "linear", data, weights=weights).write(folder)
    with Workspace.open(path, judge="ann") as workspace:
        return workspace.grade(f"ava:{folder}").grader


def judged(path: Path, judge: str = "ann") -> None:
    """Has a judge say of every answer whether it is right."""
    with Workspace.open(path, judge=judge) as workspace:
        workspace.apply(VERDICTS)
