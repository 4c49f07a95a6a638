"""``curator passages``: a query's pool on the command line."""

from __future__ import annotations

import pytest

from tests.samples.command_line import run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--query", "q1", "--question", "q1/z"), "No question 'q1/z'"),
        (("--query", "q1", "--system", "three"), "No system 'three'"),
        (("--query", "q1", "--show", "changed"), "--since EVENT"),
    ],
)
def test_what_is_not_there_is_one_line(workspace, arguments, said):
    result = run("passages", workspace.path, *arguments, code=1)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_pool_to_a_depth_takes_no_settings(workspace):
    refused = run("passages", workspace.path, "--depth", 2, "-m", "P@10", code=2)
    assert "--depth does not go with --measure" in refused.stderr
    assert "Give --query, or --depth" in run("passages", workspace.path, code=2).stderr
    assert "p1" in run("passages", workspace.path, "--depth", 5).stdout
