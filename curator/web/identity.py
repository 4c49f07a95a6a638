"""Names of users: given on trust, by a sign-in provider, or by a proxy.

The way is chosen where the server is started and kept in its environment. *open* takes
names on trust and serves this machine alone unless told otherwise. *oidc* is
Streamlit's sign-in with any provider of OpenID Connect; this module adds how long it
holds and a line where it fails. *header* takes the name from a header, in requests from
the addresses of the proxies alone; only the peer's address counts.

Every request goes through ``Guard``. Pages and events ask ``name`` each time: for the
name of the connection that the browser has now.
"""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from curator.errors import SettingError, SignInError
from curator.formats.text.records import NOT_IN_NAMES

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Way = Literal["open", "oidc", "header"]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

VARIABLE = "CURATOR_AUTH"
HOURS = 12.0  # that a sign-in holds
LEEWAY = 300.0  # seconds that the provider's clock may be ahead of ours
USER = "name"  # Streamlit's name for the value of a trusted header

# The provider, where it is not in Streamlit's secrets.
PROVIDER = {
    "client_id": "CURATOR_OIDC_CLIENT_ID",
    "client_secret": "CURATOR_OIDC_CLIENT_SECRET",
    "server_metadata_url": "CURATOR_OIDC_METADATA_URL",
    "redirect_uri": "CURATOR_OIDC_REDIRECT_URI",
    "cookie_secret": "CURATOR_COOKIE_SECRET",
}
SIGN_IN = "sign-in"  # the parameter of a URL that names a failed sign-in
FAILED: Mapping[str, str] = {
    "unreachable": "The sign-in provider does not answer: nobody can sign in before "
    "it does. What you typed is kept in this browser.",
    "refused": "The sign-in provider’s answer was not accepted: it said no, was late "
    "or used before, or the clocks of the two servers differ. Sign in again; what you "
    "typed is kept in this browser.",
}
EXPIRED = "Your sign-in has expired. Sign in again; what you typed is kept."
CLOCKS = "Your sign-in is in the future: the clocks of provider and server differ."
SIGNED_OUT = "You are not signed in."


@dataclass(frozen=True, slots=True)
class Auth:
    """Sign-in of users.

    Args:
        way (--auth): How people sign in: under any name, with an OpenID Connect
            provider, or by a header of a proxy.
        header (--user-header NAME): With header: the header that names the user.
        proxies (--trusted-proxy ADDRESS): With header: address or network that may set
            the header; repeat for several.
        claim (--user-claim NAME): With oidc: claim that holds the name.
        hours (--sign-in-hours N): With oidc: hours until people must sign in again.
    """

    way: Way = "open"
    header: str = ""
    proxies: tuple[str, ...] = ()
    claim: str = "email"
    hours: float = HOURS

    def __post_init__(self) -> None:
        if self.way == "header" and not (self.header and self.proxies):
            raise SettingError(
                "--auth header takes the name from a proxy: say from which header and "
                "which address, as in --user-header X-Forwarded-User --trusted-proxy "
                "127.0.0.1."
            )
        if self.way != "header" and (self.header or self.proxies):
            raise SettingError(
                "--user-header and --trusted-proxy go with --auth header alone."
            )
        if not 0 < self.hours <= 24 * 30:
            raise SettingError("A sign-in holds for more than 0 and up to 720 hours.")
        networks(self.proxies)

    def require_safe(self, host: str, *, trust_anyone: bool = False) -> None:
        """Raise SettingError if strangers could edit, or no provider is set."""
        if self.way == "open" and not (trust_anyone or is_loopback(host)):
            raise SettingError(
                f"On {host} other machines reach the app, and names are on trust: "
                "whoever does may do anything. --auth oidc or --auth header says who "
                "comes in; --trust-anyone serves it all the same."
            )
        if trust_anyone and self.way != "open":
            raise SettingError("--trust-anyone goes with --auth open alone.")
        if self.way == "oidc":
            require_provider()

    def require_people(self, count: int, path: Path) -> None:
        """Raise SettingError where people sign in and none is listed."""
        if self.way != "open" and not count:
            raise SettingError(
                "Nobody is listed in this workspace, so nobody who signs in could "
                f"work in it. Begin with `curator people {path} add YOU@… --role "
                "organizer`, by the name that you sign in with."
            )

    def start_words(self, host: str) -> str:
        """Return words for the start line: who may come in."""
        if self.way == "header":
            return f" · for {', '.join(self.proxies)} alone, user by {self.header}"
        if self.way == "oidc":
            return f" · sign-in by {self.claim}, for {self.hours:g} h"
        if is_loopback(host):
            return ""
        return (
            " · NOT ONLY THIS MACHINE: whoever reaches this address may do anything, "
            "under any name"
        )

    def variable(self) -> str:
        """Return the value of the server's environment variable."""
        return json.dumps(asdict(self))


