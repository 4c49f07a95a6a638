"""A few answers that string matching and a model by hand see differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator.bank.edits import JudgeAnswer
from curator.workspace import Workspace
from grading.ava.card import Card, Data
from tests.samples.workspaces import graded_file, graded_passage, run_file, write_lines

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
    folder.mkdir(exist_ok=True)
    records = []
    for passage_id, answers in said.items():
        record = graded_passage(passage_id, "q", {}, text=f"Text of {passage_id}.")
        if answers:
            record["exam_grades"] = [
                {
                    "correctAnswered": [q for q in answers if "un" not in answers[q]],
                    "wrongAnswered": [q for q in answers if "un" in answers[q]],
                    "answers": [list(pair) for pair in answers.items()],
                    "llm": "fake-llm",
                    "llm_options": {},
                    "prompt_info": {
                        "prompt_class": "Answers",
                        "check_answer_key": False,
                    },
                }
            ]
        records.append(record)
    items = [
        {
            "query_id": "q",
            "question_id": one,
            "question_text": f"What of {one}?",
            "gold_answers": key,
        }
        for one, key in keys.items()
    ]
    bank = [{"query_id": "q", "query_text": "Presidents", "items": items}]
    runs = [
        run_file(folder / f"s{n}.run", {"q": ranked}, f"s{n}")
        for n, ranked in enumerate(rankings, 1)
    ]
    path = folder / "answered.db"
    with Workspace.open(path, create=True, judge="ann") as workspace:
        workspace.import_(
            bank=write_lines(folder / "bank.jsonl", bank),
            autograder=graded_file(folder / "answers.jsonl", {"q": records}),
            runs=runs,
        )
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
