"""Models of vectors as graders know them: by which names."""

from grading.graders.embedding import named
from grading.models.protocol import Client
from grading.responders import VECTORS

CLIENT = Client(
    engine=VECTORS,
    names={
        "embedding": "nearness of question and passage; milliseconds a question",
        "embedding:<model name or folder>": "the same, by another model of vectors",
    },
    extra="embedding",
    paid=False,
    local=True,
    answers=False,
    probabilities=False,
    grader=named,
)
