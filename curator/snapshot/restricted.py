"""Removal of texts of restricted queries, for everyone but organizers.

A bank, a collection and a release without these texts. Each question keeps the keys of
its grades, so every board is unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Collection as Some
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from curator.bank.edits.kinds import MARKS
from curator.bank.questions import Bank, Question, WithheldQuestion
from curator.collection.pools import Collection, Query, WithheldQuery
from curator.errors import RoleError
from curator.evaluation.releases import Release
from curator.store.texts import cached_item_key, item_of, key_of
from grading.items import Item
from grading.keys import answer_key_key

_MODEL_PROVENANCE = '{"generation": 0}'


def holds_text(kind: str) -> bool:
    """Return True for a kind of marks that may contain texts."""
    return kind not in MARKS or MARKS[kind].holds_text


@lru_cache(maxsize=8)
def withheld_collection(collection: Collection) -> Collection:
    """Return the collection without the texts of its restricted queries."""
    queries = tuple(
        _query(query) if query.query_id in collection.restricted else query
        for query in collection.queries
    )
    return replace(collection, queries=queries)


def _query(query: Query) -> WithheldQuery:
    key = ""
    if query.title is not None:
        key = cached_item_key(Item("query", query.title.strip()))
    subtopics = tuple(replace(subtopic, text=None) for subtopic in query.subtopics)
    return WithheldQuery(query.query_id, subtopics=subtopics, item_key=key)


def withheld_questions(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(map(_question, questions))


def _question(question: Question) -> Question:
    if isinstance(question, WithheldQuestion):
        return question
    values = {
        question_field.name: getattr(question, question_field.name)
        for question_field in fields(Question)
    }
    values |= {"text": None, "choices": (), "answers": (), "aggregator": "OR"}
    values["provenance"] = _MODEL_PROVENANCE if question.by_model else "{}"
    answers = key_of(question)
    key = answer_key_key(answers) if answers else ""
    return WithheldQuestion(
        **values, item_key=cached_item_key(item_of(question)), answers_key=key
    )


def withheld_bank(
    bank: Bank,
    restricted: Some[str],
    questions: Callable[[str], tuple[Question, ...]],
) -> Bank:
    """Return the bank without texts in these queries; ``questions`` provides theirs."""
    query_ids = [query_id for query_id in restricted if query_id in bank.by_query]

    def remaining(by_query: Mapping[str, Any]) -> dict[str, Any]:
        return {q: values for q, values in by_query.items() if q not in restricted}

    marks = {
        kind: remaining(by_query) if holds_text(kind) else by_query
        for kind, by_query in bank.marks.items()
    }
    by_query = {
        **bank.by_query,
        **{query_id: questions(query_id) for query_id in query_ids},
    }
    titles = remaining(bank.titles)
    return replace(bank, by_query=by_query, marks=marks, titles=titles)


def withheld_release(release: Release, restricted: Some[str]) -> Release:
    """Return the release without texts in these queries; labels and board are equal."""
    if not restricted:
        return release
    queries = tuple(
        replace(
            query,
            items=tuple(
                replace(item, text=None, choices=(), answers=(), aggregator="OR")
                for item in query.items
            ),
        )
        if query.query_id in restricted
        else query
        for query in release.queries
    )
    return replace(release, queries=queries)


def refuse_restricted(query_ids: Some[str], restricted: Some[str]) -> None:
    """Raise RoleError if one of these queries is restricted."""
    if refused := sorted({*query_ids} & {*restricted}):
        raise RoleError(
            f"Query '{refused[0]}' is restricted: only organizers can see its texts "
            "and work on it."
        )
