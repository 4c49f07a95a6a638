"""The line to a chat endpoint: the real client against a server on this machine."""

import threading

import pytest

from grading.errors import EndpointError
from grading.models import chat, replies
from grading.models.chat import ChatModel
from grading.models.protocol import PromptParts
from grading.models.schedule import pause_after
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
    MODEL,
    ChatServer,
    Reply,
    completion,
    in_turn,
    refused,
)


def prompts(*texts):
    return [PromptParts("", text, "") for text in texts]


def numbered(count):
    return prompts(*(str(n) for n in range(count)))


def ask(model, asked):
    """Raw responses by position, and the error that came after them."""
    answered = {}
    try:
        for batch in model.ask(asked):
            for position, response in batch:
                assert position not in answered
                answered[position] = response.raw
    except EndpointError as error:
        return answered, str(one_line(error))
    return answered, None


@pytest.fixture
def at_once(monkeypatch):
    """All requests begin together, as where the endpoint is another machine."""
    monkeypatch.setattr(chat, "LOCAL_START", 8)


def ask_one(server, **options):
    return ask(chat_model(server, **options), prompts("a"))


# What is asked, and what comes back


def test_every_prompt_is_asked_once_and_answered_at_its_position():
    with ChatServer(lambda prompt: f"{prompt}!") as server:
        answered, error = ask(chat_model(server), numbered(50))
    assert answered == {n: f"{n}!" for n in range(50)}
    assert error is None
    assert set(server.asked.values()) == {1}


def test_a_prompt_is_one_user_message_of_its_three_parts():
    with ChatServer() as server:
        list(chat_model(server).ask([PromptParts("Passage: ", "salt", " Rate it.")]))
    assert server.requests[0].body == {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Passage: salt Rate it."}],
        "max_tokens": chat.ANSWER_TOKENS,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


# Many at once


@pytest.mark.usefixtures("at_once")
def test_requests_run_side_by_side_and_never_more_than_concurrency():
    four = threading.Barrier(4, timeout=30)

    def answer(prompt):
        four.wait()
        return prompt

    with ChatServer(answer) as server:
        answered, _ = ask(chat_model(server, concurrency=4), numbered(20))
    assert len(answered) == 20
    assert server.most_in_flight == 4


# The end


@pytest.mark.usefixtures("at_once")
def test_closing_does_not_wait_for_requests_or_pauses():
    def answer(prompt):
        return {
            "0": "4",
            "1": Reply(body=completion("4"), delay=60),
            "2": refused(429, retry_after="60"),
        }[prompt]

    with ChatServer(answer) as server:
        batches = chat_model(server).ask(numbered(3))
        next(batches)
        wait_for(lambda: len(server.requests) == 3 and server.in_flight == 1)
        batches.close()
        # The one is still being answered, the other was not asked for again.
        assert server.in_flight == 1
        assert len(server.requests) == 3
        assert model_threads() == []


# Retries


@pytest.mark.parametrize(
    "failure",
    [
        Reply(body=completion("4", finish="error")),
        Reply(body={"error": {"message": "upstream is busy", "code": 429}}),
    ],
)
def test_what_passes_is_retried_until_it_succeeds_and_then_never_again(failure):
    with ChatServer(in_turn(failure, failure, "4")) as server:
        assert ask_one(server) == ({0: "4"}, None)
    assert server.asked["a"] == 3


def test_pauses_double_up_to_a_limit_and_scatter_by_a_quarter():
    # by hand: 1, 2, 4, then the limit of 8, each up to a quarter less
    for attempts, most in enumerate((1, 2, 4, 8, 8), start=1):
        assert 0.75 * most <= pause_after(attempts, 1.0) <= most


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (refused(403, "no access"), "answered 403 (no access): check OPENAI_API_KEY"),
        (Reply(422, {"detail": "odd"}), "answered 422 (odd): the endpoint"),
        (refused(429, "pay", code="insufficient_quota"), "(pay): the account has no"),
    ],
)
def test_what_no_retry_cures_is_asked_once(failure, said):
    with ChatServer(failure) as server:
        answered, error = ask_one(server)
    assert answered == {}
    assert said in error
    assert server.asked["a"] == 1


def test_nobody_is_asked_to_whom_an_endpoint_would_send_the_request_on():
    with ChatServer() as elsewhere:
        location = {"Location": f"{elsewhere.url}/chat/completions"}
        with ChatServer(Reply(307, headers=location)) as server:
            answered, error = ask_one(server)
    assert (answered, elsewhere.requests) == ({}, [])
    assert "answered 307: it redirects to another address" in error


