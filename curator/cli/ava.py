"""``curator ava``: train, check and use models that know right answers from wrong."""

from __future__ import annotations

from curator.cli.program import main


@main.group()
def ava() -> None:
    """Models that say whether an answer is right, given a reference (AVA).

    \b
    Example:
      curator ava --help
    """
