"""The self-rating prompt asked of a key fact; never edited after its release.

The paper rates questions only. This is its self-rating prompt (Farzi & Dietz 2024,
Table 2) with a key fact in the question's place and as few other words as that needs.
"""

from grading.prompts.prompt import Prompt
from grading.readings import SELF_RATING

PROMPT = Prompt(
    name="nugget",
    template="""\
Is the key fact covered by the available context? choose one:
- 5: The coverage is highly relevant, complete, and accurate.
- 4: The coverage is mostly relevant and complete but may have minor gaps or \
inaccuracies.
- 3: The coverage is partially relevant and complete, with noticeable gaps or \
inaccuracies.
- 2: The coverage has limited relevance and completeness, with significant gaps or \
inaccuracies.
- 1: The coverage is minimally relevant or complete, with substantial shortcomings.
- 0: The coverage is not relevant or complete at all.
Key fact: {nugget} Context: {context}""",
    reading="rated",
    parser=SELF_RATING,
    source="Our wording, after Farzi & Dietz 2024, Table 2: Self-rating Prompt",
)
