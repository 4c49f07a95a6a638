"""Answers shown while they arrive: the real client against a server on this machine."""

import threading

import pytest

from grading.errors import BrokenStreamError, EndpointError
from grading.models.protocol import Response
from tests.samples.chat_callers import (  # noqa: F401
    BUSY,
    KEY,
    SOON,
    chat_model,
    key_shows,
    model_threads,
    no_settings_of_this_machine,
    no_thread_is_left,
    one_line,
    wait_for,
)
from tests.samples.chat_server import (
    DROPPED,
    KEEP_ALIVE,
    NO_CHOICES,
    NOT_JSON,
    ChatServer,
    Reply,
    Streamed,
    chunk,
    completion,
    event,
    failed,
    in_turn,
    refused,
    thought,
    words,
)

SALT = "Salt dissolves in warm water."


def stream(server, **options):
    """Responses in the order of their arrival, and the error that came after them."""
    arrived = []
    try:
        for response in chat_model(server, **options).stream("a"):
            arrived.append(response)
    except EndpointError as error:
        return arrived, one_line(error)
    return arrived, None


def last(server, **options):
    """The whole response of a stream that succeeds."""
    arrived, error = stream(server, **options)
    assert error is None
    return arrived[-1]


def raw(*bodies):
    """A stream of exactly these bytes, as it is."""
    sent = "".join(b if isinstance(b, str) else b.decode() for b in bodies)
    return Reply(body=sent)


class InStep(list):
    """Pieces of which each is sent when the one before it was seen."""

    def __init__(self, pieces):
        super().__init__(pieces)
        self.seen = threading.Semaphore(0)
        self.sent = False

    def __iter__(self):
        for piece in super().__iter__():
            yield piece
            if not self.sent:
                self.seen.acquire(timeout=30)
        self.sent = True


# What arrives


def test_each_yield_is_all_that_has_arrived_and_the_last_is_whole():
    pieces = InStep(words(SALT))
    arrived = []
    with ChatServer(Streamed(pieces)) as server:
        for response in chat_model(server).stream("a"):
            arrived.append(response)
            pieces.seen.release()
    *growing, whole = arrived
    assert whole == Response(SALT, tokens_in=1, tokens_out=5)
    # by hand: a word a piece
    assert [response.raw for response in growing] == [
        "Salt ",
        "Salt dissolves ",
        "Salt dissolves in ",
        "Salt dissolves in warm ",
        SALT,
    ]
    assert all(response.unfinished for response in growing)


# Where an answer ends


@pytest.mark.parametrize(
    "reply",
    [
        "",
        None,
        Streamed(""),
        Streamed([thought("Hm.")]),
        Reply(body=completion(None)),
    ],
)
def test_an_answer_without_words_is_one_empty_response_and_asked_once(reply):
    with ChatServer(reply) as server:
        arrived, error = stream(server)
    assert [response.raw for response in arrived] == [""]
    assert error is None
    assert server.asked["a"] == 1


# What servers send beside the text


def test_comments_thoughts_and_empty_deltas_are_no_text():
    pieces = [
        KEEP_ALIVE,
        b"\n",
        b"data:\n\n",
        b"event: ping\nid: 3\nretry: 10\n\n",
        thought("Let me think."),
        {"choices": [], "prompt_filter_results": []},
        chunk({"role": "assistant"}),
        chunk({"tool_calls": []}),
        {"choices": [{"index": 0}], "usage": None},
        "So ",
        KEEP_ALIVE,
        "it is.",
    ]
    with ChatServer(Streamed(pieces, pace=SOON)) as server:
        arrived, error = stream(server)
    assert error is None
    assert {response.raw for response in arrived} <= {"So ", "So it is."}
    assert arrived[-1].raw == "So it is."
    assert server.asked["a"] == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_end_of_line_is_read(end):
    body = (event(chunk({"content": "Ja"})) * 2).decode().replace("\n", end)
    with ChatServer(raw(body)) as server:
        response = last(server)
    # No event says that it has ended.
    assert response == Response("JaJa", fault="the answer ended with no finish reason")


# Before there is text


@pytest.mark.parametrize(
    "failure",
    [
        BUSY,
        Streamed([failed("busy", code=429)]),
        refused(503, "overloaded"),
        DROPPED,
        NOT_JSON,
        NO_CHOICES,
        raw("data: " + "[" * 100_000 + "\n\n"),
        raw(event(chunk({"content": 4}))),
        Streamed(SALT, broken_after=0),
        Streamed([failed("no memory")]),
    ],
)
def test_what_passes_is_retried_as_long_as_there_is_no_text(failure):
    with ChatServer(in_turn(failure, failure, SALT)) as server:
        assert last(server).raw == SALT
    assert server.asked["a"] == 3


def test_a_server_that_only_keeps_the_line_warm_runs_into_the_timeout():
    with ChatServer(Streamed([KEEP_ALIVE] * 1000, pace=0.05)) as server:
        _, error = stream(server, timeout=0.3, retries=0)
    assert "sent no part of an answer for 0.3 s: try again later" in str(error)


# Once there is text


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ({"broken_after": 2}, "broke off the connection after 15 characters of its"),
        ({"silent_after": 2}, "sent no part of an answer for 1 s after 15 char"),
        ({"end": failed("no memory")}, "sent an error after 15 characters of its ans"),
        ({"end": failed("stream", code=400)}, "15 characters of its answer (stream)"),
        ({"end": b"data: {oops\n\n"}, "an invalid chat completion after 15 characters"),
    ],
)
def test_once_text_has_arrived_nothing_is_asked_again_and_it_stands(pieces, said):
    if "end" in pieces:
        pieces["silent_after"] = 3  # or it could be over before anybody hangs up
    end = pieces.pop("end", "in water")
    reply = Streamed(["Salt ", "dissolves ", end], pace=0.02, **pieces)
    patience = {"timeout": 1} if "for 1 s" in said else {}
    with ChatServer(in_turn(reply, "4")) as server:
        arrived, error = stream(server, **patience)
    assert {response.raw for response in arrived} <= {"Salt ", "Salt dissolves "}
    assert arrived[-1].raw == "Salt dissolves "
    assert all(response.unfinished for response in arrived)
    assert type(error) is BrokenStreamError
    assert str(error).startswith(f"Model 'test-model' at {server.host} ")
    assert said in str(error)
    assert str(error).endswith(": ask again for a complete one")
    assert server.asked["a"] == 1
    assert not server.answered


# The end


def test_closing_closes_the_connection_and_leaves_no_thread():
    with ChatServer(Streamed(SALT, silent_after=2)) as server:
        arriving = chat_model(server).stream("a")
        next(arriving)
        arriving.close()
        assert model_threads() == []
        wait_for(lambda: server.hung_up["a"])
        wait_for(lambda: server.in_flight == 0)
    assert server.asked["a"] == 1
    assert not server.answered
