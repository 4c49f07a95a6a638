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
    "a Python list in double quotes": (
        '["How do bees find nectar?", "Why do bees dance?"]',
        ["How do bees find nectar?", "Why do bees dance?"],
    ),
    "a Python list in single quotes with a trailing comma": (
        "['Who built the Erie Canal?', 'When did it open?',]",
        ["Who built the Erie Canal?", "When did it open?"],
    ),
    "quotes of both kinds in one list": (
        """["What is Fermat's theorem?", 'What is a "lemma"?']""",
        ["What is Fermat's theorem?", 'What is a "lemma"?'],
    ),
    "escaped quotes, slashes and line ends": (
        r'["What is \"yeast\"?", "Is it 1\/2 or 1\\2?", "Why\nrise?"]',
        ['What is "yeast"?', "Is it 1/2 or 1\\2?", "Why rise?"],
    ),
    "a wrong escape stays": (
        r'["What is \d in a regex?"]',
        [r"What is \d in a regex?"],
    ),
    "wrong apostrophes in single quotes": (
        "['What is a cell's role?', 'Why don't the cells' walls break?']",
        ["What is a cell's role?", "Why don't the cells' walls break?"],
    ),
    "wrong quotes in double quotes": (
        '["What does "photo" mean?", "Who said "enough", and why?"]',
        ['What does "photo" mean?', 'Who said "enough", and why?'],
    ),
    "a missing comma after a question": (
        '["What is a mortgage?"\n "What is a lien?"]',
        ["What is a mortgage?", "What is a lien?"],
    ),
    "numbers within the strings": (
        '["1. What is a comet?", "2. What is its tail?"]',
        ["What is a comet?", "What is its tail?"],
    ),
    "no strings at all among constants": ("[1, None, true, ...]", []),
    "a fenced list with a language tag and prose": (
        "Here are two questions:\n\n```python\n['Why is Mars red?', 'Is it cold?']\n"
        "```\n\nI hope they help!",
        ["Why is Mars red?", "Is it cold?"],
    ),
    "a fenced list without a tag": (
        '```\n["Why is Mars red?"]\n```',
        ["Why is Mars red?"],
    ),
    "a fence and its list on one line": (
        '```json ["Why is Mars red?"]```',
        ["Why is Mars red?"],
    ),
    "a list behind prose on its line": (
        'Sure! Questions: ["What is tax?", "Who pays?"] Let me know.',
        ["What is tax?", "Who pays?"],
    ),
    "a list in a sentence": (
        'The list is ["What is tax?", "Who pays?"].',
        ["What is tax?", "Who pays?"],
    ),
    "a list that is printed": ("print(['What is tax?'])", ["What is tax?"]),
    "several lists": (
        'Early years:\n["Where was Curie born?"]\nLater:\n["What did she find?"]',
        ["Where was Curie born?", "What did she find?"],
    ),
    "nested lists": (
        '[["What is jazz?", "What is swing?"], ["Who was Monk?"]]',
        ["What is jazz?", "What is swing?", "Who was Monk?"],
    ),
    "an object of lists by theme": (
        '{"History": ["When did Rome fall?"], "Law": ["What was a tribune?"]}',
        ["When did Rome fall?", "What was a tribune?"],
    ),
    "an object with a list among other fields": (
        '{"topic": "tides", "notes": ["two"], "questions": ["What is a neap tide?"]}',
        ["What is a neap tide?"],
    ),
    "an object with a list under another name": (
        '{"topic": "tides", "key facts": ["The Moon pulls the sea."]}',
        ["The Moon pulls the sea."],
    ),
    "objects with a question each": (
        '[{"id": 1, "question": "What is ink?", "type": "factual"},\n'
        ' {"id": 2, "question": "Who made it?", "options": ["monks", "clerks"]}]',
        ["What is ink?", "Who made it?"],
    ),
    "objects with a text each": (
        '{"nuggets": [{"text": "Ink is old"}, {"text": "Soot is black"}]}',
        ["Ink is old", "Soot is black"],
    ),
    "JSON lines": (
        '{"question": "What is a delta?"}\n{"question": "What is silt?"}\n',
        ["What is a delta?", "What is silt?"],
    ),
    "an object of texts by number": (
        '{"Q1": "What is a delta?", "Q2": "What are its parts?"}',
        ["What is a delta?", "What are its parts?"],
    ),
    "an object that reports an error": (
        '{"error": {"type": "overloaded", "message": "Please try again"}}',
        [],
    ),
    "numbered with points": (
        "Sure, here you go:\n\n1. What is gluten?\n2. Who avoids it?\n\nEnjoy!",
        ["What is gluten?", "Who avoids it?"],
    ),
    "numbered with brackets and no blank": (
        "1)What is gluten?\n2)Who avoids it?",
        ["What is gluten?", "Who avoids it?"],
    ),
    "numbered in brackets": (
        "(1) What is a sonnet?\n(2) How many lines has it?",
        ["What is a sonnet?", "How many lines has it?"],
    ),
    "numbered with Q": (
        "Q1: What is a sonnet?\nQ2. Who wrote them?\n**Q3:** Why 14 lines?",
        ["What is a sonnet?", "Who wrote them?", "Why 14 lines?"],
    ),
    "numbered in bold": (
        "**1.** What is a quark?\n**2. What is a gluon?**\n**3**. What binds them?",
        ["What is a quark?", "What is a gluon?", "What binds them?"],
    ),
    "numbered with dashes": (
        "1 - What is a quark?\n2 – What is a gluon?",
        ["What is a quark?", "What is a gluon?"],
    ),
    "numbered with letters and Roman numerals": (
        "a) What is a quark?\nb) What is a gluon?\n\nI. What is spin?\nII. What is up?",
        ["What is a quark?", "What is a gluon?", "What is spin?", "What is up?"],
    ),
    "numbered with escaped points": ("1\\. What is a quark?", ["What is a quark?"]),
    "numbered past ten, aligned": (
        "  9. What is a reef?\n 10. What is an atoll?\n 11. What is a cay?",
        ["What is a reef?", "What is an atoll?", "What is a cay?"],
    ),
    "numbered and fenced": (
        "```text\n1. What is a reef?\n2. What is a cay?\n```",
        ["What is a reef?", "What is a cay?"],
    ),
    "numbers on lines of their own": (
        "**Question 1**\nWhat is a quorum?\n\n**Question 2**\n\nWho counts it?",
        ["What is a quorum?", "Who counts it?"],
    ),
    "numbered headings": (
        "### Question 1: What is a quorum?\nIt tests rules.\n\n### 2. Who counts it?",
        ["What is a quorum?", "Who counts it?"],
    ),
    "numbered statements": (
        "1. Lava cools into basalt.\n2. Basalt is dark.",
        ["Lava cools into basalt.", "Basalt is dark."],
    ),
    "numbers in the texts": (
        "1. 1984 was written by whom?\n2. 3.5 km is how many miles?",
        ["1984 was written by whom?", "3.5 km is how many miles?"],
    ),
    "a label without a number": (
        "Question: What is basalt?\nQuestion: Where is it found?",
        ["What is basalt?", "Where is it found?"],
    ),
    "remarks under the questions": (
        "1. What is a lathe?\n   - It tests a definition.\n   Answer: a tool\n"
        "2. Who turns it?\n   - It tests agency.",
        ["What is a lathe?", "Who turns it?"],
    ),
    "choices under the questions": (
        "1. What is a lathe?\na) a tool\nb) a bird\n2. Who turns it?\na) a turner",
        ["What is a lathe?", "Who turns it?"],
    ),
    "questions under themes": (
        "1. **Tools**\n   - What is a lathe?\n   - What is a chuck?\n"
        "2. **People**\n   - Who turns it?",
        ["What is a lathe?", "What is a chuck?", "Who turns it?"],
    ),
    "statements under themes": (
        "- Tools:\n  - A lathe turns wood\n- **People:**\n  - Turners use lathes",
        ["A lathe turns wood", "Turners use lathes"],
    ),
    "headings between groups": (
        "## What is cheese?\n- Why does milk curdle?\n## Making\n- What is rennet?",
        ["Why does milk curdle?", "What is rennet?"],
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
    "a statement under a label": (
        "- **Chlorophyll:** absorbs light.\n- **Roots**: take up water.",
        ["Chlorophyll: absorbs light.", "Roots: take up water."],
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
    "notes under the list": (
        "- What is a moat?\n- Name its parts.\n\n**Notes:**\n- Both are short.\n"
        "- Neither has been used.",
        ["What is a moat?", "Name its parts."],
    ),
    "a list that is called notes": (
        "Notes:\n- Moats are wet.\n- Walls are dry.",
        ["Moats are wet.", "Walls are dry."],
    ),
    "remarks with a name among the questions": (
        "- What is a moat?\n- Focus: definition.\n- Who dug it?\n- *Focus:* agency.",
        ["What is a moat?", "Who dug it?"],
    ),
    "themes in bold among the questions": (
        "* **Economics**\n* How dear was it?\n* **War**\n* Who swam it?",
        ["How dear was it?", "Who swam it?"],
    ),
    "a task in bold among questions in bold": (
        "* **How dear was it?**\n* **Describe the moat**\n* **Why dig it?**",
        ["How dear was it?", "Describe the moat", "Why dig it?"],
    ),
    "tags in the texts": (
        '["What is <li>a</li>?"]\n',
        ["What is <li>a</li>?"],
    ),
    "bullets about tags": (
        "- <li> stands for what?\n- What holds it?",
        ["<li> stands for what?", "What holds it?"],
    ),
    "a list of questions beside others in one object": (
        '{"list": ["What is a moat?"], "sources": ["A book"], "answer_key": ["b"]}',
        ["What is a moat?"],
    ),
    "a list of questions and one of tasks": (
        '{"War": ["Who swam it?"], "Peace": ["Name its owners."]}',
        ["Who swam it?", "Name its owners."],
    ),
    "questions and tasks in objects": (
        '[{"question": "Who swam it?"}, {"question": "Explain why it was wet."}]',
        ["Who swam it?", "Explain why it was wet."],
    ),
    "pairs of facts": (
        '[["Moats are wet.", "Walls are dry."], ["Owls fly.", "Cats do not."]]',
        ["Moats are wet.", "Walls are dry.", "Owls fly.", "Cats do not."],
    ),
    "numbers with commas": (
        "1. 3,5 km is how far?\n2. 1,000 is what?",
        ["3,5 km is how far?", "1,000 is what?"],
    ),
    "a theme that speaks of improvement": (
        "Moats:\n1. Who dug it?\n\nImproved crop yields:\n2. Who ate it?",
        ["Who dug it?", "Who ate it?"],
    ),
    "a part that is called final": (
        "Early questions:\n1. Who dug it?\n\nFinal questions:\n2. Who filled it?",
        ["Who dug it?", "Who filled it?"],
    ),
    "a final list that does not follow": (
        "1. Who dug it?\n\nFinal list:\n",
        ["Who dug it?"],
    ),
    "thoughts under other names": (
        "<thinking>\n1. Moats?\n</thinking>\n<scratchpad>Why dig?</scratchpad>\n"
        '["Who dug it?"]\n<reasoning>["no"]</reasoning>',
        ["Who dug it?"],
    ),
    "thoughts that began in the prompt": (
        "- Moats?\n</analysis>\n- Who dug it?",
        ["Who dug it?"],
    ),
    "tokens that end a turn": (
        "1. Who dug it?\n2. Why?<|im_end|>\n<|endoftext|></s>",
        ["Who dug it?", "Why?"],
    ),
    "brackets in a numbered text": (
        '1. What does len: ["a", "b"] give?\n2. What does x[0] give?',
        ['What does len: ["a", "b"] give?', "What does x[0] give?"],
    ),
    "bare questions": (
        "Here are three questions.\n\nWhat is a tundra?\nWhat did Dr. Lee find there?\n"
        "“Is it warming?”\n",
        ["What is a tundra?", "What did Dr. Lee find there?", "Is it warming?"],
    ),
    "quoted lines that lost their brackets": (
        '"What is a tundra?",\n"Is it warming?",\n',
        ["What is a tundra?", "Is it warming?"],
    ),
    "one bare question": ("What is a tundra?", ["What is a tundra?"]),
    "question marks of other scripts": (
        "int x;\n什么是苔原？\nما هي التندرا؟\nΤι είναι η τούνδρα;\nΠού είναι\u037e",
        ["什么是苔原？", "ما هي التندرا؟", "Τι είναι η τούνδρα;", "Πού είναι\u037e"],
    ),
    "numbered in Chinese": (
        "1、什么是苔原？\n2．它在哪里？",
        ["什么是苔原？", "它在哪里？"],
    ),
    "thoughts before the answer": (
        '<think>\n1. Maybe "What is mud?"\n</think>\n["What is clay?"]',
        ["What is clay?"],
    ),
    "Windows line ends": (
        "1. What is clay?\r\n2. What is loam?\r\n",
        ["What is clay?", "What is loam?"],
    ),
    "non-breaking spaces and tabs": (
        "1.\u00a0What\u00a0is clay?\n2.\tWhat is\t loam?",
        ["What is clay?", "What is loam?"],
    ),
    "a byte order mark": ('\ufeff["What is clay?"]', ["What is clay?"]),
    "the same text twice": (
        '["What is clay?", "What is loam?", "what is  CLAY?"]',
        ["What is clay?", "What is loam?"],
    ),
    "empty texts": ('["", "What is clay?", " "]', ["What is clay?"]),
    "marks without a text": (
        "1. What is clay?\n- \n2. What is loam?\n* * *",
        ["What is clay?", "What is loam?"],
    ),
    "a text that is too long": (
        json.dumps(["y" * (MAX_TEXT + 1), "x" * MAX_TEXT]),
        ["x" * MAX_TEXT],
    ),
    "thirty texts": (
        "\n".join(f"{n}. What is {n} squared?" for n in range(1, 31)),
        [f"What is {n} squared?" for n in range(1, 31)],
    ),
    "no more than are read": (
        json.dumps([f"What is {n}?" for n in range(MAX_LISTED + 1)]),
        [f"What is {n}?" for n in range(MAX_LISTED)],
    ),
    "an offer after the questions": (
        "What is clay?\nWhat is loam?\n\nWould you like me to write more?",
        ["What is clay?", "What is loam?"],
    ),
    "a refusal": ("I'm sorry, but I can't help with that.", []),
    "a refusal that asks back": (
        "I can't help with that. Is there anything else you need?\n"
        "Could you clarify what the topic is?",
        [],
    ),
    "nothing": ("", []),
    "blanks": (" \n\t\r\n", []),
    "prose": (
        "Clay is a soil (fine-grained). Potters like it.\nIt has [1] uses.",
        [],
    ),
    "marks without words": ("?\n1. ?\n- ...\n", []),
    "prose that ends with a question": (
        "Clay is fine. Potters like it. But what would they do without it?",
        [],
    ),
    "a page of HTML": (
        "<!DOCTYPE html>\n<html><body>\n<h1>502</h1>\nWhy?\n- [retry]\n</html>",
        [],
    ),
}
WHOLE |= {
    "keywords beside the questions": (
        'keywords = ["jazz", "swing"]\nquestions = ["What is jazz?", "Who was Monk?"]',
        ["What is jazz?", "Who was Monk?"],
    ),
    "a question that quotes questions": (
        'Who asked "What is it?", and who "Why?"?',
        ['Who asked "What is it?", and who "Why?"?'],
    ),
    "braces in a question": ('["What does {x} mean?"]', ["What does {x} mean?"]),
    "themes in bold and statements beside the questions": (
        "1. **Origins**: Jazz began in New Orleans.\n2. **Players**\n\n"
        "1. **Who was Monk?**\n   - What did he play?\n2. Discuss his style.",
        ["Who was Monk?", "What did he play?", "Discuss his style."],
    ),
}
CUT = {
    "in a string of a Python list": (
        "['What is jazz?', 'Who was Mo",
        ["What is jazz?"],
    ),
    "at an apostrophe": ("['What is jazz?', 'What was Monk'", ["What is jazz?"]),
    "behind a whole string": ('["What is jazz?"', ["What is jazz?"]),
    "behind a comma": ('["What is jazz?", ', ["What is jazz?"]),
    "in the first string": ('```python\n["What is ja', []),
    "behind the first bracket": ("[", []),
    "in a fence that is closed": (
        '```\n["What is jazz?",\n"Wh\n```',
        ["What is jazz?"],
    ),
    "in a nested list": ('{"Jazz": ["What is it?"], "Pop": ["Wh', ["What is it?"]),
    "in an object": (
        '[{"question": "What is jazz?"}, {"id": 2, "question": "Wh',
        ["What is jazz?"],
    ),
    "in JSON lines": ('{"text": "Jazz swings."}\n{"tex', ["Jazz swings."]),
    "by prose": ('["What is jazz?", "Who?",\nand so on.', ["What is jazz?", "Who?"]),
    "in a numbered text": (
        "1. What is jazz?\n2. Who was Monk?\n3. When did",
        ["What is jazz?", "Who was Monk?"],
    ),
    "in a bulleted statement": ("- Jazz swings.\n- Monk pl", ["Jazz swings."]),
    "in a bare question": (
        "What is jazz?\nWho was Monk?\nWhen did",
        ["What is jazz?", "Who was Monk?"],
    ),
    "behind plain lines": (
        'What is jazz?\nWho was Monk?\n\nFurther ones:\n["When d',
        ["What is jazz?", "Who was Monk?"],
    ),
    "in an element behind plain lines": (
        "What is jazz?\nWho was Monk?\n<li>When",
        ["What is jazz?", "Who was Monk?"],
    ),
    "in other thoughts": ("<analysis>\n1. What is jazz?", []),
    "in the thoughts": ("<think>\n1. What is jazz?\n2. Who was Monk?", []),
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


@pytest.mark.parametrize(
    "raw",
    [
        "1. Lava cools\n2. Basalt is dark.\n3. Soot",  # not every other one ends
        "1. What is lava?\n2. Explain basalt\n\nThat is all.",  # it goes on
        "Explain basalt\n",
        "What is lava?\nGood luck",
    ],
)
def test_a_text_without_a_point_alone_is_not_broken_off(raw):
    assert not listed_texts(raw).cut


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
    *("</think>", "<think>", "\ud83d", "\u00a0", "question", "=", "Q1"),
    *(
        "<li>",
        "</li>",
        "<ul>",
        "&quot;",
        "</s>",
        "Notes:",
        " - ",
        "→",
        "(Tests",
        "<br>",
    ),
    *("Final list:\n", "Focus: ", "<analysis>", "</analysis>"),
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
        *("[[],", "{", "(", "\\", "\n", " \n", "#\n", "1. ", "\n1. a", "\n a", "- "),
        *("* ", "*", "**a", "_", "`", "|", "|\n", "| a |\n|-|\n", "?\n", "a. ", "> "),
        *("<li>", "\n<li>", "<li>a</li>", "\n<", "<a ", "<b>", "</s>", "</s>a", "<|"),
        *("<analysis>\n", "</analysis>", "\nFinal list:", "\nhere is the final ", "&"),
        *("<br>", "\n</s>", '"a" ', '"a"\n', "\\u00", "“a", '", ', "1. a</li>", " <b"),
        *("? (", "? - ", "**a?** ", "**a: ", "a: ", "Focus: ", "\nNotes:", "\n- ? ("),
        *("\n- Focus: a.", "[a?, ", "\n[a?]", '("a", "b"), ', "1,", "\n* **a**"),
        *('"', "“", "<think>", "</think>", "```\n", "would you ", "; ", "\ud83d"),
    ],
)
@pytest.mark.parametrize("before", ["", '["', "1. a\n"])
def test_hostile_text_takes_time_by_its_length_only(before, piece):
    raw = before + piece * (20_000 // len(piece))
    started = time.process_time()
    listed_texts(raw)
    # A quadratic reading of it takes seconds; this one at most a tenth of one. It is
    # this process's own time, whatever else the machine does.
    assert time.process_time() - started < 1
