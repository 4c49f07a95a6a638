"""Answers that ended early, prompts that are refused, and servers that are slow."""

import pytest

from grading.errors import EndpointError
from grading.models import pacing
from grading.models.pacing import Pace
from grading.models.protocol import PromptParts, split_fault
from grading.models.schedule import PROBE
from grading.ratings import UNREADABLE
from grading.readings import ANSWERED, CHAT_RATING, YES_NO, answer_of, read_response
from grading.responders import Reading
from tests.samples.chat_callers import (  # noqa: F401
    SOON,
    chat_model,
    no_settings_of_this_machine,
    no_thread_is_left,
)
from tests.samples.chat_server import (
    NOT_JSON,
    ChatServer,
    Reply,
    Streamed,
    chunk,
    completion,
    in_turn,
    refused,
)

LONG = PromptParts("Passage: ", "salt water " * 200, " Rate it.")


def prompts(count):
    return [PromptParts("", str(number), "") for number in range(count)]


def ask(server, asked, **options):
    """Responses by position, and the error that came after them, in words."""
    answered = {}
    try:
        for batch in chat_model(server, **options).ask(asked):
            answered.update(batch)
    except EndpointError as error:
        return answered, str(error)
    return answered, ""


def only_response(reply, asked=LONG):
    with ChatServer(reply) as server:
        answered, error = ask(server, [asked])
    assert error == ""
    return answered[0]


# How an answer ended


@pytest.mark.parametrize(
    ("finish", "fault"),
    [
        ("stop", ""),
        ("length", "cut off at the limit of 128 tokens"),
        ("content_filter", "the answer ended with content_filter"),
        ("tool_calls", "the answer ended with tool_calls"),
    ],
)
@pytest.mark.parametrize("streams", [True, False])
def test_an_answer_that_ended_early_has_a_fault(finish, fault, streams):
    reply = Streamed("4: it may", finish=finish)
    if not streams:
        reply = Reply(body=completion("4: it may", finish=finish))
    response = only_response(reply)
    assert (response.raw, response.fault) == ("4: it may", fault)
    assert response.unfinished == fault.startswith("cut off")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=completion([{"type": "refusal", "refusal": "I cannot."}])),
        Reply(
            body={"choices": [{"message": {"content": None, "refusal": "I cannot."}}]}
        ),
        Streamed([chunk({"refusal": "I "}), chunk({"refusal": "cannot."})]),
    ],
)
def test_a_refusal_of_the_model_is_a_fault_with_its_words(reply):
    assert only_response(reply).fault == "refused by the model: I cannot."


THOUGHTS = {"type": "thinking", "thinking": [{"type": "text", "text": "3?"}]}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=completion([THOUGHTS, {"type": "text", "text": "4"}])),
        Streamed([chunk({"content": [THOUGHTS]}), chunk({"content": [{"text": "4"}]})]),
        Streamed([chunk({"reasoning": "3?"}), "4"]),
        Reply(body={"choices": [{"message": {"content": "4", "refusal": False}}]}),
        # Some repeat the whole message at the end.
        Streamed(["4", {"choices": [{"message": {"content": "4"}}]}]),
    ],
)
def test_content_in_chunks_is_its_texts_without_the_thoughts(reply):
    response = only_response(reply)
    assert (response.raw, response.fault) == ("4", "")


@pytest.mark.parametrize("parser", [CHAT_RATING, ANSWERED, YES_NO])
def test_an_answer_with_a_fault_states_nothing_once_it_is_stored(parser):
    response = only_response(Streamed("4. Yes", finish="length"))
    reading = Reading("answered", "question", parser)
    assert read_response(reading, "4. Yes") != UNREADABLE or parser == YES_NO
    assert read_response(reading, response.stored) == UNREADABLE
    assert answer_of("answered", response.stored) is None
    assert split_fault(response.stored) == (response.fault, "4. Yes")
    assert split_fault("4. Yes") == ("", "4. Yes")


# One prompt's refusal


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (refused(400, "bad words"), "answered 400 (bad words)"),
        (refused(403, "Your input was flagged"), "answered 403 (Your input was flag"),
        (refused(404, "No endpoints found"), "answered 404 (No endpoints found)"),
        (NOT_JSON, "sent an invalid chat completion ("),
    ],
)
@pytest.mark.parametrize("poisoned", ["7"])
def test_one_refused_prompt_leaves_all_others_answered(refusal, said, poisoned):
    with ChatServer(lambda prompt: refusal if prompt == poisoned else "4") as server:
        answered, error = ask(server, prompts(20), retries=1)
    faults = {at: r.fault for at, r in answered.items() if r.fault}
    assert error == ""
    assert len(answered) == 20
    assert list(faults) == [int(poisoned)]
    assert faults[int(poisoned)].startswith(f"refused by the server: {said}")