def auth() -> Auth:
    """Return how people say who they are on this server; by default open."""
    return _auth(os.environ.get(VARIABLE) or "{}")


@lru_cache(maxsize=1)
def _auth(variable: str) -> Auth:
    fields = json.loads(variable)
    return Auth(**{**fields, "proxies": tuple(fields.get("proxies", ()))})


def networks(proxies: Iterable[str]) -> tuple[Network, ...]:
    """Return the addresses as networks. Raises SettingError for an invalid one."""
    try:
        return tuple(map(ipaddress.ip_network, proxies))
    except ValueError as error:
        raise SettingError(
            f"--trusted-proxy: {error}; expected an address or a network, such as "
            "10.0.0.2 or 10.0.0.0/24."
        ) from None


def is_loopback(host: str) -> bool:
    """Return True if only this machine reaches a server on this host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def provider_of_environment() -> dict[str, str]:
    """Return the provider's settings that the environment has."""
    values = {name: os.environ.get(variable, "") for name, variable in PROVIDER.items()}
    return {name: value for name, value in values.items() if value}


def require_provider() -> None:
    """Raise SettingError unless a provider is named, here or in Streamlit's secrets."""
    provider = provider_of_environment()
    missing = [PROVIDER[name] for name in PROVIDER if name not in provider]
    if missing and (provider or not any(path.is_file() for path in secret_files())):
        raise SettingError(
            f"--auth oidc needs a provider: set {', '.join(missing)}, or [auth] in "
            ".streamlit/secrets.toml. docs/team.md says what each is."
        )


def secret_files() -> list[Path]:
    """Return the paths of Streamlit's secrets."""
    return [at / ".streamlit" / "secrets.toml" for at in (Path.home(), Path.cwd())]


def server_options(auth: Auth, host: str) -> dict[str, Any]:
    """Return Streamlit's options for this way."""
    if auth.way == "header":
        # Streamlit resumes a session for the same user alone.
        return {"server.trustedUserHeaders": {auth.header: USER}}
    if auth.way == "open" and is_loopback(host):
        # Or a page elsewhere whose name leads to this machine could come in.
        return {"server.allowedHosts": ["localhost", "127.0.0.1", "[::1]", "::1", host]}
    return {}


def readable(name: object) -> str:
    """Return the name of a signed-in user. Raises SignInError if it is unreadable."""
    text = name.strip() if isinstance(name, str) else ""
    if not text or NOT_IN_NAMES.search(text):
        raise SignInError(
            "Your sign-in gives no name that can sign edits: whoever runs this server "
            "chooses what does, by --user-header or --user-claim."
        )
    return text


def name_in(auth: Auth, user: Mapping[str, Any], now: float) -> str:
    """Return the name of Streamlit's user. Raises SignInError if none is signed in."""
    if auth.way == "header":
        try:  # Streamlit reads headers as Latin-1
            return readable(str(user.get(USER) or "").encode("latin-1").decode())
        except UnicodeError:
            return readable(None)
    if not user.get("is_logged_in"):
        raise SignInError(SIGNED_OUT)
    at = user.get("iat")
    if not isinstance(at, int | float) or not now - at <= auth.hours * 3600:
        raise SignInError(EXPIRED)
    if at - now > LEEWAY:
        raise SignInError(CLOCKS)
    if auth.claim == "email" and user.get("email_verified") is False:
        raise SignInError("Your address is not verified at the sign-in provider.")
    return readable(user.get(auth.claim))


def name() -> str | None:
    """Return who has sent what is being handled; None where names are on trust.

    Raises SignInError.
    """
    way = auth()
    if way.way == "open":
        return None
    import streamlit as st

    return name_in(way, st.user.to_dict(), time.time())


