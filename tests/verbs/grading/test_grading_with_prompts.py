"""Grading by models that answer prompts: the real chat client, store and parser.

The endpoint is on this machine and answers by a rule, so every grade can be told by
hand. FLAN-T5 goes the same way with another model behind it.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.bank.edits import Add, SetKey
from curator.errors import NotGradableError
from curator.store import grades as store_grades
from curator.store import jobs as claims
from curator.store.connection import open_workspace, write_transaction
from curator.workspace import Workspace
from grading.errors import EndpointError
from grading.prompts.custom import prompt_from_file
from grading.prompts.prompt import Prompt
from grading.registry import open_grader
from tests.samples.chat_server import ChatServer, refused
from tests.samples.workspaces import RATED, graded_file, graded_passage, question_bank

CHAT = "chat:test-model"
PASSAGES = 6
QUESTIONS = {"q1": {"q1/a": "What of 3?", "q1/b": "What of 5?"}}


def digit_of(prompt: str) -> str:
    """The rule: a passage that names the question's number is rated with it."""
    number = re.search(r"What of (\d)", prompt)[1]
    return number if f"number {number}" in prompt else "0"


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with ChatServer(answer=digit_of) as server:
        server.lead(monkeypatch)
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Two queries; the second has one of the first's texts in its pool as well."""
    passages = {
        "q1": [
            graded_passage(
                f"p{i}", "q1", {}, text=f"The number {i}.", ranks={"one": i + 1}
            )
            for i in range(PASSAGES)
        ],
        "q2": [
            graded_passage("x3", "q2", {}, text="The number 3.", ranks={"one": 1}),
            graded_passage("x9", "q2", {}, text="The number 9.", ranks={"one": 2}),
        ],
    }
    bank = {**QUESTIONS, "q2": {"q2/a": "What of 3?"}}
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", passages),
            bank=question_bank(tmp_path / "bank.jsonl", bank),
        )
        yield workspace


def ratings(
    workspace: Workspace, query_id: str = "q1", grader: str = CHAT
) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(grader, query_id, snapshot.bank).ratings.tolist()


# by hand: question a asks for 3, b for 5
BY_HAND = [[0, 0, 0, 3, 0, 0], [0, 0, 0, 0, 0, 5]]


def test_every_pair_is_graded_and_a_text_in_two_pools_is_asked_once(workspace, server):
    summary = workspace.grade(CHAT)
    assert ratings(workspace) == BY_HAND
    assert ratings(workspace, "q2") == [[3, 0]]
    # by hand: 2 questions by 6 passages, 1 by 2; "What of 3?" meets "The number 3."
    # in both queries
    assert (summary.asked, summary.prompts) == (14, 13)
    assert set(server.asked.values()) == {1}
    assert summary.cut == summary.unreadable == 0
    assert summary.tokens_in == sum(len(one.prompt.split()) for one in server.requests)
    assert workspace.verify().problems == ()
    assert workspace.leaderboard(grader=CHAT).complete


def test_ratings_come_back_from_the_responses_without_an_endpoint(
    workspace, server, monkeypatch, tmp_path
):
    workspace.grade(CHAT)
    workspace.backup(tmp_path / "copy.db")
    copy = open_workspace(tmp_path / "copy.db")
    with write_transaction(copy):
        for table in ("rating_vector", "budget", "grader"):
            copy.execute(f"DELETE FROM {table}")
    copy.close()
    for name in server.environment:
        monkeypatch.delenv(name)
    with Workspace.open(tmp_path / "copy.db", judge="bob") as other:
        assert other.grade(CHAT).prompts == 0
        assert ratings(other) == BY_HAND
        other.apply(Add("q1", "What of 1?"))
        with pytest.raises(EndpointError, match="Still missing: 6 grades"):
            other.grade(CHAT)
        assert ratings(other)[:2] == BY_HAND


