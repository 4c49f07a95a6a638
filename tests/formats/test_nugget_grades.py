"""A judge's grades with reasons: what they are of, and what a file is refused for."""

from __future__ import annotations

import json
from pathlib import Path

from curator.formats.nuggets.grades import read_nugget_grades, response_id
from curator.workspace import Workspace
from tests.samples.files import as_jsonl, md5, nugget_grade_lines, written


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_grades_are_a_graders_and_reasons_its_words(tmp_path: Path) -> None:
    file = written(tmp_path, as_jsonl(nugget_grade_lines()), "rubric.v2.jsonl")
    whole = response_id("g1", "So it is. 🍏")
    parsed = read_nugget_grades(file)
    rubric, other = parsed.grades
    assert (rubric.grader.name, other.grader.name) == ("rubric", "other judge")
    why, who = f"g1/{md5('Why?')}", f"g1/{md5('Æ, which part?')}"
    assert rubric.item_ids == [why, who]
    assert (rubric.passage_ids, rubric.ratings) == ([whole] * 2, [4, 0])
    assert rubric.raws == ["It says so.", None]
    assert (other.passage_ids, other.ratings) == (["doc-1/0"], [5])
    assert {one.system: one.slots[0].passage_id for one in parsed.rankings} == {
        "one": whole,
        "two": whole,
    }
    assert parsed.notices == [
        "1 grade that differs from an earlier one for the same question and passage "
        "text: kept for exports, the first counts.",
        "1 passage of a document, in the topic's pool without a system: import runs to "
        "say which systems retrieved it.",
    ]


def test_what_came_goes_out_as_it_came_and_what_is_new_before_it(
    tmp_path: Path,
) -> None:
    file = written(tmp_path, as_jsonl(nugget_grade_lines()), "rubric.jsonl")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(grades=file)
        assert workspace.import_(grades=file)[0].new == {}
        board = workspace.leaderboard(grader="rubric", measure="cover").scores()
        assert board == {"one": 0.5, "two": 0.5}  # by hand: of two questions one is 4
        workspace.export("grades", tmp_path / "out.jsonl")
        named = [{"grader": "rubric"} | one for one in nugget_grade_lines()]
        assert lines_of(tmp_path / "out.jsonl") == named
        workspace.grade("lexical")
        workspace.export("grades", tmp_path / "new.jsonl", grader="lexical")
    first, *_, last = lines_of(tmp_path / "new.jsonl")
    assert list(first) == [
        *("run_id", "query_id", "nugget_id", "question", "passage"),
        *("grade", "reasoning", "confidence", "grader"),
    ]
    assert (last["run_id"], last["doc_id"], last["grade"]) == ("", "doc-1/0", 5)
    again = read_nugget_grades(tmp_path / "new.jsonl")
    assert {one.grader.name for one in again.grades} == {"judge lexical"}
