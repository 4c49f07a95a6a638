"""Banks of autojudge-base and nuggetizer through a workspace and back, equal."""

import json
from dataclasses import replace

import pytest

from curator.bank.edits import Add, Keep, Retire, Reword, Vote
from curator.store.export import read_extras
from curator.workspace import Workspace
from tests.samples.chat_server import MODEL, ChatServer
from tests.samples.files import (
    as_jsonl,
    bank_lines,
    md5,
    nuggetbank_lines,
    nuggetizer_lines,
    written,
)
from tests.samples.proposals import ORDER, in_state, listed, opened

FAMILIES = {"nuggetbank": nuggetbank_lines, "nuggetizer": nuggetizer_lines}
WHERE = "Where does rain fall?"


def made(path, bank):
    """A new workspace with this bank file."""
    workspace = Workspace.open(path, create=True, judge="carl")
    workspace.import_(bank=bank)
    return workspace


def facts(workspace):
    """What of a workspace a bank may hold."""
    queries = [
        (query.query_id, query.title, query.background)
        for query in workspace.collection().queries
    ]
    questions = {
        query_id: [replace(one, revision=1) for one in many]
        for query_id, many in workspace.bank().by_query.items()
    }
    return queries, questions, read_extras(workspace.connection)


def exported(workspace, kind, path):
    summary = workspace.export(kind, path)
    return path.read_bytes(), summary


def entries(content):
    """The entries of a NuggetBank file, by text."""
    return {
        text: entry
        for line in map(json.loads, content.decode().splitlines())
        for text, entry in (
            line.get("nugget_bank", {}) | line.get("claim_bank", {})
        ).items()
    }


@pytest.mark.parametrize("kind", FAMILIES)
def test_import_export_import_gives_an_equal_workspace(tmp_path, kind):
    came = written(tmp_path, as_jsonl(FAMILIES[kind]()), "came.jsonl")
    with made(tmp_path / "a.db", came) as first:
        content, summary = exported(first, kind, tmp_path / "1.jsonl")
        with made(tmp_path / "b.db", tmp_path / "1.jsonl") as second:
            again, _ = exported(second, kind, tmp_path / "2.jsonl")
            if kind == "nuggetbank":
                assert facts(second) == facts(first)
            else:  # lines of one query stand together, at other numbers
                assert facts(second)[:2] == facts(first)[:2]
            assert not second.verify().problems
        assert again == content
        assert summary.written == len(list(first.bank()))
        assert summary.notices == ()
        assert summary.lost == ()
        (unchanged,) = first.import_(bank=came)
        assert not unchanged.changed


def test_a_nuggetbank_goes_out_byte_for_byte(tmp_path):
    lines = [json.dumps(line, ensure_ascii=False) for line in nuggetbank_lines()]
    came = written(tmp_path, "".join(f"{x}\n" for x in lines).encode(), "came.jsonl")
    with made(tmp_path / "a.db", came) as workspace:
        content, _ = exported(workspace, "nuggetbank", tmp_path / "1.jsonl")
    assert content == came.read_bytes()


def test_what_people_made_here_names_them_and_comes_back(tmp_path):
    came = written(tmp_path, as_jsonl(nuggetbank_lines()), "came.jsonl")
    where = f"q1/{md5(WHERE)}"
    with made(tmp_path / "a.db", came) as workspace:
        workspace.apply(Reword(where, "Where does it rain?"), by="bob")
        workspace.apply(Add("q2", "How much?"), by="dora")
        workspace.apply(Retire("q1/7"), by="bob")
        workspace.apply([Vote(where, "okay")], by="bob")
        content, summary = exported(workspace, "nuggetbank", tmp_path / "1.jsonl")
        assert summary.written == 4
        # by hand: of vital (ann) and okay (bob) is made okay, which reads as ann's
        assert summary.lost == (
            "2 votes behind the importance written",
            "1 retired item",
            "4 changes in the history",
        )
        at = {one.change.question_id: one.at for one in workspace.history()}
    found = entries(content)
    reworded, new = found["Where does it rain?"], found["How much?"]
    assert reworded["question_id"] == md5(WHERE)  # an id is given once
    assert reworded["importance"] == "okay"
    assert [one.get("assessor_id") for one in reworded["creator"]] == [
        "ann",
        None,
        "bob",
    ]
    assert new["question_id"] == md5("How much?")
    assert new["creator"] == [
        {
            "is_human": True,
            "assessor_id": "dora",
            "creation_date": at[f"q2/{md5('How much?')}"],
        }
    ]
    with made(tmp_path / "b.db", tmp_path / "1.jsonl") as again:
        assert again.bank().question(where).votes == (("ann", "okay"),)
        assert exported(again, "nuggetbank", tmp_path / "2.jsonl")[0] == content


