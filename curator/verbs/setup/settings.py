"""``setup``, ``restrict`` and ``endpoint test``: decisions for all judges."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from curator.bank.wording import without_controls
from curator.errors import EditError, RoleError, SettingError
from curator.results import Result, Rows
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.collection import SettingKey, read_settings, write_setting
from curator.store.connection import write_transaction
from curator.store.history import now
from curator.store.restricted import (
    Restriction,
    read_restrictions,
    write_restrictions,
)
from curator.verbs.proposals.request import GenerationRequest, check_address

if TYPE_CHECKING:
    from grading.models.endpoint import EndpointCheck

MAX_GUIDELINES = 20_000  # characters, about eight printed pages
MAX_TITLE = 200  # characters
MAX_HUMAN_FIRST = 20  # questions that a judge writes before seeing a proposal
SALT_BYTES = 16


@dataclass(frozen=True)
class Setup(Result[tuple[str, object]], table="setup.setup_table"):
    """Settings of a workspace; ``guidelines`` and ``min_relevance`` None if not set.

    ``human_first`` is the number of questions that a judge writes in a query before
    seeing its proposals, ``generation`` the default request to models.
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
    """Change settings and return all; None leaves a setting unchanged.

    ``guidelines`` is Markdown for the judges, "" removes it; ``generation`` the default
    request to models: graders use its endpoint, too, and it may lack a model. Enabling
    blind mode creates a new secret for masking system names, so masks are stable while
    it is on and unrelated to earlier ones. Raises SettingError for a title or
    guidelines that are too long or not Unicode, and for ``human_first`` out of range;
    PromptError for an invalid ``generation``.

    Args:
        title (TEXT): Title of the collection.
        blind: Hide system names, judgments and official ranks from judges.
        human_first (N): Number of questions a judge must write in a query before seeing
            proposals; 0 for none.
    """
    connection = workspace.connection
    new: dict[SettingKey, str] = {}
    if title is not None:
        new["title"] = " ".join(_cleaned("title", title, MAX_TITLE).split())
    if guidelines is not None:
        new["guidelines"] = _cleaned("guidelines", guidelines, MAX_GUIDELINES)
    if blind is not None:
        new["blind"] = secrets.token_hex(SALT_BYTES) if blind else ""
    if min_relevance is not None:
        new["min_relevance"] = str(min_relevance)
    if human_first is not None:
        if not 0 <= human_first <= MAX_HUMAN_FIRST:
            raise SettingError(
                f"A judge writes between 0 and {MAX_HUMAN_FIRST} questions first, not "
                f"{human_first}."
            )
        new["human_first"] = str(human_first) if human_first else ""
    if generation is not None:
        is_complete = generation.model.strip() or not generation.endpoint
        (generation if is_complete else replace(generation, model="any")).check()
        new["generation"] = json.dumps(generation.spec())
    if new:
        with write_transaction(connection):
            if blind and (salt := read_settings(connection).get("blind")):
                new["blind"] = salt  # judges know the systems by masks made from it
            for key, value in new.items():
                write_setting(connection, key, value)
    return setup(connection)


def setup(connection: sqlite3.Connection) -> Setup:
    """Return the settings of a workspace."""
    settings = read_settings(connection)
    min_relevance = settings.get("min_relevance")
    return Setup(
        title=settings.get("title", ""),
        guidelines=settings.get("guidelines"),
        blind="blind" in settings,
        min_relevance=None if min_relevance is None else int(min_relevance),
        human_first=int(settings.get("human_first", 0)),
        generation=default_request(settings),
    )


def default_request(settings: Mapping[str, str]) -> GenerationRequest | None:
    saved = settings.get("generation")
    return None if saved is None else GenerationRequest.from_spec(json.loads(saved))


def saved_endpoint(connection: sqlite3.Connection) -> str:
    """Return the address of chat models, "" to use the environment's."""
    request = default_request(read_settings(connection))
    return request.endpoint if request else ""


def _cleaned(name: str, text: str, longest: int) -> str:
    try:
        text = without_controls(text)
    except EditError as error:
        raise SettingError(f"The {name} cannot be saved: {error}") from None
    if len(text) > longest:
        raise SettingError(
            f"The {name} can have {longest:,} characters, not {len(text):,}."
        )
    return text


def restrictions(snapshot: Snapshot) -> Rows[Restriction]:
    """Return every restriction of queries and every lift, the earliest first."""
    entries = read_restrictions(snapshot.connection)
    notes = [] if entries else ["No query has been restricted."]
    return Rows(entries, Restriction, notes)


def restrict(
    workspace: OpenWorkspace, query_ids: str | Iterable[str], *, lift: bool = False
) -> Rows[Restriction]:
    """Hide the texts of queries from everyone but organizers, or ``lift`` that.

    Queries in the requested state stay unchanged. Grades, labels and boards are not
    affected. Raises UnknownNameError for an unknown query, RoleError in the app for
    anyone not listed as an organizer.
    """
    ids = [query_ids] if isinstance(query_ids, str) else list(query_ids)
    with write_transaction(workspace.connection):
        workspace.require("restrict")
        if workspace.as_judge and workspace.standing().role != "organizer":
            raise RoleError(
                "Only organizers can restrict queries, and there is none yet: list "
                "people first, in the app under Settings › People."
            )
        by, at = workspace.judge, now()
        write_restrictions(workspace.connection, ids, lifted=lift, by=by, at=at)
    return restrictions(workspace.current_snapshot())


@dataclass(frozen=True)
class EndpointTrial(Result[tuple[str, object]], table="endpoint.trial_table"):
    """Result of an endpoint test, and the source of its address."""

    check: EndpointCheck
    source: Literal["given", "settings", "environment"]


def try_endpoint(
    workspace: OpenWorkspace, model: str = "", *, url: str | None = None
) -> EndpointTrial:
    """Send one test prompt to the workspace's model and endpoint, or to another.

    ``url`` is another address, "" for the environment's. Raises PromptError for an
    invalid address, MissingModelError where no client is installed, and as
    ``grading.endpoint_check.check_endpoint``.
    """
    saved = default_request(read_settings(workspace.connection))
    endpoint = saved.endpoint if saved else ""
    model = model or (saved.model if saved else "")
    return trial(model, url, endpoint=endpoint)


def trial(model: str, url: str | None, *, endpoint: str = "") -> EndpointTrial:
    """Test the address ``url``, else ``endpoint``, else the environment's."""
    from grading.endpoint_check import check_endpoint

    if url is None and endpoint:
        return EndpointTrial(check_endpoint(model, endpoint), "settings")
    if url:
        check_address(url)
    source: Literal["given", "environment"] = "given" if url else "environment"
    return EndpointTrial(check_endpoint(model, url or ""), source)
