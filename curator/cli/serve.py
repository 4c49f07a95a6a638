"""``demo`` and ``serve``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from curator.cli.program import command, opened, progress_bar
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.web.identity import Auth


@command(formats=())
def demo(
    *,
    port: int = 8501,
    no_browser: bool = False,
    fresh: bool = False,
    build_only: bool = False,
) -> None:
    """Build the demo workspace if needed, and serve it.

    Example:
      curator demo --build-only

    Args:
        port (N): Port to serve on.
        no_browser: Do not open a browser.
        fresh: Rebuild the demo workspace.
        build_only: Build the demo workspace and print its path.
    """
    from curator.demo import build_demo

    with progress_bar("Grading the demo") as progress:
        path = build_demo(fresh=fresh, progress=progress)
    if build_only:
        echo(path)
        return
    start_server(path, "127.0.0.1", port, open_browser=not no_browser)


@command(verb="curator.web.identity.Auth", formats=())
def serve(
    workspace: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8501,
    open_browser: bool = False,
    log: Literal["text", "json"] = "text",
    max_upload_mb: int = 200,
    trust_anyone: bool = False,
    **who: Any,
) -> None:
    """Serve the app on a workspace, created if needed.

    Without --auth, only this machine reaches the app, and people may use any name:
    docs/team.md.

    Example:
      curator serve demo.db

    Args:
        host (ADDRESS): Address to serve on.
        port (N): Port to serve on.
        open_browser: Open a browser.
        log: json: one line on stderr per request and edit, without texts, names or
            secrets.
        max_upload_mb (N): Largest file that a browser may upload.
        trust_anyone: With open: serve other machines too. Anybody who reaches the
            address may then do anything, under any name.
    """
    from curator.web.identity import Auth
    from curator.web.server import LOG_VARIABLE, UPLOAD_VARIABLE

    auth = Auth(**who)
    auth.require_safe(host, trust_anyone=trust_anyone)
    with opened(workspace, create=True) as created:
        # A file that is no workspace is refused here, in one line.
        auth.require_people(len(created.people()), workspace)
    variables = {LOG_VARIABLE: log, UPLOAD_VARIABLE: str(max(max_upload_mb, 1))}
    start_server(
        workspace, host, port, open_browser=open_browser, auth=auth, variables=variables
    )


def start_server(
    path: Path,
    host: str,
    port: int,
    *,
    open_browser: bool,
    auth: Auth | None = None,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Replace this process by the Streamlit server, so that signals reach it."""
    import subprocess

    from curator.demo import is_demo
    from curator.web.request_log import serving_line
    from curator.web.server import (
        LOG_VARIABLE,
        TOUR_VARIABLE,
        address,
        require_free_port,
        serve_command,
        serve_environment,
    )

    require_free_port(host, port)
    url = address(host, port)
    access = auth.start_words(host) if auth else ""
    if (variables or {}).get(LOG_VARIABLE) == "json":
        echo(serving_line(url, access.removeprefix(" · ")), err=True)
    else:
        echo(f"Curator on {url}{access} · Ctrl+C ends it", err=True)
    if open_browser:
        later = (
            "import sys, time, webbrowser; time.sleep(3); webbrowser.open(sys.argv[1])"
        )
        subprocess.Popen([sys.executable, "-c", later, url])
    command = serve_command(path, host, port)
    environment = serve_environment(path, auth) | dict(variables or {})
    if is_demo(path):
        environment[TOUR_VARIABLE] = "yes"
    os.execve(command[0], command, environment)
