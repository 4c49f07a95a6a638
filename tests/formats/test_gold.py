"""Gold articles: JSON lines or two columns, cut into passages a grader can read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from curator.formats.gold import read_gold
from curator.formats.passages import passages_of
from tests.samples.files import as_jsonl, written


def read(folder, *records):
    return read_gold(written(folder, as_jsonl(records)))


def test_lines_of_one_query_are_one_article_in_their_order(tmp_path):
    parsed = read(
        tmp_path,
        {"query_id": "q1", "text": "Tides follow the moon."},
        {"query_id": "q2", "text": "Rain falls.", "docid": "d7"},
        {"query_id": "q1", "text": "Twice a day."},
    )
    assert parsed.gold == {"q1": ("gold/q1/1", "gold/q1/2"), "q2": ("d7",)}
    assert parsed.passages == {
        "gold/q1/1": "Tides follow the moon.",
        "d7": "Rain falls.",
        "gold/q1/2": "Twice a day.",
    }
    assert set(parsed.pooled) == {
        ("q1", "gold/q1/1"),
        ("q1", "gold/q1/2"),
        ("q2", "d7"),
    }


def test_a_long_text_is_cut_at_blank_lines_and_numbered_on(tmp_path):
    paragraph = "word " * 149 + "end."  # 150 words, so that two fit
    text = "\n \n".join([paragraph] * 3)
    parsed = read(
        tmp_path,
        {"query_id": "q", "text": "First."},
        {"query_id": "q", "text": text},
        {"query_id": "q", "text": text, "passage_id": "mine"},
    )
    assert parsed.gold["q"] == (
        *("gold/q/1", "gold/q/2", "gold/q/3"),
        *("mine/1", "mine/2"),
    )
    assert parsed.passages["gold/q/2"] == f"{paragraph}\n \n{paragraph}"
    assert parsed.passages["mine/2"] == paragraph


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.integers(1, 5), min_size=1, max_size=6), min_size=1, max_size=5
    )
)
def test_no_word_is_lost_and_no_piece_too_long(paragraphs):
    text = "\n\n".join(
        " ".join("Word " + "word " * n + "end." for n in sentences)
        for sentences in paragraphs
    )
    pieces = passages_of(text, most=10)
    assert " ".join(pieces).split() == text.split()
    assert all(len(piece.split()) <= 10 for piece in pieces)
    assert all(piece in text for piece in pieces)
