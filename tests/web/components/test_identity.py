"""Who may come in, and under which name: before any page is drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from curator.errors import SettingError, SignInError
from curator.web import identity
from curator.web.identity import EXPIRED, SIGNED_OUT, Auth, Guard, is_loopback, name_in
from curator.web.server import OPTIONS
from curator.workspace import Workspace
from tests.samples.asgi import asked_once
from tests.samples.command_line import run

HEADER = Auth("header", "X-User", ("10.0.0.2", "192.168.1.0/24", "::1"))
NOW = 1_800_000_000.0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "curator.example"])
def test_names_on_trust_are_for_this_machine_alone_unless_asked_for(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(SettingError, match="whoever does may do anything"):
        Auth().require_safe(host)
    Auth().require_safe(host, trust_anyone=True)
    assert "whoever reaches this address" in Auth().start_words(host)
    for here in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        Auth().require_safe(here)
        assert not Auth().start_words(here)


@pytest.mark.parametrize(
    "options",
    [
        {"way": "header"},
        {"way": "header", "header": "X-User"},
        {"way": "header", "proxies": ("10.0.0.2",)},
        {"header": "X-User"},
        {"way": "oidc", "proxies": ("10.0.0.2",)},
        {"way": "header", "header": "X-User", "proxies": ("proxy",)},
        {"way": "oidc", "hours": 0},
        {"way": "oidc", "hours": float("nan")},
    ],
)
def test_options_that_do_not_belong_together_are_refused(
    options: dict[str, Any],
) -> None:
    with pytest.raises(SettingError):
        Auth(**options)


def test_a_server_whose_people_sign_in_wants_them_listed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = ("--auth", "header", "--user-header", "X-User", "--trusted-proxy", "::1")
    refused = run("serve", workspace.path, *header, code=1)
    assert "Nobody is listed in this workspace" in refused.stderr
    assert "--trust-anyone serves it" in (
        run("serve", workspace.path, "--host", "0.0.0.0", code=1).stderr
    )
    for variable in identity.PROVIDER.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(identity, "secret_files", list)
    said = run("serve", workspace.path, "--auth", "oidc", code=1).stderr
    assert "CURATOR_OIDC_CLIENT_ID" in said


# ---- a sign-in ----


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ({}, SIGNED_OUT),
        ({"is_logged_in": False, "iat": NOW, "email": "a@b"}, SIGNED_OUT),
        ({"iat": NOW - 12 * 3600 - 1, "email": "a@b"}, EXPIRED),
        ({"email": "a@b"}, EXPIRED),
        ({"iat": "now", "email": "a@b"}, EXPIRED),
        ({"iat": float("nan"), "email": "a@b"}, EXPIRED),
        ({"iat": NOW + 600, "email": "a@b"}, "clocks"),
        ({"iat": NOW, "email": "a@b", "email_verified": False}, "not verified"),
        ({"iat": NOW}, "no name"),
        ({"iat": NOW, "email": "\u202eann"}, "no name"),
        ({"iat": NOW, "email": ["a@b"]}, "no name"),
    ],
)
def test_what_is_no_sign_in_is_said(claims: Mapping[str, Any], says: str) -> None:
    user = {"is_logged_in": True} | dict(claims) if claims else {}
    with pytest.raises(SignInError, match=says):
        name_in(Auth("oidc"), user, NOW)


def test_a_sign_in_gives_the_name() -> None:
    user = {"is_logged_in": True, "iat": NOW - 3600, "email": "a@b", "sub": "42"}
    assert name_in(Auth("oidc"), user, NOW) == "a@b"
    assert name_in(Auth("oidc", claim="sub"), user, NOW) == "42"
    with pytest.raises(SignInError, match="expired"):
        name_in(Auth("oidc", hours=0.5), user, NOW)


# ---- a proxy's header ----


def answered(
    auth: Auth,
    peer: str | None,
    *headers: tuple[str, str],
    kind: str = "http",
    path: str = "/",
) -> list[Any]:
    """What a request is sent."""

    async def page(request: object) -> PlainTextResponse:
        return PlainTextResponse("in")

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()

    routes = [WebSocketRoute("/stream", stream), Route("/{path:path}", page)]
    guard = Guard(Starlette(routes=routes))
    guard.auth, guard.proxies = auth, identity.networks(auth.proxies)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request" if kind == "http" else "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        **{"type": kind, "method": "GET", "path": path, "raw_path": path.encode()},
        **{"query_string": b"", "scheme": "http", "server": ("here", 80)},
        "client": (peer, 1234) if peer else None,
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in headers],
        "subprotocols": [],
    }
    asked_once(guard, scope, receive, send)
    return sent


def asked(
    auth: Auth,
    peer: str | None,
    *headers: tuple[str, str],
    kind: str = "http",
    path: str = "/",
) -> tuple[int, str]:
    """The status and the line that a request gets, 0 for a websocket let in."""
    first, *rest = answered(auth, peer, *headers, kind=kind, path=path)
    if kind == "websocket":
        return (0, "") if first["type"] == "websocket.accept" else (403, "")
    return first["status"], rest[0]["body"].decode()


@pytest.mark.parametrize("peer", ["10.0.0.2", "192.168.1.77", "::1", "::ffff:10.0.0.2"])
def test_a_proxy_that_is_trusted_names_the_user(peer: str) -> None:
    assert asked(HEADER, peer, ("X-User", "ann")) == (200, "in")
    found = asked(HEADER, peer, ("X-User", "ann"), kind="websocket", path="/stream")
    assert found == (0, "")


def test_a_name_in_a_header_is_read_as_utf_8() -> None:
    received = "Jürgen Ünal".encode().decode("latin-1")  # as Streamlit hands it on
    assert name_in(HEADER, {identity.USER: received}, NOW) == "Jürgen Ünal"
    for wrong in ("J\xfcrgen", None):
        with pytest.raises(SignInError):
            name_in(HEADER, {identity.USER: wrong}, NOW)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("10.0.0.3", [("X-User", "ann")]),
        ("10.0.0.3", [("X-User", "ann"), ("X-Forwarded-For", "10.0.0.2")]),
        ("10.0.0.3", [("X-User", "ann"), ("Forwarded", "for=10.0.0.2")]),
        (None, [("X-User", "ann")]),
        ("testclient", [("X-User", "ann")]),
        ("10.0.0.2", []),
        ("10.0.0.2", [("X-User", "")]),
        ("10.0.0.2", [("X-User", " ")]),
        ("10.0.0.2", [("X-User", "ann"), ("x-user", "bo")]),
        ("10.0.0.2", [("X-User", "ann\tbo")]),
        ("10.0.0.2", [("X-User", "\xff\xfe")]),
        ("10.0.0.2", [("X_User", "ann")]),
    ],
)
def test_no_other_request_is_answered(
    kind: str, peer: str | None, headers: list[tuple[str, str]]
) -> None:
    path = "/stream" if kind == "websocket" else "/anything"
    status, line = asked(HEADER, peer, *headers, kind=kind, path=path)
    assert status == 403
    assert line.count("\n") <= 1


@pytest.mark.parametrize(
    ("origin", "host", "is_own"),
    [
        ("http://localhost:8501", "localhost:8501", True),
        ("https://curator.example", "Curator.example", True),
        ("http://[::1]:8501", "[::1]:8501", True),
        ("https://curator.example", "curator.example:443", True),
        ("http://curator.example", "curator.example:443", False),
        ("http://localhost:3000", "localhost:8501", False),
        ("http://localhost", "localhost:8501", False),
        ("http://127.0.0.1:8501", "localhost:8501", False),
        ("https://curator.example:444", "curator.example", False),
        ("https://curator.example@evil", "curator.example", False),
        ("null", "localhost:8501", False),
        ("null", "", False),
        ("", "", False),
    ],
)
def test_a_websocket_is_for_pages_of_the_server_alone(
    origin: str, host: str, is_own: bool
) -> None:
    headers = [("Origin", origin), ("Host", host)]
    status, _ = asked(Auth(), "::1", *headers, kind="websocket", path="/stream")
    assert status == (0 if is_own else 403)
    assert asked(Auth(), "::1", *headers) == (200, "in")


def test_no_page_elsewhere_shows_it_in_a_frame() -> None:
    policy = (b"content-security-policy", b"frame-ancestors 'self'")
    for way in (HEADER, Auth()):  # one refuses, the other answers
        assert policy in answered(way, "8.8.8.8")[0]["headers"]
    assert OPTIONS["client.allowedOrigins"] == []


def test_the_environment_is_json_that_holds_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CURATOR_OIDC_CLIENT_SECRET", "s3cret")
    assert "s3cret" not in json.dumps(Auth("oidc").variable())
    assert identity.provider_of_environment()["client_secret"] == "s3cret"
