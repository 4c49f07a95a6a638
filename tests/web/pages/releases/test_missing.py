"""What is missing, refused files and releases, and names of files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.verbs.releases import Readiness
from curator.web.pages.releases import export_file, missing

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


def test_a_file_name_has_no_character_that_a_file_system_refuses() -> None:
    assert export_file.plain("dl 19") == "dl-19"
    assert export_file.plain("v1/../<b>") == "v1-..--b"