# One failure among many


@pytest.mark.usefixtures("at_once")
def test_what_was_ready_and_under_way_is_yielded_before_the_error():
    has_failed = threading.Event()

    def answer(prompt):
        if prompt == "2":
            has_failed.set()
            return refused(401, "cannot")
        if prompt != "0":
            has_failed.wait(30)
        return Reply(body=completion(prompt), delay=0.2 if prompt != "0" else 0)

    with ChatServer(answer) as server:
        answered, error = ask(chat_model(server, concurrency=4), numbered(50))
    assert "(cannot)" in error
    # by hand: 0 to 3 begin together; a few more may before the failure of 2 is heard
    assert {0, 1, 3} <= set(answered)
    assert len(server.requests) == len(answered) + 1 < 50


# What servers take


def test_a_server_that_refuses_the_limits_name_gets_its_other_name_from_then_on():
    with ChatServer(refuses=["max_tokens"]) as server:
        model = chat_model(server, concurrency=1)
        assert ask(model, numbered(5)) == (dict.fromkeys(range(5), "4"), None)
        assert len(server.requests) == 6  # only the first was asked twice
        server.refuses = ["max_completion_tokens"]
        assert ask(model, numbered(5)) == (dict.fromkeys(range(5), "4"), None)
    assert len(server.requests) == 12


# The address and the key


def test_address_and_key_come_from_the_environment(monkeypatch):
    with ChatServer(key=KEY) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
        assert ask(ChatModel(MODEL), prompts("a")) == ({0: "4"}, None)


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}.",
        f'{{"authorization":"Bearer {KEY}"}}',
        f"Incorrect API key provided: {KEY[:8]}********{KEY[-4:]}.",
    ],
)
@pytest.mark.parametrize("status", [200, 401])
def test_the_key_is_in_no_error_even_where_the_server_repeats_it(said, status):
    body = {"error": {"message": said, "code": KEY, "param": KEY, "type": KEY}}
    for reply in (Reply(status, body), Reply(status, said)):
        with ChatServer(reply) as server:
            _, error = ask_one(server, api_key=KEY, retries=0)
        assert not key_shows(error)
        assert KEY[-4:] not in error


def test_the_key_is_in_no_log_no_repr_and_no_chain_of_errors(logged):
    model = None
    replies_to_come = in_turn("4", refused(503), DROPPED, refused(401))
    with ChatServer(replies_to_come) as server:
        url = server.url.replace("//", "//user:pass-word@") + "?token=path-secret"
        model = ChatModel(MODEL, base_url=url, api_key=KEY, backoff=SOON)
        ask(model, prompts("a"))
        with pytest.raises(EndpointError) as error:
            list(model.ask(prompts("a")))
    assert error.value.__context__ is None
    assert logged.getvalue()
    shown = [logged.getvalue(), repr(model), repr(vars(model)), repr(error.value)]
    assert not any(map(key_shows, shown))
    assert "secret" not in str(error.value)
    assert "pass-word" not in str(error.value)
    assert server.host in repr(model)


def test_a_servers_message_is_one_short_line_without_control_characters():
    said = replies.message({"message": "a\n\tb\x1b[31m\u202e" + "c" * 500}, "")
    assert said.startswith("a b [31m c")
    assert len(said) == replies.LONGEST_MESSAGE
    assert said.endswith("…")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"retry-after": "2"}, 2),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20),  # by hand: 30 - 10
    ],
)
def test_retry_after_is_read_as_seconds_milliseconds_or_a_date(
    headers, seconds, monkeypatch
):
    monkeypatch.setattr(replies, "time", lambda: 10.0)
    assert replies.retry_after(headers) == pytest.approx(seconds)


def test_a_request_beyond_the_timeout_is_retried():
    slow = Reply(body=completion("late"), delay=2)
    with ChatServer(in_turn(slow, "4")) as server:
        assert ask_one(server, timeout=0.2) == ({0: "4"}, None)
    assert server.asked["a"] >= 2  # more where the machine is that busy


def test_openai_without_a_key_is_one_line_before_anything_is_asked(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    with pytest.raises(EndpointError, match=r"No key for api\.openai\.com"):
        ChatModel("gpt-4o-mini")
