"""Rendered prompts of a generation request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from curator.collection.pools import Query
from curator.errors import PromptError, RestrictedError, UnknownNameError
from curator.evaluation.settings import Settings
from curator.generation.prompts import PROMPTS, GenerationPrompt, PromptTexts
from curator.snapshot.languages import can_read
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import generations as store
from curator.store.generations import FilledPrompt
from curator.verbs.passages.pool_rows import filter_passages, pool
from curator.verbs.proposals.request import COUNT, GenerateSummary, GenerationRequest
from grading.models.endpoint import is_local_endpoint

KEY_VERSION = "gen1:"  # bump when the same request is rendered differently


def plan_prompts(
    snapshot: Snapshot, request: GenerationRequest, settings: Settings | None = None
) -> GenerateSummary:
    """Return the request's prompts, and how many are answered or in progress."""
    request.check()
    answered, elsewhere = store.prompt_keys(
        snapshot.connection, again=request.again, since=request.since
    )
    # Prompts of a process that has died are no longer in progress.
    elsewhere -= {prompt.key for prompt in store.read_abandoned(snapshot.connection)}
    elsewhere -= answered
    prompts: dict[str, FilledPrompt] = {}
    without_title = restricted = 0
    withheld = snapshot.collection.restricted
    if withheld and not snapshot.restricted and is_local_endpoint(request.endpoint):
        withheld = frozenset()
    for query_id in snapshot.query_ids(request.query_id):
        query = snapshot.queries[query_id]
        if query_id in withheld:
            restricted += 1
            if request.query_id is not None:
                raise RestrictedError(
                    f"Query '{query_id}' is restricted: only organizers may send it to "
                    "a model, at an endpoint on this machine."
                )
        elif query.title is not None:
            for prompt in _prompts_of_query(snapshot, query, request, settings):
                prompts[prompt.key] = prompt
        elif request.query_id is not None:
            raise PromptError(
                f"Only the id of query '{query_id}' is known; import its text."
            )
        else:
            without_title += 1
    texts = [prompts[key] for key in prompts if key not in answered | elsewhere]
    return GenerateSummary(
        model=request.model,
        asked=len(texts),
        had=len(answered & prompts.keys()),
        elsewhere=len(elsewhere & prompts.keys()),
        without_title=without_title,
        restricted=restricted,
        dry_run=True,
        covered_by=settings.grader if settings and request.grounded else "",
        texts=tuple(texts),
    )


def _prompts_of_query(
    snapshot: Snapshot,
    query: Query,
    request: GenerationRequest,
    settings: Settings | None,
) -> Iterator[FilledPrompt]:
    subtopics = {
        part.subtopic_id: part.text or part.subtopic_id for part in query.subtopics
    }
    if request.subtopic_id is not None and request.subtopic_id not in subtopics:
        raise UnknownNameError(
            f"Query '{query.query_id}' has no subtopic '{request.subtopic_id}'. It "
            f"has: {', '.join(subtopics) or 'none'}."
        )
    chosen = request.prompt
    prompt = chosen or PROMPTS["car" if subtopics else "dl"]
    subtopic_ids: list[str | None] = [request.subtopic_id]
    passages: Mapping[Any, str | None] = {None: None}
    if request.passage_id is not None or request.grounded:
        prompt = chosen or PROMPTS["passage"]
        passages = _chosen_passages(snapshot, query.query_id, request, settings)
    elif request.subtopic_id is None and prompt.uses_subtopic:
        subtopic_ids = [*subtopics]
        if not subtopics and request.query_id is not None:
            raise PromptError(
                f"Prompt '{prompt.name}' asks about a subtopic, and query "
                f"'{query.query_id}' has none; choose another prompt."
            )
    texts = product(subtopic_ids, passages.items())
    for subtopic_id, (passage_id, passage_text) in texts:
        topic = PromptTexts(
            title=query.title or "",
            subtopic=None if subtopic_id is None else subtopics[subtopic_id],
            background=query.background,
            passage=passage_text,
            # Questions of this subtopic or of none, without retired ones.
            existing=[
                question.text
                for question in snapshot.bank.questions_of(query.query_id)
                if question.text is not None
                and question.state != "retired"
                and question.kind == prompt.kind
                and (subtopic_id is None or question.subtopic_id in (None, subtopic_id))
            ],
        )
        yield FilledPrompt(
            query_id=query.query_id,
            subtopic_id=subtopic_id,
            passage_id=passage_id,
            prompt=prompt.name,
            kind=prompt.kind,
            text=prompt.fill(topic, count=request.count),
            model=request.model,
            parameters={**request.parameters, COUNT: str(request.count)},
            key=_key(request, prompt, topic, [query.query_id, subtopic_id, passage_id]),
        )


def _chosen_passages(
    snapshot: Snapshot,
    query_id: str,
    request: GenerationRequest,
    settings: Settings | None,
) -> dict[str, str]:
    """Text by id of the named passage, or of the uncovered ones."""
    if request.passage_id is not None:
        if request.passage_id not in snapshot.collection.pools[query_id].passage_ids:
            raise UnknownNameError(
                f"No passage '{request.passage_id}' in the pool of query '{query_id}'."
            )
        chosen = [request.passage_id]
    else:
        if settings is None:
            raise PromptError(
                "Uncovered passages are known only once passages are graded: run "
                "`curator grade WORKSPACE`."
            )
        # Ungraded passages may be covered, so a grader without all grades here is
        # replaced by a computed one.
        records = snapshot.gradebook.records
        computed = [
            r.name for r in records if r.spec.computed and can_read(snapshot, r)
        ]
        for name in (settings.grader, *computed):
            matrix = snapshot.matrix(name, query_id, snapshot.bank)
            if matrix.known == matrix.needed:
                settings = replace(settings, grader=name)
                break
        uncovered = filter_passages(pool(snapshot, query_id, settings), "uncovered")
        chosen = [passage.passage_id for passage in uncovered[: request.grounded]]
    texts = store_collection.passage_texts(snapshot.connection, chosen)
    return {passage_id: texts[passage_id] for passage_id in chosen}


def _key(
    request: GenerationRequest,
    prompt: GenerationPrompt,
    topic: PromptTexts,
    about: list[str | None],
) -> str:
    """Content key of a prompt, independent of the current bank."""
    values = {
        "query_title": topic.title,
        "query_subtopic": topic.subtopic,
        "query_background": topic.background,
        "passage": topic.passage,
        "count": request.count,
    }
    identity = [
        prompt.template,
        prompt.kind,
        {name: values[name] for name in values if name in prompt.placeholders},
        about,
        request.model,
        request.parameters,
    ]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode())
    return f"{KEY_VERSION}{digest.hexdigest()}"
