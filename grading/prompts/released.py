"""The released prompts, by name. Their words stay; better ones get a name of their own.

Grades are known by the words that were asked, so an edited prompt would disown them.
"""

from grading.prompts.prompt import Prompt
from grading.ratings import SELF_RATING
from grading.readings import ANSWERED, GRADE_0_2, RELEVANCE, YES_NO

_PAPER = "Farzi & Dietz 2024"

_RELEASED = (
    # Word for word: the scale a line each, question and context together on the last.
    Prompt(
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
        source=f"{_PAPER}, Table 2: Self-rating Prompt",
    ),
    # Word for word. Its answers are checked against an answer key, or taken for
    # answered or not.
    Prompt(
        name="qa",
        template=(
            "provide a complete and concise answer to the question based on the "
            "context. Question: {question} Context: {context}"
        ),
        reading="answered",
        parser=ANSWERED,
        source=f"{_PAPER}, Table 2: Question Answering Prompt",
    ),
    # The paper rates questions only. This is its self-rating prompt with a key fact in
    # the question's place and as few other words as that needs.
    Prompt(
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
        source=f"Our wording, after {_PAPER}, Table 2: Self-rating Prompt",
    ),
    # The paper prints no such prompt. This is its question-answering prompt turned to a
    # key fact; "unanswerable" is one of the phrases its footnote 5 takes for no answer.
    Prompt(
        name="nugget-extraction",
        template=(
            "provide the words of the context that state the key fact, or unanswerable "
            "if there are none. Key fact: {nugget} Context: {context}"
        ),
        reading="answered",
        parser=ANSWERED,
        source=f"Our wording, after {_PAPER}, Table 2: Question Answering Prompt",
    ),
    # Three baselines of the paper's section 2.1, which does not print their wording.
    #
    # Yes or no: the idea, and the question, are those it quotes of Sun et al. 2023, "Is
    # ChatGPT Good at Search? Investigating Large Language Models as Re-Ranking Agents".
    Prompt(
        name="sun",
        template="""\
Does the passage answer the query? Answer yes or no.
Query: {query}
Passage: {context}
Answer:""",
        reading="direct",
        parser=YES_NO,
        source=f'Our wording of the baseline "Sun" in {_PAPER}, section 2.1, '
        "after Sun et al. 2023",
    ),
    # Relevant or not: the idea is the simple prompt of Faggioli et al. 2023,
    # "Perspectives on Large Language Models for Relevance Judgment".
    Prompt(
        name="fag",
        template="""\
Judge whether the passage is relevant to the query. It is relevant if any part of it \
tells something that belongs in an answer. Say relevant or not relevant.
Query: {query}
Passage: {context}
Judgment:""",
        reading="direct",
        parser=RELEVANCE,
        source=f'Our wording of the baseline "Fag" in {_PAPER}, section 2.1, '
        "after Faggioli et al. 2023",
    ),
    # Grades 0-2, of which 1 and 2 are relevant: an abridged form of the prompt of
    # Thomas et al. 2023, "Large language models can accurately predict searcher
    # preferences", short enough for the 512 tokens of FLAN-T5. What it keeps is the
    # role, the searcher's intent, trust, and the grades.
    Prompt(
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
        source=f'Our wording of the baseline "Thom" in {_PAPER}, section 2.1, '
        "abridged after Thomas et al. 2023",
    ),
)
PROMPTS = {prompt.name: prompt for prompt in _RELEASED}
