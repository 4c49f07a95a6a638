"""AVA models as graders know them: by which names."""

from grading.ava.grader import ENGINE_NAME, named
from grading.graders.client import Client

CLIENT = Client(
    engine=ENGINE_NAME,
    names={
        "ava:<folder>": "an AVA model of your own: checks another's answers by the key"
    },
    extra="ava",
    paid=False,
    local=True,
    answers=False,
    checks=True,
    grader=named,
)
