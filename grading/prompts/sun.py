"""Does the passage answer the query, yes or no; never edited after its release.

The baseline "Sun" of Farzi & Dietz 2024, section 2.1, whose wording the paper does not
print. The idea, and the question, are those it quotes of Sun et al. 2023, "Is ChatGPT
Good at Search? Investigating Large Language Models as Re-Ranking Agents"; the words
are ours.
"""

from grading.prompts.prompt import Prompt
from grading.readings import YES_NO

PROMPT = Prompt(
    name="sun",
    template="""\
Does the passage answer the query? Answer yes or no.
Query: {query}
Passage: {context}
Answer:""",
    reading="direct",
    parser=YES_NO,
    source='Our wording of the baseline "Sun" in Farzi & Dietz 2024, section 2.1, '
    "after Sun et al. 2023",
)
