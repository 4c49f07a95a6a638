"""Laws of reading a stream: whatever bytes come, wherever they are cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grading.models.protocol import Response
from grading.models.replies import LONGEST_EVENT, EventParser, Refusal, StreamedResponse
from tests.samples.chat_server import KEEP_ALIVE, chunk, event, thought


def grown(body, cuts=()):
    """What comes of ``body`` in pieces, and the text that was shown meanwhile."""
    shown = []
    growing = StreamedResponse(shown.append)
    for begin, end in pairwise([0, *sorted(cuts), len(body)]):
        growing.feed(body[begin:end])
        if growing.result is not None:
            break
    result = growing.result or growing.end()
    return result, "".join(shown)


BODY = b"".join(
    [
        b": hello\r\n\r\n",
        event(thought("äh")),
        event(chunk({"content": "Grüße "})).replace(b"\n", b"\r\n"),
        json.dumps(chunk({"content": "😀"}), ensure_ascii=False)
        .join(["data:", "\n\n"])
        .encode(),
        b"data: "
        + json.dumps(chunk({"content": "!"}), indent=1)
        .encode()
        .replace(b"\n", b"\r\ndata: "),
        b"\r\n\r\ndata: [DONE]\n\n",
    ]
)


@given(st.lists(st.integers(0, len(BODY)), max_size=30))
@example([BODY.index(b"\r\n") + 1] * 2)
@settings(deadline=None)
def test_wherever_a_stream_is_cut_the_text_is_the_same(cuts):
    assert grown(BODY, cuts) == (Response("Grüße 😀!"), "Grüße 😀!")


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=9))
@settings(deadline=None)
def test_any_bytes_are_a_response_or_a_refusal(body, cuts):
    result, _ = grown(body, [cut for cut in cuts if cut <= len(body)])
    assert isinstance(result, Response | Refusal)


NAMES = ["choices", "delta", "content", "error", "code", "usage", "prompt_tokens"]
NAMES += ["index", "finish_reason", "message"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(ANYTHING, max_size=4))
@settings(deadline=None)
def test_any_json_in_events_is_a_response_or_a_refusal(bodies):
    body = b"".join(event(json.dumps(one)) for one in bodies)
    result, shown = grown(body)
    assert isinstance(result, Response | Refusal)
    if isinstance(result, Response):
        assert result.raw == shown


@pytest.mark.parametrize("begin", [b"data: ", b"", b"data: x\ndata: "])
def test_what_can_be_read_only_at_its_end_is_not_read_for_ever(begin):
    growing = StreamedResponse(lambda _: None)
    growing.feed(begin)
    for _ in range(LONGEST_EVENT // 100_000 + 1):
        growing.feed(b"x" * 100_000)
    assert isinstance(growing.result, Refusal)


def test_comments_and_thoughts_take_no_room():
    events = EventParser()
    for _ in range(1000):
        events.feed(KEEP_ALIVE * 1000)
    assert not events.too_long
    assert not events.plain
