"""Guidelines are one Markdown text; anything else is refused in one line."""

from __future__ import annotations

import pytest

from curator.formats.guidelines import first_sentence


@pytest.mark.parametrize(
    ("guidelines", "sentence"),
    [
        ("Keep a question. Retire the rest.", "Keep a question."),
        ("# Title\nRead *this*, e.g. that. Then", "Read this, e.g. that."),
        ("- **One** fact at a time\n- two", "One fact at a time"),
        ("See [the guide](http://x.y/z.html) first! Then.", "See the guide first!"),
        ("He said “no.” Then", "He said “no.”"),
        ("x" * 300, "x" * 239 + "…"),
    ],
)
def test_the_first_sentence_is_said_without_markup(guidelines, sentence):
    assert first_sentence(guidelines) == sentence
