"""What is left of a restricted query for whoever is not an organizer: ids and numbers.

A bank, a collection and a release without its texts. Each question keeps the keys that
its grades are found by, so every board stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection as Some
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from curator.bank.questions import Bank, Question, WithheldQuestion
from curator.collection.pools import Collection, Query, WithheldQuery
from curator.errors import RoleError
from curator.evaluation.releases import Release
from curator.store.texts import cached_item_key, item_of, key_of
from grading.items import Item
from grading.keys import answer_key_key

_OF_MODELS = '{"generation": 0}'


def fields_with_words(bank: Bank) -> tuple[str, ...]:
    """Names of a bank's fields that hold words: of its marks, and its titles.

    Ideal answers name passages and places in them.
    """
    marks = (name for name in bank.mark_fields() if name != "ideals")
    return (*marks, "titles")


@lru_cache(maxsize=8)
def withheld_collection(collection: Collection) -> Collection:
    """The collection without the texts of its restricted queries."""
    queries = tuple(
        _query(one) if one.query_id in collection.restricted else one
        for one in collection.queries
    )
    return replace(collection, queries=queries)


def _query(query: Query) -> WithheldQuery:
    key = ""
    if query.title is not None:
        key = cached_item_key(Item("query", query.title.strip()))
    subtopics = tuple(replace(one, text=None) for one in query.subtopics)
    return WithheldQuery(query.query_id, subtopics=subtopics, item_key=key)


def withheld_questions(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """These questions without their texts."""
    return tuple(map(_question, questions))


def _question(question: Question) -> Question:
    if isinstance(question, WithheldQuestion):
        return question
    kept = {one.name: getattr(question, one.name) for one in fields(Question)}
    kept |= {"text": None, "choices": (), "answers": (), "aggregator": "OR"}
    kept["provenance"] = _OF_MODELS if question.by_model else "{}"
    answers = key_of(question)
    key = answer_key_key(answers) if answers else ""
    return WithheldQuestion(
        **kept, item_key=cached_item_key(item_of(question)), answers_key=key
    )


def withheld_bank(
    bank: Bank,
    restricted: Some[str],
    questions: Callable[[str], tuple[Question, ...]],
) -> Bank:
    """The bank without texts in these queries, whose ``questions`` come by query."""
    here = [one for one in restricted if one in bank.by_query]
    marks: dict[str, Any] = {
        name: {
            query_id: many
            for query_id, many in getattr(bank, name).items()
            if query_id not in restricted
        }
        for name in fields_with_words(bank)
    }
    by_query = {**bank.by_query, **{one: questions(one) for one in here}}
    return replace(bank, by_query=by_query, **marks)


def withheld_release(release: Release, restricted: Some[str]) -> Release:
    """The release without texts in these queries; its labels and board are the same."""
    if not restricted:
        return release
    queries = tuple(
        replace(
            query,
            items=tuple(
                replace(one, text=None, choices=(), answers=(), aggregator="OR")
                for one in query.items
            ),
        )
        if query.query_id in restricted
        else query
        for query in release.queries
    )
    return replace(release, queries=queries)


def refuse_restricted(query_ids: Some[str], restricted: Some[str]) -> None:
    """Raise RoleError where one of these queries is restricted."""
    if found := sorted({*query_ids} & {*restricted}):
        raise RoleError(
            f"Query '{found[0]}' is restricted: its texts are shown to organizers "
            "alone, and they alone work on it."
        )
