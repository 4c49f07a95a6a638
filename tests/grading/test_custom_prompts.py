"""Prompts of one's own, from text files."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.errors import InvalidPromptError
from grading.items import Item
from grading.prompts.custom import LONGEST, prompt_from_file
from grading.prompts.released import FORMER_NAMES

ASKED = "Rate {question} from 0 to 5.\n{context}"


@pytest.fixture
def file_with(tmp_path):
    def write(content, name="mine.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_file_with_placeholders_is_a_prompt(file_with):
    prompt = prompt_from_file(file_with(ASKED, "my prompt.txt"))
    assert prompt.name == "my-prompt"
    assert prompt.template == ASKED
    assert (prompt.reading, prompt.parser) == ("rated", "self-rating/1")
    assert prompt.source == "custom: my prompt.txt"
    assert prompt.render(Item("question", "Why {x}?")) == (
        "Rate Why {x}? from 0 to 5.\n",
        "",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe{\x00q\x00", "it is not UTF-8 text"),
        ("{context}", "needs {context} once"),
        ("{question} {context}" + "x" * LONGEST, "is longer than 20,000 characters"),
        ("{query} {context}", "prompt about a query"),
        (
            "{question} {contxt} {context}",
            "unknown placeholder {contxt}; there are {context}, {question}, "
            "{nugget}, {query}, {choices}",
        ),
        ("{question} {choices}\n{context}", "on a line without other placeholders"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused_in_one_line_that_names_it(
    file_with, content, said
):
    path = file_with(content)
    with pytest.raises(InvalidPromptError) as error:
        prompt_from_file(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["qa", *FORMER_NAMES])
def test_a_released_prompts_name_is_taken(file_with, name):
    with pytest.raises(InvalidPromptError, match="released prompt; rename the file"):
        prompt_from_file(file_with(ASKED, f"{name}.txt"))


@given(content=st.binary(max_size=80))
def test_any_file_is_a_prompt_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(content)
    with suppress(InvalidPromptError):
        assert prompt_from_file(path).name == "any"
