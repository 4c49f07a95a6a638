"""Command ``endpoint test``: ask a chat model once."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from curator.cli.options import FORMATS, PATH, format_option, opened
from curator.cli.program import main


@main.group()
def endpoint() -> None:
    """Test the server of chat models.

    \b
    Example:
      curator endpoint test demo.db --model gpt-4o-mini
    """


@endpoint.command("test")
@click.argument("workspace", type=PATH, required=False)
@click.option(
    "--model", default="", help="Name of the model. [the workspace's, or the only one]"
)
@click.option("--url", help="Address of the endpoint, https://…/v1. [the workspace's, "
                            "else OPENAI_BASE_URL]")  # fmt: skip
@format_option(FORMATS[:2])
def test_endpoint(
    workspace: Path | None, model: str, url: str | None, form: str
) -> None:
    """Send one prompt to a chat model, and print its answer or what to fix.

    The prompt is about an invented passage, so nothing of the workspace is sent. The
    exit status is 1 if the model cannot be reached or its answer states no rating.
    docs/endpoints.md lists the addresses of the usual servers.

    \b
    Example:
      curator endpoint test demo.db --model gpt-4o-mini
    """
    from curator.tables.endpoint import trial_table
    from curator.tables.table import show
    from curator.verbs.grading.try_endpoint import trial

    if workspace is None:
        result = trial(model, url)
    else:
        with opened(workspace) as opened_workspace:
            result = opened_workspace.try_endpoint(model, url=url)
    show(form, trial_table(result))
    if result.check.problem:
        sys.exit(1)
