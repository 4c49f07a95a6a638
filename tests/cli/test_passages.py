"""``curator passages``: a query's pool on the command line."""

from __future__ import annotations

from tests.samples.command_line import run


def test_a_pool_to_a_depth_takes_no_settings(workspace):
    refused = run("passages", workspace.path, "--depth", 2, "-m", "P@10", code=2)
    assert "--depth does not go with --measure" in refused.stderr
    assert "Give --query, or --depth" in run("passages", workspace.path, code=2).stderr
    assert "p1" in run("passages", workspace.path, "--depth", 5).stdout
