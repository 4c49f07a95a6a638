"""Prompts of one's own, from text files."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.errors import InvalidPromptError
from grading.items import Item
from grading.prompts.custom import LONGEST, prompt_from_file
from grading.prompts.released import FORMER_NAMES, PROMPTS
from grading.readings import PARSERS, read_response
from grading.responders import Reading

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
    ("item", "reading", "parser"),
    [
        ("question", "rated", "self-rating/1"),
        ("nugget", "rated", "self-rating/1"),
        ("question", "answered", "answered/1"),
        ("nugget", "answered", "answered/1"),
        ("query", "direct", "direct/1"),
    ],
)
def test_a_prompt_is_read_as_was_asked(file_with, item, reading, parser):
    path = file_with(f"{{{item}}}: {{context}}")
    prompt = prompt_from_file(path, reading=reading)
    assert (prompt.item_kind, prompt.reading, prompt.parser) == (item, reading, parser)
    assert parser in PARSERS


@pytest.mark.parametrize(
    ("raw", "rating"),
    [("yes", 1), ("not relevant", 0), ("3", 3), ("Rating: 5", 5), ("well", -2)],
)
def test_a_direct_prompt_may_ask_for_yes_or_no_or_relevance_or_a_grade(raw, rating):
    assert read_response(Reading("direct", "query", "direct/1"), raw) == rating


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("v2.1_final-b.txt", "v2.1_final-b"),
        ("prüfung 7.txt", "prüfung-7"),
        ("a; rm -rf x.txt", "a-rm--rf-x"),
        ("...txt", "prompt"),
        ("???.txt", "prompt"),
    ],
)
def test_a_prompts_name_is_its_files_made_safe(file_with, name, safe):
    assert prompt_from_file(file_with(ASKED, name)).name == safe


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + ASKED.encode(),
        ASKED.replace("\n", "\r\n").encode() + b"\r\n",
        ASKED.replace("\n", "\r").encode(),
        b"\n\n  " + ASKED.encode() + b" \n",
    ],
)
def test_the_same_words_from_any_editor_are_the_same_prompt(file_with, content):
    assert prompt_from_file(file_with(content)).template == ASKED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "needs {context}"),
        (b"\xff\xfe{\x00q\x00", "it is not UTF-8 text"),
        ("é {question} {context}".encode("latin-1"), "it is not UTF-8 text"),
        ("How well?", "needs {context} once and one of {question}, {nugget}, {query}"),
        ("{question}", "needs {context} once"),
        ("{context}", "needs {context} once"),
        ("{question} {context} {context}", "needs {context} once"),
        ("{question} {query} {context}", "needs {context} once"),
        ("{question} {context}" + "x" * LONGEST, "is longer than 20,000 characters"),
        ("{question} {context}" + "水" * 90_000, "is longer than 20,000 characters"),
        ("{query} {context}", "prompt about a query"),
        (
            "{question} {contxt} {context}",
            "unknown placeholder {contxt}; there are {context}, {question}, "
            "{nugget}, {query}, {choices}",
        ),
        ("{question} {Choices}\n{context}", "unknown placeholder {Choices}; there are"),
        ("{question} {choices}\n{context}", "on a line without other placeholders"),
        ("{question}\n{context} or {choices}", "on a line without other placeholders"),
        ("{nugget}\n{choices}\n{context}", "belongs in a prompt with {question}"),
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


def test_the_longest_prompt_is_taken(file_with):
    words = "{question} {context}"
    prompt = prompt_from_file(file_with(words + "é" * (LONGEST - len(words))))
    assert len(prompt.template) == LONGEST


@pytest.mark.parametrize("name", ["nowhere.txt", "", "a\0b"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(InvalidPromptError, match="cannot be read"):
        prompt_from_file(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "reading", "said"),
    [
        (ASKED, "direct", "prompt about a question"),
        (ASKED, "keyed", "choose one of rated, answered, direct"),
        ("{query} {context}", "answered", "prompt about a query"),
    ],
)
def test_a_reading_that_the_prompt_cannot_have_is_refused(
    file_with, text, reading, said
):
    with pytest.raises(InvalidPromptError, match=said):
        prompt_from_file(file_with(text), reading=reading)


def test_other_braces_than_those_of_placeholders_stay(file_with):
    words = (
        'Say {"rating": 0} or {}: { question } {0-5} {question}\n{choices}\n{context}'
    )
    prompt = prompt_from_file(file_with(words))
    before, after = prompt.render(Item("question", "Q?", (("A", "x"),)))
    assert before + after == words.replace("{question}", "Q?").replace(
        "{choices}", "A) x"
    ).replace("{context}", "")


@pytest.mark.parametrize("name", sorted({*PROMPTS, *FORMER_NAMES}))
def test_a_released_prompts_name_is_taken(file_with, name):
    with pytest.raises(InvalidPromptError, match="released prompt; rename the file"):
        prompt_from_file(file_with(ASKED, f"{name}.txt"))


@given(content=st.binary(max_size=80))
def test_any_file_is_a_prompt_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(content)
    with suppress(InvalidPromptError):
        assert prompt_from_file(path).name == "any"
