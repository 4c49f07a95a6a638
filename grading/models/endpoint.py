"""Where chat requests go and with which key; neither is ever shown in full."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from grading.errors import EndpointError

OPENAI = "https://api.openai.com/v1"

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
        url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI).strip()
        key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        name, host = _host(url)
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


def _host(url: str) -> tuple[str, str]:
    """The host's name, and the name with its port."""
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        name, port = "", None
    if not _ADDRESS.fullmatch(url) or not _HOST.fullmatch(name):
        raise EndpointError(
            "The endpoint's address (OPENAI_BASE_URL) is not one; expected something "
            "like https://api.example.com/v1 or http://localhost:8000/v1"
        )
    return name, name if port is None else f"{name}:{port}"
