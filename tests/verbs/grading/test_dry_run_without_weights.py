"""A dry run of FLAN-T5 counts prompts where neither weights nor torch are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curator.workspace import Workspace
from grading.errors import MissingModelError
from grading.models import flan_t5
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import small_workspace

T5 = "flan-t5-large/float32"
WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["transformers"] = None
sys.modules["huggingface_hub"] = None
from curator.workspace import Workspace
with Workspace.open(sys.argv[1]) as workspace:
    print(workspace.grade("flan-t5-large/float32", dry_run=True).prompts)
"""


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


def test_neither_torch_nor_a_hub_is_needed(path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) > 0


def test_a_grader_of_the_workspace_is_counted_without_its_weights(
    path, tiny_model, tmp_path
):
    folder = tmp_path / "t5"
    shutil.copytree(tiny_model, folder)
    name = f"flan-t5:{folder}/float32"
    with Workspace.open(path) as workspace:
        workspace.grade(name, query_id="q1")
        known = workspace.grade(name, dry_run=True).prompts
        (folder / "model.safetensors").unlink()
        counted = workspace.grade(name, dry_run=True)
        # What has been answered is not counted again.
        assert (counted.prompts, bool(counted.missing_model)) == (known, True)
        shutil.rmtree(folder)
        with pytest.raises(MissingModelError, match="No folder"):
            workspace.grade(name, dry_run=True)
