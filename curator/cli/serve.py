"""``demo`` and ``serve``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    WORKSPACE,
    flag,
    opened,
    progress_bar,
    several,
    shown,
)
from curator.cli.program import main
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.web.identity import Auth

HOURS = 12.0


@main.command()
@shown("--port", default=8501, help="Port to serve on.")
@flag("--no-browser", help="Do not open a browser.")
@flag("--fresh", help="Rebuild the demo workspace.")
@flag("--build-only", help="Build the demo workspace and print its path.")
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
        echo(path)
        return
    start_server(path, "127.0.0.1", port, open_browser=not no_browser)


@main.command()
@WORKSPACE
@shown("--host", default="127.0.0.1", help="Address to serve on.")
@shown("--port", default=8501, help="Port to serve on.")
@flag("--open-browser", help="Open a browser.")
@click.option("--auth", "way", type=click.Choice(["open", "oidc", "header"]),
              default="open", show_default=True,
              help="How people sign in: under any name, with an OpenID Connect "
                   "provider, or by a header of a proxy.")  # fmt: skip
@click.option("--user-header", "header", metavar="NAME", default="",
              help="With header: the header that names the user.")  # fmt: skip
@several("--trusted-proxy", "proxies", metavar="ADDRESS",
         help="With header: address or network that may set the header; repeat for "
              "several.")  # fmt: skip
@click.option("--user-claim", "claim", metavar="NAME", default="email",
              show_default=True,
              help="With oidc: claim of the provider that holds the name.")  # fmt: skip
@shown("--sign-in-hours", "hours", default=HOURS,
       help="With oidc: hours until people must sign in again.")  # fmt: skip
@click.option("--log", type=click.Choice(["text", "json"]), default="text",
              show_default=True, help="json: one line on stderr per request and edit, "
                                      "without texts, names or secrets.")  # fmt: skip
@shown("--max-upload-mb", default=200, help="Largest file that a browser may upload.")
@flag("--trust-anyone", help="With open: serve other machines too. Anybody who reaches "
                             "the address may then do anything, under any name."
)  # fmt: skip
def serve(
    workspace: Path,
    host: str,
    port: int,
    open_browser: bool,
    trust_anyone: bool,
    log: str,
    max_upload_mb: int,
    **who: Any,
) -> None:
    """Serve the app on a workspace, created if needed.

    Without --auth, only this machine reaches the app, and people may use any name:
    docs/identity.md.

    \b
    Example:
      curator serve demo.db
    """
    from curator.web.identity import Auth
    from curator.web.server import LOG_VARIABLE, UPLOAD_VARIABLE

    auth = Auth(**{**who, "proxies": tuple(who["proxies"])})
    auth.require_safe(host, trust_anyone=trust_anyone)
    with opened(workspace, create=True) as one:
        # A file that is no workspace is refused here, in one line.
        auth.require_people(len(one.people()), workspace)
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
    said = auth.said(host) if auth else ""
    if (variables or {}).get(LOG_VARIABLE) == "json":
        echo(serving_line(url, said.removeprefix(" · ")), err=True)
    else:
        echo(f"Curator on {url}{said} · Ctrl+C ends it", err=True)
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
