"""What a page's websocket may send, how often, and how many pages one person has."""

from __future__ import annotations

import json
import re
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from curator.formats.limits import MB
from curator.web import identity, page_messages, request_limits
from curator.web.identity import Auth
from curator.web.page_messages import MAX_DEPTH, is_deeply_nested, refusal
from curator.web.request_limits import RequestLimiter
from tests.browser.conftest import Server
from tests.samples.asgi import asked_once
from tests.samples.hand_made import hand_made_workspace

ACCEPTED = {"rerun_script", "stop_script", "file_urls_request"}
NESTED = "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)


def frame(message: BackMsg) -> dict[str, Any]:
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def rerun(**widgets: str) -> BackMsg:
    """A run of the page, with a widget's value in each of these fields."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    for number, (field, value) in enumerate(widgets.items()):
        widget = message.rerun_script.widget_states.widgets.add(id=str(number))
        setattr(widget, field, value)
    return message


@pytest.mark.parametrize("field", [*BackMsg.DESCRIPTOR.fields], ids=lambda f: f.name)
def test_messages_that_no_page_sends_are_refused(field: Any) -> None:
    message = BackMsg()
    if field.message_type is None:
        setattr(message, field.name, True)
    else:
        getattr(message, field.name).SetInParent()
    if field.name == "backend_operation_request":
        message.backend_operation_request.install_skills.SetInParent()
    assert bool(refusal(frame(message))) == (field.name not in ACCEPTED)


def test_what_a_page_sends_is_accepted() -> None:
    download = BackMsg()
    download.backend_operation_request.deferred_file.file_id = "abc"
    upload = BackMsg()
    upload.file_urls_request.file_names.extend(["a.tsv"] * page_messages.MAX_FILES)
    typed = rerun(json_trigger_value='[{"value": [1]}]', string_value="[1\n[2\n" * 50)
    for message in (download, upload, typed):
        assert refusal(frame(message)) == ""
    upload.file_urls_request.file_names.append("one more.tsv")
    assert "files" in refusal(frame(upload))


@pytest.mark.parametrize(
    "sent",
    [
        {"text": "hello"},
        {"bytes": b"\xff\xff\xff"},
        {"bytes": b""},
        {"bytes": bytes(page_messages.MESSAGE_MB * MB + 1)},
        frame(rerun(json_value=NESTED)),
        frame(rerun(json_trigger_value='{"a":' * 300 + "1" + "}" * 300)),
        frame(rerun(string_value=NESTED)),
        frame(rerun(json_value="[" * 1_000_000)),
    ],
    ids=["text", "no message", "empty", "large", "json", "event", "string", "million"],
)
def test_other_frames_are_refused_in_one_line(sent: dict[str, Any]) -> None:
    line = refusal(sent)
    assert "\n" not in line
    assert 0 < len(line.encode()) <= 123  # the room for a reason in a close frame


JSON_VALUES = st.recursive(
    st.none() | st.integers() | st.text('[{}]"\\ab'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("[{"), inner),
)


@given(JSON_VALUES, st.integers(0, 2 * MAX_DEPTH), st.integers(0, 300))
def test_levels_are_counted_and_brackets_in_texts_are_not(
    value: Any, levels: int, brackets: int
) -> None:
    def depth(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value
        is_nested = isinstance(value, dict | list)
        return 1 + max(map(depth, inner), default=0) if is_nested else 0

    for _ in range(levels):
        value = [value]
    text = json.dumps(["[" * brackets, value])
    assert is_deeply_nested(text) == (depth(value) + 1 > MAX_DEPTH)


# ---- through the limits ----


def sent_by(
    limits: RequestLimiter, scope: dict[str, Any], *received: dict[str, Any]
) -> Any:
    """What a client is sent that sends these messages."""
    left, sent = list(received), []

    async def receive() -> Any:
        return left.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asked_once(limits, scope, receive, send)
    return sent


def websocket(user: str = "") -> dict[str, Any]:
    headers = [(b"x-user", user.encode())]
    return {"type": "websocket", "path": "/", "client": ("::1", 5), "headers": headers}


def passed_on(*messages: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """What the app hears of a websocket's messages, and what the page is sent."""
    heard = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            heard.append(message)
        await send({"type": "websocket.send", "bytes": b"late"})

    closing = {"type": "websocket.disconnect"}
    return heard, sent_by(RequestLimiter(app), websocket(), *messages, closing)


