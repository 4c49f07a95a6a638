"""A short relevance prompt with role, intent and grades; never edited after release.

The baseline "Thom" of Farzi & Dietz 2024, section 2.1, whose wording the paper does not
print: an abridged form of the prompt of Thomas et al. 2023, "Large language models can
accurately predict searcher preferences", short enough for the 512 tokens of FLAN-T5.
What it keeps is the role, the searcher's intent, trust, and grades 0-2, of which 1 and
2 are relevant. The words are ours.
"""

from grading.prompts.prompt import Prompt
from grading.readings import GRADE_0_2

PROMPT = Prompt(
    name="thom",
    template="""\
You rate the results of a search engine for the people who use it.
Somebody searched for: {query}
Think of what they most likely want to know. How much of that does this passage tell \
them, as far as it can be trusted? Choose one:
- 2: It tells most of what they want to know.
- 1: It tells a part of it.
- 0: It tells nothing of it.
Passage: {context}
Rating:""",
    reading="direct",
    parser=GRADE_0_2,
    source='Our wording of the baseline "Thom" in Farzi & Dietz 2024, section 2.1, '
    "abridged after Thomas et al. 2023",
)
