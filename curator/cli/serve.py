"""``demo`` and ``serve``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from curator.cli.options import WORKSPACE, flag, opened, progress_bar, shown
from curator.cli.program import main


@main.command()
@shown("--port", default=8501, help="Port to serve on.")
@flag("--no-browser", help="Do not open a browser.")
@flag("--fresh", help="Build the demo workspace anew.")
@flag("--build-only", help="Build the demo workspace and say where it is.")
def demo(port: int, no_browser: bool, fresh: bool, build_only: bool) -> None:
    """Build the demo workspace if needed, and serve it.

    \b
    Example:
      curator demo --build-only
    """
    from curator.demo import build_demo

    with progress_bar("Grading the demo") as progress:
        path = build_demo(fresh=fresh, progress=progress)
    if build_only:
        click.echo(path)
        return
    start_server(path, "127.0.0.1", port, open_browser=not no_browser)


@main.command()
@WORKSPACE
@shown("--host", default="127.0.0.1", help="Address to serve on.")
@shown("--port", default=8501, help="Port to serve on.")
@flag("--open-browser", help="Open a browser.")
def serve(workspace: Path, host: str, port: int, open_browser: bool) -> None:
    """Serve the app on a workspace, made empty if there is none.

    \b
    Example:
      curator serve demo.db
    """
    with opened(workspace, create=True):
        pass  # a file that is no workspace is refused here, in one line
    start_server(workspace, host, port, open_browser=open_browser)


def start_server(path: Path, host: str, port: int, *, open_browser: bool) -> None:
    """Become the Streamlit server, so that whoever ends this process ends it."""
    import subprocess

    from curator.demo import is_demo
    from curator.ui.server import (
        TOUR_VARIABLE,
        require_free_port,
        serve_command,
        serve_environment,
    )

    require_free_port(host, port)
    url = f"http://localhost:{port}"
    click.echo(f"Curator on {url} · Ctrl+C ends it", err=True)
    if open_browser:
        later = (
            "import sys, time, webbrowser; time.sleep(3); webbrowser.open(sys.argv[1])"
        )
        subprocess.Popen([sys.executable, "-c", later, url])
    command = serve_command(path, host, port)
    environment = serve_environment(path)
    if is_demo(path):
        environment[TOUR_VARIABLE] = "yes"
    os.execve(command[0], command, environment)