class Guard:
    """Lets requests in before Streamlit sees them, or refuses them in one line."""

    OPEN = ("/healthz", "/_stcore/health")
    """Paths that are answered for everybody."""

    DATA = ("/media/", "/_stcore/upload_file", "/_stcore/metrics")
    """Paths of data, beside the connection of a page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.auth = auth()
        self.proxies = networks(self.auth.proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on to the app."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        send = _unframed(send)
        path: str = scope["path"]
        line = "" if path in self.OPEN else self.refusal(scope)
        if line:
            await refuse(scope, receive, send, line)
        elif self.auth.way == "oidc" and path in ("/oauth2callback", "/auth/login"):
            await self.app(scope, receive, _telling(path, send))
        else:
            await self.app(scope, receive, send)

    def refusal(self, scope: Scope) -> str:
        """Return why this request is not answered, or ""."""
        if scope["type"] == "websocket" and _is_of_another_site(scope):
            return "Pages of another address may not connect to this server."
        if self.auth.way == "header":
            return self._proxy_refusal(scope)
        if self.auth.way == "oidc" and scope["path"].startswith(self.DATA):
            try:
                name_in(self.auth, user_of_cookie(scope), time.time())
            except SignInError as error:
                return str(error)
        return ""

    def _proxy_refusal(self, scope: Scope) -> str:
        try:
            address = ipaddress.ip_address(scope["client"][0])
        except (TypeError, ValueError):
            return "This server answers its proxy alone."
        addresses = (address, getattr(address, "ipv4_mapped", None) or address)
        if not any(each in network for each in addresses for network in self.proxies):
            return "This server answers its proxy alone."
        names = header_values(scope, self.auth.header)
        if len(names) != 1:
            return f"The proxy named {len(names)} users; expected one."
        try:
            readable(names[0].decode())
        except (SignInError, UnicodeDecodeError):
            return "The proxy named a user by what is no name."
        return ""


def header_values(scope: Scope, name: str) -> list[bytes]:
    """Return every value of a request's header."""
    key_of_name = name.lower().encode()
    return [value for key, value in scope["headers"] if key.lower() == key_of_name]


def _is_of_another_site(scope: Scope) -> bool:
    """Return True where the Origin, which all browsers send, is not the Host.

    Streamlit accepts pages of any port of this machine. Some proxies name the default
    port in Host, browsers never do in Origin.
    """
    from starlette.datastructures import Headers

    headers = Headers(scope=scope)
    origin = headers.get("origin")
    if origin is None:
        return False
    scheme, _, page_host = origin.lower().partition("://")
    port = {"http": ":80", "https": ":443"}.get(scheme, "")
    host = headers.get("host", "").lower().removesuffix(port)
    return not page_host or page_host != host


def user_of_cookie(scope: Scope) -> dict[str, Any]:
    """Return the content of a request's sign-in cookie, {} without a signed one."""
    from starlette.requests import HTTPConnection
    from streamlit.auth_util import get_cookie_with_chunks
    from streamlit.web.server.server_util import get_cookie_secret
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    cookies, secret = HTTPConnection(scope).cookies, get_cookie_secret()

    def signed(name: str) -> bytes | None:
        if name not in cookies:
            return None
        value = cookies[name].encode("latin-1", "replace")
        return decode_signed_value(secret, name, value)

    try:
        user = json.loads(get_cookie_with_chunks(signed, USER_COOKIE_NAME) or b"{}")
    except ValueError:
        return {}
    return user if isinstance(user, dict) else {}


def _unframed(send: Send) -> Send:
    """Let no page of another site show an answer in a frame, to be clicked unseen."""

    async def send_unframed(message: Message) -> None:
        if message["type"] == "http.response.start":
            policy = (b"content-security-policy", b"frame-ancestors 'self'")
            message = {**message, "headers": [*message.get("headers", ()), policy]}
        await send(message)

    return send_unframed


def _telling(path: str, send: Send) -> Send:
    """Lead a failed sign-in to a line about it; Streamlit goes back in silence."""
    empty = (b'_streamlit_user="";', b"_streamlit_user=;")

    async def send_with_line(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message["headers"]
            cookies = [each for each in headers if each[0].lower() == b"set-cookie"]
            failed = path == "/oauth2callback" and not any(
                value.startswith(b"_streamlit_user=") and not value.startswith(empty)
                for _, value in cookies
            )
            if failed or message["status"] >= 400:
                why = "refused" if failed else "unreachable"
                where = (b"location", f"/?{SIGN_IN}={why}".encode())
                message = {**message, "status": 302, "headers": [*cookies, where]}
        await send(message)

    return send_with_line


async def refuse(
    scope: Scope, receive: Receive, send: Send, line: str, status: int = 403
) -> None:
    """Answer a request with one line, or close a websocket before it opens."""
    from starlette.responses import PlainTextResponse
    from starlette.websockets import WebSocket

    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).close(code=1008, reason=line)
    else:
        await PlainTextResponse(line + "\n", status)(scope, receive, send)
