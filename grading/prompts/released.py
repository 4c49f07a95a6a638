"""Released prompts, by name. Never edit one; add a new name for a better text.

Graders are identified by the text of their prompt, so an edit would separate stored
grades from it. Published prompts are named after their source; names with ``-ours``
mark our own texts. Longer published texts are files in ``published/``, changed only in
the names of their placeholders.
"""

from pathlib import Path

from grading.prompts.prompt import Prompt
from grading.ratings import SELF_RATING
from grading.readings import (
    ANSWERED,
    GRADE_0_2,
    GRADE_0_2_LINE,
    GRADE_0_3,
    RELEVANCE,
    YES_NO,
    YES_NO_TRUE,
)
from grading.responders import ReadingKind

_PAPER = "Farzi & Dietz 2024"
_FOLDER = Path(__file__).parent / "published"


def _workbench_prompt(
    name: str, kind: ReadingKind, parser: str, paper: str, class_name: str
) -> Prompt:
    """Prompt of the published workbench of the RUBRIC paper."""
    source = (
        f"{paper}; words of {class_name} in TREMA-UNH/rubric-grading-workbench, "
        "exam_pp/test_bank_prompts.py"
    )
    return Prompt(name, _text(name), kind, parser, source)


def _text(name: str) -> str:
    return (_FOLDER / f"{name}.txt").read_bytes().decode()


_RUBRIC = (
    'Farzi & Dietz 2024, "Pencils Down! Automatic Rubric-based Evaluation of '
    'Retrieve/Generate Systems"'
)
_SUN = (
    'Sun et al. 2023, "Is ChatGPT Good at Search? Investigating Large Language '
    'Models as Re-Ranking Agents"'
)
_FAGGIOLI = (
    'Faggioli et al. 2023, "Perspectives on Large Language Models for Relevance '
    'Judgment"'
)

_RELEASED = (
    # Verbatim: a line per rating, question and context on the last line.
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
    # Verbatim. Its answers are checked against an answer key, or count as answered or
    # not.
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
    # The paper rates questions only. This is its self-rating prompt for a key fact
    # instead of a question, with as few changes as possible.
    Prompt(
        name="nugget-ours",
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
    # The paper has no such prompt, and that of the workbench, below, does not ask to
    # report a missing fact. This is the paper's question-answering prompt for a key
    # fact; "unanswerable" is one of the phrases for no answer in its footnote 5.
    Prompt(
        name="nugget-extraction-ours",
        template=(
            "provide the words of the context that state the key fact, or unanswerable "
            "if there are none. Key fact: {nugget} Context: {context}"
        ),
        reading="answered",
        parser=ANSWERED,
        source=f"Our wording, after {_PAPER}, Table 2: Question Answering Prompt",
    ),
    # Three baselines of the paper's section 2.1, which does not print their text; that
    # of its online appendix follows below.
    #
    # Yes or no: the idea and the question are quoted there from Sun et al. 2023.
    Prompt(
        name="sun-ours",
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
    # Relevant or not: the idea is the simple prompt of Faggioli et al. 2023.
    Prompt(
        name="fag-ours",
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
    # Thomas et al. 2023, short enough for the 512 tokens of FLAN-T5. It keeps the role,
    # the searcher's intent, trust, and the grades.
    Prompt(
        name="thom-ours",
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
    _workbench_prompt(
        "rubric-question",
        "rated",
        SELF_RATING,
        _RUBRIC,
        "QuestionSelfRatedUnanswerablePromptWithChoices",
    ),
    _workbench_prompt(
        "rubric-answer",
        "answered",
        ANSWERED,
        _RUBRIC,
        "QuestionCompleteConciseUnanswerablePromptWithChoices",
    ),
    _workbench_prompt(
        "rubric-nugget", "rated", SELF_RATING, _RUBRIC, "NuggetSelfRatedPrompt"
    ),
    _workbench_prompt(
        "rubric-nugget-extraction",
        "answered",
        ANSWERED,
        _RUBRIC,
        "NuggetExtractionPrompt",
    ),
    _workbench_prompt("sun-2023", "direct", YES_NO_TRUE, _SUN, "Sun"),
    _workbench_prompt("sun-2023-few-shot", "direct", YES_NO_TRUE, _SUN, "Sun_few"),
    _workbench_prompt("fagb", "direct", YES_NO_TRUE, _FAGGIOLI, "FagB"),
    _workbench_prompt("fagb-few-shot", "direct", YES_NO_TRUE, _FAGGIOLI, "FagB_few"),
    _workbench_prompt(
        "helm",
        "direct",
        YES_NO_TRUE,
        'Liang et al. 2023, "Holistic Evaluation of Language Models"',
        "HELM",
    ),
    _workbench_prompt(
        "thomas",
        "direct",
        GRADE_0_2_LINE,
        'Thomas et al. 2023, "Large language models can accurately predict searcher '
        'preferences"',
        "Thomas",
    ),
    Prompt(
        name="umbrela",
        template=_text("umbrela"),
        reading="direct",
        parser=GRADE_0_3,
        source='Upadhyay et al. 2024, "UMBRELA: UMbrela is the (Open-Source '
        'Reproduction of the) Bing RELevance Assessor"; words of castorini/umbrela, '
        "src/umbrela/prompts/qrel_zeroshot_bing.txt",
    ),
)
PROMPTS = {prompt.name: prompt for prompt in _RELEASED}
FORMER_NAMES = {
    name.removesuffix("-ours"): name for name in PROMPTS if name.endswith("-ours")
}
"""Former names of our prompts, from before the published ones were added."""
