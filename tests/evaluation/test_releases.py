"""A release as a value: its labels, its canonical form and hash, its differences."""

from __future__ import annotations

import hashlib
import json
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
    item_changes,
    label_changes,
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


def test_what_is_needed_and_known_counts_the_grades_of_the_graders_kind():
    # by hand: two questions on four passages; unknown are p3 twice and the one "?"
    assert (RELEASE.questions, RELEASE.needed, RELEASE.known) == (3, 8, 5)


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


def test_labels_by_subtopic_have_a_scale_of_their_own():
    items = [
        FrozenItem(f"q/{n}", "question", "?", "s" if n else "t", ratings="3")
        for n in range(3)
    ]
    query = FrozenQuery("q", ("p",), tuple(items))
    frozen = Release(Settings("big", "P@20", label="mean"), "rated", 4, (query,))
    assert frozen.levels() == {("q", "p"): 9}  # three questions, a scale of 3
    # one question in t and two in s, a scale of 2
    assert frozen.levels(by_subtopic=True) == {("q/t", "p"): 6, ("q/s", "p"): 6}


def test_the_canonical_form_is_json_of_which_anybody_can_take_the_hash():
    tiny = Release(
        SETTINGS, "rated", 4, (FrozenQuery("q", ("p",), (replace(WHY, ratings="5"),)),)
    )
    # by hand: keys sorted, no blanks
    assert tiny.canonical == (
        '{"format":"curator release 1","queries":[{"items":[{"id":"q1/a",'
        '"kind":"question","ratings":"5","subtopic_id":"s","text":"Why?"}],'
        '"passages":["p"],"query_id":"q"}],"settings":{"grader":"big","k":20,'
        '"measure":"P@20","min_rating":4,"reading":"rated","threshold":4}}'
    )
    assert tiny.sha256 == hashlib.sha256(tiny.canonical.encode()).hexdigest()


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


def test_a_release_is_read_back_from_its_canonical_form():
    read = Release.from_json(RELEASE.canonical, RELEASE.board)
    assert read == RELEASE
    assert read.sha256 == RELEASE.sha256


def test_the_order_of_queries_and_items_is_not_in_the_hash():
    turned = replace(QUERY, items=QUERY.items[::-1])
    other = FrozenQuery("q0", (), (replace(FACT, item_id="q0/n"),))
    one = replace(RELEASE, queries=(QUERY, other))
    same = replace(RELEASE, queries=(other, turned))
    assert one.sha256 == same.sha256
    assert one.labels() == same.labels()


def test_the_board_is_not_in_the_hash():
    assert replace(RELEASE, board=()).sha256 == RELEASE.sha256


def with_item(item: FrozenItem, query: FrozenQuery = QUERY) -> Release:
    """The release with another first item."""
    items = (item, *query.items[1:])
    return replace(RELEASE, queries=(replace(query, items=items),))


OTHERS = {
    "grader": replace(RELEASE, settings=replace(SETTINGS, grader="small")),
    "measure": replace(RELEASE, settings=replace(SETTINGS, measure="P@10")),
    "min_rating": replace(RELEASE, settings=replace(SETTINGS, min_rating=5)),
    "k": replace(RELEASE, settings=replace(SETTINGS, k=10)),
    "reading": replace(RELEASE, reading="answered"),
    "threshold": replace(RELEASE, threshold=5),
    "query": replace(RELEASE, queries=(replace(QUERY, query_id="q2"),)),
    "passage": replace(
        RELEASE, queries=(replace(QUERY, passage_ids=("p1", "p2", "p3", "p5")),)
    ),
    "item": replace(RELEASE, queries=(replace(QUERY, items=(WHY, HOW)),)),
    "id": with_item(replace(WHY, item_id="q1/c")),
    "kind": with_item(replace(WHY, kind="nugget")),
    "text": with_item(replace(WHY, text="Why? ")),
    "no text": with_item(replace(WHY, text=None)),
    "subtopic": with_item(replace(WHY, subtopic_id="t")),
    "no subtopic": with_item(replace(WHY, subtopic_id=None)),
    "choices": with_item(replace(WHY, choices=(("A", "x"),))),
    "answers": with_item(replace(WHY, answers=("x",))),
    "rating": with_item(replace(WHY, ratings="50-2")),
    "not asked": with_item(replace(WHY, ratings="50?3")),
    "not graded": with_item(replace(WHY, ratings=None)),
}


