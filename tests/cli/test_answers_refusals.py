"""What ``ava train``, ``show`` and ``explain`` refuse, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_answers import answers
from tests.samples.command_line import run

ERRORS = {
    "no data": ((), "0 positives and 0 negatives"),
    "no workspace": (("--workspace", "none.db"), "none.db"),
    "no pairs": (("--data", "one.tsv"), "two correct answers"),
    "no share": (("--data", "hats.tsv", "--dev-share", "2"), "below 1"),
    "an unknown kind": (("--kind", "a1:q,tr"), "Did you mean 'a1:q,rt'?"),
    "a setting": (("--kind", "a1", "--epochs", "0"), "epochs is 0"),
    "an encoder, before any data": (
        ("--data", "none.tsv", "--kind", "a0:r,t", "--encoder", "robrta"),
        "No encoder 'robrta'",
    ),
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
