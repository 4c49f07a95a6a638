"""Keeping what a model said: the response as it came, its new texts as proposals."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from curator.bank.edits import Propose
from curator.bank.wording import clean_text
from curator.engine.opened import OpenWorkspace
from curator.errors import EditError
from curator.generation.responses import listed_texts
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store import generations as store
from curator.store.connection import exclusive
from curator.store.decisions import proposed_words
from curator.store.generations import Generation, ToAsk
from grading.models.protocol import Response

_BEFORE_MARK = re.compile(r" (?=[?.!,;:])")
CUT = "The answer breaks off in the middle of its list."


class Kept(NamedTuple):
    """How many texts a response held, how many of them were new, and if it was cut."""

    found: int
    proposed: int
    cut: bool


def keep_response(
    connection: sqlite3.Connection,
    number: int,
    asked: ToAsk | Generation,
    response: Response,
    *,
    error: str | None = None,
) -> Kept:
    """What a response held, all of it kept. Call within a write transaction.

    A text that stands in the query already, in whatever state, or was proposed there
    before is not proposed again. A list that broke off at the model's limit is kept as
    a whole response with a word about it: asked again it would break off again.
    """
    listed = listed_texts(response.raw)
    texts = list(usable(listed.texts))
    cut = error is None and (response.unfinished or listed.cut)
    provenance: dict[str, object] = {"generation": number}
    if asked.passage_id is not None:
        provenance["passage"] = asked.passage_id
    bank = store_bank.read_questions(connection, asked.query_id)
    # What was kept in other words is not proposed in its own again.
    known = {folded(text) for text in proposed_words(connection, asked.query_id)}
    known |= {folded(question.text or "") for question in bank}
    proposals = []
    for text in texts:
        if folded(text) not in known:
            known.add(folded(text))
            proposals.append(
                Propose(
                    asked.query_id,
                    text,
                    json.dumps(provenance),
                    asked.kind,
                    asked.subtopic_id,
                )
            )
    if proposals:
        store_edits.apply(connection, proposals, by=f"chat:{asked.model}")
    store.finish(
        connection,
        number,
        response.raw,
        error=CUT if cut else error,
        broken=error is not None,
        found=len(texts),
        proposed=len(proposals),
        tokens_in=response.tokens_in,
        tokens_out=response.tokens_out,
    )
    return Kept(len(texts), len(proposals), cut)


def usable(texts: Iterable[str]) -> Iterator[str]:
    """The texts as the bank keeps them, without those that it could not."""
    for text in texts:
        with suppress(EditError):  # too long, or nothing in it can be seen
            yield clean_text(text)


def salvage(workspace: OpenWorkspace) -> bool:
    """Keep what had arrived for askings that have died; whether there were any."""
    connection = workspace.connection
    if not store.left_behind(connection):
        return False
    with exclusive(connection):
        # Looked for again: somebody else may have kept them meanwhile.
        for one in store.left_behind(connection):
            if one.raw:
                keep_response(
                    connection,
                    one.generation_id,
                    one,
                    Response(one.raw),
                    error="The process that asked has ended.",
                )
            else:
                store.forget(connection, one.generation_id)
    return True


def folded(text: str) -> str:
    """The text as it is compared: without case and spare white space."""
    return _BEFORE_MARK.sub("", " ".join(text.split())).casefold()
