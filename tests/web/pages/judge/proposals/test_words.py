"""The words of proposals: the form of a request, prompts, responses."""

from __future__ import annotations

import pytest

from curator.errors import PromptError
from curator.generation.prompts import PROMPTS, custom_prompt
from curator.verbs.proposals.request import GenerationRequest
from curator.web.pages.judge.proposals import request_form

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
