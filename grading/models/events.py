"""Server-sent events out of the bytes of an answer, wherever they are cut."""

from __future__ import annotations

LONGEST_EVENT = 4_000_000  # bytes, of a body that is no stream too

# What a line may begin with; "" is a comment's. llama.cpp's server adds "error".
_FIELDS = frozenset({b"data", b"event", b"id", b"retry", b"error", b""})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Events:
    """The events of a body, or the body where it is something else.

    The first line that is not empty decides: servers are careless with the type that
    they declare. ``plain`` is the body as far as it is not made of events. ``too_long``
    says that more than ``LONGEST_EVENT`` bytes have come of what can be read only at
    its end; whoever feeds stops then.
    """

    def __init__(self) -> None:
        self.plain = bytearray()
        self._are_events: bool | None = None  # None until there is a line
        self._line = bytearray()
        self._after_return = False
        self._data: list[bytes] = []
        self._data_length = 0

    @property
    def are_events(self) -> bool:
        return self._are_events is True

    @property
    def too_long(self) -> bool:
        pending = self._data_length + len(self._line)
        return max(pending, len(self.plain)) > LONGEST_EVENT

    def feed(self, received: bytes) -> list[str]:
        """The data of each event that these bytes complete; comments have none."""
        if not self.are_events:
            self.plain += received
        found = []
        for line in self._lines(received):
            if self._are_events is None and line:
                self._decide(line)
            data = self._data_after(line) if self.are_events else None
            if data is not None:
                found.append(data.decode("utf-8", "replace"))
        return found

    def end(self) -> list[str]:
        """The data of an event whose end was not sent."""
        return self.feed(b"\n\n")

    def _decide(self, line: bytes) -> None:
        name = line.removeprefix(_BYTE_ORDER_MARK).partition(b":")[0]
        self._are_events = name in _FIELDS
        if self._are_events:
            self.plain.clear()

    def _lines(self, received: bytes) -> list[bytes]:
        if self._are_events is False or not received:
            return []
        if self._after_return:
            received = received.removeprefix(b"\n")  # one line's end in two halves
        self._after_return = received.endswith(b"\r")
        lines = []
        for part in received.splitlines(keepends=True):
            text = part.rstrip(b"\r\n")
            self._line += text
            if len(text) < len(part):
                lines.append(bytes(self._line))
                self._line.clear()
        return lines

    def _data_after(self, line: bytes) -> bytes | None:
        """The data that is whole after this line."""
        name, _, value = line.removeprefix(_BYTE_ORDER_MARK).partition(b":")
        if name == b"error":
            return b'{"error":%b}' % value
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._data_length += len(line)
        if line or not self._data:
            return None
        data = b"\n".join(self._data)
        self._data.clear()
        self._data_length = 0
        return data
