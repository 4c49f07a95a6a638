"""Is the passage relevant or not; never edited after its release.

The baseline "Fag" of Farzi & Dietz 2024, section 2.1, whose wording the paper does not
print. The idea is the simple prompt of Faggioli et al. 2023, "Perspectives on Large
Language Models for Relevance Judgment"; the words are ours.
"""

from grading.prompts.prompt import Prompt
from grading.readings import RELEVANCE

PROMPT = Prompt(
    name="fag",
    template="""\
Judge whether the passage is relevant to the query. It is relevant if any part of it \
tells something that belongs in an answer. Say relevant or not relevant.
Query: {query}
Passage: {context}
Judgment:""",
    reading="direct",
    parser=RELEVANCE,
    source='Our wording of the baseline "Fag" in Farzi & Dietz 2024, section 2.1, '
    "after Faggioli et al. 2023",
)