def test_where_every_prompt_is_refused_nothing_is_kept():
    with ChatServer(refused(400, "no such model")) as server:
        answered, error = ask(server, prompts(100))
    assert answered == {}
    assert "answered 400 (no such model)" in error
    assert [request.prompt for request in server.requests] == ["0", PROBE.text]


def test_a_rate_limit_slows_the_asking_and_never_ends_it():
    # ten refusals of each prompt: twice as many as there are retries
    answer = in_turn(*[refused(429, retry_after="0.01")] * 10, "4")
    with ChatServer(answer) as server:
        answered, error = ask(server, prompts(3), retries=1)
    assert ([r.raw for r in answered.values()], error) == (["4"] * 3, "")


# Too long for the model


def longer_than(limit, words):
    """Refuses prompts of more characters, as servers word it."""
    return lambda prompt: "4" if len(prompt) <= limit else refused(400, words)


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 4096 tokens. However, you requested "
        "5000 tokens",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 1500",
        "Prompt length 5000 is greater than max_seq_len 4096",
        "'max_tokens' or 'max_completion_tokens' is too large: 128. This model's "
        "maximum context length is 4096 tokens and your request has 4050 input tokens",
    ],
)
def test_a_passage_too_long_for_the_model_is_cut_and_counted(words):
    with ChatServer(longer_than(1500, words)) as server:
        answered, error = ask(server, [LONG, PromptParts("", "short", "")])
    assert (answered[0].raw, answered[0].cut, answered[1].cut) == ("4", True, False)
    assert error == ""
    last = max(
        server.requests, key=lambda request: request.at * ("salt" in request.prompt)
    )
    # by hand: 2,200 characters, three quarters, and three quarters of these
    assert last.prompt == "Passage: " + ("salt water " * 200)[:1237] + " Rate it."


def test_a_short_passage_is_not_cut_and_its_prompt_is_refused():
    too_long = refused(400, "too long", code="context_length_exceeded")
    short = PromptParts("Question? " * 500, "A pacemaker sends impulses.", "")
    with ChatServer(lambda prompt: too_long if "?" in prompt else "4") as server:
        answered, error = ask(server, [*prompts(1), short])
    assert error == ""
    assert (answered[1].raw, answered[1].cut) == ("", False)
    assert answered[1].fault == "refused by the server: answered 400 (too long)"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Your account is not active", "billing_not_active"),
    ],
)
def test_a_rate_limit_for_want_of_money_ends_the_asking(words, code):
    with ChatServer(refused(429, words, code=code)) as server:
        _, error = ask(server, prompts(3))
    assert "the account has no credit left" in error
    waits = refused(429, f"{words}. Please retry in 0.1 s")
    with ChatServer(in_turn(waits, "4")) as server:
        answered, error = ask(server, prompts(1))
    assert answered[0].raw == "4"


# The pace, by itself


@pytest.fixture
def clock(monkeypatch):
    """The time that the pace sees; a test sets it."""
    now = [100.0]
    monkeypatch.setattr(pacing.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(pacing.random, "random", lambda: 0.0)
    return now


def pace(start):
    return Pace(most=8, start=start, timeout=60.0, backoff=0.5)


def test_the_pace_rises_by_one_a_round_and_not_where_answers_take_long(clock):
    slow = fast = pace(1)
    rooms = []
    for _ in range(4):
        fast.record_answer(clock[0], 1.0)
        rooms.append(fast.free_slots(0))
    # by hand: 1 + 1, + 1/2, + 1/2.5, + 1/2.9
    assert rooms == [2, 2, 2, 3]
    slow = pace(2)
    slow.record_answer(clock[0], 31.0)
    assert slow.free_slots(0) == 2
    for _ in range(100):
        fast.record_answer(clock[0], 1.0)
    assert fast.free_slots(0) == 8
    assert fast.free_slots(3) == 5


def test_the_pace_is_halved_once_for_all_that_was_under_way(clock):
    halved = pace(8)
    began = clock[0]
    clock[0] += 1
    for _ in range(8):
        halved.record_refusal(began, 2.0)
    assert halved.free_slots(0) == 0
    clock[0] += 2
    assert halved.free_slots(0) == 4
