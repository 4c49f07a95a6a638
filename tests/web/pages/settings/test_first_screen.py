"""The samples of an empty workspace are files that an import takes."""

from __future__ import annotations

from pathlib import Path

from curator.formats.file_preview import preview_file
from curator.web.pages.settings.first_screen import SAMPLE_FILES, SAMPLES
from curator.workspace import Workspace


def test_every_sample_is_shown_and_imported_together_they_are_a_collection(
    tmp_path: Path,
) -> None:
    assert sorted(SAMPLE_FILES) == sorted(path.name for path in SAMPLES.iterdir())
    given: dict[str, list[Path]] = {}
    for name in SAMPLE_FILES:
        kind = preview_file(SAMPLES / name).options[0]
        given.setdefault(kind, []).append(SAMPLES / name)
    assert all(len(files) == 1 for files in given.values())
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        found = workspace.import_(**given, min_relevance=2)  # type: ignore[arg-type]
        assert not [notice for one in found for notice in one.notices]
        # By hand: at rank 1 "meaning" answers one of two questions in either query,
        # "words" none about bread, and both about tides.
        scores = {one.system: one.score for one in workspace.leaderboard("cover", k=1)}
        assert scores == {"meaning": 0.5, "words": 0.5}
        # What is graded 4 or 5 for some question is just what was judged 2 or 3.
        assert workspace.agreement().agreement.kappa == 1.0
