"""ROUGE by hand, against another implementation, and what holds for every text."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.measures.rouge import (
    NAMES,
    Concept,
    Part,
    Words,
    overlap,
)
from tests.samples.tiny_exams import graded_on, measure_named, pool_of

TEXTS = st.text(alphabet="abcd", max_size=12)


def words(*texts: str) -> Words:
    """Texts in which every letter is a word."""
    numbers = [ord(letter) for text in texts for letter in text]
    lengths = [len(text) for text in texts]
    return Words(np.array(numbers, np.int32), np.array(lengths, np.int64))


def score(
    text: str, ideal: str, concept: Concept, part: Part, *, sets: bool = False
) -> float:
    """One text against one ideal answer."""
    found = overlap(words(text), words(ideal), concept, sets=sets)
    return float(found.scores(part)[0, 0])


def board_row(
    name: str,
    rankings: Sequence[Sequence[int | None]],
    texts: Sequence[str],
    ideals: Sequence[str],
    k: int = 20,
) -> list[float]:
    """Every system's score in a query of these passages."""
    pool = pool_of(rankings, len(texts))
    at = np.arange(len(texts))
    row = measure_named(name, k=k).score_texts(pool, words(*texts), at, words(*ideals))
    return [float(one) for one in row.score]


@pytest.mark.parametrize(
    ("concept", "sets", "p", "r"),
    [
        # By hand. Text abax, ideal answer abcd. Words: a and b once each are shared.
        ("1", False, 2 / 4, 2 / 4),
        ("1", True, 2 / 3, 2 / 4),
        # Neighbours: ab ba ax against ab bc cd.
        ("2", False, 1 / 3, 1 / 3),
        # Pairs: ab aa ax ba bx ax against ab ac ad bc bd cd; ax counts once as a set.
        ("s4", False, 1 / 6, 1 / 6),
        ("s4", True, 1 / 5, 1 / 6),
        # Words and pairs together.
        ("su4", False, 3 / 10, 3 / 10),
        ("su4", True, 3 / 8, 3 / 10),
    ],
)
def test_a_text_against_an_ideal_answer_by_hand(
    concept: Concept, sets: bool, p: float, r: float
) -> None:
    assert score("abax", "abcd", concept, "p", sets=sets) == pytest.approx(p)
    assert score("abax", "abcd", concept, "r", sets=sets) == pytest.approx(r)
    f1 = 2 * p * r / (p + r)
    assert score("abax", "abcd", concept, "f1", sets=sets) == pytest.approx(f1)


def test_a_pair_may_have_four_words_between_and_no_more() -> None:
    # By hand: a and b are 5 apart; the text ab has that one pair.
    assert score("ab", "avwxyb", "s4", "p") == 1
    assert score("ab", "avwxyzb", "s4", "p") == 0


@given(TEXTS, TEXTS, st.sampled_from([("1", "rouge1"), ("2", "rouge2")]))
@settings(max_examples=80, deadline=None)
def test_words_and_neighbours_equal_those_of_rouge_score(
    text: str, ideal: str, names: tuple[Concept, str]
) -> None:
    concept, theirs = names

    class Letters:
        def tokenize(self, joined: str) -> list[str]:
            return joined.split()

    scorer = RougeScorer([theirs], tokenizer=Letters())
    # rouge-score 0.1.2: the ideal answer first, then the text.
    found = scorer.score(" ".join(ideal), " ".join(text))[theirs]
    assert score(text, ideal, concept, "p") == pytest.approx(found.precision)
    assert score(text, ideal, concept, "r") == pytest.approx(found.recall)
    assert score(text, ideal, concept, "f1") == pytest.approx(found.fmeasure)


