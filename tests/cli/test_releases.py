"""``curator release`` and ``diff``, and releases wherever other commands name them."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.samples.command_line import json_of, run
from tests.samples.workspaces import small_workspace


@pytest.fixture
def path(tmp_path, monkeypatch):
    small_workspace(tmp_path).close()
    monkeypatch.setenv("CURATOR_USER", "ann")
    return tmp_path / "small.db"


def freeze(path, name="v1", *options):
    return json_of("release", path, name, "--allow-partial", *options)


@pytest.mark.parametrize("kind", ["qrels", "question-qrels", "leaderboard"])
def test_what_is_exported_of_a_release_carries_its_hash_beside_it(path, tmp_path, kind):
    (made,) = freeze(path, "v1", "--why", "the pilot")
    run("edit", path, "retire", "q1/a")
    target = tmp_path / "out.txt"
    run("export", path, "--release", "v1", f"--{kind}", target)
    manifest = json.loads((tmp_path / "out.txt.manifest.json").read_text())
    assert manifest["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    assert manifest["bank_sha256"] == made["sha256"]
    assert manifest["release"] == {
        name: made[name] for name in ("name", "sha256", "at", "by", "why")
    }
    # The usual rule is said in no file: those of before have the same bytes.
    assert {**manifest["settings"], "label": "max"} == made["settings"]
    assert manifest["event"] == made["event"]
    # Of the workspace as it is, it is another bank and no release.
    run("export", path, f"--{kind}", target, "--allow-partial")
    manifest = json.loads((tmp_path / "out.txt.manifest.json").read_text())
    assert manifest["release"] is None
    assert manifest["bank_sha256"] != made["sha256"]


NOT_OF_A_RELEASE = {
    "another kind": (("--bank", "x"), "--bank writes the workspace as it is; a rel"),
    "a kind beside qrels": (("--qrels", "q", "--runs", "x"), "--runs writes the work"),
    "the report": (("--report", "x"), "A report is of the workspace as it is and lis"),
    "the bundle": (("--bundle", "x"), "A bundle holds the workspace with all of its"),
    "settings": (
        ("--qrels", "q", "--min-rating", "4", "-k", "3"),
        "Release 'v1' has its own settings: leave out min-rating, k.",
    ),
    "another measure": (("--leaderboard", "b", "-m", "cover"), "leave out measure."),
}


@pytest.mark.parametrize("case", NOT_OF_A_RELEASE)
def test_nothing_is_written_in_a_releases_name_that_is_not_its(
    path, tmp_path, monkeypatch, case
):
    freeze(path, "v1", "--measure", "P@2")
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    arguments, said = NOT_OF_A_RELEASE[case]
    result = run("export", path, "--release", "v1", *arguments, code=1)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert {*tmp_path.iterdir()} == before
