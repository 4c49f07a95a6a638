"""A dry run of FLAN-T5 counts prompts where neither weights nor torch are."""

from __future__ import annotations

from pathlib import Path

import pytest

from grading.models import flan_t5
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import small_workspace

T5 = "flan-t5-large/float32"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with small_workspace(tmp_path) as workspace:
        return workspace.path


def test_a_dry_run_counts_and_says_what_is_missing(path, monkeypatch):
    # Whatever this machine has.
    monkeypatch.setattr(flan_t5, "model_folder", lambda name, owner: None)
    counted = json_of("grade", path, "--grader", T5, "--dry-run")
    assert counted["prompts"] == counted["asked"] > 0
    assert counted["tokens_in"] > 0
    assert "hf download google/flan-t5-large" in counted["missing_model"]
    told = run("grade", path, "--grader", T5, "--dry-run").stderr
    assert "hf download google/flan-t5-large" in told
    assert "flan-t5" not in str(json_of("status", path)["graders"])
    refused = run("grade", path, "--grader", T5, code=1)
    assert "hf download google/flan-t5-large" in refused.stderr
