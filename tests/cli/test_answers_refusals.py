"""What ``ava train``, ``show`` and ``explain`` refuse, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_answers import answers
from tests.samples.command_line import run

ERRORS = {
    "no data": ((), "0 positives and 0 negatives"),
    "no such file": (("--data", "none.tsv"), "none.tsv"),
    "no workspace": (("--workspace", "none.db"), "none.db"),
    "no pairs": (("--data", "one.tsv"), "two correct answers"),
    "no share": (("--data", "hats.tsv", "--dev-share", "2"), "below 1"),
    "an unknown kind": (("--kind", "a1:q,tr"), "Did you mean 'a1:q,rt'?"),
    "a setting": (("--kind", "a1", "--epochs", "0"), "epochs is 0"),
    "an encoder, before any data": (
        ("--data", "none.tsv", "--kind", "a0:r,t", "--encoder", "robrta"),
        "No encoder 'robrta'",
    ),
    "an encoder's long name": (
        ("--kind", "a0", "--encoder", "a" * 300),
        "name too long",
    ),
    "a seed": (("--seed", str(2**63)), "at most 9223372036854775807"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_is_one_line_and_leaves_no_folder(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers(Path("hats.tsv"))
    Path("one.tsv").write_text("who?\tann\t1\nwho?\tbob\t0\n")
    arguments, said = ERRORS[case]

    result = run("ava", "train", "models/m", *arguments, code=1)
    assert result.stdout == ""
    *found, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert said in line
    assert all(one.startswith(("train:", "dev:", "note:")) for one in found)
    assert not Path("models").exists()


@pytest.mark.parametrize("folder", ["a" * 300, "hats.tsv/model"])
def test_a_folder_that_cannot_be_made_is_one_line(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers(Path("hats.tsv"))
    result = run("ava", "train", folder, "--data", "hats.tsv", code=1)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith(f"Error: '{folder}")
    for command in (("show",), ("explain", "q", "r", "t")):
        result = run("ava", command[0], folder, *command[1:], code=1)
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("train",),
        ("train", "m", "--epochs", "2"),
        ("train", "m", "--resume"),
        ("train", "m", "--kind", "a1", "--inclusion", "reverse"),
        ("explain", "m", "question", "reference"),
        ("show",),
    ],
)
def test_a_misuse_is_exit_status_2(arguments: tuple[str, ...]) -> None:
    run("ava", *arguments, code=2)


@pytest.mark.parametrize("command", [("show",), ("explain", "q", "r", "t")])
def test_a_folder_without_a_model_is_an_error(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    name, *texts = command
    result = run("ava", name, tmp_path, *texts, code=1)
    assert result.stdout == ""
    assert "curator ava train" in result.stderr
