"""The command that starts the app's server. No Streamlit is imported here."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any

from curator.errors import WorkspaceError
from curator.web import identity
from curator.web.identity import Auth

HERE = Path(__file__).parent
APP = HERE / "app.py"
CODE = HERE.parents[1]
CONFIG = CODE / ".streamlit" / "config.toml"
if not CONFIG.is_file():  # installed
    CONFIG = HERE.parent / "streamlit_config" / "config.toml"

WORKSPACE_VARIABLE = "CURATOR_WORKSPACE"
LOG_VARIABLE = "CURATOR_LOG"  # json, or text
UPLOAD_VARIABLE = "CURATOR_MAX_UPLOAD_MB"
TOUR_VARIABLE = "CURATOR_TOUR"  # set where the tour is offered unasked

_DEMO = threading.Lock()  # built once, however many pages are open


def _options(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten tables of TOML into Streamlit's dotted names."""
    options: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            options |= _options(value, f"{prefix}{name}.")
        else:
            options[prefix + name] = value
    return options


# Given to the server itself, so that neither the working folder nor a config file of
# the user's decides what Curator looks like.
OPTIONS = _options(tomllib.loads(CONFIG.read_text(encoding="utf-8")))


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
    """Return the address for a browser."""
    if identity.is_loopback(host):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve_command(
    path: str | Path, host: str = "127.0.0.1", port: int = 8501
) -> list[str]:
    """Return the command of the server, for ``serve_environment`` and any folder."""
    module = "curator.web.server_app"
    return [sys.executable, "-m", module, host, str(port), str(path)]


def demo_workspace() -> str:
    """Build the demo workspace where there is none, and return its path.

    Another process builds it: the server loads no model. Raises WorkspaceError.
    """
    command = [sys.executable, "-m", "curator", "demo", "--build-only"]
    with _DEMO:
        built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        raise WorkspaceError(built.stderr.strip())
    return built.stdout.strip()


def serve_environment(path: str | Path, auth: Auth | None = None) -> dict[str, str]:
    """Return this environment with the workspace and who may come in.

    A checkout is put on the import path, so that the server runs this code.
    """
    # Each run has a thread, for which glibc would keep memory apart.
    environment = (
        {"MALLOC_ARENA_MAX": "2"}
        | os.environ
        | {
            WORKSPACE_VARIABLE: str(Path(path).resolve()),
            identity.VARIABLE: (auth or identity.Auth()).variable(),
        }
    )
    if CODE.name not in ("site-packages", "dist-packages"):
        folders = filter(None, (str(CODE), os.environ.get("PYTHONPATH")))
        environment["PYTHONPATH"] = os.pathsep.join(folders)
    return environment
