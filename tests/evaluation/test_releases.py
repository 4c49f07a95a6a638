"""A release as a value: its labels, its canonical form and hash, its differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.evaluation.releases import (
    RATINGS,
    FrozenItem,
    FrozenQuery,
    FrozenScore,
    Release,
    difference,
)
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import any_correct, graded_queries

SETTINGS = Settings("big", "P@20", 4, 20)
WHY = FrozenItem("q1/a", "question", "Why?", "s", ratings="50-3")
HOW = FrozenItem("q1/b", "question", "How?", "t", answers=("so",), ratings="01-?")
FACT = FrozenItem("q1/n", "nugget", "A fact.", choices=(("A", "x"), ("B", "y")))
QUERY = FrozenQuery("q1", ("p1", "p2", "p3", "p4"), (WHY, HOW, FACT))
RELEASE = Release(SETTINGS, "rated", 4, (QUERY,), (FrozenScore("one", 1, 0.5),))


def test_a_label_is_the_highest_known_rating_and_none_where_none_is_known():
    # by hand, column by column: 5 and 0, 0 and 1, unknown twice, 3 and unreadable
    assert RELEASE.labels() == {("q1", "p1"): 5, ("q1", "p2"): 1, ("q1", "p4"): 3}
    assert RELEASE.labels(binary=True) == {
        ("q1", "p1"): 1,
        ("q1", "p2"): 0,
        ("q1", "p4"): 0,
    }
    assert RELEASE.labels(by_subtopic=True) == {
        ("q1/s", "p1"): 5,
        ("q1/s", "p2"): 0,
        ("q1/s", "p4"): 3,
        ("q1/t", "p1"): 0,
        ("q1/t", "p2"): 1,
    }


@given(graded_queries(), st.integers(0, 5))
def test_labels_are_those_of_the_grades_that_were_frozen(graded, threshold):
    frozen = released(graded, replace(SETTINGS, min_rating=threshold))
    for binary, labels in (
        (False, graded_labels(graded)),
        (True, any_correct(graded, threshold)),
    ):
        assert frozen.labels(binary=binary) == {
            ("q", passage): int(label)
            for passage, label in zip(graded.pool.passage_ids, labels, strict=True)
            if label != NO_LABEL
        }
    assert (frozen.needed, frozen.known) == (graded.needed, graded.known)


def released(graded, settings):
    """The release of these grades; a character of RATINGS for each."""
    codes = np.where(graded.ratings < 0, 6, graded.ratings)
    items = tuple(
        FrozenItem(item, "question", "?", ratings="".join(RATINGS[r] for r in row))
        for item, row in zip(graded.item_ids, codes, strict=True)
    )
    query = FrozenQuery("q", graded.pool.passage_ids, items)
    return Release(settings, "rated", settings.min_rating, (query,))


@given(
    graded_queries(items=9),
    st.sampled_from(["mean", "top3", "max", "answered"]),
    st.integers(1, 5),
)
def test_levels_are_the_labels_times_a_scale(graded, label, min_rating):
    frozen = released(graded, Settings("big", "P@20", min_rating, label=label))
    scale, labels, levels = frozen.level_scale(), frozen.labels(), frozen.levels()
    items = len(graded.item_ids)
    expected = {"mean": items, "top3": min(items, 3)}
    assert scale == expected.get(label, 1)
    assert levels == {at: pytest.approx(scale * value) for at, value in labels.items()}
    relevant = {at: int(v >= frozen.relevant_from * scale) for at, v in levels.items()}
    if label in ("mean", "top3") and not any(relevant.values()):
        with pytest.raises(EvaluationError, match="all binary labels would be 0"):
            frozen.levels(binary=True)
    else:
        assert relevant == frozen.levels(binary=True)


def test_levels_without_a_small_scale_are_rounded_down_to_the_largest():
    # by hand: means over 17, 19 and 23 questions; their common multiple is 7,429
    queries = tuple(
        FrozenQuery(
            f"q{size}",
            ("p", "r"),
            tuple(
                FrozenItem(f"{size}/{n}", "question", "?", ratings="45" if n else "54")
                for n in range(size)
            ),
        )
        for size in (17, 19, 23)
    )
    frozen = Release(Settings("big", "P@20", label="mean"), "rated", 4, queries)
    assert frozen.level_scale() == 6000
    assert frozen.levels()["q17", "p"] == 24_352  # 6,000 * 69 / 17 = 24,352.9
    probable = (FrozenItem("a", "query", "?", ratings="4", probabilities="3f59999a"),)
    direct = Release(SETTINGS, "direct", 1, (FrozenQuery("q", ("p",), probable),))
    # by hand: 0x3f59999a is 0.85 in 32 bits, and 0.85 * 5 * 6,000 is 25,500
    assert direct.levels() == {("q", "p"): 25_500}


def test_the_forms_and_hashes_in_the_documentation_are_those_of_releases():
    page = (Path(__file__).parents[2] / "docs" / "releases.md").read_text("utf-8")
    forms = [
        line.strip() for line in page.splitlines() if '"curator release 1"' in line
    ]
    rated, wordless = map(Release.from_json, forms)
    for form, frozen in zip(forms, (rated, wordless), strict=True):
        assert frozen.canonical == form
        assert f"`{frozen.sha256}`" in page
    # as the page says
    assert rated.labels() == {("q1", "p1"): 5}
    (query,) = wordless.queries
    assert query.items[0].text is None
    assert wordless.threshold == 1


def with_item(item: FrozenItem, query: FrozenQuery = QUERY) -> Release:
    """The release with another first item."""
    items = (item, *query.items[1:])
    return replace(RELEASE, queries=(replace(query, items=items),))


OTHERS = {
    "grader": replace(RELEASE, settings=replace(SETTINGS, grader="small")),
    "threshold": replace(RELEASE, threshold=5),
    "passage": replace(
        RELEASE, queries=(replace(QUERY, passage_ids=("p1", "p2", "p3", "p5")),)
    ),
    "text": with_item(replace(WHY, text="Why? ")),
    "rating": with_item(replace(WHY, ratings="50-2")),
}


def test_any_other_word_rating_or_setting_makes_another_hash():
    hashes = {RELEASE.sha256, *(other.sha256 for other in OTHERS.values())}
    assert len(hashes) == 1 + len(OTHERS)


def test_a_difference_names_questions_labels_scores_and_ranks():
    after = Release(
        SETTINGS,
        "rated",
        4,
        (
            replace(
                QUERY,
                items=(
                    replace(WHY, text="Why not?", ratings="40-3"),
                    replace(FACT, subtopic_id="s"),
                    FrozenItem("q1/new", "question", "When?", ratings="--2-"),
                ),
            ),
        ),
        (FrozenScore("two", 1, 0.75), FrozenScore("one", 2, 0.5)),
    )
    found = difference(RELEASE, after)
    assert [item.item_id for _, item in found.added] == ["q1/new"]
    assert [item.item_id for _, item in found.removed] == ["q1/b"]
    assert [old.item_id for _, old, _ in found.reworded] == ["q1/a", "q1/n"]
    assert found.questions == 4
    # by hand: p1 falls from 5 to 4, p2 from HOW's 1 to 0, p3 is known now
    assert [(one.passage_id, one.before, one.after) for one in found.labels] == [
        ("p1", 5, 4),
        ("p2", 1, 0),
        ("p3", None, 2),
    ]
    assert [(m.system, m.score_before, m.rank_after) for m in found.moved] == [
        ("two", None, 1),
        ("one", 0.5, 2),
    ]
    assert not found.is_empty
