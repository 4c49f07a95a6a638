"""The server as an operator sees it: is it well, what it logs, what it refuses."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit import logger as streamlit_logger
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from curator.cli import main
from curator.web import (
    request_log,
)
from curator.web.health import PATH, health
from curator.web.identity import Auth
from curator.web.request_limits import Allowance, RequestLimiter
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.samples.asgi import asked_once
from tests.samples.hand_made import hand_made_workspace

SECRET = "Sesame-open-7781"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path / "work")


def test_a_server_is_well_while_it_can_read_and_save(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
    found, status = health()
    assert (found["status"], status) == ("ok", 200)
    assert str(path) not in json.dumps(found)
    path.write_bytes(b"no database" * 1000)
    assert health()[1] == 503
    path.unlink()
    found, status = health()
    assert (found["status"], status) == ("failing", 503)
    assert not path.exists()


def test_a_log_has_what_was_asked_and_nothing_that_was_said(
    path: Path, without_model_here: Path
) -> None:
    with Workspace.open(path) as owner:
        owner.add_people(f"{SECRET}-name", "judge")
    server = Server(
        path,
        without_model_here,
        Auth("header", "X-User", ("127.0.0.1",)),
        CURATOR_LOG="json",
        CURATOR_OIDC_CLIENT_SECRET=SECRET,
    )
    server.start()
    try:
        named = {"X-User": f"{SECRET}-name", "Cookie": f"a={SECRET}"}
        for url in ("/?query=", "/judge?judge=", "/media/", "/", "/static/"):
            asked = urllib.request.Request(server.address + url + SECRET, headers=named)
            with contextlib.suppress(urllib.error.HTTPError):  # not there
                urllib.request.urlopen(asked).close()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{server.address}/{SECRET}")
        asks = BackMsg()
        asks.rerun_script.query_string = f"query={SECRET}&words={SECRET}"
        stream = server.address.replace("http", "ws") + "/_stcore/stream"
        with connect(stream, additional_headers=named, max_size=None) as page:
            page.send(asks.SerializeToString())
            assert any(b'class="c-saved"' in bytes(one) for one in page)
        urllib.request.urlopen(f"{server.address}/healthz").close()
    finally:
        server.stop()
    log = path.with_suffix(".log").read_text()
    assert SECRET not in log
    assert "INFO" not in log
    assert "Traceback" not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    events = [line.get("event") for line in lines]
    assert {"request", "page opened", "page closed"} <= {*events}
    asked_for = [line["path"] for line in lines if line.get("event") == "request"]
    assert {"/", "/judge", "/media", "other"} >= {*asked_for} >= {"/", "other"}
    assert all(line["at"] and line["level"] for line in lines)


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What a process logs as JSON; the loggers are as before afterwards."""
    root, setup = logging.getLogger(), streamlit_logger.setup_formatter
    handlers = root.handlers[:]
    stream = io.StringIO()
    request_log.log_json(stream)
    yield stream
    root.handlers[:] = handlers
    streamlit_logger.setup_formatter = setup
    logging.captureWarnings(False)


def test_an_error_is_told_by_its_class_and_place_alone(logged: io.StringIO) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        for name in (
            "curator.web.components.channel",
            "streamlit.new",
            "uvicorn.error",
        ):
            logger = streamlit_logger.get_logger(name)
            logger.exception(f"in {SECRET}: %s", SECRET)
    request_log.edit_handled("retire", True, 0.0123)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert SECRET not in logged.getvalue()
    assert [line.get("error") for line in lines] == ["ValueError"] * 3 + [None]
    assert lines[0]["trace"][-1].startswith("test_running.py:")
    assert (lines[-1]["kind"], lines[-1]["milliseconds"]) == ("retire", 12.3)


# ---- limits ----


def test_an_allowance_fills_up_again() -> None:
    now = [0.0]
    allowance = Allowance(2.0, 5.0, lambda: now[0])
    assert [allowance.take("a") for _ in range(7)] == [True] * 5 + [False] * 2
    assert allowance.take("b")
    now[0] = 1.0  # two more
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]
    now[0] = 1000.0
    assert [allowance.take("a") for _ in range(6)] == [True] * 5 + [False]


async def lets_in(scope: Any, receive: Any, send: Any) -> None:
    """An app that answers every request."""
    await send({"type": "http.response.start", "status": 200, "headers": []})


def answered(limits: RequestLimiter, kind: str = "http") -> Any:
    """The status, or what a websocket hears first."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request" if kind == "http" else "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": kind, "path": "/", "client": ("1.2.3.4", 5), "headers": []}
    asked_once(limits, scope, receive, send)
    return sent[0].get("status", sent[0]["type"])


def test_too_many_requests_and_pages_are_refused() -> None:
    limits = RequestLimiter(lets_in, allowance=Allowance(0.0, 2.0))
    assert [answered(limits) for _ in range(3)] == [200, 200, 429]
    limits = RequestLimiter(lets_in, connections=1)
    limits.open["1.2.3.4"] = 1
    assert answered(limits, "websocket") == "websocket.close"
    assert limits.open.total() == 1


# ---- the container ----

ROOT = Path(__file__).parents[2]


def test_the_container_serves_as_the_program_does() -> None:
    lines = (ROOT / "Containerfile").read_text()
    final = lines.split("\nFROM ")[-1]
    (arguments,) = re.findall(r"^CMD (\[.*\])$", final, flags=re.MULTILINE)
    command, *given = json.loads(arguments)
    context = main.commands[command].make_context(command, given)
    assert context.params["host"] == "0.0.0.0"
    assert context.params["way"] != "open"
    assert f"EXPOSE {context.params['port']}" in final
    assert f":{context.params['port']}{PATH}'" in final
    assert context.params["workspace"].is_relative_to("/data")
    assert "VOLUME /data" in final
    assert final.index("\nUSER curator") < final.index("ENTRYPOINT")
    assert "SECRET" not in lines