@given(TEXTS, TEXTS, st.sampled_from([("s4", False), ("su4", True)]))
@settings(max_examples=80, deadline=None)
def test_sets_equal_those_of_a_count_by_python(
    text: str, ideal: str, names: tuple[Concept, bool]
) -> None:
    concept, alone = names

    def held(letters: str) -> set[str]:
        ends = [(i, j) for i in range(len(letters)) for j in range(i + 1, i + 6)]
        pairs = {letters[i] + letters[j] for i, j in ends if j < len(letters)}
        return pairs | (set(letters) if alone else set())

    both = len(held(text) & held(ideal))
    of_text, of_ideal = len(held(text)), len(held(ideal))
    found = score(text, ideal, concept, "p", sets=True)
    assert found == pytest.approx(both / of_text if of_text else 0)
    found = score(text, ideal, concept, "r", sets=True)
    assert found == pytest.approx(both / of_ideal if of_ideal else 0)


@given(
    st.lists(TEXTS, min_size=1, max_size=4),
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(NAMES),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_many_texts_at_once_score_as_one_by_one(
    texts: list[str], ideals: list[str], name: str, sets: bool
) -> None:
    _, concept, part = name.split("-")
    found = overlap(words(*texts), words(*ideals), concept, sets=sets).scores(part)  # type: ignore[arg-type]
    alone = [[score(t, i, concept, part, sets=sets) for i in ideals] for t in texts]  # type: ignore[arg-type]
    assert found.tolist() == alone


def test_of_several_ideal_answers_each_of_p_r_and_f1_takes_its_own_best() -> None:
    # By hand, text abcd: P is best against abcdefgh (4/4), R against ab (2/2),
    # F1 against abcde (8/9).
    ideals = ["abcdefgh", "ab", "abcde"]
    assert board_row("rouge-1-p", [[0]], ["abcd"], ideals) == [1]
    assert board_row("rouge-1-r", [[0]], ["abcd"], ideals) == [1]
    assert board_row("rouge-1-f1", [[0]], ["abcd"], ideals) == [pytest.approx(8 / 9)]
    mean = (4 / 4 + 2 / 4 + 4 / 4) / 3
    assert board_row("rouge-1-p(mean)", [[0]], ["abcd"], ideals) == [
        pytest.approx(mean)
    ]


def test_a_ranking_scores_the_mean_over_what_was_retrieved_gaps_included() -> None:
    # By hand: passages score 1, 0 and 1/2; a rank beyond the list is not retrieved.
    texts = ["a", "x", "ax"]
    rankings = [[0, 1], [0, None, 2], [2], []]
    assert board_row("rouge-1-p", rankings, texts, ["a"]) == [0.5, 0.5, 0.5, 0]
    assert board_row("rouge-1-p", rankings, texts, ["a"], k=1) == [1, 1, 0.5, 0]


def test_discounted_gives_the_first_ranks_more() -> None:
    weight = 1 / log2(3)  # of rank 2; that of rank 1 is 1
    found = board_row("rouge-1-p(discounted)", [[0, 1], [1, 0]], ["a", "x"], ["a"])
    assert found == [
        pytest.approx(1 / (1 + weight)),
        pytest.approx(weight / (1 + weight)),
    ]


def test_joined_scores_the_passages_as_one_text() -> None:
    # By hand: "ab" and "cd" joined are abcd, with the neighbours ab bc cd.
    rankings = [[0, 1], [1, 0], [0, None, 1]]
    assert board_row("rouge-2-r(joined)", rankings, ["ab", "cd"], ["abcd"]) == [
        1,
        pytest.approx(2 / 3),
        1,
    ]
    assert board_row("rouge-1-r(joined)", [[0, 1]], ["ab", "cd"], ["abcd"], k=1) == [
        0.5
    ]


@pytest.mark.parametrize(
    "name",
    ["rouge", "rouge-3-r", "rouge-1-r(best)"],
)
def test_an_unknown_name_is_refused_in_one_line_that_lists_what_there_is(
    name: str,
) -> None:
    with pytest.raises(UnknownNameError) as refused:
        measure_named(name)
    assert "joined" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_question_moves_it() -> None:
    graded = graded_on([[5], [0]], [[0]])
    measure = measure_named("rouge-1-r")
    assert np.isnan(measure.without_each(graded)).all()
    assert measure.flips(graded) is None
    with pytest.raises(EvaluationError, match="no scores by subtopic"):
        measure.row(graded)
