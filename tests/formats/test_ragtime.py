"""Nugget banks of RAGTIME 2026 and nuggets with documents: in, out, and what is bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.bank.edits import Add, Reword, SetKey
from curator.bank.questions import Question
from curator.errors import CuratorError, InputFileError
from curator.formats.nuggets.banks import read_nugget_docs, read_ragtime
from curator.formats.recognition import reader_of
from curator.workspace import Workspace
from tests.samples.files import as_jsonl, md5, nugget_docs, ragtime_lines, written

METALS = Question(
    f"r1/{md5('Which metals?')}",
    "r1",
    "Which metals?",
    answers=("zinc", "copper"),
    aggregator="AND",
    provenance="{}",
)


def test_answers_are_all_needed_or_any_and_documents_are_ideal(tmp_path: Path) -> None:
    parsed = read_ragtime(written(tmp_path, as_jsonl(ragtime_lines())))
    first, *others = parsed.questions.values()
    assert first == METALS
    assert {one.aggregator for one in others} == {"OR"}
    assert list(parsed.ideals) == [("r1", "d2"), ("r1", "d1"), ("r1", "d3")]
    assert set(parsed.votes.values()) == {"vital"}
    assert others[-1].subtopic_id == "r2/time"


def test_what_later_files_of_an_import_pool_is_ideal_at_once(tmp_path: Path) -> None:
    files = {
        "passages": as_jsonl({"docid": d, "text": d} for d in ("d1", "d2", "d3")),
        "runs": b"r1 Q0 d1 1 1.0 bm25\n",
        "reports": as_jsonl(
            [
                {
                    "metadata": {"run_id": "rag", "topic_id": "r1"},
                    "responses": [{"text": "Zinc is.", "citations": ["d3"]}],
                }
            ]
        ),
    }
    given = {kind: written(tmp_path, text, kind) for kind, text in files.items()}
    given["bank"] = written(tmp_path, as_jsonl(ragtime_lines()), "bank")
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        counts = {one.source: one.new for one in workspace.import_(**given)}
        # d2 is in no pool: nobody ranks or cites it.
        assert {one.passage_id for one in workspace.bank().ideals["r1"]} == {"d1", "d3"}
        assert counts["bank"]["ideal answers"] == 2
        assert not any(one.new for one in workspace.import_(**given))


def test_a_bank_with_both_names_of_a_query_is_a_nuggetbank(tmp_path: Path) -> None:
    line = {"query_id": "q", "metadata": {"topic_id": "r"}, "nugget_bank": []}
    parsed = reader_of("bank")(written(tmp_path, as_jsonl([line])))
    assert parsed.taken_for == "a NuggetBank (v3)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"metadata": {}, "nugget_bank": []}, "topic_id is null"),
        ({"metadata": {"topic_id": "a b"}, "nugget_bank": []}, "topic_id 'a b' holds"),
        ({"metadata": {"topic_id": "r"}, "nugget_bank": {}}, "no list of nuggets"),
        ({"metadata": {"topic_id": "r"}}, "no list of nuggets for topic 'r'"),
        (
            {"metadata": {"topic_id": "r"}, "nugget_bank": [], "claim_bank": []},
            "claim_bank is given as well as",
        ),
        (
            {"metadata": {"topic_id": "r"}, "nugget_bank": [{"question": " "}]},
            "an entry without a text",
        ),
    ],
)
def test_what_is_no_bank_of_ragtime_gets_one_line(
    tmp_path: Path, line: object, message: str
) -> None:
    with pytest.raises(InputFileError, match=r"line 1.*" + message) as error:
        read_ragtime(written(tmp_path, as_jsonl([line])))
    assert "\n" not in str(error.value)


def test_what_people_do_is_written_and_what_came_stays(tmp_path: Path) -> None:
    file = written(tmp_path, as_jsonl(ragtime_lines()), "bank.jsonl")
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=file)
        workspace.export("ragtime", tmp_path / "same.jsonl")
        same = map(json.loads, (tmp_path / "same.jsonl").read_text().splitlines())
        assert as_jsonl([*same]) == file.read_bytes()  # the order of fields, too
        workspace.apply(
            [
                Reword(METALS.question_id, "Which ores?"),
                SetKey(METALS.question_id, ("zinc", "tin")),
                Add("r1", "Where?", answers=("here", "there")),
            ]
        )
        bank = workspace.bank()
        workspace.export("ragtime", tmp_path / "out.jsonl")
    ores, *_, where = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])[
        "nugget_bank"
    ]
    assert ores["question"] == "Which ores?"
    assert ores["answers"] == [
        {"answer": "zinc", "references": ["d2", "d1"]},
        {"answer": "tin"},
    ]
    assert ores["aggregator_type"] == "AND"
    assert where == {
        "question": "Where?",
        "aggregator_type": "OR",
        "answers": [{"answer": "here"}, {"answer": "there"}],
    }
    back = read_ragtime(tmp_path / "out.jsonl").questions
    assert back.keys() == {one.question_id for one in bank}


def test_a_folder_has_a_file_for_each_topic_as_evaluators_read_it(
    tmp_path: Path,
) -> None:
    one_file = written(tmp_path, json.dumps(nugget_docs()).encode(), "all.json")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=one_file)
        workspace.export("nugget_docs", tmp_path / "docs")
        files = sorted((tmp_path / "docs").iterdir())
        assert [one.name for one in files] == ["nuggets_d1.json", "nuggets_d2.json"]
        assert [json.loads(one.read_text()) for one in files] == [
            *nugget_docs().values()
        ]
    for several in (files, tmp_path / "docs"):
        with Workspace.open(tmp_path / f"{several == files}.db", create=True) as again:
            again.import_(bank=several)
            again.export("nugget_docs", tmp_path / "again.json")
        assert json.loads((tmp_path / "again.json").read_text()) == nugget_docs()
    with Workspace.open(tmp_path / "w.db") as workspace:
        (tmp_path / "docs" / "else.txt").touch()
        with pytest.raises(CuratorError, match="holds other files"):
            workspace.export("nugget_docs", tmp_path / "docs")
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputFileError, match=r"empty: no file in this folder"):
            workspace.import_(bank=tmp_path / "empty")


def test_of_a_folder_is_said_what_was_passed_over_and_where_a_file_is(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "gone.json").symlink_to(tmp_path / "nowhere")
    (folder / ".hidden").mkdir()
    (folder / "Thumbs.db").write_bytes(b"no bank")
    for topic, nuggets in nugget_docs().items():
        (folder / f"nuggets_{topic}.json").write_text(json.dumps({topic: nuggets}))
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        first, second = workspace.import_(bank=folder)
        assert "Skipped, as they are not files: gone.json, sub." in first.notices
        left_out = "Files of the operating system, left out: Thumbs.db."
        assert left_out in first.notices
        assert left_out not in second.notices
        assert not any("passed over" in one for one in second.notices)
        (folder / "read.me").write_text("no bank\n")
        with pytest.raises(InputFileError, match=f"^{folder}/read.me, line 1: "):
            workspace.import_(bank=folder)


@pytest.mark.parametrize(
    ("value", "name", "message"),
    [
        ({}, "nuggets_d1.json", "names no question"),
        (
            {"Why?": ["OR", {"so": ["d1"]}]},
            "docs.json",
            "the topic of these nuggets is unknown",
        ),
        ({"Why?": "OR"}, "nuggets_d1.json", "expected"),
        ({"Why?": ["OR", ["d1"]]}, "nuggets_d1.json", "'Why\\?' is a list of 2"),
        ({"Why?": ["OR", {"so": "d1"}]}, "nuggets_d1.json", "'so' is 'd1'"),
        ({"Why?": ["OR", {"so": ["a b"]}]}, "nuggets_d1.json", "document id 'a b'"),
        ({" ": ["OR", {}]}, "nuggets_d1.json", "without a text"),
        ({"a b": {"Why?": ["OR", {}]}}, "all.json", "topic 'a b'"),
    ],
)
def test_what_is_no_nuggets_with_documents_gets_one_line(
    tmp_path: Path, value: object, name: str, message: str
) -> None:
    with pytest.raises(InputFileError, match=message) as error:
        read_nugget_docs(written(tmp_path, json.dumps(value).encode(), name))
    assert "\n" not in str(error.value)
