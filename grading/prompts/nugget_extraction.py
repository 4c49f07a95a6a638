"""Asks for the words that state a key fact; never edited after its release.

The paper prints no such prompt. This is its question-answering prompt (Farzi & Dietz
2024, Table 2) turned to a key fact; "unanswerable" is one of the phrases its footnote
5 takes for no answer.
"""

from grading.prompts.prompt import Prompt
from grading.readings import ANSWERED

PROMPT = Prompt(
    name="nugget-extraction",
    template=(
        "provide the words of the context that state the key fact, or unanswerable if "
        "there are none. Key fact: {nugget} Context: {context}"
    ),
    reading="answered",
    parser=ANSWERED,
    source="Our wording, after Farzi & Dietz 2024, Table 2: Question Answering Prompt",
)
