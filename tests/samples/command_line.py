"""The command line, called in this process as a script would."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from curator.cli import main


def run(*arguments: object, code: int = 0) -> Result:
    """What ``curator`` prints for these arguments; fails on another exit status."""
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result


def json_of(*arguments: object) -> Any:
    """The value that ``curator`` prints as JSON."""
    return json.loads(run(*arguments, "--format", "json").stdout)
