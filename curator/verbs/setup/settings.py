"""``setup``: what the organizer decides for everyone who judges."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace

from curator.bank.wording import without_controls
from curator.engine.opened import OpenWorkspace
from curator.errors import EditError, SettingError
from curator.results import Result
from curator.store.collection import Key, read_settings, write_setting
from curator.store.connection import exclusive
from curator.verbs.proposals.request import GenerationRequest

MAX_GUIDELINES = 20_000  # characters, some eight printed pages
MAX_TITLE = 200  # characters
MOST_FIRST = 20  # questions that a judge writes before seeing a proposal
SALT_BYTES = 16


@dataclass(frozen=True)
class Setup(Result[tuple[str, object]], table="setup.setup_table"):
    """What is set; ``guidelines`` and ``min_relevance`` None where nothing is.

    ``human_first`` is how many questions a judge writes in a query before seeing a
    proposal there, ``generation`` how models are asked unless somebody says otherwise.
    """

    title: str
    guidelines: str | None
    blind: bool
    min_relevance: int | None
    human_first: int = 0
    generation: GenerationRequest | None = None


def set_up(
    workspace: OpenWorkspace,
    *,
    title: str | None = None,
    guidelines: str | None = None,
    blind: bool | None = None,
    min_relevance: int | None = None,
    human_first: int | None = None,
    generation: GenerationRequest | None = None,
) -> Setup:
    """Set what the organizer decides, and what is then set; None leaves as it is.

    ``guidelines`` is Markdown for the judges, "" takes them away; ``human_first`` how
    many questions a judge writes in a query before seeing a proposal there, 0 for none;
    ``generation`` how models are asked unless somebody says otherwise: its endpoint is
    for graders, too, and needs no model beside it. Blind mode
    switched on gets a new secret from which system names are masked, so masks stay the
    same while it is on and tell nothing of those before. Raises SettingError for a
    title or guidelines that are too long or not Unicode, and for ``human_first`` out of
    range; PromptError for a ``generation`` that makes no sense.
    """
    connection = workspace.connection
    new: dict[Key, str] = {}
    if title is not None:
        new["title"] = " ".join(_cleaned("title", title, MAX_TITLE).split())
    if guidelines is not None:
        new["guidelines"] = _cleaned("guidelines", guidelines, MAX_GUIDELINES)
    if blind is not None:
        new["blind"] = secrets.token_hex(SALT_BYTES) if blind else ""
    if min_relevance is not None:
        new["min_relevance"] = str(min_relevance)
    if human_first is not None:
        if not 0 <= human_first <= MOST_FIRST:
            raise SettingError(
                f"A judge writes between 0 and {MOST_FIRST} questions first, not "
                f"{human_first}."
            )
        new["human_first"] = str(human_first) if human_first else ""
    if generation is not None:
        if generation.model.strip() or not generation.endpoint:
            generation.check()
        else:
            replace(generation, model="any").check()
        new["generation"] = json.dumps(generation.spec())
    if new:
        with exclusive(connection):
            if blind and (salt := read_settings(connection).get("blind")):
                new["blind"] = salt  # judges know the systems by its masks
            for key, value in new.items():
                write_setting(connection, key, value)
    return setup(connection)


def setup(connection: sqlite3.Connection) -> Setup:
    """What is set."""
    found = read_settings(connection)
    min_relevance = found.get("min_relevance")
    return Setup(
        title=found.get("title", ""),
        guidelines=found.get("guidelines"),
        blind="blind" in found,
        min_relevance=None if min_relevance is None else int(min_relevance),
        human_first=int(found.get("human_first", 0)),
        generation=default_request(found),
    )


def default_request(settings: Mapping[str, str]) -> GenerationRequest | None:
    """How models are asked unless somebody says otherwise; None where nobody has."""
    kept = settings.get("generation")
    return None if kept is None else GenerationRequest.of_spec(json.loads(kept))


def saved_endpoint(connection: sqlite3.Connection) -> str:
    """Address that chat models are asked at, "" where the environment names it."""
    request = default_request(read_settings(connection))
    return request.endpoint if request else ""


def _cleaned(what: str, text: str, longest: int) -> str:
    try:
        text = without_controls(text)
    except EditError as error:
        raise SettingError(f"The {what} cannot be kept: {error}") from None
    if len(text) > longest:
        raise SettingError(
            f"The {what} can have {longest:,} characters; these are {len(text):,}."
        )
    return text
