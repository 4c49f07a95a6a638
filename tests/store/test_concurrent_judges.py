"""Many processes write one workspace at once: nothing is lost and nobody is refused."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from curator.bank.edits import Add, Reword
from curator.errors import StaleEditError
from curator.workspace import Workspace
from tests.samples.workspaces import in_processes, small_workspace

PROCESSES = 8
EDITS = int(os.environ.get("CURATOR_EDITS_PER_PROCESS", "50"))


def test_eight_processes_lose_no_edit_and_meet_no_lock(tmp_path):
    with small_workspace(tmp_path) as workspace:
        imported = workspace.baselines().latest
    path = tmp_path / "small.db"

    def edit(i: int) -> None:
        with Workspace.open(path, judge=f"judge {i}") as mine:
            question_id = None
            for number in range(EDITS):
                if number % 10 == 0:
                    added = mine.apply(Add("q1", f"Question {number} of {i}?"))
                    question_id = added.changes[0].question_id
                else:
                    mine.apply(Reword(question_id, f"Words {number} of {i}?"))

    in_processes(PROCESSES, edit)
    with Workspace.open(path) as workspace:
        events = workspace.history()
        assert Counter(e.by for e in events) == {
            f"judge {i}": EDITS for i in range(PROCESSES)
        }
        numbers = [e.event_id for e in events]
        assert numbers == list(range(imported + PROCESSES * EDITS, imported, -1))
        for question in workspace.bank().questions_of("q1"):
            own = [e for e in events if e.change.question_id == question.question_id]
            revisions = [e.change.after.revision for e in reversed(own)]
            assert revisions == list(range(1, len(own) + 1))
            assert question.revision == max(revisions, default=1)
        assert workspace.verify().problems == ()


def test_of_two_saves_from_one_revision_exactly_one_is_refused(tmp_path):
    small_workspace(tmp_path).close()
    path = tmp_path / "small.db"

    def save(i: int) -> None:
        with Workspace.open(path, judge=f"judge {i}") as mine:
            saved = refused = 0
            while saved + refused < 50:
                question = mine.bank().question("q1/a")
                try:
                    mine.apply(
                        Reword(
                            "q1/a",
                            f"{saved + refused} by {i}?",
                            based_on=question.revision,
                        )
                    )
                    saved += 1
                except StaleEditError:
                    refused += 1
            Path(f"{path}.{i}").write_text(str(saved))

    in_processes(4, save)
    saved = sum(int(Path(f"{path}.{i}").read_text()) for i in range(4))
    with Workspace.open(path) as workspace:
        assert len(workspace.history()) == saved
        assert workspace.bank().question("q1/a").revision == saved + 1
