"""The demo's proposals: recorded answers of a real model, to decide on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from curator.bank.edits import Retire
from curator.workspace import Workspace


def test_the_demo_has_a_models_recorded_answers_as_proposals(
    instant_demo: Path, demo_folder: Path, tmp_path: Path
) -> None:
    lines = (demo_folder / "proposals.jsonl").read_text().splitlines()
    recorded = {line["query_id"]: line for line in map(json.loads, lines)}
    path = Path(shutil.copy(instant_demo, tmp_path / "demo.db"))
    with Workspace.open(path, judge="ann") as workspace:
        kept = {one.query_id: one for one in workspace.generations()}
        assert kept.keys() == recorded.keys()
        for query_id, answer in kept.items():
            line = recorded[query_id]
            assert (answer.text, answer.raw) == (line["text"], line["response"])
            assert answer.model == f"{line['model']} (recorded)"
            assert answer.parameters["recorded"] == line["recorded"]
            assert (answer.texts_read, answer.error) == (answer.proposed, None)
        proposed = [one for one in workspace.bank() if one.state == "proposed"]
        assert len(proposed) == sum(one.proposed for one in kept.values()) == 20
        assert all(one.text and one.text.endswith("?") for one in proposed)
        # They are in no board.
        before = workspace.leaderboard()
        workspace.apply([Retire(one.question_id) for one in proposed])
        assert list(workspace.leaderboard()) == list(before)
        assert workspace.verify().problems == ()
