"""What is missing, refused files and releases, and names of files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.evaluation.impact import LabelChange, SystemMove
from curator.evaluation.releases import FrozenItem, ReleaseDifference
from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.store.releases import ReleaseRecord
from curator.verbs.releases.readiness import Readiness
from curator.web.components import html, words
from curator.web.pages.releases import export_file, missing, releases

SETTINGS = Settings("embedding", "P@20", 4, 20)
WHOLE = Readiness(SETTINGS, queries=3, kept=5, needed=30, known=30)
LACKING = replace(
    WHOLE,
    known=27,
    ungraded={"a": 1, "b": 1},
    unreadable={"a": 1},
    undecided={"b": 3},
    not_done=("c",),
    marks_done=True,
    assigned=(("curate", "a", "bo"), ("curate", "b", "bo"), ("votes", "a", "ann")),
)
HOSTILE = "<script>hurt()</script> --> ]]> v1"


def missing_html(found: Readiness) -> str:
    return macro(export_file.TEMPLATE, "missing")(found, "short", "embedding")


def test_everything_missing_has_its_number_and_a_way_to_its_page() -> None:
    shown = missing_html(LACKING)
    for text, pick in (
        ("Not graded by short, of 30 pairs: 2", "goto:Grading"),
        ("Responses without a rating: 1", "unreadable:embedding"),
        ("Undecided proposals: 3", "curate:b"),
        ("Queries not marked done: 1", "curate:c"),
        ("Open assignments (curate): 2", "goto:People"),
        ("Open assignments (votes): 1", "goto:People"),
    ):
        row = next(row for row in shown.split("x-row") if text in row)
        assert f'data-pick="{pick}"' in row
    assert "Nothing is missing" not in shown
    assert "Nothing is missing" in missing_html(WHOLE)
    shown = missing_html(Readiness(None, queries=3, kept=0))
    assert "No question is kept" in shown
    assert "No grades yet" in shown


@pytest.mark.parametrize(
    ("found", "allow_partial", "why"),
    [
        (WHOLE, False, ""),
        (LACKING, True, ""),
        (LACKING, False, missing.INCOMPLETE),
        (replace(WHOLE, settings=None, needed=0, known=0), True, missing.NO_GRADES),
        (replace(WHOLE, kept=0, needed=0, known=0), True, missing.NO_QUESTIONS),
        (
            replace(WHOLE, settings=Settings("", "rouge-1-f1")),
            True,
            missing.NO_LABELS.format("rouge-1-f1"),
        ),
    ],
)
def test_freezing_is_closed_for_one_reason(
    found: Readiness, allow_partial: bool, why: str
) -> None:
    assert missing.why_not_freeze(found, allow_partial=allow_partial) == why


@pytest.mark.parametrize(
    ("name", "release", "refused"),
    [
        ("qrels", "", True),
        ("leaderboard", "", True),
        ("bundle", "", True),
        ("qrels", "v1", False),  # a release was frozen knowingly
        ("bank", "", False),
        ("report", "", False),  # it says itself what is missing
    ],
)
def test_files_of_numbers_are_refused_while_something_is_missing(
    name: str, release: str, refused: bool
) -> None:
    for allow_partial in (False, True):
        why_not = missing.why_not_export(
            exports()[name], LACKING, release, allow_partial=allow_partial, blind=False
        )
        assert bool(why_not) == (refused and not allow_partial)


def refused_kinds(found: Readiness, *, blind: bool) -> set[str]:
    """Kinds that are not made of release v1."""
    return {
        kind.kind
        for kind in exports().values()
        if missing.why_not_export(kind, found, "v1", allow_partial=False, blind=blind)
    }


def test_files_that_a_judge_may_not_see_are_for_organizers() -> None:
    assert refused_kinds(WHOLE, blind=True) == {
        *("autograder", "runs", "reports", "judgments", "official"),
        *("grades", "bundle", "report", "paper", "leaderboard"),
    }
    assert refused_kinds(replace(WHOLE, unseen=1), blind=False) == {"bundle"}


def test_a_file_name_has_no_character_that_a_file_system_refuses() -> None:
    assert export_file.plain("dl 19") == "dl-19"
    assert export_file.plain("v1/../<b>") == "v1-..--b"


def difference() -> ReleaseDifference:
    """One question each way, ten labels, one system that overtook another."""
    old, new = (FrozenItem(one, "question", f"{one}?") for one in ("old", "new"))
    before, after = (FrozenItem("x", "question", text) for text in ("Was?", "Is?"))
    return ReleaseDifference(
        (SETTINGS, SETTINGS),
        (("a", new),),
        (("a", old),),
        (("b", before, after),),
        tuple(LabelChange("a", f"p{n}", 3, None) for n in range(10)),
        (SystemMove("one", 0.5, 0.4, 1, 2), SystemMove("two", 0.45, 0.45, 2, 1)),
    )


def test_differences_from_a_release_are_short_lists() -> None:
    names = {"a": "Autumn", "b": "Bees"}
    draw = macro(releases.TEMPLATE, "differences")
    shown = draw(difference(), names, 8, words, html.part)
    for text in (
        *("Retired since: 1", "old?", "Autumn", "Was? → Is?", "Bees", "New since: 1"),
        *("Labels: 10", "3 → none", "and 2 more", "Systems: 2", ".500 → .400"),
    ):
        assert text in shown
    assert shown.count("3 → none") == 8


def test_restoring_lists_its_changes() -> None:
    assert releases.restore_words(difference()) == (
        "1 retired, 1 kept again, 1 set back to the former words"
    )
    nothing = replace(difference(), added=(), removed=(), reworded=())
    assert releases.restore_words(nothing) == ""


def test_a_release_of_any_name_is_a_row_that_does_nothing_else() -> None:
    record = ReleaseRecord(
        HOSTILE, "2026-03-14T10:42", "ann", HOSTILE, 7, "abc", "embedding", "P@20",
        *(4, 20, 5, 9, 30, 30),
    )  # fmt: skip
    draw = macro(releases.TEMPLATE, "releases")
    words_for = ("2026-03-14 10:42", "P@20", html.encoded(HOSTILE))
    shown = draw([record], HOSTILE, {HOSTILE: 12}, lambda record: words_for)
    assert "<script>" not in shown
    assert "-->" not in shown.partition('data-pick="release:')[2].partition('"')[0]
    assert "labels changed since: 12" in shown
