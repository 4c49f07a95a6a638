"""The command that starts the app's server. No Streamlit is imported here."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from curator.errors import WorkspaceError
from curator.ui import identity
from curator.ui.identity import Auth

HERE = Path(__file__).parent
APP = HERE / "app.py"
CODE = HERE.parents[1]
THEME = HERE / "shared" / "theme.toml"

WORKSPACE_VARIABLE = "CURATOR_WORKSPACE"
LOG_VARIABLE = "CURATOR_LOG"  # json, or text
UPLOAD_VARIABLE = "CURATOR_MAX_UPLOAD_MB"
TOUR_VARIABLE = "CURATOR_TOUR"  # set where the tour is offered unasked

# Given to the server itself, so that neither the working folder nor a config file of
# the user's decides what Curator looks like.
OPTIONS: dict[str, bool | float | str | list[str]] = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "client.toolbarMode": "minimal",
    "client.showSidebarNavigation": False,
    # A fault's words can hold a path, or what its reader is not to see.
    "client.showErrorDetails": "type",
    # Errors of pages would be printed in colours on stdout, and not logged.
    "logger.enableRich": False,
    # Pages that may frame a server and steer it: by default all of Streamlit's cloud.
    "client.allowedOrigins": [],
    # A way in for programs, past the pages' own channel.
    "server.enableAgentApi": False,
    "runner.magicEnabled": False,
    # Streamlit would collect everything after each run, of which every open page asks
    # for one a second: with twenty pages that took two thirds of the server's time.
    # Python collects by itself.
    "runner.postScriptGC": False,
    # Streamlit sends a message of 10 kB or more once and then refers to it, but page
    # and server come to disagree on which are kept, and the page is dead: none is kept.
    "global.minCachedMessageSize": 1e9,
    "theme.base": str(THEME),
}


def require_free_port(host: str, port: int) -> None:
    """Raise WorkspaceError where another program has the port already."""
    with socket.socket() as probe:
        # As the server does it: a port just left by another one is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise WorkspaceError(
                f"Cannot serve on {host}, port {port} ({error.strerror}); choose "
                "another with --port."
            ) from None


def address(host: str, port: int) -> str:
    """Where a browser finds the server."""
    if identity.is_loopback(host):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve_command(
    path: str | Path, host: str = "127.0.0.1", port: int = 8501
) -> list[str]:
    """The command line of the server; it works from any folder.

    The app takes the workspace from ``serve_environment``.
    """
    command = [sys.executable, "-m", "curator.ui.server_app"]
    return [*command, host, str(port), str(path)]


def serve_environment(path: str | Path, auth: Auth | None = None) -> dict[str, str]:
    """The server's environment: this one, with the workspace, and who may come in.

    A checkout is put on the import path, so that the server runs this very code from
    whatever folder it is started in; an installed package is found without.
    """
    # Each run has a thread of its own, for which glibc would keep memory of its own.
    environment = (
        {"MALLOC_ARENA_MAX": "2"}
        | os.environ
        | {
            WORKSPACE_VARIABLE: str(Path(path).resolve()),
            identity.VARIABLE: (auth or identity.Auth()).variable(),
        }
    )
    if CODE.name not in ("site-packages", "dist-packages"):
        before = [folder for folder in (os.environ.get("PYTHONPATH"),) if folder]
        environment["PYTHONPATH"] = os.pathsep.join([str(CODE), *before])
    return environment
