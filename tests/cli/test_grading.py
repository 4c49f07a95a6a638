"""Grading by prompts, from the command line to the board; a chat endpoint answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.samples.chat_server import ChatServer
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import graded_file, graded_passage, write_lines

CHAT = "chat:test-model"
ROUND = "The moon is round."
QUESTIONS = {
    "Is the moon round?": ({"a": "true", "b": "false"}, "a", "true"),
    "Is the moon square?": ({"a": "true", "b": "false"}, "b", "false"),
    "What is round?": ({}, None, "the moon"),
}
SAID = dict(zip(QUESTIONS, ("Yes.", "No", "the moon"), strict=True))


def said(prompt: str) -> str:
    """One passage answers all three questions, the other none."""
    if ROUND not in prompt:
        return "unanswerable"
    return next(answer for question, answer in SAID.items() if question in prompt)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer(answer=said) as server:
        server.lead(monkeypatch)
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One system retrieves the passage that answers, the other one that does not."""
    texts = {"p1": (ROUND, {"one": 1}), "p2": ("Nothing.", {"one": 2, "two": 1})}
    passages = [
        graded_passage(passage_id, "q1", {}, text=text, ranks=ranks)
        for passage_id, (text, ranks) in texts.items()
    ]
    lines = [
        {
            **{"query_id": "q1", "query_text": "The moon", "qid": f"q1/{number}"},
            **{"question": question, "choices": choices},
            **{"correctKey": letter, "correct": correct},
        }
        for number, (question, (choices, letter, correct)) in enumerate(
            QUESTIONS.items()
        )
    ]
    graded = graded_file(tmp_path / "graded.jsonl", {"q1": passages})
    bank = write_lines(tmp_path / "bank.jsonl", lines)
    path = tmp_path / "w.db"
    run("import", path, "--autograder", graded, "--bank", bank)
    return path


def cover(path: Path, grader: str) -> dict[str, float]:
    board = json_of("leaderboard", path, "--grader", grader, "--measure", "cover")
    assert board["settings"]["grader"] == grader
    assert board["grades"] == {"needed": 6, "known": 6}
    return {one["system"]: one["score"] for one in board["systems"]}


def test_yes_stands_for_true_where_the_graders_name_says_so(
    path: Path, server: ChatServer
) -> None:
    run("grade", path, "--grader", f"{CHAT}/qa/verified")
    # by hand: "Yes." and "No" are not the answers "true" and "false"
    assert cover(path, f"{CHAT}/qa/verified") == {
        "one": pytest.approx(1 / 3),
        "two": 0.0,
    }
    run("grade", path, "--grader", f"{CHAT}/qa/verified+true-false")
    assert cover(path, f"{CHAT}/qa/verified+true-false") == {"one": 1.0, "two": 0.0}
    assert len(server.requests) == 6  # the same responses, read twice
    run("verify", path)
    names = [one["name"] for one in json_of("status", path)["graders"]]
    assert names == [f"{CHAT}/qa/verified", f"{CHAT}/qa/verified+true-false"]


def test_choices_are_asked_with_their_letters_and_a_letter_is_an_answer(
    path: Path, server: ChatServer, tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Answer {question}\n{choices}\nFrom: {context}")
    server.answer = lambda prompt: "(a)" if "a) true" in prompt else "the moon"
    options = ("--prompt", file, "--reads", "answer")
    run("grade", path, "--grader", f"{CHAT}/verified", *options)
    asked = {one.prompt for one in server.requests}
    assert f"Answer Is the moon round?\na) true\nb) false\nFrom: {ROUND}" in asked
    assert f"Answer What is round?\nFrom: {ROUND}" in asked
    # by hand: "(a)" is right of the first question and wrong of the second
    both = {"one": pytest.approx(2 / 3), "two": pytest.approx(2 / 3)}
    assert cover(path, f"{CHAT}/mine/verified") == both
    # Stored as it was, it asks about new text without the file.
    file.unlink()
    run("edit", path, "reword", "q1/0", "Is it round?")
    run("grade", path, "--grader", f"{CHAT}/mine/verified")
    asked = {one.prompt for one in server.requests[6:]}
    assert f"Answer Is it round?\na) true\nb) false\nFrom: {ROUND}" in asked
    assert len(asked) == 2  # passages


def test_an_unknown_placeholder_is_told_in_one_line_with_those_there_are(
    path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("{question} {passage} {context}")
    refused = run("grade", path, "--grader", CHAT, "--prompt", file, code=1)
    assert refused.stderr == (
        f"Error: {file}: unknown placeholder {{passage}}; there are "
        "{context}, {question}, {nugget}, {query}, {choices}\n"
    )


SILENT = "The passage does not mention the moon, so I cannot answer."
REFUSED = "I'm sorry, but I can't help with that."


def in_prose(prompt: str) -> str:
    """The passage about the moon answers two questions, the other none."""
    if ROUND not in prompt:
        return SILENT
    return REFUSED if "square" in prompt else "It is round, the text says."


def test_prose_without_an_answer_is_no_answer_and_a_refusal_is_unknown(
    path: Path, server: ChatServer
) -> None:
    server.answer = in_prose
    run("grade", path, "--grader", f"{CHAT}/qa")
    board = json_of("leaderboard", path, "--grader", f"{CHAT}/qa", "--measure", "cover")
    # by hand: two of three known to be answered by p1, none by p2
    assert board["grades"] == {"needed": 6, "known": 5}
    scores = {one["system"]: one["score"] for one in board["systems"]}
    assert scores["two"] == 0.0
    unread = json_of("grade", path, "--grader", f"{CHAT}/qa", "--unreadable")
    assert [one["raw"] for one in unread] == [REFUSED]
    run("verify", path)


def test_a_stored_grader_is_read_as_it_was_and_a_new_one_reads_the_same_responses(
    path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = in_prose
    with monkeypatch.context() as former:
        former.setattr("grading.graders.text.chat_parser", lambda parser: parser)
        run("grade", path, "--grader", f"{CHAT}/qa")
    run("grade", path, "--grader", f"{CHAT}/qa", "--again")
    # by hand: whatever has words was an answer
    assert cover(path, f"{CHAT}/qa") == {"one": 1.0, "two": 1.0}
    run("grade", path, "--grader", f"{CHAT}/qa (2)")
    assert len(server.requests) == 6
    board = json_of(
        "leaderboard", path, "--grader", f"{CHAT}/qa (2)", "--measure", "cover"
    )
    assert board["grades"] == {"needed": 6, "known": 5}
    run("verify", path)
