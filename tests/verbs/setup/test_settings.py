"""What the organizer sets holds for everyone, and through later imports."""

from __future__ import annotations

import pytest

from curator.bank.edits import Retire
from curator.errors import SettingError
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.samples.command_line import json_of
from tests.samples.workspaces import dump, small_collection


def test_importing_again_keeps_what_is_set(workspace, tmp_path):
    order = GenerationRequest("m", temperature=0.5)
    workspace.set_up(title="Small", guidelines="Read.", blind=True)
    workspace.set_up(human_first=2, generation=order)
    workspace.import_(**small_collection(tmp_path / "files"), min_relevance=2)
    assert workspace.default_request() == order
    kept = workspace.collection()
    assert (kept.title, kept.guidelines) == ("Small", "Read.")
    assert (kept.blind, kept.human_first) == (True, 2)


def test_setting_what_is_set_already_or_nothing_writes_nothing(workspace):
    workspace.set_up(title="Small", guidelines="Read.", blind=True)
    before = dump(workspace.path)
    workspace.set_up(title=" Small ", guidelines="Read.\n", blind=True)
    workspace.set_up()
    assert dump(workspace.path) == before


def test_control_characters_do_not_come_in(workspace):
    found = workspace.set_up(title="a\x00b\nc", guidelines="One\r\n\ttwo\x1b[31m")
    assert found.title == "a b c"
    assert found.guidelines == "One\n\ttwo [31m"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"guidelines": "x" * 20_001}, "20,000 characters, not 20,001"),
        ({"guidelines": "a\ud800"}, "not Unicode"),
        ({"title": "x" * 201}, "200 characters"),
        ({"human_first": 21}, "between 0 and 20 questions first, not 21"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_line_and_nothing_is_set(
    workspace, options, words
):
    before = dump(workspace.path)
    with pytest.raises(SettingError, match=words) as refused:
        workspace.set_up(blind=True, **options)
    assert "\n" not in str(refused.value)
    assert dump(workspace.path) == before


def test_the_sizes_of_the_small_collection(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    statistics = json_of("status", workspace.path, "--statistics")
    # By hand: rankings of 2, 1, 2 and 1 passages; p1, p0 and p3 are judged, p1 from 2.
    assert statistics == {
        "queries": 2, "ranked_queries": 2, "systems": 2, "passages_per_ranking": 1.5,
        "queries_with_questions": 2, "questions": 2, "gold_articles": 0,
        "judged_queries": 2, "judged_subtopics": 0, "judged_passages": 3,
        "judged_relevant": 1,
    }  # fmt: skip
