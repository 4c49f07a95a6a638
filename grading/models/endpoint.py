"""Addresses, keys, concurrency and time-outs of chat requests.

The address is that of the workspace, else of the environment. None of these changes an
answer, and neither address nor key is ever shown in full.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from grading.errors import EndpointError

OPENAI = "https://api.openai.com/v1"
CONCURRENCY_VARIABLE = "CURATOR_CHAT_CONCURRENCY"
TIMEOUT_VARIABLE = "CURATOR_CHAT_TIMEOUT"
MAX_VALUE = 600  # seconds, or concurrent requests

_ADDRESS = re.compile(r"https?://[!-~]+")
_HOST = re.compile(r"[\w.:-]+")


@dataclass(frozen=True, repr=False)
class Endpoint:
    """An address and its key, "" if none is needed.

    Users are shown only ``host``, with its port, since addresses may contain passwords
    and paths secrets. There is no repr, so that the key is never printed.
    """

    url: str
    key: str
    host: str
    is_openai: bool

    @classmethod
    def resolve(
        cls, base_url: str | None = None, api_key: str | None = None
    ) -> Endpoint:
        """Return the endpoint of these, else of OPENAI_BASE_URL and OPENAI_API_KEY.

        Without any address it is OpenAI's own. Raises EndpointError for an invalid
        address or key, and for OpenAI's own without a key.
        """
        url = resolve_url(base_url or "")
        key = os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key
        key = key.strip()
        host = _host(url)
        name = urlsplit(url).hostname or ""
        is_openai = name == "openai.com" or name.endswith(".openai.com")
        # The client would report these later, with the whole header in the message.
        if not all("!" <= character <= "~" for character in key):
            raise EndpointError(
                f"The key for {host} (OPENAI_API_KEY) contains a character that "
                "no key has, such as a space or a line break; set it again"
            )
        if is_openai and not key:
            raise EndpointError(
                f"No key for {host}: set OPENAI_API_KEY, or OPENAI_BASE_URL to an "
                "endpoint that needs none"
            )
        return cls(url, key, host, is_openai)

    @property
    def is_local(self) -> bool:
        """Return True if texts stay on this machine: loopback without a proxy."""
        name = urlsplit(self.url).hostname or ""
        try:
            is_loopback = name == "localhost" or ip_address(name).is_loopback
        except ValueError:
            return False
        return is_loopback and not is_proxied(self.url)

    @classmethod
    def from_url(cls, url: str) -> Endpoint:
        """Return the endpoint at this address, or the environment's for "".

        The environment's key is used only for its own server (see ``key_for``).
        """
        return cls.resolve(url, key_for(url)) if url else cls.resolve()


@dataclass(frozen=True)
class EndpointCheck:
    """The answer to the test prompt, and the first problem found.

    ``problem`` is a short code, "" if there is none. ``answer`` is cut to one line.
    ``rating`` is from 0 to 5, None if the answer states none; tokens and seconds are
    None if unknown. ``address`` is an address to use instead, ``detail`` a message of
    the server or the system, ``models`` are the models that the server lists.
    """

    host: str
    model: str
    answer: str | None = None
    rating: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    problem: str = ""
    address: str = ""
    detail: str = ""
    models: tuple[str, ...] = ()


def resolve_url(url: str = "") -> str:
    """Return this address, else that of OPENAI_BASE_URL, else OpenAI's."""
    return (url or os.environ.get("OPENAI_BASE_URL") or OPENAI).strip()


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        name, port = "", None
    if not _ADDRESS.fullmatch(url) or not _HOST.fullmatch(name):
        raise EndpointError(
            "The endpoint's address (OPENAI_BASE_URL) is not valid; expected "
            "something like https://api.example.com/v1 or http://localhost:8000/v1"
        )
    return name if port is None else f"{name}:{port}"


def shown_host(url: str = "") -> str:
    """Return the host of this address, else of the environment's.

    "" if nothing can be sent, because the address is invalid or a key is missing.
    """
    try:
        return Endpoint.from_url(url).host
    except EndpointError:
        return ""


def is_proxied(url: str) -> bool:
    """Return True if the environment has a proxy for this address."""
    parts = urlsplit(url)
    by_proxy = {parts.scheme, "all"} & getproxies().keys()
    return bool(by_proxy) and not proxy_bypass(parts.hostname or "")


def is_local_endpoint(base_url: str = "") -> bool:
    """Return True if this address, else the environment's, is on this machine.

    False for an invalid endpoint.
    """
    try:
        return Endpoint.from_url(base_url).is_local
    except EndpointError:
        return False


def key_for(base_url: str) -> str:
    """Return the environment's key if it may be sent to this address, else "".

    It is only for the server of OPENAI_BASE_URL, or OpenAI's, so that another address
    in a workspace never receives it.
    """
    own_url = os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
    same = _server(own_url) == _server(base_url)
    return os.environ.get("OPENAI_API_KEY", "").strip() if same else ""


def has_key() -> bool:
    """Return True if the environment has a key, for any server."""
    return bool(os.environ.get("OPENAI_API_KEY", "").strip())


def _server(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        ports = {"http": 80, "https": 443}
        port = parts.port or ports.get(parts.scheme)
        return parts.scheme, parts.hostname or "", port
    except ValueError:
        return "", url, None


def concurrency() -> int:
    """Return the maximum number of concurrent requests. Raises EndpointError."""
    return int(_number(CONCURRENCY_VARIABLE, 8))


def timeout() -> float:
    """Return the time-out of an answer in seconds. Raises EndpointError."""
    return _number(TIMEOUT_VARIABLE, 60.0)


def _number(variable: str, default: float) -> float:
    value = os.environ.get(variable, "")
    try:
        number = float(value) if value else default
    except ValueError:
        number = 0.0
    if not 1 <= number <= MAX_VALUE:
        raise EndpointError(
            f"{variable} is '{value}'; expected a number from 1 to {MAX_VALUE}, "
            f"such as {default:.0f}"
        )
    return number
