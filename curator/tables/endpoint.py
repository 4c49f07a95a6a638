"""The test of an endpoint: what came of it, and the remedy in a line."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from curator.tables.forms import Cell
from curator.tables.table import Table

if TYPE_CHECKING:
    from curator.verbs.setup import EndpointTrial
    from grading.models.endpoint import EndpointCheck

LISTED = 8  # models that are named

REMEDIES = {
    "whole path": "The address holds the path of a request, which is added to it: "
    "{use}.",
    "base": "{host} has its models at another path: {use}.",
    "wants http": "{host} does not speak TLS: {use}.",
    "wants https": "{host} speaks TLS only: {use}.",
    "certificate": "The certificate of {host} is not trusted{quoted}: set "
    "SSL_CERT_FILE=FILE, the certificate of the authority that signed it.",
    "proxy": "A proxy of the environment (HTTP_PROXY, HTTPS_PROXY) did not pass the "
    "request on to {host}: set NO_PROXY={name}, or correct the proxy.",
    "host": "No machine is called {name}: correct the address.",
    "refused": "Nothing answers at {host}: start the server, or correct the address.",
    "silent": "{host} does not answer: it may be loading the model, or a firewall is "
    "in the way; look at the server, and try again.",
    "broken": "{host} broke off the connection{quoted}: look at the server's log; if "
    "it speaks TLS only, {use}.",
    "no model": "No model is named: name one. {listed}",
    "model": "{host} has no model “{model}”: name another. {listed}",
    "other model": "{host} answers for “{model}” with another model: grades are kept "
    "under the name, so name it as the server does. {listed}",
    "key": "{host} refuses the key{quoted}: set {keys}.",
    "other key": "The key of the environment is for another server, so {host} got none"
    "{quoted}: set {keys}.",
    "credit": "The account at {host} has no credit left{quoted}: top it up, or use "
    "another endpoint.",
    "busy": "{host} takes no request now{quoted}: try again in a minute.",
    "temperature": "“{model}” refuses temperature 0: grade with {reasoning}, and leave "
    "the temperature of proposals to the model (an empty field Temperature on "
    "Settings, or `curator setup --temperature own`).",
    "context": "“{model}” reads too few tokens{quoted}: start its server with a longer "
    "context, 8192 tokens or more (docs/graders.md), or name another model.",
    "redirect": "{host} sends requests on to another address: {use}.",
    "not found": "{host} has nothing at this address{quoted}: correct address or "
    "model.",
    "server": "{host} failed{quoted}: look at the server's log, or try again.",
    "request": "{host} refuses the request{quoted}: name another model.",
    "no completion": "{host} did not send a chat completion: correct the address; most "
    "end in /v1.",
    "limit": "The answer was cut off before a rating, as with reasoning models: grade "
    "with {reasoning}.",
    "unreadable": "The answer states no rating from 0 to 5{quoted}, so such grades "
    "stay unknown: name a model that follows instructions.",
}
"""By problem."""


def trial_table(trial: EndpointTrial) -> Table:
    """Answer, rating, tokens and seconds, a line each; the remedy beneath."""
    check = trial.check
    rows: list[tuple[str, Cell]] = [
        ("host", check.host),
        ("model", check.model or None),
        ("answer", check.answer),
        ("rating", check.rating),
        ("tokens in", check.tokens_in),
        ("tokens out", check.tokens_out),
        ("seconds", None if check.seconds is None else round(check.seconds, 2)),
    ]
    if check.answer is None:
        rows = [row for row in rows if row[1] is not None]
    line = remedy(check)
    value = asdict(check) | {"source": trial.source, "remedy": line}
    notes = [line] if line else ["The endpoint works: the answer states a rating."]
    return Table.of(["endpoint", "value"], rows, notes=notes, value=value)


def remedy(check: EndpointCheck) -> str:
    """Say in one line what to do, "" where nothing is wrong."""
    if not check.problem:
        return ""
    return REMEDIES[check.problem].format(
        host=check.host,
        name=check.host.partition(":")[0],
        model=check.model,
        use=f"use {check.address}" if check.address else "correct it",
        keys=f"OPENAI_BASE_URL={check.address} OPENAI_API_KEY=KEY",
        quoted=f" ({check.detail})" if check.detail else "",
        reasoning=f"chat:{check.model}/reasoning",
        listed=_listed(check),
    )


def _listed(check: EndpointCheck) -> str:
    near = get_close_matches(check.model, check.models, LISTED, 0.4)
    models = list(dict.fromkeys([*near, *check.models]))
    if not models:
        return "It lists none."
    more = f" and {len(models) - LISTED:,} more" if len(models) > LISTED else ""
    return f"It lists {', '.join(models[:LISTED])}{more}."
