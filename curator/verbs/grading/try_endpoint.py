"""``endpoint test``: send one prompt to a chat model, and report problems.

No text of a workspace is sent, and nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from curator.results import Result
from curator.snapshot.opened import OpenWorkspace
from curator.store.collection import read_settings
from curator.verbs.proposals.request import check_address
from curator.verbs.setup.settings import default_request

if TYPE_CHECKING:
    from grading.models.endpoint import EndpointCheck

Source = Literal["given", "settings", "environment"]


@dataclass(frozen=True)
class EndpointTrial(Result[tuple[str, object]], table="grading.trial_table"):
    """Result of an endpoint test, and the source of its address."""

    check: EndpointCheck
    source: Source


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

    source: Source = "environment"
    if url is None and endpoint:
        url, source = endpoint, "settings"
    elif url:
        check_address(url)
        source = "given"
    return EndpointTrial(check_endpoint(model, url or ""), source)
