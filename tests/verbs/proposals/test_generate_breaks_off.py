"""``generate`` where the endpoint refuses, breaks off or is cut off: nothing is lost.

What had arrived is kept and proposed; the next run asks for the whole, and nothing
occurs twice.
"""

from __future__ import annotations

import os
import platform
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from curator.store import generations as store
from curator.store.connection import open_workspace, write_transaction
from curator.verbs.proposals import generate
from curator.workspace import Workspace
from grading.errors import BrokenStreamError, EndpointError
from tests.samples.chat_server import Streamed, in_turn, refused
from tests.samples.proposals import (
    ORDER,
    in_state,
    questions_about,
    texts_of,
    three_questions,
)
from tests.samples.workspaces import dump, in_processes

RAIN = replace(ORDER, query_id="rain")
FOUR = ["What is drizzle?", "What is hail?", "What is sleet?", "What is fog?"]
# A piece ends where a question does, so that it can be said what had arrived.
PIECES = [
    '["What is drizzle?", ',
    '"What is hail?", ',
    '"What is sl',
    'eet?", ',
    '"What is fog?"]',
]


def asking(workspace: Workspace) -> int:
    return len(workspace.generations(asking=True))


@pytest.mark.parametrize(
    ("broken_after", "arrived"),
    [(1, FOUR[:1]), (2, FOUR[:2]), (3, FOUR[:2]), (4, FOUR[:3]), (5, FOUR)],
)
def test_a_stream_that_breaks_in_mid_list_keeps_what_had_arrived(
    workspace, server, broken_after, arrived
):
    broken = Streamed(PIECES, broken_after=broken_after, pace=0.02)
    server.answer = in_turn(broken, Streamed(PIECES))
    with pytest.raises(BrokenStreamError) as ended:
        workspace.generate(RAIN)
    assert "\n" not in str(ended.value)
    assert texts_of(workspace, "rain", "proposed") == arrived
    (kept,) = workspace.generations()
    assert kept.raw == "".join(PIECES[:broken_after])
    assert kept.state == "broken"
    said, _, became = str(ended.value).partition("; ")
    assert kept.error == said
    assert became.startswith(f"{len(arrived)} question")
    assert (kept.texts_read, kept.proposed) == (len(arrived), len(arrived))
    # What has no whole answer is asked again, and what had arrived is not doubled.
    summary = workspace.generate(RAIN)
    assert (summary.asked, summary.repeated) == (1, len(arrived))
    assert texts_of(workspace, "rain", "proposed") == FOUR
    assert [one.state for one in workspace.generations()] == ["whole", "broken"]
    assert workspace.generate(RAIN).asked == 0
    assert workspace.verify().problems == ()


@pytest.mark.parametrize("query_id", ["rain", "tides"])
def test_a_refusal_is_one_line_and_leaves_nothing_behind(workspace, server, query_id):
    before = {**dump(workspace.path), "clock": []}
    server.answer = lambda prompt: refused(401, "Incorrect API key provided")
    with pytest.raises(
        EndpointError, match=r"answered 401.*Incorrect API key"
    ) as ended:
        workspace.generate(replace(ORDER, query_id=query_id))
    assert "\n" not in str(ended.value)
    after = {**dump(workspace.path), "clock": []}
    changed = {name for name in before if before[name] != after[name]}
    # the prompt's; it stands there for whoever asks next
    assert changed <= {"text", "digest"}
    assert asking(workspace) == 0
    server.answer = three_questions
    assert workspace.generate(ORDER).asked == 3


def test_where_one_prompt_is_refused_the_others_are_kept(workspace, server):
    server.answer = lambda prompt: (
        refused(400, "no such thing") if "'sun'" in prompt else three_questions(prompt)
    )
    summary = str(workspace.generate(ORDER))
    assert "1 (refused by the server: answered 400 (no such thing)); read" in summary
    kept = workspace.generations()
    (broken,) = [one for one in kept if one.state == "broken"]
    assert broken.subtopic_id == "sun"
    assert "answered 400 (no such thing)" in broken.error
    assert [one.state for one in kept].count("whole") == 2
    assert asking(workspace) == 0
    server.answer = three_questions
    workspace.generate(ORDER)
    assert set(server.answered.values()) == {1}
    assert len(workspace.generations()) == 4  # by hand: the refused one twice


