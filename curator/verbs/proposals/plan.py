"""What an order comes to: every prompt in its exact words, and which have an answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.engine.state import State
from curator.errors import PromptError, UnknownNameError
from curator.evaluation.settings import Settings
from curator.generation.prompts import PROMPTS, GenerationPrompt, Topic
from curator.store import collection as store_collection
from curator.store import generations as store
from curator.store.generations import ToAsk
from curator.verbs.passages.pool_rows import pool, shown
from curator.verbs.proposals.request import Order, refuse_nonsense

KEY_VERSION = "gen1:"  # bump when the same wish would be put otherwise


@dataclass(frozen=True)
class Plan:
    """What an order comes to in the bank as it is."""

    to_ask: tuple[ToAsk, ...]
    had: int
    elsewhere: int
    without_title: int


def planned(
    state: State,
    order: Order,
    settings: Settings | None = None,
) -> Plan:
    """What the order asks for, and how much of it has an answer or is being asked."""
    refuse_nonsense(order)
    had = store.keys_had(state.connection, again=order.again, since=order.since)
    # Nobody asks any more for a process that has died.
    elsewhere = store.keys_asked_now(state.connection)
    elsewhere -= {one.key for one in store.left_behind(state.connection)}
    found: dict[str, ToAsk] = {}
    without_title = 0
    for query_id in state.query_ids(order.query_id):
        query = state.queries[query_id]
        if query.title is None:
            if order.query_id is not None:
                raise PromptError(
                    f"Only the id of query '{query_id}' is known; import its text."
                )
            without_title += 1
            continue
        for one in asked_of_query(state, query, order, settings):
            found[one.key] = one
    left = {key: one for key, one in found.items() if key not in had | elsewhere}
    return Plan(
        tuple(left.values()),
        had=sum(key in had for key in found),
        elsewhere=sum(key in elsewhere and key not in had for key in found),
        without_title=without_title,
    )


def asked_of_query(
    state: State,
    query: Query,
    order: Order,
    settings: Settings | None,
) -> Iterator[ToAsk]:
    """Every prompt about one query."""
    names = {one.subtopic_id: one.text or one.subtopic_id for one in query.subtopics}
    if order.subtopic_id is not None and order.subtopic_id not in names:
        raise UnknownNameError(
            f"Query '{query.query_id}' has no subtopic '{order.subtopic_id}'. It has: "
            f"{', '.join(names) or 'none'}."
        )
    if order.passage_id is not None or order.grounded:
        prompt = order.prompt or PROMPTS["passage"]
        for passage in passages_asked_about(state, query.query_id, order, settings):
            yield to_ask(
                state,
                query,
                order,
                prompt,
                subtopic_id=order.subtopic_id,
                passage=passage,
            )
        return
    by_subtopic = order.prompt is None or order.prompt.about_subtopic
    if order.subtopic_id is not None:
        chosen: list[str | None] = [order.subtopic_id]
    elif by_subtopic and names:
        chosen = [*names]
    elif order.prompt is not None and order.prompt.about_subtopic:
        if order.query_id is not None:
            raise PromptError(
                f"Prompt '{order.prompt.name}' asks about a subtopic, and query "
                f"'{query.query_id}' has none; choose another prompt."
            )
        return
    else:
        chosen = [None]
    for subtopic_id in chosen:
        prompt = order.prompt or PROMPTS["dl" if subtopic_id is None else "car"]
        yield to_ask(state, query, order, prompt, subtopic_id=subtopic_id)


def passages_asked_about(
    state: State,
    query_id: str,
    order: Order,
    settings: Settings | None,
) -> Iterator[tuple[str, str]]:
    """(id, text) of the passage named, or of those that nothing covers."""
    if order.passage_id is not None:
        if order.passage_id not in state.collection.pools[query_id].passage_ids:
            raise UnknownNameError(
                f"No passage '{order.passage_id}' in the pool of query '{query_id}'."
            )
        chosen = [order.passage_id]
    else:
        if settings is None:
            raise PromptError(
                "Which passages no question covers is known only when they are graded; "
                "`curator grade WORKSPACE` does that."
            )
        known = knowing(state, query_id, settings)
        found = shown(pool(state, query_id, known), "uncovered")
        chosen = [one.passage_id for one in found[: order.grounded]]
    texts = store_collection.passage_texts(state.connection, chosen)
    for passage_id in chosen:
        yield passage_id, texts[passage_id]


def knowing(state: State, query_id: str, settings: Settings) -> Settings:
    """The settings, by a grader of vectors where theirs lacks grades in the query.

    What a grader has not seen may be covered, so it would leave nothing to ask about.
    """
    names = [settings.grader]
    names += [one.name for one in state.gradebook.records if one.spec.computed]
    for name in names:
        sheet = state.matrix(name, query_id, state.bank)
        if sheet.known == sheet.needed:
            return replace(settings, grader=name)
    return settings


def to_ask(
    state: State,
    query: Query,
    order: Order,
    prompt: GenerationPrompt,
    *,
    subtopic_id: str | None = None,
    passage: tuple[str, str] | None = None,
) -> ToAsk:
    """One prompt with its exact words."""
    names = {one.subtopic_id: one.text or one.subtopic_id for one in query.subtopics}
    topic = Topic(
        title=query.title or "",
        subtopic=None if subtopic_id is None else names[subtopic_id],
        background=query.background,
        passage=None if passage is None else passage[1],
        existing=existing_texts(
            state.bank.of_query(query.query_id), prompt, subtopic_id
        ),
    )
    said = {
        "query_title": topic.title,
        "query_subtopic": topic.subtopic,
        "query_background": topic.background,
        "passage": topic.passage,
        "count": order.count,
    }
    said = {name: said[name] for name in said if name in prompt.placeholders}
    about = [query.query_id, subtopic_id, None if passage is None else passage[0]]
    wish = [
        prompt.template,
        prompt.kind,
        said,
        about,
        order.model,
        order.parameters,
    ]
    key = hashlib.sha256(json.dumps(wish, sort_keys=True).encode()).hexdigest()
    return ToAsk(
        query_id=query.query_id,
        subtopic_id=subtopic_id,
        passage_id=None if passage is None else passage[0],
        prompt=prompt.name,
        kind=prompt.kind,
        text=prompt.filled(topic, count=order.count),
        model=order.model,
        parameters=order.parameters,
        key=f"{KEY_VERSION}{key}",
    )


def existing_texts(
    questions: Sequence[Question], prompt: GenerationPrompt, subtopic_id: str | None
) -> list[str]:
    """What the bank asks already, as far as the prompt is told: not what was dropped.

    About a subtopic, its questions and those of no subtopic.
    """
    return [
        question.text
        for question in questions
        if question.text is not None
        and question.state != "retired"
        and question.kind == prompt.kind
        and (subtopic_id is None or question.subtopic_id in (None, subtopic_id))
    ]