def test_questions_written_while_it_asks_are_graded_in_the_same_run(
    workspace, server, monkeypatch
):
    monkeypatch.setattr("curator.verbs.grading.run_grader.WINDOW", 3)

    def write(done, total):
        if done and len(workspace.bank().questions_of("q1")) == 2:
            with Workspace.open(workspace.path, judge="bob") as bob:
                bob.apply(Add("q1", "What of 1?"))

    workspace.grade(CHAT, progress=write)
    assert ratings(workspace) == [*BY_HAND, [0, 1, 0, 0, 0, 0]]
    # What was edited comes before what was not: q2 is asked last.
    assert "number 9" in server.requests[-1].prompt


def test_an_error_keeps_what_was_answered_and_the_next_run_asks_for_the_rest(
    workspace, server
):
    def answer(prompt: str):
        return (
            refused(401, "no such thing") if "number 2" in prompt else digit_of(prompt)
        )

    server.answer = answer
    with pytest.raises(EndpointError, match="no such thing"):
        workspace.grade(CHAT)
    kept = sum(state.known for state in workspace.graders())
    assert 0 < kept < 14
    server.answer = digit_of
    workspace.grade(CHAT)
    assert ratings(workspace) == BY_HAND
    # Only what was refused, or was under way then, was asked for twice.
    twice = [prompt for prompt, times in server.answered.items() if times > 1]
    assert twice == []
    assert claims_of(workspace) == 0


def claims_of(workspace: Workspace) -> int:
    (count,) = workspace.connection.execute("SELECT count(*) FROM claim").fetchone()
    return int(count)


def test_a_pair_that_another_process_asks_is_waited_for_and_not_asked(
    workspace, server, monkeypatch
):
    """Somebody else holds all pairs of question a, answers, and gives them up."""
    workspace.grade(CHAT, query_id="q2")
    workspace.connection.execute("DELETE FROM response")
    workspace.connection.execute("DELETE FROM rating_vector")
    asked_before = sum(server.asked.values())
    other = open_workspace(workspace.path)
    item_of_a = other.execute(
        "SELECT item_id FROM question WHERE question_id = 'q1/a'"
    ).fetchone()[0]
    texts = [row[0] for row in other.execute("SELECT DISTINCT text_id FROM passage")]
    pairs = [(item_of_a, text) for text in texts]
    with write_transaction(other):
        taken = claims.claim(other, 1, dict.fromkeys(pairs), "elsewhere:1:x", now=4e9)
    assert len(taken) == len(pairs)
    waited = []

    def answer_at_last(_):
        waited.append(len(server.asked))
        with write_transaction(other):
            other.executemany(
                "INSERT INTO response (responder_id, item_id, key_id, text_id, raw) "
                "VALUES (1, ?, 0, ?, '2')",
                pairs,
            )
            claims.release_holder(other, "elsewhere:1:x")

    monkeypatch.setattr("curator.verbs.grading.run_grader.time.sleep", answer_at_last)
    workspace.grade(CHAT)
    assert waited
    assert ratings(workspace) == [[2] * PASSAGES, BY_HAND[1]]
    # Question b alone was asked here.
    assert sum(server.asked.values()) == asked_before + PASSAGES
    other.close()


def test_claims_of_a_process_that_died_and_leases_that_ended_are_free(
    workspace, server
):
    workspace.grade(CHAT)
    connection = workspace.connection
    connection.execute("DELETE FROM response")
    (item,) = connection.execute("SELECT min(item_id) FROM item").fetchone()
    (text,) = connection.execute("SELECT min(text_id) FROM passage").fetchone()
    pair = (item, text)
    me, old, dead = "me:1:y", "elsewhere:1:x", f"{platform.node()}:4194304:x"

    def claim(holder: str, now: float) -> bool:
        return pair in claims.claim(connection, 1, {pair: None}, holder, now=now)

    for holder, until in ((dead, 4e9), (old, 100.0)):
        with write_transaction(connection):
            connection.execute(
                "INSERT INTO claim VALUES (1, ?, ?, ?, ?)", (*pair, holder, until)
            )
            assert claim(me, 1000.0)
            claims.release_holder(connection, me)
    with write_transaction(connection):
        assert claim(old, 1000.0)
        assert not claim(me, 1001.0)
        claims.renew(connection, old, now=2000.0)
        assert not claim(me, 1000.0 + claims.LEASE + 1)
        assert claim(me, 2000.0 + claims.LEASE + 1)


