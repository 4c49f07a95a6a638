"""What the responses of an LLM that was asked for a list are read as."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.bank.wording import MAX_TEXT
from curator.generation.responses import MAX_LISTED, ListedTexts, listed_texts

WHOLE = {
    "a Python list in single quotes with a trailing comma": (
        "['Who built the Erie Canal?', 'When did it open?',]",
        ["Who built the Erie Canal?", "When did it open?"],
    ),
    "wrong apostrophes in single quotes": (
        "['What is a cell's role?', 'Why don't the cells' walls break?']",
        ["What is a cell's role?", "Why don't the cells' walls break?"],
    ),
    "a fenced list with a language tag and prose": (
        "Here are two questions:\n\n```python\n['Why is Mars red?', 'Is it cold?']\n"
        "```\n\nI hope they help!",
        ["Why is Mars red?", "Is it cold?"],
    ),
    "objects with a question each": (
        '[{"id": 1, "question": "What is ink?", "type": "factual"},\n'
        ' {"id": 2, "question": "Who made it?", "options": ["monks", "clerks"]}]',
        ["What is ink?", "Who made it?"],
    ),
    "numbered with letters and Roman numerals": (
        "a) What is a quark?\nb) What is a gluon?\n\nI. What is spin?\nII. What is up?",
        ["What is a quark?", "What is a gluon?", "What is spin?", "What is up?"],
    ),
    "remarks under the questions": (
        "1. What is a lathe?\n   - It tests a definition.\n   Answer: a tool\n"
        "2. Who turns it?\n   - It tests agency.",
        ["What is a lathe?", "Who turns it?"],
    ),
    "questions under themes": (
        "1. **Tools**\n   - What is a lathe?\n   - What is a chuck?\n"
        "2. **People**\n   - Who turns it?",
        ["What is a lathe?", "What is a chuck?", "Who turns it?"],
    ),
    "bulleted statements without points": (
        "Key facts:\n\n* Yaks live high\n* Gnus migrate\n\n---\n",
        ["Yaks live high", "Gnus migrate"],
    ),
    "bold, italic, backticks and quotes around the texts": (
        "1. **What is a verb?**\n2. *What is a noun?*\n3. `What is len()?`\n"
        '4. "What is a **pun**?"\n5. _“What is slang?”_',
        [
            *("What is a verb?", "What is a noun?", "What is len()?"),
            *("What is a pun?", "What is slang?"),
        ],
    ),
    "what stands before a colon and belongs to the question": (
        "1. In Python: What is a list?\n2. Plato asked: What is virtue?\n"
        "3. Given x: what is y?\n4. Of these three theories, name one: Which holds?",
        [
            *("In Python: What is a list?", "Plato asked: What is virtue?"),
            "Given x: what is y?",
            "Of these three theories, name one: Which holds?",
        ],
    ),
    "what stands behind a question mark and belongs to the question": (
        "1. What is a moat (the wet kind)?\n2. What is it? And why?\n"
        "3. Is it so? Justify your answer.\n4. What is it? Explain using examples.\n"
        "5. **Is it old?** Explain why.\n6. How deep was it? (in feet)\n"
        "7. Was it wet? Yes or no.\n8. Which is older? – Or are both new?",
        [
            *("What is a moat (the wet kind)?", "What is it? And why?"),
            "Is it so? Justify your answer.",
            "What is it? Explain using examples.",
            *("Is it old? Explain why.", "How deep was it? (in feet)"),
            *("Was it wet? Yes or no.", "Which is older? – Or are both new?"),
        ],
    ),
    "bare questions": (
        "Here are three questions.\n\nWhat is a tundra?\nWhat did Dr. Lee find there?\n"
        "“Is it warming?”\n",
        ["What is a tundra?", "What did Dr. Lee find there?", "Is it warming?"],
    ),
    "the same text twice": (
        '["What is clay?", "What is loam?", "what is  CLAY?"]',
        ["What is clay?", "What is loam?"],
    ),
    "a text that is too long": (
        json.dumps(["y" * (MAX_TEXT + 1), "x" * MAX_TEXT]),
        ["x" * MAX_TEXT],
    ),
    "no more than are read": (
        json.dumps([f"What is {n}?" for n in range(MAX_LISTED + 1)]),
        [f"What is {n}?" for n in range(MAX_LISTED)],
    ),
    "a refusal that asks back": (
        "I can't help with that. Is there anything else you need?\n"
        "Could you clarify what the topic is?",
        [],
    ),
}
WHOLE |= {
    "themes in bold and statements beside the questions": (
        "1. **Origins**: Jazz began in New Orleans.\n2. **Players**\n\n"
        "1. **Who was Monk?**\n   - What did he play?\n2. Discuss his style.",
        ["Who was Monk?", "What did he play?", "Discuss his style."],
    )
}
CUT = {
    "in a string of a Python list": (
        "['What is jazz?', 'Who was Mo",
        ["What is jazz?"],
    ),
    "in an object": (
        '[{"question": "What is jazz?"}, {"id": 2, "question": "Wh',
        ["What is jazz?"],
    ),
    "in JSON lines": ('{"text": "Jazz swings."}\n{"tex', ["Jazz swings."]),
    "in a numbered text": (
        "1. What is jazz?\n2. Who was Monk?\n3. When did",
        ["What is jazz?", "Who was Monk?"],
    ),
}

# Two things are read out of a proper list too: thoughts, and numbers from 1 on.
TEXTS = (
    st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "))
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and "</think>" not in text and text[0] != "1")
)
LISTS = st.lists(TEXTS, unique_by=str.casefold, max_size=12)
WORDS = st.text("aeiourstnABCé'’-", min_size=1, max_size=9)
QUESTIONS = st.lists(
    st.lists(WORDS, min_size=1).map(lambda words: f"What {' '.join(words)}?"),
    unique_by=str.casefold,
    min_size=1,
    max_size=30,
)


def test_statements_are_read_where_facts_were_asked_for():
    raw = '["Jazz swings.", "Monk played the piano.", "Was he born in 1917?"]'
    facts = ("Jazz swings.", "Monk played the piano.", "Was he born in 1917?")
    assert listed_texts(raw, "nugget").texts == facts
    assert listed_texts(raw, "question").texts == facts[2:]
    steps = "1. Jazz swings.\n2. Monk played."
    assert listed_texts(steps).texts == ("Jazz swings.", "Monk played.")


@pytest.mark.parametrize("response", WHOLE)
def test_a_response_lists_these_texts(response):
    raw, texts = WHOLE[response]
    assert listed_texts(raw) == ListedTexts(tuple(texts), cut=False)


@pytest.mark.parametrize("where", CUT)
def test_of_a_list_that_broke_off_the_whole_texts_are_kept(where):
    raw, texts = CUT[where]
    asked = not texts or any("?" in text for text in texts)
    kind = "question" if asked else "nugget"
    assert listed_texts(raw, kind) == ListedTexts(tuple(texts), cut=True)


@pytest.mark.parametrize(
    "raw",
    ["data = ['2019-05-01', '2020-01-01', '20", "1. **Origins**: It began.\n2. **Pla"],
)
def test_of_an_answer_that_is_not_whole_statements_are_no_questions(raw):
    assert listed_texts(raw, complete=False).texts == ()
    assert listed_texts(raw, "nugget", complete=False).texts != ()


@pytest.mark.parametrize("written", [json.dumps, repr])
@given(texts=LISTS)
def test_a_proper_list_reads_back_exactly(written, texts):
    # Facts: of questions, those count that ask.
    assert listed_texts(written(texts), "nugget") == ListedTexts(
        tuple(texts), cut=False
    )


@given(texts=LISTS, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_proper_json_reads_back_exactly_however_it_is_written(
    texts, ascii_only, indent
):
    objects = {"questions": [{"id": n, "question": t} for n, t in enumerate(texts)]}
    raw = json.dumps(objects, ensure_ascii=ascii_only, indent=indent)
    read = listed_texts(f"```json\n{raw}\n```\nDone!", "nugget")
    assert read.texts == tuple(texts)


@pytest.mark.parametrize("written", [json.dumps, repr])
@given(texts=LISTS, share=st.floats(0, 1))
def test_the_beginning_of_a_list_gives_the_first_texts_and_no_others(
    written, texts, share
):
    whole = written(texts)
    raw = whole[: int(len(whole) * share)]
    read = listed_texts(raw, "nugget")
    assert read.texts == tuple(texts[: len(read.texts)])


@given(
    QUESTIONS,
    st.sampled_from(
        [
            *("{}. {}", "{}) {}", "({}) {}", "[{}] {}", "{}: {}", "{} - {}", "{} – {}"),
            *("Q{}: {}", "Q{}. {}", "Question {}: {}", "#{}. {}", "**{}.** {}"),
            *("**{}. {}**", "{}. **{}**", '{}. "{}"', "**Q{}:** {}", "  {}. {}"),
            *("{}.\t{}", "{}.{}", "**{}**. {}", "- {}. {}", "> {}. {}", "Fact {}: {}"),
        ]
    ),
    st.sampled_from(["\n", "\n\n", "\r\n"]),
)
def test_a_numbered_list_reads_back_however_it_is_numbered(texts, style, line_end):
    numbered = line_end.join(style.format(n, t) for n, t in enumerate(texts, 1))
    for raw in (numbered, f"Here they are:\n\n{numbered}\n\nI hope they help!"):
        assert listed_texts(raw) == ListedTexts(tuple(texts), cut=False)


PIECES = [
    *("[", "]", "{", "}", "(", ")", '"', "'", '"""', "“", "”", ",", ":", "\\", "\\u00"),
    *("\n", " ", "1. ", "- ", "* ", "**", "|", "|---|", "```", "# ", "?", ".", "what"),
    *("</think>", "<think>", "\ud83d", "\u00a0", "question", "=", "Q1", " - ", "→"),
    *("<li>", "</li>", "&quot;", "</s>", "Notes:", "(Tests", "<br>", "Final list:\n"),
]