def test_a_kept_proposal_names_its_model_and_prompt(tmp_path, monkeypatch):
    texts = ("What is drizzle?", "What is hail?", "What is fog?")
    with ChatServer(answer=lambda prompt: listed(*texts)) as server:
        server.lead(monkeypatch)
        with opened(tmp_path) as workspace:
            workspace.generate(replace(ORDER, query_id="rain", passage_id="r2"))
            kept, reworded, typed = in_state(workspace, "rain", "proposed")
            workspace.apply(Keep(kept.question_id), by="ann")
            workspace.apply(Reword(reworded.question_id, "Why hail?"), by="bob")
            workspace.apply(Add("rain", str(typed.text)), by="bob")
            content, _ = exported(workspace, "nuggetbank", tmp_path / "1.jsonl")
            (asked,) = workspace.generations()
    model = {
        "is_human": False,
        "llm_model": MODEL,
        "creation_date": asked.at,
        "llm_prompt": [asked.text],
    }
    found = entries(content)
    assert found["What is drizzle?"]["creator"] == [model]
    for text in ("Why hail?", "What is fog?"):
        first, second = found[text]["creator"]
        assert first == model
        assert (second["is_human"], second["assessor_id"]) == (True, "bob")
    with made(tmp_path / "b.db", tmp_path / "1.jsonl") as again:
        assert exported(again, "nuggetbank", tmp_path / "2.jsonl")[0] == content


def test_what_the_formats_have_no_place_for_is_said(tmp_path):
    with made(tmp_path / "a.db", written(tmp_path, as_jsonl(bank_lines()))) as one:
        _, summary = exported(one, "nuggetbank", tmp_path / "1.jsonl")
        assert summary.written == 3
        assert summary.notices == ("1 query without a kept item is left out.",)
        assert summary.lost == (
            "1 kept item without a text",
            "1 retired item",
            "the unknown fields of 2 records",
        )
        _, summary = exported(one, "nuggetizer", tmp_path / "2.jsonl")
        assert summary.written == 1
        assert summary.notices == ("1 query without a kept nugget is left out.",)
        assert "3 kept questions" in summary.lost


def test_subtopics_and_choices_come_back_from_a_nugget_bank(tmp_path):
    choices = {"A": "the moon", "B": "the wind"}
    item = {"question_id": "q/f/a", "question_text": "Why?", "facet_id": "f"}
    line = {
        **{"query_id": "q", "query_text": "tides"},
        **{"facet_id": "f", "facet_text": "Causes"},
        "items": [item | {"gold_answers": ["the moon"], "choices": choices}],
    }
    with made(tmp_path / "a.db", written(tmp_path, as_jsonl([line]))) as workspace:
        there = workspace.bank()
        content, summary = exported(workspace, "nuggetbank", tmp_path / "1.jsonl")
    assert summary.lost == ()
    assert entries(content)["Why?"]["metadata"] == {
        "facet_id": "f",
        "facet_text": "Causes",
        "choices": choices,
    }
    with made(tmp_path / "b.db", tmp_path / "1.jsonl") as again:
        came = again.bank()
        assert [replace(one, provenance=None) for one in came] == [
            replace(one, provenance=None) for one in there
        ]
        assert exported(again, "nuggetbank", tmp_path / "2.jsonl")[0] == content


def test_words_and_ids_that_cannot_come_back_are_said(tmp_path):
    items = [
        {"question_id": "q/f/a", "question_text": "Why?", "facet_id": "f"},
        {"question_id": "x", "question_text": "Why?"},
        {"question_id": "y", "question_text": "How?"},
    ]
    line = {"query_id": "q", "query_text": "tides", "items": items}
    with made(tmp_path / "a.db", written(tmp_path, as_jsonl([line]))) as workspace:
        _, summary = exported(workspace, "nuggetbank", tmp_path / "1.jsonl")
    assert summary.written == 2
    assert summary.lost[0] == "1 kept item with the same text as another"
    assert summary.notices == (
        "1 id does not begin with the query's; an import puts the query's before it.",
    )


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "kind", "items"),
    [  # as their readme says
        ("dl19/questions.jsonl.gz", "nuggetbank", 430),
        ("banks/dl20-nuggets.jsonl.gz", "nuggetbank", 540),
        ("banks/dl20-nuggets.jsonl.gz", "nuggetizer", 540),
    ],
)
def test_published_banks_come_back_from_other_formats(
    shared_data, tmp_path, name, kind, items
):
    with made(tmp_path / "a.db", shared_data / name) as first:
        content, summary = exported(first, kind, tmp_path / "1.jsonl")
        with made(tmp_path / "b.db", tmp_path / "1.jsonl") as second:
            assert facts(second)[:2] == facts(first)[:2]
            assert facts(second)[2] == {}
            assert exported(second, kind, tmp_path / "2.jsonl")[0] == content
    assert summary.written == items
