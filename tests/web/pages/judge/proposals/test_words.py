"""The words of proposals: the form of a request, prompts, responses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from curator.collection.pools import Query, Subtopic
from curator.errors import PromptError
from curator.generation.prompts import PROMPTS, custom_prompt
from curator.store.generations import Generation
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.web.pages.judge.proposals import request_form
from curator.web.pages.judge.proposals.proposals_dialog import total_words, unread_row

OWN = custom_prompt("Ask about {query_title}, as a key fact.", kind="nugget")
REQUESTS = (
    GenerationRequest("gpt-4o-mini"),
    GenerationRequest("m", PROMPTS["car"], temperature=0.0, count=1),
    GenerationRequest("m", PROMPTS["nugget"], temperature=0.25, count=100),
    GenerationRequest("m", OWN),
)


@pytest.mark.parametrize("asked", REQUESTS)
def test_the_form_of_a_request_makes_that_request(asked: GenerationRequest) -> None:
    fields = request_form.fields_of(asked)
    assert request_form.request_of(fields) == asked


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": "own", "text": " "}, "needs a text"),
        ({"prompt": "own", "text": "Ask."}, "needs {query_title}"),
        ({"temperature": "warm"}, "is “warm”; expected 0 to 2"),
        ({"count": ""}, "expected 1 to 100"),
        ({"count": "ten"}, "is “ten”"),
        ({"count": "9" * 5000}, "expected 1 to 100"),
    ],
)
def test_what_is_typed_wrongly_is_one_line(fields: dict[str, str], said: str) -> None:
    with pytest.raises(PromptError, match=said) as refused:
        request_form.request_of(request_form.EMPTY | {"model": "m"} | fields)
    assert "\n" not in str(refused.value)


SUMMARY = GenerateSummary("m", 0, 0, 0, 0, dry_run=True)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"asked": 726, "tokens_in": 69_510}, "726 prompts, about 70,000 tokens."),
        (
            {"asked": 1, "tokens_in": 98, "had": 2},
            "1 prompt, about 98 tokens; 2 asked before.",
        ),
        ({"asked": 1, "tokens_in": 104}, "1 prompt, about 100 tokens."),
        ({"elsewhere": 1}, "1 being asked."),
        ({}, "Nothing to ask."),
    ],
)
def test_the_prompts_of_a_request_are_counted(
    counts: dict[str, int], words: str
) -> None:
    assert total_words(replace(SUMMARY, **counts)) == words  # type: ignore[arg-type]


def test_a_response_is_listed_with_what_was_asked_of_whom_and_when() -> None:
    query = Query("q1", "Why?", subtopics=(Subtopic("s1", "Leaves"),))
    response = Generation(
        *("q1", "s1", "p1", "dl", "question", "Which?", "m", {}, "key", 7, "ann"),
        *("2026-03-14T10:42:00+00:00", "whole", "x" * 4_100, None, 0, 0, 1, 2),
    )  # type: ignore[arg-type]
    row = unread_row(response, query, UTC)
    assert (row["query"], row["about"]) == ("Why?", "Leaves · passage p1")
    assert row["asked"] == "m, 2026-03-14 10:42"
    # by hand: 4,100 − 4,000
    assert (len(row["raw"]), row["more"]) == (4_000, 100)
    assert unread_row(response, None, UTC)["query"] == "q1"