@given(st.text(st.characters()) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read_and_lists_only_clean_texts(raw):
    texts = listed_texts(raw).texts
    assert all(text == " ".join(text.split()) != "" for text in texts)
    assert len({text.casefold() for text in texts}) == len(texts) <= MAX_LISTED
    "".join(texts).encode()  # whole characters only


@pytest.mark.parametrize(
    "piece",
    [
        *("[", "'", '["', "['", "\n[", ": [", '["x" ', '[""" ', '["a", ', '{"a":'),
        *("{", "\\", "\n", " \n", "#\n", "1. ", "\n1. a", "- ", "**a", "| a |\n|-|\n"),
        *("<li>", "\n<li>", "<li>a</li>", "\n<", "<a ", "<b>", "</s>", "</s>a", "<|"),
        *("<analysis>\n", "</analysis>", "\nFinal list:", "\nhere is the final ", "&"),
        *("<br>", "\n</s>", '"a" ', '"a"\n', "\\u00", "“a", '", ', "1. a</li>", " <b"),
        *("? (", "? - ", "**a?** ", "**a: ", "a: ", "Focus: ", "\nNotes:", "\n- ? ("),
        *("\n- Focus: a.", "[a?, ", '("a", "b"), ', "<think>", "```\n", "would you "),
    ],
)
def test_hostile_text_takes_time_by_its_length_only(piece):
    raw = '["' + piece * (8_000 // len(piece))
    started = time.process_time()
    listed_texts(raw)
    # A quadratic reading takes longer. It is this process's own time, whatever else
    # the machine does.
    assert time.process_time() - started < 1
