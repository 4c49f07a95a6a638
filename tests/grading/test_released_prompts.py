"""Released prompts: their words, which nobody edits, and how they are filled in."""

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.errors import InvalidPromptError
from grading.items import Item
from grading.prompts.prompt import Prompt
from grading.prompts.released import PROMPTS

# Typed from Farzi & Dietz 2024, Table 2.
SELF_RATING = """\
Can the question be answered based on the available context? choose one:
- 5: The answer is highly relevant, complete, and accurate.
- 4: The answer is mostly relevant and complete but may have minor gaps or inaccuracies.
- 3: The answer is partially relevant and complete, with noticeable gaps or inaccuracies.
- 2: The answer has limited relevance and completeness, with significant gaps or inaccuracies.
- 1: The answer is minimally relevant or complete, with substantial shortcomings.
- 0: The answer is not relevant or complete at all.
Question: Q? Context: P."""  # noqa: E501
QUESTION_ANSWERING = (
    "provide a complete and concise answer to the question based on the context. "
    "Question: Q? Context: P."
)

# printf '%s' "$template" | sha256sum | cut -c 1-40
HASHES = {
    "self-rating": "60bc0484a8684d070b42397b03e16cb4ae36d23c",
    "qa": "9fbeedd3aac7dd8845b502858995c2b8a6c4c5c3",
    "nugget-ours": "f35c1f7f89b2b442dce71127183e5ac0102a59cf",
    "nugget-extraction-ours": "bacd251ecfb48e4b5b3c345a9e9c2739d76d0323",
    "sun-ours": "e8554c6756816216c4e32fb15baadbb716a5afac",
    "fag-ours": "2616a8cc6d1987ccaa8d5db92297d6b6212b330e",
    "thom-ours": "5ca99a4e8214ef517ff28e56c92cb2f4fdea62d1",
    # Of the strings in exam-pp 0.1.2 on PyPI, put together as its generate_prompt and
    # prompt_template do, with our placeholders. Its HELM has a line break within a
    # word, which the repository has since taken out.
    "sun-2023": "cad0739fdfdaefa74400311529518d62516d6099",
    "sun-2023-few-shot": "54fa1d35104a505aba64ea7ad8add64d598e1bb0",
    "fagb": "1d13df0beda9d62787365b81e445925f7504eed8",
    "fagb-few-shot": "f42387ca5dbe127aa79dddebb35e6d7430e0dca6",
    "helm": "ea29b64d59af08fc802ed4335339b40d24ed0d52",
    "thomas": "375f6ffe62bf340cd6a9f055778684eed812b214",
    "rubric-question": "92170b73c68adf45fa5b7ea06b48a753e023f177",
    "rubric-answer": "9836b3a82adc362cc71aee4466492d1f54b1894c",
    "rubric-nugget": "86535e1ba6406099ca3f19d0827b346f5ef5ce5a",
    "rubric-nugget-extraction": "ce2267022473c24fa02d208b07487caaa9bd96ff",
    # Of qrel_zeroshot_bing.txt in castorini/umbrela, {passage} being {context} here.
    "umbrela": "806cf971a02e4ce3ff105233b38d5b451112590d",
}


def filled(prompt: Prompt, item: Item, passage: str) -> str:
    before, after = prompt.render(item)
    return before + passage + after


@pytest.mark.parametrize(
    ("name", "words"), [("self-rating", SELF_RATING), ("qa", QUESTION_ANSWERING)]
)
def test_a_published_prompt_has_the_papers_words(name, words):
    assert filled(PROMPTS[name], Item("question", "Q?"), "P.") == words


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_a_released_prompt_is_never_edited(name):
    template = PROMPTS[name].template
    assert hashlib.sha256(template.encode()).hexdigest()[:40] == HASHES.get(name), (
        f"The words of prompt '{name}' have changed. A released prompt is never "
        "edited: grades that were given under it are known by its words. Put the old "
        "words back, and give the new ones a name of their own"
    )


def test_the_page_about_prompts_lists_every_prompt_with_its_parser_and_no_other():
    page = (Path(__file__).parents[2] / "docs" / "prompts.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \| `([^`]+)` \|", page, re.MULTILINE)
    listed = {(p.name, p.item_kind, p.parser) for p in PROMPTS.values()}
    assert sorted(rows) == sorted(listed)


@pytest.mark.parametrize("name", sorted(PROMPTS))
@settings(max_examples=15)
@given(text=st.text(min_size=1).filter(str.strip), passage=st.text())
def test_item_and_passage_stand_in_the_prompt_word_for_word(name, text, passage):
    prompt = PROMPTS[name]
    before, after = prompt.render(Item(prompt.item_kind, text))
    assert text.strip() in before + after
    whole = filled(prompt, Item(prompt.item_kind, text), passage)
    assert whole == before + passage + after
    words = prompt.template.replace(f"{{{prompt.item_kind}}}", "")
    assert len(whole) == len(words) - len("{context}") + len(text.strip() + passage)


@pytest.mark.parametrize(
    "template", ["Question: {question}", "{question} {nugget} {context}"]
)
def test_a_prompt_without_its_placeholders_is_refused_in_one_line(template):
    with pytest.raises(InvalidPromptError, match="once and one of") as error:
        Prompt("mine", template, "rated", "self-rating/1", "mine")
    assert "\n" not in str(error.value)


CHOICES = (("A", "oxygen"), ("b", "{context} {question}"))


def with_choices(template: str) -> Prompt:
    return Prompt("mine", template, "answered", "answered/1", "mine")


@pytest.mark.parametrize(
    ("template", "asked", "without"),
    [
        (
            "Answer: {question}\n{choices}\nBy: {context}",
            "Answer: {choices}?\nA) oxygen\nb) {context} {question}\nBy: P.",
            "Answer: {choices}?\nBy: P.",
        ),
        (
            "Choose of {choices}\n\n{context}\n{question}",
            "Choose of A) oxygen\nb) {context} {question}\n\nP.\n{choices}?",
            "\nP.\n{choices}?",
        ),
    ],
)
def test_choices_stand_a_line_each_with_their_letters_or_their_line_goes(
    template, asked, without
):
    prompt = with_choices(template)
    assert filled(prompt, Item("question", "{choices}?", CHOICES), "P.") == asked
    assert filled(prompt, Item("question", "{choices}?"), "P.") == without
