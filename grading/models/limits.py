"""How much of a chat endpoint is asked for at once, as the environment says.

That belongs to the endpoint and changes no answer.
"""

from __future__ import annotations

import os

from grading.errors import EndpointError

CONCURRENCY_VARIABLE = "CURATOR_CHAT_CONCURRENCY"
TIMEOUT_VARIABLE = "CURATOR_CHAT_TIMEOUT"
MOST = 600  # seconds, or requests at once


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
