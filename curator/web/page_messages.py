"""Checks of the messages that come through a page's websocket.

Streamlit acts on more messages than the pages of Curator send, such as ``clear_cache``,
which empties the caches of all sessions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg

from curator.formats.limits import MB

MESSAGE_MB = 25
"""Size of a message: texts, choices, clicks."""
MAX_FILES = 100  # files chosen at once
# Events have about 6 levels; Python's parser fails at about 900.
MAX_DEPTH, MAX_BRACKETS = 200, 100_000

_ALLOWED = {
    "rerun_script",
    "stop_script",
    "file_urls_request",
    "backend_operation_request",
}
_JSON_FIELDS = {"json_value", "json_trigger_value", "string_value"}
# A string up to its end or that of the text, so that no text takes quadratic time.
_TOKENS = re.compile(r'"[^"\\]*(?:\\.?[^"\\]*)*(?:"|\Z)|[\[{\]}]', re.DOTALL)


def refusal(frame: Mapping[str, Any]) -> str:
    """Reason in one line why a websocket frame is refused; "" for a valid message."""
    data = frame.get("bytes")
    if data is None:
        return "Text frames are not supported: pages send binary messages."
    if len(data) > MESSAGE_MB * MB:
        return f"The message is larger than {MESSAGE_MB} MB."
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return "The message cannot be decoded."
    kind = message.WhichOneof("type")
    if kind not in _ALLOWED:
        return f"Messages of the kind {kind} are not accepted."
    operation = message.backend_operation_request.WhichOneof("payload")
    if operation not in (None, "deferred_file"):
        return f"The operation {operation} is not accepted."
    if len(message.file_urls_request.file_names) > MAX_FILES:
        return f"More than {MAX_FILES} files were chosen at once."
    for widget in message.rerun_script.widget_states.widgets:
        field = widget.WhichOneof("value")
        if field in _JSON_FIELDS and is_deeply_nested(getattr(widget, field)):
            return f"The message has JSON of more than {MAX_DEPTH} levels."
    return ""


def is_deeply_nested(text: str) -> bool:
    """Return True for JSON of more than ``MAX_DEPTH`` levels, without parsing it."""
    brackets = text.count("[") + text.count("{")
    if brackets <= MAX_DEPTH:
        return False
    depth = 0
    for token in _TOKENS.finditer(text) if brackets <= MAX_BRACKETS else ():
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            return True
    return brackets > MAX_BRACKETS