def test_garbage_is_kept_counted_listed_asked_again_and_never_a_zero(workspace, server):
    def answer(prompt: str):
        return "I cannot say." if "number 2" in prompt else digit_of(prompt)

    server.answer = answer
    summary = workspace.grade(CHAT)
    assert summary.unreadable == 2
    assert [row[2] for row in ratings(workspace)] == [-2, -2]
    board = workspace.leaderboard(grader=CHAT)
    assert board.needed - board.known == 2
    listed = workspace.unreadable(CHAT)
    assert [(one.target_id, one.passage_id, one.raw) for one in listed] == [
        ("q1/a", "p2", "I cannot say."),
        ("q1/b", "p2", "I cannot say."),
    ]
    asked = sum(server.asked.values())
    # Asked again and still garbage: it ends, and says so.
    assert workspace.grade(CHAT).asked == 0
    assert workspace.grade(CHAT, again=True).unreadable == 2
    assert sum(server.asked.values()) == asked + 2
    server.answer = digit_of
    assert workspace.grade(CHAT, again=True).unreadable == 0
    assert ratings(workspace) == BY_HAND
    assert workspace.unreadable(CHAT) == ()
    assert workspace.verify().problems == ()


def test_answers_are_stored_and_the_same_answers_verified_without_a_model(
    workspace, server
):
    words = {"number 3": "Three.", "number 5": "Five."}
    server.answer = lambda prompt: next(
        (words[number] for number in words if number in prompt), "unanswerable"
    )
    workspace.apply(SetKey("q1/a", ("the three",)))
    assert workspace.grade(f"{CHAT}/qa").prompts == 13
    assert ratings(workspace, grader=f"{CHAT}/qa") == [[0, 0, 0, 1, 0, 1]] * 2
    rows = workspace.connection.execute("SELECT DISTINCT answer FROM response")
    assert {answer for (answer,) in rows} == {None, "Three.", "Five."}
    summary = workspace.grade(f"{CHAT}/qa/verified")
    assert (summary.asked, summary.prompts, summary.without_key) == (6, 0, 2)
    # A question without a key cannot be verified: unknown, not wrong.
    verified = ratings(workspace, grader=f"{CHAT}/qa/verified")
    assert verified == [[0, 0, 0, 1, 0, 0], [-1] * PASSAGES]
    assert workspace.verify().problems == ()


def test_a_grade_of_0_to_3_is_the_label(workspace, server):
    def answer(prompt: str) -> str:
        number = re.search(r"The number (\d)", prompt)
        return f"##final score: {number[1]}" if number else "I cannot tell."

    server.answer = answer
    name = workspace.grade(f"{CHAT}/umbrela").grader
    # by hand: passages 0 to 5, of which the scale has the first four
    assert ratings(workspace, grader=name) == [[0, 1, 2, 3, -2, -2]]
    # by hand: 2 of the first 4 of q1 are 2 or more, 1 of those of q2
    board = workspace.leaderboard(grader=name, measure="P(rel=2)@4")
    assert board.scores() == {"one": pytest.approx((2 / 4 + 1 / 4) / 2)}


def test_a_grader_stored_under_a_former_name_goes_on_and_is_asked_nothing_twice(
    workspace, server
):
    server.answer = lambda prompt: "Yes"
    spec = replace(open_grader(f"{CHAT}/sun-ours").spec, name=f"{CHAT}/sun")
    with write_transaction(workspace.connection):
        store_grades.store_grader(workspace.connection, spec)
    for name, prompts in ((f"{CHAT}/sun", 8), (f"{CHAT}/sun-ours", 0)):
        found = workspace.grade(name)
        assert (found.grader, found.prompts) == (f"{CHAT}/sun", prompts)
    assert server.requests[0].prompt.startswith("Does the passage answer the query?")
    assert len(workspace.graders()) == 1


