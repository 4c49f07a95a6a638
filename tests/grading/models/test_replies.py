"""Laws of reading a reply: whatever lines come, a response or a refusal follows."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.models.protocol import Response
from grading.models.replies import Refusal, ReplyReader
from tests.samples.chat_server import event


def read(body):
    """The result of a reply, and the text that was shown meanwhile."""
    shown = []
    reader = ReplyReader(shown.append)
    for line in body.splitlines():
        reader.read(line)
        if reader.result is not None:
            break
    return reader.result or reader.end(), "".join(shown)


PIECES = ["data: ", "error", "event: error", "[DONE]", "{", "}", '"choices": []', "\n"]


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map("".join))
@settings(deadline=None)
def test_any_text_is_a_response_or_a_refusal(body):
    result, _ = read(body)
    assert isinstance(result, Response | Refusal)


NAMES = ["choices", "delta", "content", "error", "code", "usage", "prompt_tokens"]
NAMES += ["index", "finish_reason", "message"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(ANYTHING, max_size=4))
@settings(deadline=None)
def test_any_json_in_events_is_a_response_or_a_refusal(bodies):
    body = b"".join(event(json.dumps(body)) for body in bodies).decode()
    result, shown = read(body)
    assert isinstance(result, Response | Refusal)
    if isinstance(result, Response):
        assert result.raw == shown
