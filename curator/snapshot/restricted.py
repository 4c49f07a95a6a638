"""Removal of texts of restricted queries, for everyone but organizers.

A bank, a collection and a release without these texts. Each question keeps the keys of
its grades, so every board is unchanged.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from dataclasses import fields, replace
from functools import lru_cache

from curator.bank.edits.kinds import MARKS
from curator.bank.questions import Question, WithheldQuestion
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