def test_any_other_word_rating_or_setting_makes_another_hash():
    hashes = {RELEASE.sha256, *(other.sha256 for other in OTHERS.values())}
    assert len(hashes) == 1 + len(OTHERS)


def changed(**fields: object) -> dict[str, object]:
    """The canonical form's value with other fields."""
    return json.loads(RELEASE.canonical) | fields


def form_with(place: str, value: object) -> dict[str, object]:
    """The canonical form's value with another one at a place such as "a/0/b"."""
    whole = json.loads(RELEASE.canonical)
    *path, last = [int(p) if p.isdigit() else p for p in place.split("/")]
    inner = whole
    for step in path:
        inner = inner[step]
    inner[last] = value
    return whole


WRONG = {
    "no object": [],
    "another format": changed(format="curator release 2"),
    "no settings": changed(settings=None),
    "no queries": changed(queries={}),
    "a query that is none": changed(queries=["q1"]),
    "an unknown key": changed(more=1),
    "a measure that is a number": form_with("settings/measure", 5),
    "a choice without a letter": form_with("queries/0/items/2/choices", [["x"]]),
    "items that are an object": form_with("queries/0/items", {"a": 1}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_release_is_refused(wrong):
    text = json.dumps(WRONG[wrong], sort_keys=True, separators=(",", ":"))
    with pytest.raises(ValueError):  # noqa: PT011
        Release.from_json(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        (RELEASE.canonical + " ", "not in canonical form"),
        (RELEASE.canonical.replace("Why", "\\u0057hy"), "not in canonical form"),
    ],
)
def test_what_is_not_the_canonical_form_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        Release.from_json(text)


def test_a_release_does_not_differ_from_itself():
    found = difference(RELEASE, RELEASE)
    assert found.is_empty
    assert [move.system for move in found.systems] == ["one"]


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


def test_under_other_settings_only_questions_are_compared():
    other = replace(with_item(replace(WHY, text="Who?", ratings="0000")), board=())
    found = difference(
        RELEASE, replace(other, settings=replace(SETTINGS, measure="AP"))
    )
    assert not found.same_settings
    assert (found.questions, found.labels, found.systems) == (1, (), ())
    assert not difference(RELEASE, OTHERS["k"]).is_empty


def test_a_note_on_what_was_not_compared_leaves_nothing_called_equal():
    assert not replace(difference(RELEASE, RELEASE), notes=("No board.",)).is_empty


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": "Who?"}, ("text", "How?", "Who?")),
        ({"subtopic_id": None}, ("subtopic", "t", None)),
        ({"kind": "nugget"}, ("kind", "question", "nugget")),
        ({"answers": ()}, ("answers", "so", None)),
        ({"answers": ("so", "or so")}, ("answers", "so", "so; or so")),
        ({"choices": (("A", "x"),)}, ("choices", None, "A) x")),
    ],
)
def test_each_thing_that_is_other_about_an_item_is_said(fields, said):
    assert item_changes(HOW, replace(HOW, **fields)) == (said,)


def test_answers_that_only_read_the_same_are_other_ones():
    one, two = replace(HOW, answers=("a; b",)), replace(HOW, answers=("a", "b"))
    assert item_changes(one, two) == (("answers", "a; b", "a; b"),)


def test_label_changes_are_sorted_and_leave_out_what_is_the_same():
    before = {("q2", "p"): 1, ("q1", "p"): 2, ("q1", "r"): 3}
    after = {("q2", "p"): 1, ("q1", "p"): 0, ("q1", "o"): 3}
    assert [
        (c.query_id, c.passage_id, c.before, c.after)
        for c in label_changes(before, after)
    ] == [("q1", "o", None, 3), ("q1", "p", 2, 0), ("q1", "r", 3, None)]
