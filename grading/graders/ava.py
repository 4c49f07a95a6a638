"""Graders of AVA models: their names."""

from grading.ava.grader import ENGINE_NAME, named
from grading.graders.client import Client

CLIENT = Client(
    engine=ENGINE_NAME,
    names={
        "ava:<folder>": "your own AVA model: checks another grader's answers by the key"
    },
    paid=False,
    local=True,
    takes_prompts=False,
    checks_answers=True,
    from_name=named,
)