def test_a_refused_message_closes_the_websocket() -> None:
    clear = BackMsg(clear_cache=True)
    heard, sent = passed_on(frame(rerun()), frame(clear), frame(rerun()))
    assert heard == [frame(rerun())]
    (close,) = sent  # and nothing after it
    assert (close["type"], close["code"]) == ("websocket.close", 1008)
    assert "clear_cache" in close["reason"]


def test_messages_beyond_the_rate_wait_and_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    sleep = anyio.sleep

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(anyio, "sleep", wait)
    monkeypatch.setattr(request_limits, "MESSAGES_AT_ONCE", 2.0)
    messages = [frame(rerun(string_value=str(number))) for number in range(4)]
    heard, _ = passed_on(*messages)
    assert heard == messages
    assert waits


def test_one_person_cannot_take_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    auth = Auth("header", "X-User", ("::1",))
    monkeypatch.setenv(identity.VARIABLE, auth.variable())
    reached: list[dict[str, int]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(dict(limits.open))

    limits = RequestLimiter(app)
    limits.open["ann"] = most = request_limits.CONNECTIONS_EACH
    (close,) = sent_by(limits, websocket("ann"), {"type": "websocket.connect"})
    assert "close some" in close["reason"]
    assert not reached
    assert not sent_by(limits, websocket("bo"))
    assert reached == [{"ann": most, "bo": 1}]
    assert limits.open == {"ann": most}


# ---- a running server ----


def drawn(page: ClientConnection) -> str:
    """Id of the page's listener, once the page is drawn."""
    page.send(rerun().SerializeToString())
    found = ""
    for sent in page:
        message = ForwardMsg()
        message.ParseFromString(bytes(sent))
        found += "".join(re.findall(r'id: "(\$\$ID-\w+-listener)"', str(message)))
        if b'class="c-saved"' in bytes(sent):
            break
    return found


def closed(page: ClientConnection) -> tuple[int, str]:
    """The code and reason with which the server closes the connection."""
    with suppress(ConnectionClosed):
        for _ in page:
            pass  # drawn before
    return page.close_code or 0, page.close_reason or ""


def test_a_server_refuses_in_one_line_and_logs_errors_as_json(
    tmp_path: Path, without_model_here: Path
) -> None:
    server = Server(
        hand_made_workspace(tmp_path / "work"), without_model_here, CURATOR_LOG="json"
    )
    server.start()
    stream = server.address.replace("http", "ws") + "/_stcore/stream"
    try:
        with connect(stream, origin=server.address, max_size=None) as page:
            listener = drawn(page)
            # An error of the page: this field never holds an event.
            wrong = rerun(json_value="[]")
            widget = wrong.rerun_script.widget_states.widgets[0]
            widget.id = f"$$STREAMLIT_INTERNAL_KEY_{listener}__events"
            page.send(wrong.SerializeToString())
            assert any(b"TypeError" in bytes(sent) for sent in page)
        clear = BackMsg(clear_cache=True).SerializeToString()
        nested = rerun(json_trigger_value=NESTED).SerializeToString()
        for sent, reason in ((clear, "clear_cache"), ("", "Text"), (nested, "levels")):
            with connect(stream, max_size=None) as page:
                drawn(page)
                page.send(sent)
                code, line = closed(page)
                assert code == 1008
                assert reason in line
        for origin in ("http://127.0.0.1:1", "http://localhost", "null"):
            with pytest.raises(InvalidStatus, match="403"):
                connect(stream, origin=origin)
        with urllib.request.urlopen(f"{server.address}/healthz") as answer:
            assert json.load(answer)["status"] == "ok"
    finally:
        server.stop()
    log = server.path.with_suffix(".log").read_text().splitlines()
    lines = [json.loads(line) for line in log if line.startswith("{")]
    assert [line["error"] for line in lines if "error" in line] == ["TypeError"]
    assert len([one for one in lines if one.get("event") == "message refused"]) == 3
    # Beside JSON stands Streamlit's greeting alone.
    assert {line.strip() for line in log if not line.startswith("{")} == {
        "",
        "You can now view your Streamlit app in your browser.",
        f"URL: {server.address}",
    }
