"""Full provenance of questions, for files that leave the workspace.

In a workspace a proposal refers to its generation by a number. An export has no such
number, so it includes the prompt and the response.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from curator.bank.questions import Question
from curator.store.generations import Generation, read_generations
from curator.store.question_history import ProposalDecision, read_decisions


def with_provenance(
    connection: sqlite3.Connection,
    questions: Iterable[Question],
    *,
    closed: Collection[str] = (),
) -> list[Question]:
    """Return the questions with the full provenance of those that a model proposed.

    For queries in ``closed`` without prompt text and response: both may contain hidden
    proposals.
    """
    questions = list(questions)
    if all(question.provenance == "{}" for question in questions):
        return questions
    decisions = {
        decision.question_id: decision for decision in read_decisions(connection)
    }
    generations = {
        generation.generation_id: generation
        for generation in read_generations(connection)
    }
    with_full = []
    for question in questions:
        decision = decisions.get(question.question_id)
        number = json.loads(question.provenance).get("generation")
        generation = generations.get(number) if isinstance(number, int) else None
        # Imported questions were not proposed here, even if their provenance says so.
        if decision is not None and generation is not None:
            hidden = question.query_id in closed
            question = _with_full(question, generation, decision, hidden=hidden)
        with_full.append(question)
    return with_full


def _with_full(
    question: Question,
    generation: Generation,
    decision: ProposalDecision,
    *,
    hidden: bool,
) -> Question:
    provenance: dict[str, Any] = {
        "model": generation.model,
        "prompt": generation.prompt,
        "prompt_text": generation.text,
        "parameters": dict(generation.parameters),
        "at": generation.at,
        "asked_by": generation.by,
        "response": generation.raw,
    }
    if hidden:
        del provenance["prompt_text"], provenance["response"]
    if generation.passage_id is not None:
        provenance["passage"] = generation.passage_id
    provenance["proposed_text"] = decision.proposed
    if decision.by is not None:
        provenance["decided"] = {
            "by": decision.by,
            "at": decision.at,
            "as": proposal_outcome(decision, question),
        }
    return replace(question, provenance=json.dumps(provenance, ensure_ascii=False))


def proposal_outcome(decision: ProposalDecision, question: Question) -> str:
    """Outcome of a proposal, in one word."""
    if decision.dropped:
        return "dropped"
    if decision.kind.endswith("add"):
        return "written"  # a person typed the same words
    return "kept" if question.text == decision.proposed else "reworded"
