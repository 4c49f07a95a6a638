"""The published question-answering prompt; never edited after its release.

Its answers are checked against an answer key, or taken for answered or not. Source:
Farzi & Dietz 2024, Table 2, word for word.
"""

from grading.prompts.prompt import Prompt
from grading.readings import ANSWERED

PROMPT = Prompt(
    name="qa",
    template=(
        "provide a complete and concise answer to the question based on the context. "
        "Question: {question} Context: {context}"
    ),
    reading="answered",
    parser=ANSWERED,
    source="Farzi & Dietz 2024, Table 2: Question Answering Prompt",
)
