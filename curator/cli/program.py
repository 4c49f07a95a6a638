"""The command ``curator`` itself, and how an error of a user's ends it."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from curator import __version__
from curator.errors import CuratorError
from curator.tables.terminal import echo, without_controls
from grading.errors import GradingError


class OneLineErrors(click.Group):
    """A group whose commands end a user's error with one line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CuratorError, GradingError) as error:
            echo(f"Error: {' '.join(str(error).split())}", err=True)
            ctx.exit(1)
        except click.ClickException as error:
            error.message = without_controls(error.message)  # type: ignore[misc]
            raise
        except BrokenPipeError:
            # The reader of our output, such as `head`, has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)


@click.group(
    cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="curator")
def main() -> None:
    """Judge search and RAG systems by exam questions that people curate."""