def test_a_prompt_of_ones_own_is_a_grader_of_its_own_that_outlives_its_file(
    workspace, server, tmp_path
):
    file = tmp_path / "mine.txt"
    file.write_text("Rate 0-5.\n{question}\n{context}")
    summary = workspace.grade(CHAT, prompt=prompt_from_file(file))
    assert summary.grader == f"{CHAT}/mine"
    assert server.requests[0].prompt.startswith("Rate 0-5.\nWhat of ")
    assert ratings(workspace, grader=f"{CHAT}/mine") == BY_HAND
    file.unlink()
    workspace.apply(Add("q1", "What of 1?"))
    assert workspace.grade(f"{CHAT}/mine").prompts == PASSAGES
    assert server.requests[-1].prompt.startswith("Rate 0-5.\nWhat of 1?")


def test_two_graders_agreeing_give_the_lower_rating(workspace, server, monkeypatch):
    workspace.grade(CHAT)
    server.answer = lambda prompt: "4" if "number 3" in prompt else "1"
    template = "Say. {question} {context}"
    mine = Prompt("mine", template, "rated", "self-rating/1", "the test")
    workspace.grade(f"{CHAT}/mine", prompt=mine)
    names = f"{CHAT}+{CHAT}/mine"
    summary = workspace.grade(f"both:{names}")
    assert (summary.asked, summary.prompts) == (0, 0)
    assert summary.grader == f"both:{names}"
    # by hand: min of BY_HAND and [1, 1, 1, 4, 1, 1]
    both = [[0, 0, 0, 3, 0, 0], [0, 0, 0, 0, 0, 1]]
    assert ratings(workspace, grader=summary.grader) == both
    # The other way round it is the same grader.
    again = workspace.grade(f"both:{CHAT}/mine+{CHAT}")
    assert again.grader == summary.grader
    # A new question is graded by both, at once by its name alone.
    workspace.apply(Add("q1", "What of 1?"))
    server.answer = digit_of
    assert workspace.grade(summary.grader).prompts == 2 * PASSAGES
    assert ratings(workspace, grader=summary.grader)[2] == [0, 1, 0, 0, 0, 0]
    with Workspace.open(workspace.path) as other:
        assert ratings(other, grader=summary.grader)[:2] == both
        assert other.verify().problems == ()


def test_responses_read_anew_are_a_grader_of_their_own(tmp_path, server):
    raws = {"q1/a": "4", "q1/b": "no"}
    passages = [
        graded_passage("p1", "q1", {"q1/a": 4, "q1/b": 1}, raws=raws, ranks={"s": 1}),
        graded_passage(
            "p2",
            "q1",
            {"q1/a": 0, "q1/b": 5},
            raws={"q1/a": "Skin is an organ.", "q1/b": "5."},
            ranks={"s": 2},
        ),
    ]
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", {"q1": passages}),
            bank=question_bank(tmp_path / "bank.jsonl", QUESTIONS),
        )
        found = workspace.reparse(RATED)
        assert found.responses == 4
        # by hand: the paper's rule reads "no" as 0 and other words as 1
        assert {(c.kind, c.before, c.after): c.count for c in found.changes} == {
            ("a rating", 4, 4): 1,
            ("a rating", 5, 5): 1,
            ("unanswerable", 1, 0): 1,
            ("other words", 0, 1): 1,
        }
        assert ratings(workspace, grader=found.new_grader) == [[4, 1], [0, 5]]
        assert ratings(workspace, grader=RATED) == [[4, 0], [1, 5]]
        assert workspace.verify().problems == ()
        # Once more is the same grader; itself it cannot be read again, nor grade.
        assert workspace.reparse(RATED).new_grader == found.new_grader
        with pytest.raises(NotGradableError, match="already"):
            workspace.reparse(found.new_grader)
        with pytest.raises(NotGradableError):
            workspace.grade(found.new_grader)
        # What an import brings later is read anew as well.
        more = [
            graded_passage("p3", "q1", {"q1/a": 1}, raws={"q1/a": "no"}, ranks={"s": 3})
        ]
        workspace.import_(autograder=graded_file(tmp_path / "more.jsonl", {"q1": more}))
        assert ratings(workspace, grader=found.new_grader)[0] == [4, 1, 0]
        assert workspace.verify().problems == ()
