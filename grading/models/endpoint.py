"""Addresses of chat requests, their keys, and how many are sent at once.

The address is the workspace's, or the environment's where the workspace has none. None
of it changes an answer, and neither address nor key is ever shown in full.
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
MOST = 600  # seconds, or requests at once

_ADDRESS = re.compile(r"https?://[!-~]+")
_HOST = re.compile(r"[\w.:-]+")


@dataclass(frozen=True, repr=False)
class Endpoint:
    """An address and the key for it, "" where none is needed.

    ``host``, with its port, is what people are shown: passwords stand in addresses
    too, and secrets in paths. Without a repr, so that nothing prints the key.
    """

    url: str
    key: str
    host: str
    is_openai: bool

    @classmethod
    def given(cls, base_url: str | None = None, api_key: str | None = None) -> Endpoint:
        """The endpoint of these, else of OPENAI_BASE_URL and OPENAI_API_KEY.

        OpenAI's own where neither names an address. Raises EndpointError for what is
        no address or no key, and where OpenAI's own would be asked without a key.
        """
        url = resolved(base_url or "")
        key = os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key
        key = key.strip()
        host = _host(url)
        name = urlsplit(url).hostname or ""
        is_openai = name == "openai.com" or name.endswith(".openai.com")
        # Any of these would fail later, in a message that quotes the whole header.
        if not all("!" <= character <= "~" for character in key):
            raise EndpointError(
                f"The key for {host} (OPENAI_API_KEY) holds a space, a line break or a "
                "letter that no key has; set it again"
            )
        if is_openai and not key:
            raise EndpointError(
                f"No key for {host}: set OPENAI_API_KEY, or OPENAI_BASE_URL to an "
                "endpoint that needs none"
            )
        return cls(url, key, host, is_openai)

    @property
    def is_here(self) -> bool:
        """Whether what it is asked stays on this machine: loopback, past any proxy."""
        name = urlsplit(self.url).hostname or ""
        try:
            here = name == "localhost" or ip_address(name).is_loopback
        except ValueError:
            return False
        return here and not is_proxied(self.url)

    @classmethod
    def named(cls, url: str) -> Endpoint:
        """The one that somebody has named, without one the environment's.

        The environment's key goes with it only where it may (see ``key_for``).
        """
        return cls.given(url, key_for(url)) if url else cls.given()


@dataclass(frozen=True)
class EndpointCheck:
    """The answer to the test prompt, and the first problem found.

    ``problem`` names it in a word or two, "" where there is none. ``answer`` is cut and
    on one line. ``rating`` is from 0 to 5, None where the answer states none; tokens
    and seconds are None where they are unknown. ``address`` is one to use in place of
    the tested one, ``detail`` the server's or the system's own words, ``models`` are
    those that the server lists.
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


def resolved(url: str = "") -> str:
    """Address that requests go to: this one, else OPENAI_BASE_URL's, else OpenAI's."""
    return (url or os.environ.get("OPENAI_BASE_URL") or OPENAI).strip()


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        name, port = "", None
    if not _ADDRESS.fullmatch(url) or not _HOST.fullmatch(name):
        raise EndpointError(
            "The endpoint's address (OPENAI_BASE_URL) is not one; expected "
            "something like https://api.example.com/v1 or http://localhost:8000/v1"
        )
    return name if port is None else f"{name}:{port}"


def shown_host(url: str = "") -> str:
    """Host that requests of this address, else the environment's, go to.

    It is "" where nothing can be sent, for want of an address or of a key.
    """
    try:
        return Endpoint.named(url).host
    except EndpointError:
        return ""


def is_proxied(url: str) -> bool:
    """Return True where the environment sends requests to this address by a proxy."""
    parts = urlsplit(url)
    by_proxy = {parts.scheme, "all"} & getproxies().keys()
    return bool(by_proxy) and not proxy_bypass(parts.hostname or "")


def stays_here(base_url: str = "") -> bool:
    """Whether the endpoint of this address, else the environment's, is_here.

    It is not where nothing could be asked at all.
    """
    try:
        return Endpoint.named(base_url).is_here
    except EndpointError:
        return False


def key_for(base_url: str) -> str:
    """The environment's key if it may go to this address, else "".

    It is for OPENAI_BASE_URL's server, or OpenAI's, alone, whoever writes another
    address into a workspace.
    """
    own = os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
    same = _server(own) == _server(base_url)
    return os.environ.get("OPENAI_API_KEY", "").strip() if same else ""


def key_is_there() -> bool:
    """Whether the environment has a key, wherever it may go."""
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
    """How many requests are under way at once. Raises EndpointError."""
    return int(_number(CONCURRENCY_VARIABLE, 8))


def timeout() -> float:
    """Seconds that an answer may take. Raises EndpointError."""
    return _number(TIMEOUT_VARIABLE, 60.0)


def _number(variable: str, default: float) -> float:
    given = os.environ.get(variable, "")
    try:
        number = float(given) if given else default
    except ValueError:
        number = 0.0
    if not 1 <= number <= MOST:
        raise EndpointError(
            f"{variable} is '{given}'; expected a number from 1 to {MOST}, such as "
            f"{default:.0f}"
        )
    return number
