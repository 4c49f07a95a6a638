"""Files that are refused while something is missing, and names of files."""

from __future__ import annotations

import pytest

from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.verbs.releases import Readiness
from curator.web.pages.releases import export_file, missing

SETTINGS = Settings("embedding", "P@20", 4, 20)
LACKING = Readiness(
    SETTINGS,
    queries=3,
    kept=5,
    needed=30,
    known=27,
    ungraded={"a": 1, "b": 1},
    unreadable={"a": 1},
    undecided={"b": 3},
    not_done=("c",),
    marks_done=True,
    assigned=(("curate", "a", "bo"), ("curate", "b", "bo"), ("votes", "a", "ann")),
)


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
