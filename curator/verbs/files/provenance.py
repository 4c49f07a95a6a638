"""Where questions come from, in full: as a file that leaves the workspace says it.

Here a proposal names the asking that brought it by its number; elsewhere that number
means nothing, so an export says everything that was asked and answered.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from curator.bank.questions import Question
from curator.store.generations import Generation, read_generations
from curator.store.question_history import Decision, read_decisions


def with_provenance(
    connection: sqlite3.Connection,
    questions: Iterable[Question],
    *,
    closed: Collection[str] = (),
) -> list[Question]:
    """The questions, those that a model proposed with their provenance in full.

    For the queries in ``closed`` without what was said to the model and what it said:
    proposals stand in both that are hidden.
    """
    questions = list(questions)
    if all(question.provenance == "{}" for question in questions):
        return questions
    decisions = {one.question_id: one for one in read_decisions(connection)}
    asked = {one.generation_id: one for one in read_generations(connection)}
    found = []
    for question in questions:
        decision = decisions.get(question.question_id)
        number = json.loads(question.provenance).get("generation")
        generation = asked.get(number) if isinstance(number, int) else None
        # What came with a file was not proposed here, whatever it says of itself.
        if decision is not None and generation is not None:
            hidden = question.query_id in closed
            question = _in_full(question, generation, decision, hidden=hidden)
        found.append(question)
    return found


def _in_full(
    question: Question, generation: Generation, decision: Decision, *, hidden: bool
) -> Question:
    said: dict[str, Any] = {
        "model": generation.model,
        "prompt": generation.prompt,
        "prompt_text": generation.text,
        "parameters": dict(generation.parameters),
        "at": generation.at,
        "asked_by": generation.by,
        "response": generation.raw,
    }
    if hidden:
        del said["prompt_text"], said["response"]
    if generation.passage_id is not None:
        said["passage"] = generation.passage_id
    said["proposed_text"] = decision.proposed
    if decision.by is not None:
        said["decided"] = {
            "by": decision.by,
            "at": decision.at,
            "as": decided_as(decision, question),
        }
    return replace(question, provenance=json.dumps(said, ensure_ascii=False))


def decided_as(decision: Decision, question: Question) -> str:
    """What somebody made of a proposal, in one word."""
    if decision.dropped:
        return "dropped"
    if decision.kind.endswith("add"):
        return "written"  # a person typed the same words
    return "kept" if question.text == decision.proposed else "reworded"