# Processes


def ask_in_a_process(path: Path) -> int:
    """The number of a forked process that asks about rain."""
    pid = os.fork()
    if not pid:
        try:
            generate.SAVE_INTERVAL = 0.0
            with Workspace.open(path, judge="bob") as workspace:
                workspace.generate(RAIN)
        finally:
            os._exit(0)
    return pid


def wait_for_words(workspace: Workspace, words: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if any(words in one.raw for one in workspace.generations(asking=True)):
            return
        time.sleep(0.01)
    raise AssertionError("nothing arrived")


def test_what_a_killed_process_had_heard_is_kept_by_whoever_comes_next(
    workspace, server
):
    server.answer = in_turn(Streamed(PIECES, silent_after=4), Streamed(PIECES))
    pid = ask_in_a_process(workspace.path)
    wait_for_words(workspace, "eet?")
    # It is being asked elsewhere, and nobody asks it a second time.
    summary = workspace.generate(RAIN)
    assert (summary.asked, summary.elsewhere, len(server.requests)) == (0, 1, 1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert asking(workspace) == 0  # nobody asks for a process that has died
    (left,) = workspace.generations()
    summary = workspace.generate(RAIN)
    assert (summary.asked, summary.proposed, summary.repeated) == (1, 1, 3)
    whole, broken = workspace.generations()
    assert (broken.raw, broken.by) == (left.raw, "bob")
    assert (broken.state, broken.error) == (
        "broken",
        "The process that sent the request has ended.",
    )
    assert (broken.texts_read, broken.proposed) == (3, 3)
    assert (whole.state, whole.texts_read, whole.proposed) == ("whole", 4, 1)
    assert texts_of(workspace, "rain", "proposed") == FOUR
    by_number = {
        f'{{"generation": {one.generation_id}}}': one.proposed
        for one in (whole, broken)
    }
    waiting = in_state(workspace, "rain", "proposed")
    for provenance, proposed in by_number.items():
        assert sum(q.provenance == provenance for q in waiting) == proposed


def abandoned(path: Path, raws: list[str], holder: str) -> None:
    """Askings of a process that has died, with what had arrived of each."""
    connection = open_workspace(path)
    with write_transaction(connection):
        begun = store.claim(
            connection,
            [
                store.FilledPrompt(
                    "rain", None, None, "own", "question", f"p{n}", "m", {}, f"k{n}"
                )
                for n in range(len(raws))
            ],
            holder=holder,
            by="ann",
        )
        for number, raw in zip(begun, raws, strict=True):
            if raw:
                store.store_partial_response(
                    connection, number, raw, holder=holder, texts_read=0
                )
    connection.close()


def test_of_many_that_come_next_each_thing_is_kept_once(workspace, server):
    dead = f"{platform.node()}:4194304:x"  # above every process number there is
    abandoned(workspace.path, ['["One?", "Two', "", '["Three?"'], dead)
    assert workspace.generations(asking=True) == ()  # nobody is waited for

    def look(_: int) -> None:
        with Workspace.open(workspace.path) as mine:
            mine.recover()

    in_processes(4, look)
    assert texts_of(workspace, "rain", "proposed") == ["One?", "Three?"]
    kept = workspace.generations()
    # by hand: of what nothing had arrived nothing is kept
    assert [(one.raw, one.texts_read, one.proposed, one.state) for one in kept] == [
        ('["Three?"', 1, 1, "broken"),
        ('["One?", "Two', 1, 1, "broken"),
    ]


def test_of_two_that_ask_at_once_none_asks_what_the_other_asks(workspace, server):
    server.delay = 0.05
    workspace.collection()

    def ask_all(i: int) -> None:
        with Workspace.open(workspace.path, judge=f"judge {i}") as mine:
            mine.generate(ORDER)

    in_processes(3, ask_all)
    assert set(server.asked.values()) == {1}
    assert len(server.asked) == 3
    assert {one.state for one in workspace.generations()} == {"whole"}
    for prompt in server.asked:
        asked = questions_about(prompt)
        assert [q.text for q in workspace.bank() if q.text in asked] == asked
    assert workspace.verify().problems == ()
