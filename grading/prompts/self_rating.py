"""The published self-rating prompt; never edited after its release.

Source: Farzi & Dietz 2024, Table 2, word for word: the scale a line each, question and
context together on the last line.
"""

from grading.prompts.prompt import Prompt
from grading.readings import SELF_RATING

PROMPT = Prompt(
    name="self-rating",
    template="""\
Can the question be answered based on the available context? choose one:
- 5: The answer is highly relevant, complete, and accurate.
- 4: The answer is mostly relevant and complete but may have minor gaps or inaccuracies.
- 3: The answer is partially relevant and complete, with noticeable gaps or \
inaccuracies.
- 2: The answer has limited relevance and completeness, with significant gaps or \
inaccuracies.
- 1: The answer is minimally relevant or complete, with substantial shortcomings.
- 0: The answer is not relevant or complete at all.
Question: {question} Context: {context}""",
    reading="rated",
    parser=SELF_RATING,
    source="Farzi & Dietz 2024, Table 2: Self-rating Prompt",
)
